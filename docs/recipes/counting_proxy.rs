//! A proxy for OpenAI-compatible servers. Of each event stream it logs the end, the tokens, and the reported usage.

use axum::http::{HeaderMap, HeaderName, Method, StatusCode, header, request::Parts};
use axum::{Router, body::Body, body::Bytes, extract::DefaultBodyLimit, extract::State};
use axum::{response::IntoResponse, response::Result};
use eventwire::{BlockItemRef, DecodeError, End, Observe, Tap};
use futures_util::TryStreamExt;
use reqwest::{Client, Url, redirect::Policy};
use serde_json::Value;
use std::time::Duration;
use tower_http::timeout::RequestBodyTimeoutLayer;

/// Returns the routes of a proxy for the server at this URL.
pub fn proxy(server: Url) -> reqwest::Result<Router> {
    let client = Client::builder().redirect(Policy::none()).connect_timeout(Duration::from_secs(10));
    let client = client.read_timeout(Duration::from_secs(600)).build()?; // a model may think for minutes
    let limits = (RequestBodyTimeoutLayer::new(Duration::from_secs(60)), DefaultBodyLimit::max(64 * 1024 * 1024));
    Ok(Router::new().fallback(relay).layer(limits).with_state((client, server)))
}

async fn relay(State((client, mut url)): State<(Client, Url)>, head: Parts, body: Bytes) -> Result<impl IntoResponse> {
    url.set_path(head.uri.path());
    url.set_query(head.uri.query());
    (url.path() == head.uri.path()).then_some(()).ok_or(StatusCode::BAD_REQUEST)?; // with `..` it would be another one
    let request = client.request(head.method.clone(), url).headers(forwarded(&head.headers));
    let answer = request.body(body).send().await.map_err(|error| (StatusCode::BAD_GATEWAY, describe(error)))?;
    let (status, headers) = (answer.status(), forwarded(answer.headers()));
    let is_stream = headers.get(header::CONTENT_TYPE).is_some_and(|it| it.as_bytes().starts_with(b"text/event-stream"));
    if !is_stream || status != StatusCode::OK || head.method == Method::HEAD {
        return Ok((status, headers, Body::from_stream(answer.bytes_stream())));
    }
    let request = format!("{} {}", head.method, head.uri.path().escape_default());
    let count = Count { request: request.clone(), tokens: 0, usage: "null".to_owned(), is_done: false };
    let chunks = answer.bytes_stream().map_err(describe).inspect_err(move |error| eprintln!("{request}: {error}"));
    Ok((status, headers, Body::from_stream(Tap::observed(chunks, count))))
}

/// What is logged of a stream.
struct Count {
    request: String,
    tokens: u64,   // events with text; most servers send each token in an event of its own
    usage: String, // without characters that control a terminal
    is_done: bool,
}

impl Observe for Count {
    fn item(&mut self, item: Result<BlockItemRef<'_>, DecodeError>) {
        let Some(event) = item.ok().and_then(|item| item.event()) else { return };
        self.is_done |= event.data() == "[DONE]";
        let chunk: Value = serde_json::from_str(event.data()).unwrap_or_default();
        let text = chunk.pointer("/choices/0/delta/content").or(chunk.pointer("/choices/0/text"));
        self.tokens += u64::from(text.and_then(Value::as_str).is_some_and(|text| !text.is_empty()));
        if chunk["usage"].is_object() {
            self.usage = chunk["usage"].to_string().replace(|char: char| !char.is_ascii_graphic(), "?");
        }
    }

    fn end(&mut self, end: End) {
        let end = match end {
            _ if self.is_done => "complete",
            End::Complete | End::Truncated => "ended without [DONE]",
            End::Failed => "truncated by the server",
            End::Dropped => "closed by the client",
        };
        eprintln!("{}: {end}, tokens {}, usage {}", self.request, self.tokens, self.usage);
    }
}

/// Leaves out the headers of one connection, and those that are set again. Compressed events could not be counted.
fn forwarded(headers: &HeaderMap) -> HeaderMap {
    let names = "accept-encoding connection content-length host keep-alive proxy-authenticate proxy-authorization \
                 proxy-connection te trailer transfer-encoding upgrade";
    let lists = headers.get_all(header::CONNECTION).iter().flat_map(|it| it.as_bytes().split(|&byte| byte == b','));
    let named = lists.filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok());
    let mut kept = headers.clone();
    names.split(' ').map(HeaderName::from_static).chain(named).for_each(|name| drop(kept.remove(name)));
    kept
}

fn describe(error: reqwest::Error) -> String {
    format!("{:#}", anyhow::Error::from(error.without_url())) // its query may contain a key
}
