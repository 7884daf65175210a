//! Requests that are refused.

use reqwest::{Method, RequestBuilder};
use serde_json::json;

use crate::app::{App, send};

/// Each is a line of text with this status.
async fn refused(request: RequestBuilder, status: u16) {
    let response = send(request).await;
    let (got, body) = (response.status().as_u16(), response.text().await.unwrap());
    assert_eq!(got, status, "{body}");
    assert!(body.lines().count() == 1 && body.len() > 5, "{body:?}");
}

#[tokio::test]
async fn bodies() {
    let app = App::start(&[]);
    for path in ["/topics/room", "/answers"] {
        let post = || app.request(Method::POST, path);
        for body in ["", "{", "{\"question\": \"\\ud800\" \u{1}}", "nul"] {
            refused(post().header("content-type", "application/json").body(body), 400).await;
        }
        // A page of another origin cannot send JSON as such without being asked for permission.
        refused(post().body("{}"), 415).await;
        // One byte too many, with the quotes.
        refused(post().json(&"x".repeat((64 << 10) - 1)), 413).await;
    }
    refused(app.request(Method::POST, "/answers").json(&json!({ "query": "?" })), 422).await;
}

#[tokio::test]
async fn names() {
    let app = App::start(&[]);
    for path in ["/topics/a%0Ab".into(), "/topics/a%FF".into(), format!("/topics/{}", "x".repeat(257))] {
        refused(app.request(Method::GET, &path), 400).await;
        refused(app.request(Method::GET, &format!("{path}/position")), 400).await;
        refused(app.request(Method::POST, &path).json(&1), 400).await;
    }
    let many = (0..17).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    for query in
        ["", "?names", "?names=", "?names=a,", "?names=a,a", "?names=a%0A", "?names=a%20b", &format!("?names={many}")]
    {
        refused(app.request(Method::GET, &format!("/topics{query}")), 400).await;
    }
    for path in ["/answers/a%0Ab", "/answers/%FF"] {
        refused(app.request(Method::GET, path), 400).await;
        refused(app.request(Method::DELETE, path), 400).await;
    }
}

#[tokio::test]
async fn keys() {
    let app = App::start(&[]);
    for key in ["", "\u{E9}", &"x".repeat(257)] {
        refused(app.request(Method::POST, "/topics/room").header("idempotency-key", key).json(&1), 400).await;
    }
}

#[tokio::test]
async fn paths_and_pages() {
    let app = App::start(&["--host", "hub.example"]);
    assert_eq!(app.get("/nothing").await.status(), 404);
    assert_eq!(app.delete("/topics/room").await, 405);
    let get = || app.request(Method::GET, "/topics/room");
    assert_eq!(send(get().header("host", "hub.example")).await.status(), 200);
    refused(get().header("host", "other.example"), 421).await;
    refused(get().header("origin", "http://other.example"), 403).await;
}
