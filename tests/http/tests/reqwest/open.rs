//! One response over reqwest, opened and checked.

use crate::{
    runs::http_client,
    server::{
        Answer, Server,
        Step::{Hang, Send},
        stream,
    },
    version::{RequestBuilderExt, ResponseExt, client_builder},
};
use eventwire_reqwest::{Error, OpenError};
use futures_util::{StreamExt, TryStreamExt};
use std::{error::Error as _, time::Duration};

const EVENT: Answer = &[stream!("id: 1\ndata: a\n\n")];
const BUSY: Answer = &[Send(
    b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 33\r\n\r\n{\"error\":{\"message\":\"no credit\"}}",
)];
const PARTS: Answer = &[Send(
    b"HTTP/1.1 200 OK\r\nContent-Type: multipart/x-mixed-replace; boundary=x\r\nConnection: close\r\n\r\n\
    --x\r\n\r\nhello\r\n--x--\r\n",
)];
const LINES: Answer =
    &[Send(b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n{\"n\":1}\n{\"n\":2}")];
const MOVED: Answer = &[Send(b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n")];
const BROKEN: Answer = &[Send(
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: a\n\n\r\nx",
)];
const SILENCE: Answer = &[Hang];

#[tokio::test]
async fn the_request_and_its_response() {
    let server = Server::start(&[EVENT]).await;
    let events = http_client().post(server.url()).body("question").bearer_auth("key").open().await.unwrap();
    assert_eq!(events.response().extensions().get::<reqwest::Url>().unwrap().as_str(), server.url());
    let events: Vec<_> = events.map_ok(|event| event.into_data().to_string()).try_collect().await.unwrap();
    assert_eq!(events, ["a"]);
    let [request] = &server.requests()[..] else { panic!("{:?}", server.requests()) };
    assert_eq!((request.header("accept"), request.body.as_slice()), (Some("text/event-stream"), &b"question"[..]));
    assert_eq!(
        (request.header("cache-control"), request.header("authorization")),
        (Some("no-cache"), Some("Bearer key"))
    );

    // Headers of the caller's are kept.
    let server = Server::start(&[EVENT]).await;
    let _ = http_client().get(server.url()).header("accept", "text/*").open().await.unwrap();
    assert_eq!(server.requests()[0].header("accept"), Some("text/*"));
}

#[tokio::test]
async fn a_refused_request_is_not_sent_again() {
    let server = Server::start(&[BUSY, EVENT]).await;
    let error = http_client().get(server.url()).open().await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered 429 Too Many Requests: no credit");
    assert_eq!(error.response().unwrap().retry_after(), Some(Duration::from_secs(7)));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn redirects_are_followed_as_by_an_event_source() {
    let server = Server::start(&[MOVED, EVENT]).await;
    let client = client_builder().build().unwrap();
    let events = client.post(server.url()).body("x").with_redirects(1).open().await.unwrap();
    assert_eq!(events.count().await, 1);
    assert_eq!(server.requests()[1].body, b"x");
}

#[tokio::test]
async fn lines_of_one_response() {
    let server = Server::start(&[MOVED, LINES]).await;
    let client = client_builder().build().unwrap();
    let lines = client.get(server.url()).with_redirects(1).open_lines().await.unwrap();
    let values: Vec<serde_json::Value> = lines.json_lines().try_collect().await.unwrap();
    assert_eq!(values, [serde_json::json!({ "n": 1 }), serde_json::json!({ "n": 2 })]);
    let accept = "application/x-ndjson, application/jsonl, application/json;q=0.9";
    assert_eq!(server.requests()[1].header("accept"), Some(accept));

    let server = Server::start(&[EVENT]).await;
    let error = http_client().get(server.url()).header("accept", "text/*").open_lines().await.unwrap_err();
    assert!(matches!(error, OpenError::WrongContentType(_)), "{error}");
    assert_eq!(server.requests()[0].header("accept"), Some("text/*"));
}

#[tokio::test]
async fn errors_of_reqwest() {
    let error = http_client().get("not a URL").open().await.unwrap_err();
    assert!(error.to_string().starts_with("builder error: "), "{error}");
    assert!(matches!(&error, OpenError::Transport(error) if error.is_builder()) && error.source().is_none());

    let error = http_client().get("http://user:secret@localhost:1/?key=secret").open().await.unwrap_err();
    assert!(error.to_string().contains("onnect") && !error.to_string().contains("secret"), "{error}");

    let server = Server::start(&[SILENCE]).await;
    let opening = http_client().get(server.url()).open().with_timeout(Duration::from_millis(50));
    assert_eq!(opening.await.unwrap_err().to_string(), "no response received for 50ms");

    // A body that breaks: what came before it is returned.
    let server = Server::start(&[BROKEN]).await;
    let mut events = http_client().get(server.url()).open().await.unwrap();
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "a");
    assert!(matches!(events.try_next().await, Err(Error::Transport(_))));
}

#[tokio::test]
async fn a_response_in_hand() {
    let server = Server::start(&[EVENT, BUSY, PARTS]).await;
    let (client, url) = (http_client(), server.url() + "?token=secret");
    let response = client.get(&url).send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let events = response.open().await.unwrap();
    assert_eq!(events.response().extensions().get::<reqwest::Url>().unwrap().as_str(), url);
    let events: Vec<_> = events.map_ok(|event| event.into_data().to_string()).try_collect().await.unwrap();
    assert_eq!(events, ["a"]);

    let error = client.get(&url).send().await.unwrap().open().await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered 429 Too Many Requests: no credit");
    let refusal = error.into_response().unwrap().into_http();
    assert_eq!(refusal.extensions().get::<reqwest::Url>().unwrap().as_str(), url);
    assert_eq!(refusal.into_body(), b"{\"error\":{\"message\":\"no credit\"}}");

    let response = client.get(&url).send().await.unwrap().open().parts().await.unwrap();
    assert_eq!(response.into_body().next().await.unwrap().unwrap().bytes().await.unwrap(), "hello");

    // Redirects are followed by the client, and the URL is that of the response.
    let server = Server::start(&[MOVED, EVENT]).await;
    let events = client.get(server.url()).send().await.unwrap().open().await.unwrap();
    assert!(events.response().extensions().get::<reqwest::Url>().unwrap().as_str().ends_with("/other"));

    let server = Server::start(&[BROKEN]).await;
    let mut events = client.get(server.url() + "?token=secret").send().await.unwrap().open().await.unwrap();
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "a");
    let error = events.try_next().await.unwrap_err();
    assert!(matches!(&error, Error::Transport(error) if error.url().is_none()), "{error:?}");
}

#[tokio::test]
async fn parts() {
    let server = Server::start(&[PARTS]).await;
    let mut parts = http_client().get(server.url()).open_parts().await.unwrap().into_body();
    assert_eq!(parts.next().await.unwrap().unwrap().bytes().await.unwrap(), "hello");
    assert!(parts.next().await.is_none());
    assert_eq!(server.requests()[0].header("accept"), Some("multipart/x-mixed-replace, multipart/mixed"));
}
