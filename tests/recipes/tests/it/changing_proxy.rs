//! The blocks of an answer are changed however it is split. A server that is slow, refuses, fails or is no longer
//! needed is handled.

use crate::{STREAM, patiently, reqwest_client};
use axum::{body::to_bytes, response::Response};
use eventwire::{BlockItem, Event, EventsExt};
use eventwire_recipes::changing_proxy::{forward, relay};
use eventwire_test::{End, Script, TestServer};
use eventwire_test_support::{PATIENCE, by_hand};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use std::{convert::Infallible, future::pending, io::Read, io::Write, sync::mpsc, time::Duration};
use tokio::{sync::oneshot, time::sleep};

const ANSWER: &str = concat!(
    "\u{FEFF}: waiting\r\n\r\n",
    "retry: 5\r\n\r\n",
    "id: 1\nevent: chunk\nunknown: 1\ndata: {\"choices\":[{\"delta\":{\"content\":\"It is sk-secret \u{1F511}\"}}],\"model\":\"small-2\"}\n\n",
    "data: no JSON: sk-secret\n: inside\n\n",
    "data: {\"choices\":[],\"model\":\"small-2\",\"usage\":{\"total_tokens\":7}}\n\n",
    "data: {\"usage\":null}\n\n",
    "data: [\"model\"]\n\n",
    "data: [DONE]\n\n",
);
const CHANGED: &str = concat!(
    ": waiting\n\n",
    "retry: 5\n\n",
    "event: chunk\nid: 1\ndata: {\"choices\":[{\"delta\":{\"content\":\"It is *** \u{1F511}\"}}],\"model\":\"ours\"}\n\n",
    ": inside\n\n",
    "data: no JSON: ***\n\n",
    "data: {\"choices\":[],\"model\":\"ours\",\"usage\":{\"total_tokens\":7}}\n\n",
    "event: usage\ndata: {\"total_tokens\":7}\n\n",
    "data: {\"usage\":null}\n\n",
    "data: [\"model\"]\n\n",
    "data: [DONE]\n\n",
);
/// What a body begins with if it has to wait.
const WAITING: &str = ": \n\n";

fn blocks<'a>(
    chunks: impl Iterator<Item = &'a [u8]>,
) -> impl Stream<Item = Result<BlockItem, String>> + Send + 'static {
    let chunks: Vec<_> = chunks.map(|chunk| Ok::<_, Infallible>(chunk.to_vec())).collect();
    stream::iter(chunks).events().blocks().map_err(|error| error.to_string())
}

async fn text(response: Response) -> String {
    let body = patiently(to_bytes(response.into_body(), usize::MAX)).await.unwrap();
    String::from_utf8(body.into()).unwrap()
}

fn request(url: &str) -> reqwest::RequestBuilder {
    reqwest_client().post(url)
}

#[tokio::test]
async fn every_cut_is_changed_alike() {
    let answer = ANSWER.as_bytes();
    assert_eq!(text(forward(blocks(answer.chunks(1)))).await, CHANGED);
    for place in 0..answer.len() {
        let (first, second) = answer.split_at(place);
        assert_eq!(text(forward(blocks([first, second].into_iter()))).await, CHANGED, "split at {place}");
    }
}

#[tokio::test(start_paused = true)]
async fn it_is_never_silent() {
    let late = stream::once(async {
        sleep(Duration::from_secs(31)).await;
        Ok(BlockItem::Block(Event::new("1").into()))
    });
    let ping = "event: ping\ndata: {}\n\n";
    assert_eq!(text(forward(late)).await, [WAITING, ping, ping, "data: 1\n\n"].concat());
}

#[tokio::test]
async fn an_answer_over_a_connection() {
    let server = TestServer::new().answer(Script::new().send(ANSWER));
    let response = patiently(relay(request(&server.url()))).await;
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let text = text(response).await;
    assert_eq!(text.strip_prefix(WAITING).unwrap_or(&text), CHANGED);
}

#[tokio::test]
async fn a_server_that_refuses() {
    let server = TestServer::new().answer(Script::status(401).send("no key"));
    let response = patiently(relay(request(&server.url()))).await;
    assert_eq!(response.status(), 502);
    let text = text(response).await;
    assert!(text.contains("401") && text.contains("no key"), "{text}");
}

