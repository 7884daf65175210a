//! One response over reqwest, opened and checked.

use crate::{
    runs::{http_client, redirect},
    version::{RequestBuilderExt, ResponseExt, client_builder},
};
use eventwire_reqwest::{Error, OpenError};
use eventwire_test::{End, Script, TestServer};
use futures_util::{StreamExt, TryStreamExt};
use std::{error::Error as _, time::Duration};

fn event() -> Script {
    Script::new().send("id: 1\ndata: a\n\n")
}

fn busy() -> Script {
    Script::status(429).header("retry-after", "7").send("{\"error\":{\"message\":\"no credit\"}}")
}

fn part() -> Script {
    let head = Script::status(200).header("content-type", "multipart/x-mixed-replace; boundary=x");
    head.send("--x\r\n\r\nhello\r\n--x--\r\n")
}

#[tokio::test]
async fn the_request_and_its_response() {
    let server = TestServer::new().answer(event());
    let events = http_client().post(server.url()).body("question").bearer_auth("key").open().await.unwrap();
    assert_eq!(events.response().extensions().get::<reqwest::Url>().unwrap().as_str(), server.url());
    let events: Vec<_> = events.map_ok(|event| event.into_data().to_string()).try_collect().await.unwrap();
    assert_eq!(events, ["a"]);
    let [request] = &server.requests()[..] else { panic!("{:?}", server.requests()) };
    assert_eq!(request.body(), "question");
    for (name, value) in
        [("accept", "text/event-stream"), ("cache-control", "no-cache"), ("authorization", "Bearer key")]
    {
        assert_eq!(request.headers()[name], value);
    }

    // Headers of the caller's are kept.
    let server = TestServer::new().answer(event());
    let _ = http_client().get(server.url()).header("accept", "text/*").open().await.unwrap();
    assert_eq!(server.requests()[0].headers()["accept"], "text/*");
}

#[tokio::test]
async fn a_refused_request_is_not_sent_again() {
    let server = TestServer::new().answers([busy(), event()]);
    let error = http_client().get(server.url()).open().await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered 429 Too Many Requests: no credit");
    assert_eq!(error.response().unwrap().retry_after(), Some(Duration::from_secs(7)));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn redirects_are_followed_as_by_an_event_source() {
    let server = TestServer::new().answers([redirect(307, "/other"), event()]);
    let client = client_builder().build().unwrap();
    let events = client.post(server.url()).body("x").with_redirects(1).open().await.unwrap();
    assert_eq!(events.count().await, 1);
    assert_eq!(server.requests()[1].body(), "x");
}

#[tokio::test]
async fn lines_of_one_response() {
    let lines = Script::status(200).header("content-type", "application/x-ndjson").send("{\"n\":1}\n{\"n\":2}");
    let server = TestServer::new().answers([redirect(307, "/other"), lines]);
    let client = client_builder().build().unwrap();
    let lines = client.get(server.url()).with_redirects(1).open_lines().await.unwrap();
    let values: Vec<serde_json::Value> = lines.json_lines().try_collect().await.unwrap();
    assert_eq!(values, [serde_json::json!({ "n": 1 }), serde_json::json!({ "n": 2 })]);
    let accept = "application/x-ndjson, application/jsonl, application/json;q=0.9";
    assert_eq!(server.requests()[1].headers()["accept"], accept);

    let server = TestServer::new().answer(event());
    let error = http_client().get(server.url()).header("accept", "text/*").open_lines().await.unwrap_err();
    assert!(matches!(error, OpenError::WrongContentType(_)), "{error}");
    assert_eq!(server.requests()[0].headers()["accept"], "text/*");
}

#[tokio::test]
async fn errors_of_reqwest() {
    let error = http_client().get("not a URL").open().await.unwrap_err();
    assert!(error.to_string().starts_with("builder error: "), "{error}");
    assert!(matches!(&error, OpenError::Transport(error) if error.is_builder()) && error.source().is_none());

    let error = http_client().get("http://user:secret@localhost:1/?key=secret").open().await.unwrap_err();
    assert!(error.to_string().contains("onnect") && !error.to_string().contains("secret"), "{error}");

    let server = TestServer::new().answer(Script::raw("").with_end(End::Stall));
    let opening = http_client().get(server.url()).open().with_timeout(Duration::from_millis(50));
    assert_eq!(opening.await.unwrap_err().to_string(), "no response received for 50ms");

    // A body that breaks: what came before it is returned.
    let server = TestServer::new().answer(event().with_end(End::Close));
    let mut events = http_client().get(server.url()).open().await.unwrap();
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "a");
    assert!(matches!(events.try_next().await, Err(Error::Transport(_))));
}

#[tokio::test]
async fn a_response_in_hand() {
    let server = TestServer::new().answers([event(), busy(), part()]);
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
    let server = TestServer::new().answers([redirect(307, "/other"), event()]);
    let events = client.get(server.url()).send().await.unwrap().open().await.unwrap();
    assert!(events.response().extensions().get::<reqwest::Url>().unwrap().as_str().ends_with("/other"));

    let server = TestServer::new().answer(event().with_end(End::Close));
    let mut events = client.get(server.url() + "?token=secret").send().await.unwrap().open().await.unwrap();
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "a");
    let error = events.try_next().await.unwrap_err();
    assert!(matches!(&error, Error::Transport(error) if error.url().is_none()), "{error:?}");
}

#[tokio::test]
async fn parts() {
    let server = TestServer::new().answer(part());
    let mut parts = http_client().get(server.url()).open_parts().await.unwrap().into_body();
    assert_eq!(parts.next().await.unwrap().unwrap().bytes().await.unwrap(), "hello");
    assert!(parts.next().await.is_none());
    assert_eq!(server.requests()[0].headers()["accept"], "multipart/x-mixed-replace, multipart/mixed");
}
