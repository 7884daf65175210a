//! A connector that looks at the beginning of each response.

use std::cell::{Ref, RefCell};
use std::future;
use std::rc::Rc;

use eventwire_client::{Attempt, Connector, Resend};
use eventwire_reqwest::RequestConnector;
use futures_util::future::{FutureExt, LocalBoxFuture, TryFutureExt};
use futures_util::stream::{LocalBoxStream, StreamExt};
use http::Response;

use crate::beginning::Beginning;

/// Sends the requests of a [`RequestConnector`]. A body that turns out to be compressed ends at once.
pub(crate) struct Observed {
    connector: RequestConnector,
    beginning: Rc<RefCell<Beginning>>,
}

impl Observed {
    pub(crate) fn new(connector: RequestConnector) -> Observed {
        Observed { connector, beginning: Rc::default() }
    }

    /// Returns what the last response starts with.
    pub(crate) fn beginning(&self) -> Ref<'_, Beginning> {
        self.beginning.borrow()
    }
}

impl Connector for Observed {
    type Chunk = <RequestConnector as Connector>::Chunk;
    type BodyError = reqwest::Error;
    type Body = LocalBoxStream<'static, reqwest::Result<Self::Chunk>>;
    type Error = reqwest::Error;
    type Connect = LocalBoxFuture<'static, reqwest::Result<Response<Self::Body>>>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        self.beginning.take();
        let beginning = Rc::clone(&self.beginning);
        let accepts = move |chunk: &reqwest::Result<_>| future::ready(beginning.borrow_mut().accepts(chunk));
        let response = self.connector.connect(attempt);
        response.map_ok(|response| response.map(|body| body.take_while(accepts).boxed_local())).boxed_local()
    }

    fn resend(&self) -> Resend {
        self.connector.resend()
    }

    fn was_sent(&self, error: &reqwest::Error) -> bool {
        self.connector.was_sent(error)
    }

    fn was_carried_out(&self) -> bool {
        self.connector.was_carried_out()
    }

    fn is_permanent(&self, error: &reqwest::Error) -> bool {
        self.connector.is_permanent(error)
    }

    fn jitter_seed(&self) -> Option<u64> {
        self.connector.jitter_seed()
    }
}
