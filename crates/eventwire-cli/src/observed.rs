//! A connector that looks at each response.

use std::cell::RefCell;
use std::future;
use std::rc::Rc;

use eventwire_client::{Attempt, Connector};
use eventwire_reqwest::RequestConnector;
use futures_util::future::{FutureExt, LocalBoxFuture, TryFutureExt};
use futures_util::stream::{LocalBoxStream, StreamExt};
use http::Response;

use crate::beginning::Beginning;
use crate::traffic::Traffic;

/// Sends the requests of a [`RequestConnector`]. A body that turns out to be compressed ends at once.
pub(crate) struct Observed {
    connector: RequestConnector,
    connection: Rc<RefCell<Observation>>,
}

/// What has been seen of the last connection.
pub(crate) struct Observation {
    /// What its response starts with.
    pub(crate) beginning: Beginning,
    pub(crate) traffic: Traffic,
}

impl Observed {
    pub(crate) fn new(connector: RequestConnector) -> Observed {
        Observed { connector, connection: Rc::new(RefCell::new(Observation::new())) }
    }

    /// Returns what has been seen of the last connection.
    pub(crate) fn last(&self) -> std::cell::Ref<'_, Observation> {
        self.connection.borrow()
    }
}

impl Observation {
    fn new() -> Observation {
        Observation { beginning: Beginning::default(), traffic: Traffic::new() }
    }
}

impl Connector for Observed {
    type Chunk = <RequestConnector as Connector>::Chunk;
    type BodyError = reqwest::Error;
    type Body = LocalBoxStream<'static, reqwest::Result<Self::Chunk>>;
    type Error = reqwest::Error;
    type Connect = LocalBoxFuture<'static, reqwest::Result<Response<Self::Body>>>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        self.connection.replace(Observation::new());
        let connection = Rc::clone(&self.connection);
        let accepts = move |chunk: &reqwest::Result<Self::Chunk>| {
            let mut connection = connection.borrow_mut();
            if let Ok(chunk) = chunk {
                connection.traffic.chunk(chunk.len());
            }
            future::ready(connection.beginning.accepts(chunk))
        };
        let response = self.connector.connect(attempt);
        response.map_ok(|response| response.map(|body| body.take_while(accepts).boxed_local())).boxed_local()
    }
}
