//! The same request for each attempt.

use crate::{
    Body, FetchError, Request,
    news::News,
    send::{Sending, send},
};
use bytes::Bytes;
use eventwire_client::{Attempt, Connector};
use std::rc::Rc;

/// A connector that sends the same request for each attempt; [`Request::eventsource`] returns an event source with it.
#[derive(Debug)]
pub struct RequestConnector {
    pub(crate) request: Request,
    pub(crate) news: News,
}

impl Connector for RequestConnector {
    type Chunk = Bytes;
    type BodyError = FetchError;
    type Body = Body;
    type Error = FetchError;
    type Connect = Sending;

    fn connect(&mut self, attempt: Attempt) -> Sending {
        self.news.begin_attempt();
        send(self.request.clone(), attempt, Rc::clone(&self.news.is_put_off))
    }
}
