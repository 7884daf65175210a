//! A connector that looks at each response.

use std::cell::RefCell;
use std::future;
use std::io;
use std::rc::Rc;
use std::task::Poll;

use bytes::Bytes;
use eventwire_client::{Attempt, Connector, Resend};
use futures_util::future::{FutureExt, LocalBoxFuture};
use futures_util::stream::{self, LocalBoxStream, StreamExt};
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, HeaderValue, Response};
use reqwest::Url;

use crate::beginning::Beginning;
use crate::coding::{coding, decoded};
use crate::journey::{Ask, Chunks, Form, Journey, LastId, Refused, Sender, Step};
use crate::traffic::Traffic;

/// Sends a request for each attempt, and decompresses the bodies. One that turns out to be compressed in another way
/// ends at once.
pub(crate) struct Observed {
    sender: Rc<Sender>,
    connection: Rc<RefCell<Observation>>,
}

/// What has been seen of the connections.
pub(crate) struct Observation {
    /// What the last response starts with.
    pub(crate) beginning: Beginning,
    /// Whether the body of the last response has been read to its end.
    pub(crate) has_ended: bool,
    pub(crate) traffic: Traffic,
    /// The URL of the last response.
    pub(crate) url: Url,
    /// The URL of the response that has sent the last event ID, or the user's if the user gave it.
    pub(crate) id_is_of: Url,
    /// Whether the last response continues after the last event ID.
    pub(crate) id: IdSent,
}

/// Whether the server of a response has got the last event ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IdSent {
    /// It has, or there is none.
    Yes,
    /// The ID is for another origin.
    No,
}

impl Observed {
    pub(crate) fn new(sender: Rc<Sender>) -> Observed {
        let connection = Rc::new(RefCell::new(Observation::new(&sender.home)));
        Observed { sender, connection }
    }

    /// The last response has set the last event ID.
    pub(crate) fn id_received(&self) {
        let mut connection = self.connection.borrow_mut();
        connection.id_is_of = connection.url.clone();
    }

    /// Returns what has been seen.
    pub(crate) fn last(&self) -> std::cell::Ref<'_, Observation> {
        self.connection.borrow()
    }
}

impl Observation {
    fn new(home: &Url) -> Observation {
        Observation {
            beginning: Beginning::default(),
            has_ended: false,
            traffic: Traffic::new(),
            url: home.clone(),
            id_is_of: home.clone(),
            id: IdSent::Yes,
        }
    }

    /// A request is sent.
    fn connect(&mut self) {
        self.beginning = Beginning::default();
        self.has_ended = false;
        self.traffic.connect();
    }

    /// A response has arrived from this URL.
    fn arrived(&mut self, url: &Url, id: Option<&HeaderValue>) {
        self.url = url.clone();
        let is_withheld = id.is_some() && self.id_is_of.origin() != url.origin();
        self.id = if is_withheld { IdSent::No } else { IdSent::Yes };
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
        let observation = Rc::clone(&self.connection);
        let last_id = attempt.last_event_id().cloned();
        let last_id = last_id.map(|value| LastId { value, of: observation.borrow().id_is_of.clone() });
        let journey = self.sender.journey(Ask { headers: HeaderMap::new(), last_id });
        async move {
            let response = send(journey, &attempt).await?;
            let coding = coding(&response);
            let (mut head, body) = response.into_parts();
            if coding.is_some() {
                head.headers.remove(CONTENT_ENCODING);
            }
            if let Some(url) = head.extensions.get::<Url>() {
                observation.borrow_mut().arrived(url, attempt.last_event_id());
            }
            Ok(Response::from_parts(head, decoded(coding, body).take_while(accepts).chain(end).boxed_local()))
        }
        .boxed_local()
    }
}

/// Sends the requests of an attempt, and reports what happens to them.
async fn send(mut journey: Journey, attempt: &Attempt) -> Result<Response<Chunks>, FetchError> {
    loop {
        attempt.handle_start(Resend::for_method(journey.method().as_str()));
        match journey.step().await {
            Ok(Step::Arrived(response)) => return Ok(response),
            Ok(Step::Moved(_)) if journey.form() == Form::Result => attempt.handle_carried_out(),
            Ok(Step::Moved(_)) => {}
            Ok(Step::Refused(refused)) => {
                if refused.is_permanent() {
                    attempt.handle_permanent_error();
                }
                return Err(FetchError::Redirect(refused));
            }
            Err(error) => {
                if error.is_builder() {
                    attempt.handle_permanent_error();
                }
                if error.is_builder() || error.is_connect() {
                    attempt.handle_unsent();
                }
                return Err(FetchError::Request(error));
            }
        }
    }
}

/// Why there is no response, or no more of its body.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error(transparent)]
    Request(#[from] reqwest::Error),
    #[error("{}: {_0}", .0.from())]
    Redirect(Refused),
    #[error(transparent)]
    Body(#[from] io::Error),
}
