//! Serves events with poem.

use eventwire::{BodyChunks, Event, EventBody, TokioTimer};
use futures_util::{Stream, TryStreamExt};
use poem::{Body, Response};
use std::{io, time::Duration};

/// Returns the response of a handler.
pub fn respond(events: impl Stream<Item = Event> + Send + 'static) -> Response {
    let body =
        EventBody::new(events).with_keep_alive(Duration::from_secs(15), TokioTimer);
    let mut response = Response::builder();
    for (name, value) in EventBody::RESPONSE_HEADERS {
        response = response.header(name, value);
    }
    response
        .body(Body::from_bytes_stream(BodyChunks::new(body).map_err(io::Error::other)))
}
