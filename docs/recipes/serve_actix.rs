//! Serves events with actix-web.

use actix_web::HttpResponse;
use eventwire::{BodyChunks, Event, EventBody, TokioTimer};
use futures_util::Stream;
use std::time::Duration;

/// Returns the response of a handler.
pub fn respond(events: impl Stream<Item = Event> + 'static) -> HttpResponse {
    let body =
        EventBody::new(events).with_keep_alive(Duration::from_secs(15), TokioTimer);
    let mut response = HttpResponse::Ok();
    for header in EventBody::RESPONSE_HEADERS {
        response.insert_header(header);
    }
    response.streaming(BodyChunks::new(body))
}
