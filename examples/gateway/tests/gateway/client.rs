//! A running gateway and a client for it.

use std::fmt::Display;
use std::net::TcpStream;
use std::time::Duration;

use eventwire_test_support::PATIENCE;
use gateway::Settings;
use reqwest::header::HeaderMap;
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::time::timeout;

pub(crate) const CHAT: &str = "/v1/chat/completions";
pub(crate) const TEXT: &str = "/v1/completions";

pub(crate) struct Gateway {
    pub(crate) url: String,
    client: Client,
}

/// A response, read to its end.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
}

impl Gateway {
    /// Serves with the default settings, until the test's runtime ends.
    pub(crate) async fn start() -> Gateway {
        Gateway::with(Settings::default()).await
    }

    pub(crate) async fn with_key(key: &str) -> Gateway {
        Gateway::with(Settings { api_key: Some(key.into()), ..Settings::default() }).await
    }

    pub(crate) async fn with_delay(delay: Duration) -> Gateway {
        Gateway::with(Settings { delay, ..Settings::default() }).await
    }

    pub(crate) async fn with(settings: Settings) -> Gateway {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(gateway::serve(listener, settings));
        Gateway::at(url)
    }

    /// Returns a client for the gateway at this URL.
    pub(crate) fn at(url: String) -> Gateway {
        Gateway { url, client: Client::builder().no_proxy().build().unwrap() }
    }

    /// Returns a connection without an HTTP client.
    pub(crate) fn connect(&self) -> TcpStream {
        let connection = TcpStream::connect(self.url.strip_prefix("http://").unwrap()).unwrap();
        connection.set_write_timeout(Some(PATIENCE)).unwrap();
        connection.set_read_timeout(Some(PATIENCE)).unwrap();
        connection
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.url))
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        Answer::of(self.request(Method::GET, path)).await
    }

    /// Sends this body, which need not be valid JSON.
    pub(crate) async fn post(&self, path: &str, body: impl Display) -> Answer {
        Answer::of(self.request(Method::POST, path).body(body.to_string())).await
    }
}

impl Answer {
    pub(crate) async fn of(request: RequestBuilder) -> Answer {
        let answer = async {
            let response = send(request).await;
            let (status, headers) = (response.status().as_u16(), response.headers().clone());
            Answer { status, headers, body: response.text().await.unwrap() }
        };
        timeout(PATIENCE, answer).await.expect("an answer")
    }

    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no header {name}")).to_str().unwrap()
    }

    /// Returns the body, which is one JSON value.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!((self.status, self.header("content-type")), (200, "application/json"), "{}", self.body);
        serde_json::from_str(&self.body).expect(&self.body)
    }

    /// Returns the chunks: events of one `data` line each, followed by `[DONE]`. This is stricter than the
    /// standard, because some clients parse streams this way.
    #[track_caller]
    pub(crate) fn chunks(&self) -> Vec<Value> {
        assert_eq!((self.status, self.header("content-type")), (200, "text/event-stream"), "{}", self.body);
        let chunks = self.body.strip_suffix("data: [DONE]\n\n").expect(&self.body);
        let chunks = chunks.split_terminator("\n\n").map(|event| event.strip_prefix("data: ").expect(event));
        chunks.map(|data| serde_json::from_str(data).expect(data)).collect()
    }

    /// Returns the status, the error object without its message, and the message.
    #[track_caller]
    pub(crate) fn error(&self) -> (u16, Value, String) {
        assert_eq!(self.header("content-type"), "application/json", "{}", self.body);
        let mut envelope: Value = serde_json::from_str(&self.body).expect(&self.body);
        assert_eq!(envelope.as_object().unwrap().len(), 1, "{envelope}");
        let detail = envelope["error"].as_object_mut().expect("an error");
        let Some(Value::String(message)) = detail.remove("message") else { panic!("no message in {detail:?}") };
        assert!(!message.is_empty() && !message.contains('\n'), "{message:?}");
        (self.status, Value::Object(detail.clone()), message)
    }
}

async fn send(request: RequestBuilder) -> Response {
    timeout(PATIENCE, request.send()).await.expect("a response").unwrap()
}

/// Begins to stream a chat of two tokens, and reads until the first has arrived. Returns what was read, too.
pub(crate) async fn first_token(gateway: &Gateway) -> (Response, String) {
    let body = with(chat("one two"), &json!({ "stream": true })).to_string();
    let mut response = send(gateway.request(Method::POST, CHAT).body(body)).await;
    let mut read = String::new();
    while !read.contains("one ") {
        let chunk = timeout(PATIENCE, response.chunk()).await.expect("the first token").unwrap();
        read += std::str::from_utf8(&chunk.expect("more of the stream")).unwrap();
    }
    (response, read)
}

/// Returns a chat of one message.
pub(crate) fn chat(text: &str) -> Value {
    json!({ "model": "echo", "messages": [{ "role": "user", "content": text }] })
}

/// Returns the body with these members added.
pub(crate) fn with(mut body: Value, members: &Value) -> Value {
    body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    body
}
