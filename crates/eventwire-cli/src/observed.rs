//! A connector that looks at each response.

use std::cell::RefCell;
use std::future;
use std::io;
use std::rc::Rc;
use std::task::Poll;

use bytes::Bytes;
use eventwire_client::{Attempt, Connector};
use eventwire_reqwest::RequestConnector;
use futures_util::future::{FutureExt, LocalBoxFuture, TryFutureExt};
use futures_util::stream::{self, LocalBoxStream, StreamExt};
use http::Response;
use http::header::CONTENT_ENCODING;

use crate::beginning::Beginning;
use crate::coding::{coding, decoded};
use crate::traffic::Traffic;

/// Sends the requests of a [`RequestConnector`], and decompresses the bodies. One that turns out to be compressed in
/// another way ends at once.
pub(crate) struct Observed {
    connector: RequestConnector,
    connection: Rc<RefCell<Observation>>,
}

/// What has been seen of the connections.
pub(crate) struct Observation {
    /// What the last response starts with.
    pub(crate) beginning: Beginning,
    /// Whether the body of the last response has been read to its end.
    pub(crate) has_ended: bool,
    pub(crate) traffic: Traffic,
}

impl Observed {
    pub(crate) fn new(connector: RequestConnector) -> Observed {
        Observed { connector, connection: Rc::new(RefCell::new(Observation::new())) }
    }

    /// Returns what has been seen.
    pub(crate) fn last(&self) -> std::cell::Ref<'_, Observation> {
        self.connection.borrow()
    }
}

impl Observation {
    fn new() -> Observation {
        Observation { beginning: Beginning::default(), has_ended: false, traffic: Traffic::new() }
    }

    /// A request is sent.
    fn connect(&mut self) {
        self.beginning = Beginning::default();
        self.has_ended = false;
        self.traffic.connect();
    }
}

impl Connector for Observed {
    type Chunk = Bytes;
    type BodyError = io::Error;
    type Body = LocalBoxStream<'static, io::Result<Bytes>>;
    type Error = FetchError;
    type Connect = LocalBoxFuture<'static, Result<Response<Self::Body>, FetchError>>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        self.connection.borrow_mut().connect();
        let connection = Rc::clone(&self.connection);
        let accepts = move |chunk: &io::Result<Bytes>| {
            let mut connection = connection.borrow_mut();
            if let Ok(chunk) = chunk {
                connection.traffic.chunk(chunk.len());
            }
            future::ready(connection.beginning.accepts(chunk))
        };
        let connection = Rc::clone(&self.connection);
        let end = stream::poll_fn(move |_| {
            connection.borrow_mut().has_ended = true;
            Poll::Ready(None)
        });
        let response = self.connector.connect(attempt);
        let observe = |response: Response<<RequestConnector as Connector>::Body>| {
            let coding = coding(&response);
            let (mut head, body) = response.into_parts();
            if coding.is_some() {
                head.headers.remove(CONTENT_ENCODING);
            }
            Response::from_parts(head, decoded(coding, body).take_while(accepts).chain(end).boxed_local())
        };
        response.map_ok(observe).err_into().boxed_local()
    }
}

/// Why there is no response, or no more of its body.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error(transparent)]
    Request(#[from] reqwest::Error),
    #[error(transparent)]
    Body(#[from] io::Error),
}
