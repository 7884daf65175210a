//! `Tap` as an HTTP body.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use eventwire::{BlockItemRef, DecodeError, Decoder, End, Eof, Observe, Tap, TapError};
use http::{
    Response,
    header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE},
};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use std::{
    convert::Infallible,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::{Pin, pin},
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};

/// A body of these frames.
struct Frames {
    frames: std::vec::IntoIter<Result<Frame<Bytes>, &'static str>>,
    /// Whether `is_end_stream` reports the end.
    tells_its_end: bool,
    /// Whether the number of frames is counted as the length.
    knows_its_length: bool,
}

impl Frames {
    fn new(frames: Vec<Result<Frame<Bytes>, &'static str>>) -> Frames {
        Frames { frames: frames.into_iter(), tells_its_end: false, knows_its_length: false }
    }

    fn left(&self) -> u64 {
        self.frames.as_slice().len() as u64
    }
}

impl Body for Frames {
    type Data = Bytes;
    type Error = &'static str;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, &'static str>>> {
        Poll::Ready(self.frames.next())
    }

    fn is_end_stream(&self) -> bool {
        self.tells_its_end && self.frames.as_slice().is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        if self.knows_its_length { SizeHint::with_exact(self.left()) } else { SizeHint::default() }
    }
}

fn word(item: Result<BlockItemRef<'_>, DecodeError>) -> String {
    match item.map(|item| item.event()) {
        Ok(Some(event)) => event.data().to_owned(),
        Ok(None) => format!("{item:?}"),
        Err(error) => error.to_string(),
    }
}

fn data(text: &'static str) -> Result<Frame<Bytes>, &'static str> {
    Ok(Frame::data(Bytes::from_static(text.as_bytes())))
}

/// Polls this many frames of a tap, like a server that stops then. Returns the frames as texts, and what the observer
/// has seen.
fn polled(frames: Frames, count: usize) -> (Vec<String>, Vec<String>) {
    let mut seen = Vec::new();
    let mut found = Vec::new();
    let Frames { tells_its_end, knows_its_length, .. } = frames;
    {
        let decoder = Decoder::new().with_eof(Eof::Dispatch);
        let mut tap = pin!(Tap::new(frames, |item| seen.push(word(item))).with_decoder(decoder));
        for left in (0..count).rev() {
            let length = knows_its_length.then_some(left as u64 + 1);
            assert_eq!((tap.is_end_stream(), tap.size_hint().exact()), (false, length));
            found.push(match tap.as_mut().poll_frame(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => String::from_utf8(data.to_vec()).unwrap(),
                    Err(frame) => format!("{:?}", frame.into_trailers().unwrap()),
                },
                other => format!("{other:?}"),
            });
        }
        assert!(tap.is_end_stream() || !tells_its_end);
        if tells_its_end {
            // Another poll shows nothing twice.
            assert!(matches!(tap.poll_frame(&mut Context::from_waker(Waker::noop())), Poll::Ready(None)));
        }
    }
    (found, seen)
}

