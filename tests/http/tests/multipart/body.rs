//! `PartBody` through axum, read by reqwest and hyper.

use crate::{
    http_client,
    server::{serve, stepwise},
};
use axum::{Router, response::IntoResponse, routing::get};
use eventwire_multipart::{
    Boundary, Collected, Error, Headers, OutgoingPart, PartBody, PartBodyError, PartDecoder, PartEncoder, PartEnd,
    Parts, Piece, Pieces, WholePart,
};
use eventwire_test_support::PATIENCE;
use futures_util::{Stream, StreamExt, stream};
use http::StatusCode;
use http_body::Body;
use http_body_util::{BodyExt, Empty};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use std::{convert::Infallible, io, net::SocketAddr, sync::Arc};
use tokio::{sync::Semaphore, time::timeout};

fn encoder() -> PartEncoder {
    PartEncoder::new(Boundary::new("frame").unwrap()).unwrap()
}

fn text(text: &'static str) -> WholePart {
    WholePart::new("text/plain", text).unwrap()
}

/// Starts a server of this stream.
async fn server_of<S, I>(parts: impl FnOnce() -> S + Clone + Send + Sync + 'static) -> SocketAddr
where
    S: Stream<Item = Result<I, io::Error>> + Send + 'static,
    I: Into<OutgoingPart> + 'static,
{
    let handler =
        async move || PartBody::new(encoder(), parts()).response("multipart/x-mixed-replace").unwrap().into_response();
    serve(Router::new().route("/stream", get(handler))).await
}

async fn get_stream(server: SocketAddr) -> reqwest::Response {
    http_client().get(format!("http://{server}/stream")).send().await.unwrap()
}

#[tokio::test]
async fn the_response_has_its_headers_and_disables_buffering_in_proxies() {
    let server = server_of(|| stream::iter([Ok(text("Hello")), Ok(text(""))])).await;
    let response = get_stream(server).await;
    assert_eq!(response.status(), StatusCode::OK);
    for (name, value) in [
        ("content-type", "multipart/x-mixed-replace; boundary=frame"),
        ("cache-control", "no-cache, no-transform"),
        ("x-accel-buffering", "no"),
    ] {
        assert_eq!(response.headers()[name], value, "{name}");
    }
    assert!(!response.headers().contains_key("content-length"));
    assert_eq!(
        response.text().await.unwrap(),
        "--frame\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nHello\r\n\
         --frame\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n\r\n--frame\r\n--frame--\r\n"
    );
}

#[tokio::test]
async fn a_response_of_hyper_is_read_with_its_boundary() {
    let server = server_of(|| stream::iter([Ok(text("one")), Ok(text("two"))])).await;
    let client: Client<_, Empty<bytes::Bytes>> = Client::builder(TokioExecutor::new()).build_http();
    let response = client.get(format!("http://{server}/stream").parse().unwrap()).await.unwrap();
    let mut parts = Parts::from_response(response).unwrap();
    let mut bodies = Vec::new();
    while let Some(part) = parts.next().await {
        bodies.push(part.unwrap().bytes().await.unwrap());
    }
    assert_eq!(bodies, ["one", "two"]);
    assert!(parts.decoder().is_closed());
}

/// The sender waits for the reader after each part, so a part that arrives one too late would never arrive. The parts
/// end by their length or by their delimiter.
#[tokio::test]
async fn each_part_is_returned_before_the_next_one_is_sent() {
    let words = ["one", "two", "three"];
    let whole = words.map(|word| vec![text(word).into()]);
    let pieces = words.map(|word| {
        let pieces = [Piece::PartBegin(Headers::new()), Piece::Data(word.into()), Piece::PartEnd(PartEnd::Delimiter)];
        pieces.map(OutgoingPart::from).into()
    });
    for steps in [whole, pieces] {
        let server = serve(stepwise(steps.into(), encoder(), "multipart/mixed")).await;
        let response = get_stream(server).await;
        let decoder = PartDecoder::from_content_type(response.headers()["content-type"].as_bytes()).unwrap();
        let mut parts = Collected::new(response.bytes_stream(), decoder);
        let mut seen = Vec::new();
        while let Some(part) = timeout(PATIENCE, parts.next()).await.expect("the next part in time") {
            seen.push(part.unwrap().text().unwrap().to_owned());
            http_client().post(format!("http://{server}/next")).send().await.unwrap();
        }
        assert_eq!(seen, words);
    }
}

#[tokio::test]
async fn an_error_of_the_stream_aborts_the_connection_without_a_close_delimiter() {
    // The stream fails after the first part was read.
    let read = Arc::new(Semaphore::new(0));
    let server = {
        let read = Arc::clone(&read);
        server_of(move || {
            let failure = async move {
                read.acquire().await.unwrap().forget();
                Err(io::Error::other("the camera is gone"))
            };
            stream::iter([Ok(text("one"))]).chain(stream::once(failure)).chain(stream::iter([Ok(text("two"))]))
        })
        .await
    };

    let mut bytes = get_stream(server).await.bytes_stream();
    let mut received = Vec::new();
    let part = "--frame\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\none\r\n--frame\r\n";
    while received.len() < part.len() {
        received.extend_from_slice(&timeout(PATIENCE, bytes.next()).await.unwrap().unwrap().unwrap());
    }
    assert_eq!(received, part.as_bytes());
    read.add_permits(1);
    assert!(timeout(PATIENCE, bytes.next()).await.unwrap().unwrap().is_err());
    assert!(bytes.next().await.is_none());
}

#[tokio::test]
async fn a_large_body_is_a_separate_frame_and_is_not_copied() {
    let large = bytes::Bytes::from(vec![b'x'; 64 * 1024]);
    let part = WholePart::new("image/jpeg", large.clone()).unwrap();
    let mut body = PartBody::new(encoder(), stream::iter([part, text("small")].map(Ok::<_, Infallible>)));
    let mut frames = Vec::new();
    while let Some(frame) = body.frame().await {
        frames.push(frame.unwrap().into_data().unwrap());
    }
    assert!(body.is_end_stream());
    assert_eq!(frames[0], "--frame\r\nContent-Type: image/jpeg\r\nContent-Length: 65536\r\n\r\n");
    assert_eq!(frames[1].as_ptr(), large.as_ptr());
    assert_eq!(frames[2], "\r\n--frame\r\n");
    assert_eq!(frames[3], "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nsmall\r\n--frame\r\n");
    assert_eq!(frames[4..], ["--frame--\r\n"]);
}

#[tokio::test]
async fn an_empty_stream_is_closed_and_empty_data_yields_no_frame() {
    let pieces = [Piece::Data(bytes::Bytes::new()), Piece::Close].map(Ok::<_, Infallible>);
    let frames = PartBody::new(encoder(), stream::iter(pieces));
    assert!(!frames.is_end_stream());
    assert_eq!(frames.collect().await.unwrap().to_bytes(), "--frame--\r\n");
}

#[tokio::test]
async fn a_truncated_part_is_not_sent_as_a_complete_one() {
    let source = || stream::iter([Ok::<_, Infallible>("--b\r\n\r\none\r\n--b\r\n\r\ntw")]);
    let decoder = || PartDecoder::new(Boundary::new("b").unwrap());

    let mut body = PartBody::new(encoder(), Pieces::new(source(), decoder()));
    let (mut sent, mut failed) = (String::new(), false);
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => sent += std::str::from_utf8(&frame.into_data().unwrap()).unwrap(),
            Err(error) => {
                assert!(matches!(error, PartBodyError::Truncated), "{error:?}");
                failed = true;
            }
        }
    }
    assert!(failed && body.is_end_stream());
    assert_eq!(sent, "--frame\r\n\r\none\r\n--frame\r\n\r\ntw");

    let mut body = PartBody::new(encoder(), Collected::new(source(), decoder()));
    assert!(body.frame().await.unwrap().is_ok());
    assert!(matches!(body.frame().await, Some(Err(PartBodyError::Source(Error::Truncated { part: 2, .. })))));
    assert!(body.frame().await.is_none());

    // The body is sent without its length, so a reader could not see that the length was not reached.
    let early = [Piece::PartBegin(Headers::new()), Piece::PartEnd(PartEnd::DelimiterBeforeLength)];
    let mut body = PartBody::new(encoder(), stream::iter(early.map(Ok::<_, Infallible>)));
    assert!(body.frame().await.unwrap().is_ok());
    assert!(matches!(body.frame().await, Some(Err(PartBodyError::Truncated))));
}
