//! Requests that get an error instead of an answer.

use eventwire_test_support::Script;
use reqwest::{Client, Method, StatusCode};
use serde_json::{Value, json};
use talk::{ListenError, Model, Settings};

use crate::talking::{DONE, Owned, STREAM, ask, event, hear, post, sends, serve_with, spelling, talk};

#[track_caller]
fn check(status: StatusCode, body: &str, expected: u16, code: &str, said: &[&str]) {
    let error: Value = serde_json::from_str(body).expect(body);
    assert_eq!((status.as_u16(), &error["error"]["code"]), (expected, &json!(code)), "{error}");
    let kind = if expected < 500 { "invalid_request_error" } else { "server_error" };
    assert_eq!(error["error"]["type"], kind);
    let message = error["error"]["message"].as_str().unwrap();
    assert!(!message.contains(char::is_control) && message.ends_with('.'), "{message:?}");
    for words in said {
        assert!(message.contains(words), "{words:?} in {message:?}");
    }
}

#[tokio::test]
async fn requests_that_are_not_valid() {
    // The model is not asked.
    let script = Script::new(&[]);
    let url = talk(&script.url, spelling()).await;
    let large = json!({ "messages": ["x".repeat(4 << 20)] }).to_string();
    for (body, status, code, said) in [
        ("", 400, "invalid_json", "a JSON object"),
        ("[]", 400, "invalid_json", "a JSON object"),
        ("{}", 400, "invalid_type", "`messages`"),
        (r#"{"messages":[]}"#, 400, "invalid_type", "`messages`"),
        (r#"{"messages":"Hello"}"#, 400, "invalid_type", "`messages`"),
        (&large, 413, "request_too_large", "4194304 bytes"),
    ] {
        for url in [&url, &url.replace("/talk", "/chat")] {
            let response = post(url, body).await;
            check(response.status(), &response.text().await.unwrap(), status, code, &[said]);
        }
    }
    let client = Client::builder().no_proxy().build().unwrap();
    for (method, path, status, code, said) in [
        (Method::GET, "/talk", 405, "method_not_allowed", "/talk does not allow GET, only POST."),
        (Method::GET, "/chat", 405, "method_not_allowed", "/chat does not allow GET, only POST."),
        (Method::POST, "/live", 405, "method_not_allowed", "/live does not allow POST, only GET."),
        (Method::POST, "/", 405, "method_not_allowed", "/ does not allow POST, only GET."),
        (Method::DELETE, "/pkg/page.js", 405, "method_not_allowed", "/pkg/page.js does not allow DELETE, only GET."),
        (Method::POST, "/talk/", 404, "unknown_url", "no endpoint /talk/, only GET /, POST /talk, POST /chat"),
        (Method::GET, "/v1/models", 404, "unknown_url", "GET /live"),
    ] {
        let response = client.request(method, url.replace("/talk", path)).send().await.unwrap();
        assert_eq!(response.headers().get("allow").is_some(), status == 405);
        check(response.status(), &response.text().await.unwrap(), status, code, &[said]);
    }
    assert_eq!(script.requests().len(), 0);
}

/// The headers with which a browser describes the page that sends a request.
#[tokio::test]
async fn the_pages_of_other_origins_get_no_answer() {
    let script = Script::new(&[&format!("{STREAM}{DONE}"), &format!("{STREAM}{DONE}")]);
    let url = talk(&script.url, spelling()).await;
    let client = Client::builder().no_proxy().build().unwrap();
    let ask = |path: &str, site: &'static str| {
        let body = r#"{"messages":[{"role":"user","content":"Hello"}]}"#;
        client.post(url.replace("/talk", path)).header("Sec-Fetch-Site", site).body(body).send()
    };
    for (path, site) in [("/talk", "cross-site"), ("/chat", "cross-site"), ("/chat", "same-site"), ("/chat", "?")] {
        let response = ask(path, site).await.unwrap();
        check(response.status(), &response.text().await.unwrap(), 403, "other_origin", &["the pages of other origins"]);
        // The page and the feed, too.
        for path in ["/", "/live"] {
            let response = client.get(url.replace("/talk", path)).header("Sec-Fetch-Site", site).send().await.unwrap();
            check(
                response.status(),
                &response.text().await.unwrap(),
                403,
                "other_origin",
                &["the pages of other origins"],
            );
        }
    }
    assert_eq!(script.requests().len(), 0);
    for site in ["same-origin", "none"] {
        assert_eq!(ask("/chat", site).await.unwrap().status(), 200);
    }
}

/// Over plain HTTP, browsers send `Sec-Fetch-Site` only to this machine, so `Origin` has to do.
#[tokio::test]
async fn the_origin_is_checked_without_sec_fetch_site() {
    let script = Script::new(&[&format!("{STREAM}{DONE}")]);
    let url = talk(&script.url, spelling()).await;
    let client = Client::builder().no_proxy().build().unwrap();
    let ask = |origin: String| {
        let body = r#"{"messages":[{"role":"user","content":"Hello"}]}"#;
        client.post(url.replace("/talk", "/chat")).header("Origin", origin).body(body).send()
    };
    for origin in ["http://evil.example", "https://evil.example:8082", "null", "http://127.0.0.1", ""] {
        let response = ask(origin.into()).await.unwrap();
        check(response.status(), &response.text().await.unwrap(), 403, "other_origin", &["the pages of other origins"]);
    }
    assert_eq!(script.requests().len(), 0);
    assert_eq!(ask(url.strip_suffix("/talk").unwrap().into()).await.unwrap().status(), 200);
}

/// By DNS rebinding, a page of another site becomes one of this server's own, but with its own name.
#[tokio::test]
async fn other_hosts_get_no_answer() {
    let script = Script::new(&[&format!("{STREAM}{DONE}")]);
    let model = Model::new(&script.url, "echo", None).unwrap();
    let page = serve_with(Settings { hosts: vec!["talk.example".into()], ..Settings::new(model, spelling()) }).await;
    let client = Client::builder().no_proxy().build().unwrap();
    for (method, path) in [(Method::GET, ""), (Method::GET, "live"), (Method::POST, "talk"), (Method::POST, "chat")] {
        for host in ["evil.example", "127.0.0.1.evil.example:80", "talk.example.evil.example"] {
            let request = client.request(method.clone(), format!("{page}{path}")).header("Host", host);
            let request = request.header("Sec-Fetch-Site", "same-origin").header("Origin", format!("http://{host}"));
            let response = request.body(r#"{"messages":[{"role":"user","content":"Hello"}]}"#).send().await.unwrap();
            check(response.status(), &response.text().await.unwrap(), 421, "unknown_host", &[host, "--host"]);
        }
    }
    assert_eq!(script.requests().len(), 0);
    for host in ["localhost", "talk.example", "TALK.example:8082"] {
        let live = client.get(format!("{page}live")).header("Host", host).send().await.unwrap();
        assert_eq!(live.status(), 200, "{host}");
    }
}

/// An error before the first word has its own status.
#[tokio::test]
async fn models_that_do_not_answer() {
    let refusal = |head: &str| {
        let body = r#"{"error":{"message":"no,\nnever"}}"#;
        format!("HTTP/1.1 {head}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len())
    };
    let report = "data: {\"error\":{\"message\":\"over\"}}\n\n";
    for (answer, status, code, said) in [
        (refusal("400 Bad Request"), 400, "model_refused", "no,\\nnever"),
        (refusal("429 Too Many Requests\r\nRetry-After: 3600"), 429, "model_refused", "answered 429 Too Many Requests"),
        (refusal("401 Unauthorized"), 502, "model_refused", "answered 401 Unauthorized: no,\\nnever"),
        (refusal("500 Internal Server Error"), 502, "model_refused", "answered 500"),
        (refusal("200 OK"), 502, "model_failed", "does not stream"),
        (STREAM.into(), 502, "model_failed", "cut the answer off"),
        (format!("{STREAM}{report}{DONE}"), 502, "model_failed", "reported an error: over"),
        (format!("{STREAM}data: 1\n\n"), 502, "model_failed", "an invalid answer"),
        (String::new(), 502, "model_failed", "the model's server"),
    ] {
        let response = ask(&talk(&sends(answer.clone()), spelling()).await).await;
        check(response.status(), &response.text().await.unwrap(), status, code, &[said]);
        // The same error, as the client reports it.
        let (heard, end) = hear(ask(&talk(&sends(answer), spelling()).await).await).await;
        let Err(ListenError::Refused(why)) = end else { panic!("{end:?}") };
        assert!(heard.is_empty() && why.contains(said) && why.contains(&status.to_string()), "{why:?}");
    }
}

#[tokio::test]
async fn a_model_that_is_not_there() {
    // RFC 6761 reserves this name, so it never exists.
    let url = talk("http://talk.invalid/v1", spelling()).await;
    for url in [&url, &url.replace("/talk", "/chat")] {
        let response = ask(url).await;
        check(response.status(), &response.text().await.unwrap(), 502, "model_unreachable", &["cannot be reached"]);
    }
}

/// A request to a server that is busy for a moment is retried.
#[tokio::test]
async fn a_model_that_is_busy_for_a_moment() {
    let script = Script::new(&[
        "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n",
        &format!("{STREAM}{}{DONE}", event("Yes.")),
    ]);
    let (heard, end) = hear(ask(&talk(&script.url, spelling()).await).await).await;
    end.unwrap();
    assert_eq!((&heard[0], script.requests().len()), (&Owned::Text(1, "Yes.".into()), 2), "{heard:?}");
}
