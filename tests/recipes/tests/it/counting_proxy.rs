use crate::{STREAM, patiently};
use axum::{Router, routing::post};
use eventwire_recipes::counting_proxy::{Proxy, relay};
use eventwire_test_support::{PATIENCE, Script};
use futures_util::StreamExt;
use reqwest::{Client, RequestBuilder};
use std::{
    io::{Read, Write},
    sync::mpsc as blocking,
};
use tokio::{
    net::TcpListener,
    sync::mpsc::{UnboundedReceiver, unbounded_channel},
};

/// An answer of four tokens. One event has a number in place of the text, some have no text, and one follows `[DONE]`.
const ANSWER: &str = concat!(
    ": processing\n\n",
    "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"Hel\"}}]}\r\n\r\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"lo\"}}]}\n\n",
    "event: chunk\ndata: {\"choices\":[{\"delta\":\ndata: {\"content\":\", \"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"é\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":7}}]}\n\n",
    "data: {\"choices\":[]}\n\ndata: [DONE]\n\n",
    "event: statistics\ndata: {}\n\n",
);

/// The URL of the proxy, and its counts.
async fn start(upstream: &str) -> (String, UnboundedReceiver<(u64, bool)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1/chat/completions", listener.local_addr().unwrap());
    let (tell, counts) = unbounded_channel();
    let proxy = Proxy { client: Client::new(), upstream: upstream.into(), counts: tell };
    let app = Router::new().route("/v1/chat/completions", post(relay)).with_state(proxy);
    tokio::spawn(async { axum::serve(listener, app).await });
    (url, counts)
}

fn question(url: &str) -> RequestBuilder {
    let request =
        Client::new().post(url).header("Authorization", "Bearer x").header("Content-Type", "application/json");
    request.body("{\"stream\":true}")
}

#[tokio::test]
async fn an_answer_is_unchanged_and_counted() {
    let upstream = Script::new(&[&(STREAM.to_owned() + ANSWER)]);
    let (url, mut counts) = start(&upstream.url).await;
    let response = question(&url).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert_eq!(response.text().await.unwrap(), ANSWER);
    assert_eq!(patiently(counts.recv()).await, Some((4, true)));
    let request = upstream.requests().remove(0);
    assert!(request.line().starts_with("POST /events "), "{}", request.line());
    assert_eq!(
        (request.header("authorization"), request.header("content-type")),
        (vec!["Bearer x"], vec!["application/json"])
    );
    assert_eq!(request.header("host"), [upstream.url.split('/').nth(2).unwrap()]);
}

#[tokio::test]
async fn the_client_leaves() {
    let (tell, closed) = blocking::channel();
    let upstream = Script::with(move |_, mut client| {
        // Up to the second token; then it waits until the proxy closes the connection.
        let (begin, _) = ANSWER.split_at(ANSWER.find("event: chunk").unwrap());
        client.write_all((STREAM.to_owned() + begin).as_bytes()).unwrap();
        let end = client.read(&mut [0]);
        tell.send(matches!(end, Ok(0) | Err(_))).unwrap();
    });
    let (url, mut counts) = start(&upstream.url).await;
    let mut chunks = question(&url).send().await.unwrap().bytes_stream();
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains("\"lo\"") {
        read.extend(chunks.next().await.unwrap().unwrap());
    }
    drop(chunks);
    assert_eq!(patiently(counts.recv()).await, Some((2, false)));
    assert_eq!(tokio::task::spawn_blocking(move || closed.recv_timeout(PATIENCE)).await.unwrap(), Ok(true));
}

#[tokio::test]
async fn the_server_breaks_off() {
    let head = STREAM.replace("\r\n\r\n", "\r\ncontent-length: 1000\r\n\r\n");
    let (begin, _) = ANSWER.split_at(ANSWER.find("data: [DONE]").unwrap());
    let upstream = Script::new(&[&(head + begin)]);
    let (url, mut counts) = start(&upstream.url).await;
    let response = question(&url).send().await.unwrap();
    assert!(response.bytes().await.is_err(), "the client must not take it for a complete answer");
    assert_eq!(patiently(counts.recv()).await, Some((4, false)));
}

#[tokio::test]
async fn other_answers_pass() {
    let upstream = Script::new(&[
        "HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 14\r\n\r\n{\"error\":\"no\"}",
    ]);
    let (url, mut counts) = start(&upstream.url).await;
    let response = question(&url).send().await.unwrap();
    assert_eq!((response.status().as_u16(), &response.headers()["content-type"] == "application/json"), (401, true));
    assert_eq!(response.text().await.unwrap(), "{\"error\":\"no\"}");
    assert_eq!(patiently(counts.recv()).await, Some((0, false)));
}

#[tokio::test]
async fn no_server() {
    // A port on which nothing listens any more.
    let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let (url, _counts) = start(&format!("http://{nobody}/")).await;
    assert_eq!(question(&url).send().await.unwrap().status(), 502);
}
