//! `Tap` as an HTTP body.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use bytes::Bytes;
use eventwire::{BlockItemRef, DecodeError, Decoder, Eof, Tap};
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
}

impl Frames {
    fn new(frames: Vec<Result<Frame<Bytes>, &'static str>>) -> Frames {
        Frames { frames: frames.into_iter(), tells_its_end: false }
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
        SizeHint::with_exact(self.frames.as_slice().len() as u64)
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
    let tells_its_end = frames.tells_its_end;
    {
        let decoder = Decoder::new().with_eof(Eof::Dispatch);
        let mut tap = pin!(Tap::new(frames, |item| seen.push(word(item))).with_decoder(decoder));
        for left in (0..count).rev() {
            assert_eq!((tap.is_end_stream(), tap.size_hint().exact()), (false, Some(left as u64 + 1)));
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
    let frames = Frames { tells_its_end: true, ..Frames::new(vec![data("data: 1\n\nda"), data("ta: 2")]) };
    assert_eq!(polled(frames, 2).1, ["1", "2"]);
    assert_eq!(polled(Frames::new(vec![data("data: 1\n\nda"), data("ta: 2")]), 2).1, ["1"]);
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
