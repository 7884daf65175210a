//! HTTP bodies: reading events from a body, and sending events as a body.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use axum::{Router, routing::get};
use bytes::{Buf, Bytes};
use eventwire::{Block, Comment, Error, Event, EventBody, Events, Outgoing};
use futures_util::{FutureExt, Stream, StreamExt, TryStreamExt, stream};
use http_body::{Body, Frame};
use http_body_util::Empty;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use std::{
    collections::VecDeque,
    convert::Infallible,
    io,
    pin::{Pin, pin},
    task::{Context, Poll, Waker},
    time::Duration,
};
use tokio::net::TcpListener;

/// A body of these frames, whose data is not contiguous.
struct Frames(VecDeque<Result<Frame<bytes::buf::Chain<Bytes, Bytes>>, io::Error>>);

impl Frames {
    fn data(first: &'static str, second: &'static str) -> Result<Frame<bytes::buf::Chain<Bytes, Bytes>>, io::Error> {
        Ok(Frame::data(Bytes::from(first).chain(Bytes::from(second))))
    }
}

impl Body for Frames {
    type Data = bytes::buf::Chain<Bytes, Bytes>;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Self::Data>, io::Error>>> {
        Poll::Ready(self.0.pop_front())
    }
}

#[test]
fn a_body_is_read_frame_by_frame() {
    let frames = [
        Frames::data("data: 1", "\n\nda"),
        Frames::data("", ""),
        Ok(Frame::trailers(http::HeaderMap::new())),
        Frames::data("ta: 2\n", "\n"),
        Err(io::Error::other("reset")),
        Frames::data("data: 3\n\n", ""),
        Ok(Frame::trailers(http::HeaderMap::new())),
    ];
    let items: Vec<_> = Events::from_body(Frames(frames.into()))
        .map(|item| match item {
            Ok(event) => event.data().to_owned(),
            Err(Error::Transport(error)) => format!("failure: {error}"),
            Err(other) => panic!("{other:?}"),
        })
        .collect()
        .now_or_never()
        .expect("always ready");
    assert_eq!(items, ["1", "2", "failure: reset", "3"]);
}

#[test]
fn bytes_are_not_copied() {
    let chunk = Bytes::from(b"data: more than twenty-three bytes\n\n".to_vec());
    let place = chunk.as_ptr().addr() + 6;
    let mut events = Events::from_body(http_body_util::Full::new(chunk));
    let event = events.try_next().now_or_never().unwrap().unwrap().unwrap();
    assert_eq!(event.data().as_ptr().addr(), place);
}

type Polled<B> = Poll<Option<Result<Frame<<B as Body>::Data>, <B as Body>::Error>>>;

