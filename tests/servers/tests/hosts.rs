//! eventwire's output, sent by other servers. axum accepts the response of `EventBody` directly; actix-web, warp
//! and salvo have their own body types, which accept its chunks, as in the recipes.

#[rustfmt::skip] // `.ci/run` formats them with the settings in `docs`
#[path = "../../../docs/recipes/serve_actix.rs"]
mod serve_actix;
#[rustfmt::skip]
#[path = "../../../docs/recipes/serve_salvo.rs"]
mod serve_salvo;
#[rustfmt::skip]
#[path = "../../../docs/recipes/serve_warp.rs"]
mod serve_warp;

use actix_web::body::MessageBody;
use axum::{
    response::IntoResponse,
    routing::{MethodRouter, get},
};
use bytes::Bytes;
use eventwire::{Event, EventBody};
use futures_util::{FutureExt, Stream, StreamExt, stream};
use http_body_util::BodyExt;
use std::pin::pin;

fn events() -> impl Stream<Item = Event> + Send + Sync + 'static {
    stream::iter(["two\r\nlines", "[DONE]"].map(Event::new))
}

const HEADERS: [(&str, &str); 3] =
    [("content-type", "text/event-stream"), ("cache-control", "no-cache, no-transform"), ("x-accel-buffering", "no")];

#[track_caller]
fn check<'h>(status: u16, header: impl Fn(&str) -> Option<&'h [u8]>, body: &[u8]) {
    assert_eq!(status, 200);
    for (name, value) in HEADERS {
        assert_eq!(header(name), Some(value.as_bytes()), "{name}");
    }
    assert_eq!(str::from_utf8(body), Ok("data: two\ndata: lines\n\ndata: [DONE]\n\n"));
}

fn ready<F: Future>(future: F) -> F::Output {
    future.now_or_never().expect("nothing waits")
}

#[test]
fn axum_takes_the_response_as_it_is() {
    async fn handler() -> axum::http::Response<EventBody<impl Stream<Item = Event>>> {
        EventBody::new(events()).response()
    }
    let _: MethodRouter = get(handler);

    let response = IntoResponse::into_response(ready(handler()));
    let (head, body) = response.into_parts();
    let body = ready(body.collect()).expect("a body").to_bytes();
    check(head.status.as_u16(), |name| Some(head.headers.get(name)?.as_bytes()), &body);
}

#[test]
fn warp_takes_its_chunks() {
    let (head, body) = serve_warp::respond(events()).into_parts();
    let body = ready(body.collect()).expect("a body").to_bytes();
    check(head.status.as_u16(), |name| Some(head.headers.get(name)?.as_bytes()), &body);
}

#[test]
fn actix_takes_its_chunks() {
    let response = serve_actix::respond(events());
    let status = response.status().as_u16();
    let headers = response.headers().clone();
    let mut body = pin!(response.into_body());
    let chunks = stream::poll_fn(|context| body.as_mut().poll_next(context));
    let chunks = ready(chunks.map(|chunk| chunk.expect("a chunk")).collect::<Vec<Bytes>>());
    check(status, |name| Some(headers.get(name)?.as_bytes()), &chunks.concat());
}

#[test]
fn salvo_takes_its_chunks() {
    let mut response = salvo::Response::new();
    serve_salvo::respond(events(), &mut response);
    let body = ready(BodyExt::collect(response.take_body())).expect("a body").to_bytes();
    let status = response.status_code.map_or(200, |status| status.as_u16());
    check(status, |name| Some(response.headers().get(name)?.as_bytes()), &body);
}