#[test]
fn frames_and_trailers_pass_unchanged() {
    let mut trailers = http::HeaderMap::new();
    trailers.insert("checksum", "7".parse().unwrap());
    let frames = vec![data("data: 1\n\nda"), data(""), data("ta: 2"), Ok(Frame::trailers(trailers))];
    let (found, seen) = polled(Frames::new(frames), 4);
    assert_eq!(found, ["data: 1\n\nda", "", "ta: 2", r#"{"checksum": "7"}"#]);
    // Nothing follows trailers, so an unfinished event is shown with them.
    assert_eq!(seen, ["1", "2"]);
}

#[test]
fn an_unfinished_event_is_shown_although_a_server_stops_polling() {
    let frames = || Frames::new(vec![data("data: 1\n\nda"), data("ta: 2")]);
    assert_eq!(polled(Frames { tells_its_end: true, ..frames() }, 2).1, ["1", "2"]);
    assert_eq!(polled(Frames { knows_its_length: true, ..frames() }, 2).1, ["1", "2"]);
    assert_eq!(polled(frames(), 2).1, ["1"]);
}

#[test]
fn after_an_error_the_rest_is_not_shown() {
    let trailers = Frame::trailers(http::HeaderMap::new());
    let (found, seen) = polled(Frames::new(vec![data("data: 1\n\ndata: 2\n"), Err("reset"), Ok(trailers)]), 3);
    assert_eq!((&*found[1], &seen[..]), (r#"Ready(Some(Err("reset")))"#, &["1".to_owned()][..]));
}

/// At any block, the last of which is shown with the trailers, with the last chunk, or at the end.
#[test]
fn after_a_panic_of_the_observer_every_frame_is_passed_on_and_none_is_observed() {
    let mut trailers = http::HeaderMap::new();
    trailers.insert("checksum", "7".parse().unwrap());
    for (tells_its_end, trailers) in [(false, Some(trailers)), (true, None), (false, None)] {
        for last in 0..3 {
            let mut frames = vec![data("data: 1\n\nda"), data("ta: 2\n\n"), data("data: 3")];
            frames.extend(trailers.clone().map(Frame::trailers).map(Ok));
            let mut seen = 0;
            let observer = |_: Result<BlockItemRef<'_>, DecodeError>| {
                seen += 1;
                assert!(seen <= last, "the observer panics");
            };
            let decoder = Decoder::new().with_eof(Eof::Dispatch);
            let source = Frames { tells_its_end, ..Frames::new(frames) };
            let mut tap = Box::pin(Tap::new(source, observer).with_decoder(decoder));
            let (mut passed, mut panics) = (String::new(), 0);
            while !tap.is_end_stream() {
                let poll = || tap.as_mut().poll_frame(&mut Context::from_waker(Waker::noop()));
                match catch_unwind(AssertUnwindSafe(poll)) {
                    Err(_) => {
                        panics += 1;
                        assert_eq!((tap.size_hint().lower(), tap.size_hint().upper()), (0, None));
                    }
                    Ok(Poll::Ready(None)) => break,
                    Ok(Poll::Ready(Some(frame))) => match frame.unwrap().into_data() {
                        Ok(data) => passed.push_str(std::str::from_utf8(&data).unwrap()),
                        Err(frame) => passed.push_str(&format!("{:?}", frame.into_trailers().unwrap())),
                    },
                    Ok(Poll::Pending) => unreachable!(),
                }
            }
            drop(tap);
            let expected = if trailers.is_some() { r#"{"checksum": "7"}"# } else { "" };
            assert_eq!(passed, format!("data: 1\n\ndata: 2\n\ndata: 3{expected}"), "at block {last}");
            assert_eq!((panics, seen), (1, last + 1));
        }
    }
}

/// Over a connection: hyper does not poll a body again after it has reported its end.
#[tokio::test]
async fn in_a_response_of_hyper() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let observed = Arc::clone(&seen);
    let (client, server) = tokio::io::duplex(1000);
    tokio::spawn(async move {
        let respond = |_| {
            let observed = Arc::clone(&observed);
            let observer = move |item: Result<BlockItemRef<'_>, DecodeError>| observed.lock().unwrap().push(word(item));
            let decoder = Decoder::new().with_eof(Eof::Dispatch);
            let body = Tap::new(Full::new(Bytes::from("data: 1\n\ndata: 2")), observer).with_decoder(decoder);
            std::future::ready(Ok::<_, Infallible>(http::Response::new(body)))
        };
        let service = hyper::service::service_fn(respond);
        hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(server), service).await.unwrap();
    });
    let (mut sender, driver) = hyper::client::conn::http1::handshake(TokioIo::new(client)).await.unwrap();
    tokio::spawn(driver);
    let request = hyper::Request::get("/").header("host", "here").body(http_body_util::Empty::<Bytes>::new()).unwrap();
    let response = sender.send_request(request).await.unwrap();
    // The length is known, because the tap passes on the size hint.
    assert_eq!(response.headers()["content-length"], "16");
    assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "data: 1\n\ndata: 2");
    assert_eq!(*seen.lock().unwrap(), ["1", "2"]);
}

/// Returns a response whose body has one event.
fn response(headers: &[(&'static str, &str)]) -> Response<Frames> {
    let mut response = Response::new(Frames::new(vec![data("data: 1\n\n")]));
    *response.status_mut() = http::StatusCode::ACCEPTED;
    for (name, value) in headers {
        response.headers_mut().append(*name, value.parse().unwrap());
    }
    response
}

const EVENTS: (&str, &str) = ("content-type", "text/event-stream");

#[test]
fn the_head_of_a_response_says_whether_its_events_can_be_read() {
    let seen = Mutex::new(Vec::new());
    let observer = |item: Result<BlockItemRef<'_>, DecodeError>| seen.lock().unwrap().push(word(item));
    for headers in [
        &[EVENTS][..],
        &[("content-type", "Text/Event-Stream; charset=utf-8"), ("content-length", "9")],
        &[("content-type", "text/html"), EVENTS],
        &[EVENTS, ("content-encoding", "identity")],
        &[EVENTS, ("content-encoding", "")],
        &[EVENTS, ("content-encoding", "none, UTF-8")],
    ] {
        let mut observed = Tap::from_response(response(headers), observer).unwrap();
        assert_eq!(observed.status(), 202);
        assert_eq!(observed.headers().get(CONTENT_LENGTH), None);
        assert!(observed.headers().contains_key(CONTENT_TYPE));
        let frame = Pin::new(observed.body_mut()).poll_frame(&mut Context::from_waker(Waker::noop()));
        assert!(matches!(frame, Poll::Ready(Some(Ok(_)))));
        assert_eq!(seen.lock().unwrap().drain(..).collect::<Vec<_>>(), ["1"], "{headers:?}");
    }
}

fn refused(response: Response<Frames>) -> TapError<Frames> {
    let observer = |_: Result<BlockItemRef<'_>, DecodeError>| unreachable!();
    Tap::from_response(response, observer).err().unwrap()
}

#[test]
fn a_response_that_cannot_be_read_is_returned_as_it_was() {
    const COMPRESSED: &str = ", so its events cannot be read; send `Accept-Encoding: identity` to the server, or decompress \
        the body first";
    let long = format!("text/{}", "x".repeat(300));
    for (headers, message) in [
        (&[("content-type", "text/html; charset=utf-8")][..], "the response is not an event stream, but text/html"),
        (&[EVENTS, ("content-type", "a/b")], "the response is not an event stream, but a/b"),
        (&[("content-type", &long)], &format!("the response is not an event stream, but {}...", &long[..200])),
        (&[("content-type", "\u{7f}")], "the response is not an event stream: it has no valid content type"),
        (&[("content-encoding", "gzip")], "the response is not an event stream: it has no valid content type"),
        (&[EVENTS, ("content-encoding", "GZip")], &format!("the body is compressed with gzip{COMPRESSED}")),
        (
            &[EVENTS, ("content-encoding", "none,br"), ("content-encoding", "zstd")],
            &format!("the body is compressed with br, zstd{COMPRESSED}"),
        ),
    ] {
        let mut response = response(&[]);
        for (name, value) in headers {
            let value = http::HeaderValue::from_maybe_shared(Bytes::copy_from_slice(value.as_bytes()));
            response.headers_mut().append(*name, value.unwrap_or(http::HeaderValue::from_static("\t")));
        }
        response.headers_mut().insert(CONTENT_LENGTH, 9.into());
        let sent = response.headers().clone();
        let error = refused(response);
        assert_eq!((error.to_string(), format!("{error:?}")), (message.to_owned(), format!("TapError({message})")));
        assert_eq!(matches!(error, TapError::Compressed(_)), message.contains("compressed"));
        let returned = error.into_response();
        assert_eq!((returned.status().as_u16(), returned.headers()), (202, &sent));
        assert_eq!(returned.body().left(), 1);
    }
}

#[test]
fn an_empty_stream_is_complete_at_once() {
    for (tells_its_end, knows_its_length) in [(true, false), (false, true)] {
        let body = Frames { tells_its_end, knows_its_length, ..Frames::new(Vec::new()) };
        let mut response = Response::new(body);
        response.headers_mut().insert(CONTENT_TYPE, EVENTS.1.parse().unwrap());
        response.headers_mut().insert(CONTENT_ENCODING, "gzip".parse().unwrap());
        response.headers_mut().insert(CONTENT_LENGTH, 9.into());
        let headers = response.headers().clone();
        let end = Arc::new(Mutex::new(None));
        let tap = Tap::from_response(response, Ended(Arc::clone(&end))).unwrap();
        assert_eq!((*end.lock().unwrap(), tap.headers()), (Some(End::Complete), &headers));
        *end.lock().unwrap() = None;
        drop(tap);
        assert_eq!(*end.lock().unwrap(), None, "the observer is told once");
    }
}

/// Keeps how the stream ended.
struct Ended(Arc<Mutex<Option<End>>>);

impl Observe for Ended {
    fn item(&mut self, _: Result<BlockItemRef<'_>, DecodeError>) {}

    fn end(&mut self, end: End) {
        *self.0.lock().unwrap() = Some(end);
    }
}

/// A body of 9 bytes that does not report its end, and knows its length or not: reqwest's is like that if it could
/// have decompressed it.
struct NineBytes {
    left: Option<Bytes>,
    knows_its_length: bool,
}

impl Body for NineBytes {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.left.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> SizeHint {
        let length = self.left.as_ref().map_or(0, |bytes| bytes.len() as u64);
        if self.knows_its_length { SizeHint::with_exact(length) } else { SizeHint::default() }
    }
}

/// hyper drops a body of known length after its last byte, without polling it again.
#[tokio::test]
async fn the_end_of_a_response_of_known_length_is_seen() {
    for knows_its_length in [false, true] {
        let end = Arc::new(Mutex::new(None));
        let observed = Arc::clone(&end);
        let (client, server) = tokio::io::duplex(1000);
        let server = tokio::spawn(async move {
            let respond = |_| {
                let body = NineBytes { left: Some(Bytes::from("data: 1\n\n")), knows_its_length };
                let upstream = Response::builder().header(CONTENT_TYPE, EVENTS.1).header(CONTENT_LENGTH, 9);
                let response = Tap::from_response(upstream.body(body).unwrap(), Ended(Arc::clone(&observed)));
                std::future::ready(Ok::<_, Infallible>(response.unwrap()))
            };
            let service = hyper::service::service_fn(respond);
            hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(server), service).await.unwrap();
        });
        let (mut sender, driver) = hyper::client::conn::http1::handshake(TokioIo::new(client)).await.unwrap();
        tokio::spawn(driver);
        let request =
            hyper::Request::get("/").header("host", "here").body(http_body_util::Empty::<Bytes>::new()).unwrap();
        let response = sender.send_request(request).await.unwrap();
        assert_eq!(response.headers().contains_key(CONTENT_LENGTH), knows_its_length);
        assert_eq!(response.into_body().collect().await.unwrap().to_bytes(), "data: 1\n\n");
        drop(sender);
        server.await.unwrap();
        assert_eq!(*end.lock().unwrap(), Some(End::Complete));
    }
}
