//! The API key.

use reqwest::Method;
use reqwest::header::AUTHORIZATION;
use serde_json::Value;

use crate::client::{Answer, CHAT, Gateway, TEXT, chat};
use crate::errors::check;

const PATHS: [(Method, &str); 4] =
    [(Method::POST, CHAT), (Method::POST, TEXT), (Method::GET, "/v1/models"), (Method::GET, "/v1/events?text=a")];

#[tokio::test]
async fn without_the_key_nobody_is_answered() {
    let gateway = Gateway::with_key("sesame").await;
    for (method, path) in PATHS {
        for shown in [
            None,
            Some("Bearer open"),
            Some("Bearer ses"),
            Some("Bearer sesamf"),
            Some("Basic sesame"),
            Some("sesame"),
            Some("Bearer sesamee"),
        ] {
            let mut request = gateway.request(method.clone(), path);
            if let Some(shown) = shown {
                request = request.header(AUTHORIZATION, shown);
            }
            // The key is checked before the body is.
            let answer = Answer::of(request.body("{")).await;
            check(&answer, 401, Value::Null, "invalid_api_key", &["API key"]);
            assert_eq!(answer.header("www-authenticate"), "Bearer");
            assert!(!answer.body.contains("sesame"), "{}", answer.body);
        }
    }
}

#[tokio::test]
async fn with_the_key_everybody_is() {
    let gateway = Gateway::with_key("sesame").await;
    for shown in ["Bearer sesame", "bearer sesame", "BEARER  sesame"] {
        let request = gateway.request(Method::POST, CHAT).header(AUTHORIZATION, shown);
        assert_eq!(Answer::of(request.body(chat("a").to_string())).await.status, 200, "{shown}");
    }
    let models = gateway.request(Method::GET, "/v1/models").header(AUTHORIZATION, "Bearer sesame");
    assert_eq!(Answer::of(models).await.status, 200);
    let events = gateway.request(Method::GET, "/v1/events?text=a").header(AUTHORIZATION, "Bearer sesame");
    assert_eq!(Answer::of(events).await.status, 200);
}

#[tokio::test]
async fn a_browser_shows_the_key_in_the_url() {
    let gateway = Gateway::with_key("ses ame").await;
    assert_eq!(gateway.get("/v1/events?text=a&api_key=ses+ame").await.status, 200);
    let wrong = gateway.get("/v1/events?text=a&api_key=open").await;
    check(&wrong, 401, Value::Null, "invalid_api_key", &["API key"]);
    let elsewhere = gateway.get("/v1/models?api_key=ses+ame").await;
    check(&elsewhere, 401, Value::Null, "invalid_api_key", &["API key"]);
}

#[tokio::test]
async fn where_no_key_is_asked_for_any_will_do() {
    let gateway = Gateway::start().await;
    let request = gateway.request(Method::POST, CHAT).header(AUTHORIZATION, "Bearer whatever");
    assert_eq!(Answer::of(request.body(chat("a").to_string())).await.status, 200);
    assert_eq!(gateway.get("/v1/events?text=a&api_key=whatever").await.status, 200);
}
