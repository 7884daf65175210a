//! Serves events with salvo.

use eventwire::{BodyChunks, Event, EventBody, TokioTimer};
use futures_util::Stream;
use salvo::{Response, http::HeaderValue};
use std::time::Duration;

/// Writes the response of a handler.
pub fn respond(
    events: impl Stream<Item = Event> + Send + 'static,
    response: &mut Response,
) {
    let body =
        EventBody::new(events).with_keep_alive(Duration::from_secs(15), TokioTimer);
    for (name, value) in EventBody::RESPONSE_HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response.stream(BodyChunks::new(body));
}
