//! Serves events with rocket, which has the types of `http` 0.2.

use eventwire::{BodyChunks, Event, EventBody, TokioTimer};
use futures_util::{Stream, StreamExt};
use rocket::response::{Responder, Result, stream::ByteStream};
use std::time::Duration;

/// The response of a route.
pub struct Feed<S>(pub S);

impl<'r, S: Stream<Item = Event> + Send + 'r> Responder<'r, 'r> for Feed<S> {
    fn respond_to(self, request: &'r rocket::Request<'_>) -> Result<'r> {
        let body =
            EventBody::new(self.0).with_keep_alive(Duration::from_secs(15), TokioTimer);
        let mut response = ByteStream(BodyChunks::new(body).map(|Ok(chunk)| chunk))
            .respond_to(request)?;
        for (name, value) in EventBody::RESPONSE_HEADERS {
            response.set_raw_header(name, value);
        }
        Ok(response)
    }
}
