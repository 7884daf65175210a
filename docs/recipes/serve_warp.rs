//! Serves events with warp, whose streams have to be `Sync`.

use eventwire::{BodyChunks, Event, EventBody, TokioTimer};
use futures_util::Stream;
use std::time::Duration;
use warp::{http::HeaderValue, reply, reply::Reply, reply::Response};

/// Returns the response of a filter.
pub fn respond(events: impl Stream<Item = Event> + Send + Sync + 'static) -> Response {
    let body =
        EventBody::new(events).with_keep_alive(Duration::from_secs(15), TokioTimer);
    let mut response = reply::stream(BodyChunks::new(body)).into_response();
    for (name, value) in EventBody::RESPONSE_HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