fn poll<B: Body>(body: Pin<&mut B>) -> Polled<B> {
    body.poll_frame(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn a_frame_for_each_block() {
    let blocks = [
        Outgoing::from(Block::default().with_retry(Duration::from_secs(3))),
        Comment::new("welcome").into(),
        Event::new("two\nlines").with_event_type("t").unwrap().into(),
        Event::new("[DONE]").into(),
    ];
    let written = ["retry: 3000\n\n", ": welcome\n\n", "event: t\ndata: two\ndata: lines\n\n", "data: [DONE]\n\n"];
    let mut body = pin!(EventBody::new(stream::iter(blocks.map(Ok::<_, Infallible>))));
    for expected in written {
        assert!(!body.is_end_stream());
        let Poll::Ready(Some(Ok(frame))) = poll(body.as_mut()) else { panic!("no frame for {expected:?}") };
        assert_eq!(frame.into_data().expect("data"), expected);
    }
    assert!(matches!(poll(body.as_mut()), Poll::Ready(None)));
    assert!(body.is_end_stream());
    assert!(matches!(poll(body.as_mut()), Poll::Ready(None)));
    assert_eq!((body.size_hint().lower(), body.size_hint().upper()), (0, None));
}

/// Returns all frames of a body that is always ready.
fn frames<S: Stream>(blocks: S) -> Vec<Bytes>
where
    EventBody<S>: Body<Data = Bytes, Error = Infallible>,
{
    let mut body = pin!(EventBody::new(blocks));
    let mut frames = Vec::new();
    while let Poll::Ready(Some(Ok(frame))) = poll(body.as_mut()) {
        frames.push(frame.into_data().expect("data"));
    }
    assert!(body.is_end_stream());
    frames
}

#[test]
fn one_large_line_is_a_separate_frame_and_not_copied() {
    let large = "x".repeat(64 * 1024);
    let place = large.as_ptr();
    let event = Event::new(large).with_event_type("t").unwrap().with_id("7").unwrap().with_retry(Duration::ZERO);
    let expected = event.to_bytes();
    let sent = frames(stream::iter([Event::new("a"), event.clone(), event, Event::new("b")]));
    let [a, head, data, end, second @ .., b] = &sent[..] else { panic!("{} frames", sent.len()) };
    assert_eq!(
        [&a[..], head, end, b],
        ["data: a\n\n", "event: t\nid: 7\nretry: 0\ndata: ", "\n\n", "data: b\n\n"].map(str::as_bytes)
    );
    assert_eq!((data.len(), data.as_ptr()), (64 * 1024, place));
    assert_eq!([&head[..], data, end].concat(), expected);
    assert_eq!(second.concat(), expected);
}

#[test]
fn other_large_events_are_one_frame() {
    let large = |last: &str| Event::new("x".repeat(64 * 1024 - 1) + last);
    for event in [large(""), large("\n"), large("\r"), large("a\nb")] {
        assert_eq!(frames(stream::iter([event.clone()])), [event.to_bytes()]);
        assert_eq!(frames(stream::iter([event.encoded()])), [event.to_bytes()]);
    }
}

#[test]
fn a_large_event_is_sent_completely_before_anything_else() {
    let event = Event::new("x".repeat(100_000));
    let last = stream::iter([Ok(event.clone()), Err("broken"), Ok(event.clone())]);
    let mut body = pin!(EventBody::new(last));
    let mut sent = Vec::new();
    for _ in 0..3 {
        let Poll::Ready(Some(Ok(frame))) = poll(body.as_mut()) else { panic!("no frame") };
        sent.extend_from_slice(&frame.into_data().expect("data"));
        assert!(!body.is_end_stream());
    }
    assert_eq!(sent, event.to_bytes());
    assert!(matches!(poll(body.as_mut()), Poll::Ready(Some(Err("broken")))));
    assert!(body.is_end_stream());
    assert!(matches!(poll(body.as_mut()), Poll::Ready(None)));

    // A signal takes effect at the end of the block.
    let (signal, given) = tokio::sync::oneshot::channel::<()>();
    let mut body = pin!(EventBody::new(stream::repeat(event.clone())).until(given));
    let mut signal = Some(signal);
    let mut sent = Vec::new();
    while let Poll::Ready(Some(Ok(frame))) = poll(body.as_mut()) {
        signal.take();
        sent.extend_from_slice(&frame.into_data().expect("data"));
    }
    assert_eq!(sent, event.to_bytes());
}

/// Over a socket: axum accepts the response directly, and the clients of hyper and reqwest receive the events that were
/// sent.
#[tokio::test]
async fn from_axum_to_hyper_and_reqwest() {
    let events = || (0..3).map(|n| Event::new(format!("{n}\n")).with_id(n.to_string()).map_err(io::Error::other));
    let router = Router::new().route("/", get(async move || EventBody::new(stream::iter(events())).response()));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let expected = ["0\n", "1\n", "2\n"];

    let client: Client<_, Empty<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
    let response = client.get(url.parse().unwrap()).await.unwrap();
    assert_eq!(response.status(), http::StatusCode::OK);
    for (name, value) in [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-cache, no-transform"),
        ("x-accel-buffering", "no"),
    ] {
        assert_eq!(response.headers()[name], value);
    }
    let events: Vec<Event> = Events::from_body(response.into_body()).try_collect().await.unwrap();
    assert_eq!(events.iter().map(Event::data).collect::<Vec<_>>(), expected);

    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let body = reqwest::Body::from(client.get(url).send().await.unwrap());
    let events: Vec<Event> = Events::from_body(body).try_collect().await.unwrap();
    assert_eq!(events.iter().map(Event::data).collect::<Vec<_>>(), expected);
}