/// It answers after the head of the response was sent.
#[tokio::test(start_paused = true)]
async fn a_server_that_is_slow() {
    let refusal = Script::status(401).send("no key");
    for (answer, expected) in [(Script::new().send("data: sk-secret\n\n"), "data: ***\n\n"), (refusal, "no key")] {
        let (send, sent) = mpsc::channel::<()>();
        let server = TestServer::new().answer_with(move |_| {
            sent.recv_timeout(PATIENCE).unwrap();
            answer.clone()
        });
        let response = patiently(relay(request(&server.url()))).await;
        assert_eq!(response.status(), 200);
        let mut body = response.into_body().into_data_stream();
        assert_eq!(patiently(body.next()).await.unwrap().unwrap(), WAITING);
        send.send(()).unwrap();
        let rest: Vec<_> = patiently(body.try_collect()).await.unwrap();
        let rest = String::from_utf8(rest.concat()).unwrap();
        let last = rest.trim_start_matches("event: ping\ndata: {}\n\n");
        assert!(last.starts_with("data: ") && last.contains(expected), "{rest}");
        assert_eq!(last.matches("\n\n").count(), 1, "{rest}");
    }
}

/// Its last event is the error.
#[tokio::test]
async fn a_server_that_fails_late() {
    let broken = Script::new().send("data: 1\n\n").with_end(End::Close);
    let truncated = Script::new().send("data: 1\n\ndata: {\"cho");
    for (answer, expected) in [(broken, "connection"), (truncated, "truncated")] {
        let server = TestServer::new().answer(answer);
        let text = text(patiently(relay(request(&server.url()))).await).await;
        let error = text.strip_prefix(WAITING).unwrap_or(&text).strip_prefix("data: 1\n\ndata: ").expect(&text);
        let error: serde_json::Value = serde_json::from_str(error).unwrap();
        assert!(error["error"]["message"].as_str().unwrap().contains(expected), "{error}");
    }
}

/// Before the answer, and in the middle of it.
#[tokio::test(start_paused = true)]
async fn a_server_that_hangs() {
    for (answer, first) in [(Script::raw(""), WAITING), (Script::new().send("data: 1\n\n"), "data: 1\n\n")] {
        let server = TestServer::new().answer(answer.with_end(End::Stall));
        let mut body = patiently(relay(request(&server.url()))).await.into_body().into_data_stream();
        while patiently(body.next()).await.unwrap().unwrap() != first {}
        // Nothing else arrives, so the clock may jump.
        let rest = body.try_collect::<Vec<_>>().await.unwrap().concat();
        let last = rest.strip_suffix(b"\n\n").and_then(|rest| rest.rsplit(|byte| *byte == b'\n').next()).unwrap();
        let last = String::from_utf8_lossy(last);
        assert!(last.starts_with("data: {\"error\"") && last.contains("300s"), "{last}");
    }
}

/// Before the answer, and in the middle of it.
#[tokio::test(start_paused = true)]
async fn a_client_that_leaves() {
    for answer in [String::new(), STREAM.to_owned() + "data: 1\n\n"] {
        let (tell, told) = oneshot::channel();
        let url = by_hand(move |mut client| {
            client.write_all(answer.as_bytes()).unwrap();
            let _ = client.read_to_end(&mut Vec::new()); // until it is closed
            tell.send(()).unwrap();
        });
        let response = patiently(relay(request(&url))).await;
        let mut body = response.into_body().into_data_stream();
        assert!(patiently(body.next()).await.is_some());
        drop(body);
        patiently(told).await.unwrap();
    }
    let (alive, mut dropped) = oneshot::channel::<Infallible>();
    let silent = stream::once(async move {
        let _alive = alive;
        pending().await
    });
    let response = forward(silent);
    assert_eq!(dropped.try_recv(), Err(oneshot::error::TryRecvError::Empty));
    drop(response);
    assert_eq!(dropped.try_recv(), Err(oneshot::error::TryRecvError::Closed));
}
