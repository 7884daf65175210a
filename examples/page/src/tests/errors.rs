//! Requests that get an error instead of an answer.

use eventwire_test::{Script, TestServer};
use reqwest::{Method, Response};
use serde_json::{Value, json};

use super::asking::{DONE, ask, client, event, post, serve_with, settings, with_answer, with_model};
use crate::model::Model;
use crate::server::Settings;

/// Checks the status of a response, and the code and the words of its error.
async fn check(response: Response, expected: u16, code: &str, said: &[&str]) {
    let status = response.status();
    let error: Value = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    assert_eq!((status.as_u16(), &error["error"]["code"]), (expected, &json!(code)), "{error}");
    let kind = if expected < 500 { "invalid_request_error" } else { "server_error" };
    assert_eq!(error["error"]["type"], kind);
    let message = error["error"]["message"].as_str().unwrap();
    assert!(!message.contains(char::is_control) && message.ends_with('.'), "{message:?}");
    for words in said {
        assert!(message.contains(words), "{words:?} in {message:?}");
    }
}

const QUESTION: &str = r#"{"messages":[{"role":"user","content":"Hello"}]}"#;

#[tokio::test]
async fn requests_that_are_not_valid() {
    // The model is not asked.
    let server = TestServer::new();
    let url = with_model(&server.url(), settings().speaker).await;
    let large = json!({ "messages": ["x".repeat(4 << 20)] }).to_string();
    for (body, status, code, said) in [
        ("", 400, "invalid_json", "a JSON object"),
        ("[]", 400, "invalid_json", "a JSON object"),
        ("{}", 400, "invalid_type", "`messages`"),
        (r#"{"messages":[]}"#, 400, "invalid_type", "`messages`"),
        (r#"{"messages":"Hello"}"#, 400, "invalid_type", "`messages`"),
        (&large, 413, "request_too_large", "4194304 bytes"),
    ] {
        for path in ["talk", "chat"] {
            check(post(&format!("{url}{path}"), body).await, status, code, &[said]).await;
        }
    }
    for (method, path, status, code, said) in [
        (Method::GET, "talk", 405, "method_not_allowed", "/talk does not allow GET, only POST."),
        (Method::GET, "chat", 405, "method_not_allowed", "/chat does not allow GET, only POST."),
        (Method::POST, "live", 405, "method_not_allowed", "/live does not allow POST, only GET."),
        (Method::POST, "", 405, "method_not_allowed", "/ does not allow POST, only GET."),
        (Method::DELETE, "pkg/page.js", 405, "method_not_allowed", "/pkg/page.js does not allow DELETE, only GET."),
        (Method::POST, "talk/", 404, "unknown_url", "no /talk/, only GET /, POST /talk, POST /chat"),
        (Method::GET, "v1/models", 404, "unknown_url", "GET /live"),
    ] {
        let response = client().request(method, format!("{url}{path}")).send().await.unwrap();
        assert_eq!(response.headers().get("allow").is_some(), status == 405);
        check(response, status, code, &[said]).await;
    }
    assert_eq!(server.requests().len(), 0);
}

/// Requests from pages of other origins, and, by DNS rebinding, from one that has become one of this server's own. The
/// rules are tested in the gateway.
#[tokio::test]
async fn other_origins_and_hosts_get_no_answer() {
    let server = TestServer::new().answer(Script::new().send(DONE));
    let model = Model::on_server(&server.url(), "m".into()).unwrap();
    let url = serve_with(Settings { model, hosts: vec!["page.example".into()], ..settings() }).await;
    for (method, path) in [(Method::GET, ""), (Method::GET, "live"), (Method::POST, "talk"), (Method::POST, "chat")] {
        let request = || client().request(method.clone(), format!("{url}{path}")).body(QUESTION);
        let foreign = request().header("Sec-Fetch-Site", "cross-site").send().await.unwrap();
        check(foreign, 403, "other_origin", &["the pages of other origins"]).await;
        let foreign = request().header("Origin", "http://evil.example").send().await.unwrap();
        check(foreign, 403, "other_origin", &["the pages of other origins"]).await;
        let rebound = request().header("Host", "evil.example").header("Sec-Fetch-Site", "same-origin");
        check(rebound.send().await.unwrap(), 421, "unknown_host", &["evil.example", "--host"]).await;
    }
    assert_eq!(server.requests().len(), 0);
    let own =
        client().post(format!("{url}chat")).header("Host", "page.example").header("Sec-Fetch-Site", "same-origin");
    assert_eq!(own.body(QUESTION).send().await.unwrap().status(), 200);
}

/// An error before the first word has its own status.
#[tokio::test]
async fn models_that_do_not_answer() {
    let report = "data: {\"error\":{\"message\":\"over\"}}\n\n";
    for (answer, code, said) in [
        (Script::status(200).header("content-length", "2").send("{}"), "model_failed", "does not send an event stream"),
        (Script::new(), "model_failed", "without `[DONE]`"),
        (Script::new().send(report).send(DONE), "model_failed", "over"),
        (Script::new().send("data: 1\n\n"), "model_failed", "invalid type"),
        (Script::new().send(event("x").replace("delta\":{", "delta\":[")), "model_failed", "expected"),
        (Script::raw(""), "model_unreachable", "cannot be reached"),
    ] {
        let (url, _model) = with_answer(answer).await;
        check(ask(&format!("{url}talk")).await, 502, code, &[said]).await;
    }
    // RFC 6761 reserves this name, so it never exists.
    let url = with_model("http://page.invalid/v1", settings().speaker).await;
    for path in ["talk", "chat"] {
        check(ask(&format!("{url}{path}")).await, 502, "model_unreachable", &["cannot be reached"]).await;
    }
}
