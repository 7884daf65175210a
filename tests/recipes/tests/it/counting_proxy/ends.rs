//! Streams that break, clients that leave, and servers that do not answer. A broken stream never looks complete.

use super::{CHAT, Proxied, send, token};
use crate::{STREAM, patiently, serve_routes};
use axum::{Router, body::Body, http::header::CONTENT_TYPE, response::IntoResponse, routing::get};
use eventwire_test::{End, Script, TestServer};
use futures_util::{StreamExt, stream};
use reqwest::Method;
use std::{
    convert::Infallible,
    future::pending,
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
};
use tokio::sync::oneshot::{self, error::TryRecvError};

/// Returns what the client read, whether its body ended with an error, and the log.
async fn read(answer: Script) -> (String, bool, String) {
    let upstream = TestServer::new().answer(answer);
    let mut proxied = Proxied::before(&upstream.url());
    let mut response = proxied.get("/").await;
    assert_eq!(response.status(), 200);
    let mut body = Vec::new();
    let is_error = loop {
        match patiently(response.chunk()).await {
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Ok(None) => break false,
            Err(_) => break true,
        }
    };
    let mut log = proxied.logged().await;
    if is_error {
        log = format!("{log} | {}", proxied.logged().await);
    }
    (String::from_utf8(body).unwrap(), is_error, log)
}

#[tokio::test]
async fn the_server_breaks_off() {
    let event = token("a");
    for chunks in [&[&*event][..], &[&event, "data: {\"cho"], &[&event, token("b").trim_end()]] {
        let answer = chunks.iter().fold(Script::new(), |answer, chunk| answer.send((*chunk).to_owned()));
        let (body, is_error, line) = read(answer.with_end(End::Close)).await;
        // When hyper's body fails, it may drop what it has not written yet.
        assert!(is_error && chunks.concat().starts_with(&body), "{body}");
        assert!(
            line.starts_with("GET /: ") && line.ends_with(" | GET /: truncated by the server, tokens 1, usage null"),
            "{line}"
        );
    }
    let (body, is_error, line) = read(Script::new().header("content-length", "100000").send(event.clone())).await;
    assert!(is_error && event.starts_with(&body), "{body}");
    assert!(line.contains("end of file before message length reached"), "the last cause: {line}");
}

/// The connection may break before the head of the answer is sent.
#[tokio::test]
async fn the_server_breaks_off_before_the_first_byte() {
    let upstream = TestServer::new().answer(Script::new().with_end(End::Close));
    let mut proxied = Proxied::before(&upstream.url());
    let body = async { proxied.request(Method::GET, "/").send().await?.bytes().await };
    assert!(patiently(body).await.is_err());
    assert!(proxied.logged().await.starts_with("GET /: "));
    assert_eq!(proxied.logged().await, "GET /: truncated by the server, tokens 0, usage null");
}

/// If a body ends with its connection, a truncated body looks complete. The log shows that the end marker is missing.
#[tokio::test]
async fn the_end_marker_is_missing() {
    let event = token("a");
    for half in ["", "data: {\"cho", "data: [DONE]"] {
        let (body, is_error, line) = read(Script::raw([STREAM, &event, half].concat())).await;
        assert_eq!((body, is_error), (event.clone() + half, false));
        assert_eq!(line, "GET /: ended without [DONE], tokens 1, usage null");
    }
}

/// Taken by a handler of axum.
type Guard = Arc<Mutex<Option<oneshot::Sender<Infallible>>>>;

/// Returns a guard, and what learns that it was dropped.
fn guard() -> (Guard, oneshot::Receiver<Infallible>) {
    let (guard, dropped) = oneshot::channel();
    (Arc::new(Mutex::new(Some(guard))), dropped)
}

#[tokio::test]
async fn the_client_leaves_while_the_stream_is_silent() {
    let (guard, mut dropped) = guard();
    let answer = async move || {
        let guard = guard.lock().unwrap().take().unwrap();
        let first = stream::iter([Ok::<_, Infallible>(token("a"))]);
        let silence = stream::once(async move {
            let _guard = guard;
            pending().await
        });
        ([(CONTENT_TYPE, "text/event-stream")], Body::from_stream(first.chain(silence))).into_response()
    };
    let mut proxied = Proxied::before(&serve_routes(Router::new().route("/", get(answer))).await);
    let mut response = proxied.get("/").await;
    assert_eq!(patiently(response.chunk()).await.unwrap().unwrap(), token("a"));
    assert_eq!(dropped.try_recv(), Err(TryRecvError::Empty));
    drop(response);
    patiently(dropped).await.unwrap_err();
    assert_eq!(proxied.logged().await, "GET /: closed by the client, tokens 1, usage null");
}

#[tokio::test]
async fn the_client_leaves_before_the_answer_has_begun() {
    let (guard, dropped) = guard();
    let (asked, was_asked) = oneshot::channel();
    let asked = Arc::new(Mutex::new(Some(asked)));
    let answer = async move || -> &'static str {
        let _guard = guard.lock().unwrap().take().unwrap();
        asked.lock().unwrap().take().unwrap().send(()).unwrap();
        pending().await
    };
    let proxied = Proxied::before(&serve_routes(Router::new().route("/", get(answer))).await);
    let request = tokio::spawn(proxied.request(Method::GET, "/").send());
    patiently(was_asked).await.unwrap();
    request.abort();
    patiently(dropped).await.unwrap_err();
}

#[tokio::test]
async fn no_server() {
    // Nothing listens on the local port of a connection, and no other process can get it in the meantime.
    let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let connection = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let proxied = Proxied::before(&format!("http://{}", connection.local_addr().unwrap()));
    let response = send(proxied.request(Method::POST, &format!("{CHAT}?key=secret")).body("{\"stream\":true}")).await;
    assert_eq!(response.status(), 502);
    let said = super::text(response).await;
    assert!(said.contains("refused") && !said.contains("secret"), "{said}");
}

#[tokio::test]
async fn the_server_closes_without_an_answer() {
    for half in ["", "HTTP/1.1 200 OK\r\nContent-"] {
        let upstream = TestServer::new().answer(Script::raw(half));
        assert_eq!(Proxied::before(&upstream.url()).get(CHAT).await.status(), 502);
    }
}

#[tokio::test]
async fn json_that_is_cut_off() {
    let half = Script::status(200).header("content-type", "application/json").header("content-length", "100");
    let upstream = TestServer::new().answer(half.send("{\"error\":"));
    let proxied = Proxied::before(&upstream.url());
    let response = proxied.get(CHAT).await;
    assert!(patiently(response.bytes()).await.is_err());
}
