//! The question, sent; the response whose body is the answer, or why there is none.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, ClientBuilder, Response, StatusCode, Url};
use serde_json::json;

use crate::args::Question;
use crate::{refusal, root};

pub(crate) fn client() -> Result<Client, AskError> {
    build(builder)
}

/// A proxy would look for the loopback interface on its own machine.
pub(crate) fn loopback_client() -> Result<Client, AskError> {
    build(|| builder().no_proxy())
}

/// On a machine without root certificates, http:// URLs can be asked all the same.
fn build(builder: impl Fn() -> ClientBuilder) -> Result<Client, AskError> {
    let client = builder().build().or_else(|_| builder().tls_certs_only([]).build());
    client.map_err(|error| AskError::Client { why: root(&error).to_string() })
}

fn builder() -> ClientBuilder {
    // No other timeout: a model may think for as long as it likes.
    Client::builder().connect_timeout(Duration::from_secs(10))
}

pub(crate) async fn ask(client: &Client, base_url: &str, question: &Question) -> Result<Response, AskError> {
    let url = endpoint(base_url)?;
    let body = json!({
        "model": question.model,
        "messages": [{ "role": "user", "content": question.prompt }],
        "stream": true,
    });
    let mut request = client.post(url.clone()).header(ACCEPT, "text/event-stream");
    request = request.header(CONTENT_TYPE, "application/json").body(body.to_string());
    if let Some(key) = &question.api_key {
        request = request.bearer_auth(key);
    }
    let response = request.send().await.map_err(|error| {
        let why = root(&error).to_string();
        if error.is_connect() { AskError::Connect { url, why } } else { AskError::Request { url, why } }
    })?;
    match response.status() {
        StatusCode::OK if is_event_stream(&response) => Ok(response),
        StatusCode::OK => Err(AskError::NoStream { url: response.url().clone() }),
        status => {
            // A server that cannot even say its reason whole has still said its status.
            let body = response.bytes().await.unwrap_or_default();
            Err(AskError::Refused { status, reason: refusal::reason(&body) })
        }
    }
}

fn endpoint(base_url: &str) -> Result<Url, AskError> {
    let url = format!("{}/chat/completions", base_url.trim_end_matches('/'));
    match Url::parse(&url) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(url) => Err(AskError::BaseUrl { url: base_url.into(), why: format!("its scheme is {}", url.scheme()) }),
        Err(error) => Err(AskError::BaseUrl { url: base_url.into(), why: error.to_string() }),
    }
}

/// Parameters of the media type do not count, nor does its case.
fn is_event_stream(response: &Response) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE).map_or(&b""[..], |value| value.as_bytes());
    let essence = content_type.split(|&byte| byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(b"text/event-stream")
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum AskError {
    #[error("cannot make an HTTP client: {why}; check the certificates of this machine")]
    Client { why: String },
    #[error("{url:?} is no base URL: {why}; write it as http://host:port/v1")]
    BaseUrl { url: String, why: String },
    #[error("cannot connect to {url}: {why}; check the base URL, and the server behind it")]
    Connect { url: Url, why: String },
    #[error("cannot ask {url}: {why}; check the base URL")]
    Request { url: Url, why: String },
    #[error("the server refused with {status}: {reason}")]
    Refused { status: StatusCode, reason: String },
    #[error("{url} answered with something else than an event stream; check that the base URL is of an API")]
    NoStream { url: Url },
}
