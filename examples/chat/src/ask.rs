//! Sends the question and returns the response whose body is the answer.

use std::time::Duration;

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, ClientBuilder, Response, StatusCode, Url};
use serde_json::json;

use crate::refusal;
use crate::root_cause::root_cause;

pub(crate) struct Question {
    pub(crate) prompt: String,
    pub(crate) model: String,
    pub(crate) api_key: Option<String>,
}

pub(crate) fn client() -> Result<Client, AskError> {
    build(builder)
}

/// A client for servers on this machine. A proxy would look for them on its own.
pub(crate) fn loopback_client() -> Result<Client, AskError> {
    build(|| builder().no_proxy())
}

/// On a machine without root certificates, the client still works for http:// URLs.
fn build(builder: impl Fn() -> ClientBuilder) -> Result<Client, AskError> {
    let client = builder().build().or_else(|_| builder().tls_certs_only([]).build());
    client.map_err(|error| AskError::Client { why: root_cause(&error).to_string() })
}

fn builder() -> ClientBuilder {
    // There is no other timeout, because a model may think for minutes.
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
        let why = root_cause(&error).to_string();
        if error.is_connect() { AskError::Connect { url, why } } else { AskError::Request { url, why } }
    })?;
    match response.status() {
        StatusCode::OK if is_event_stream(&response) => Ok(response),
        StatusCode::OK => Err(AskError::NoStream { url: response.url().clone() }),
        status => {
            // If the body cannot be read, the status alone is reported.
            let body = response.bytes().await.unwrap_or_default();
            Err(AskError::Refused { status, reason: refusal::reason(&body) })
        }
    }
}

fn endpoint(base_url: &str) -> Result<Url, AskError> {
    let url = format!("{}/chat/completions", base_url.trim_end_matches('/'));
    match Url::parse(&url) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(url) => Err(AskError::BaseUrl { url: base_url.into(), why: format!("its scheme is {:?}", url.scheme()) }),
        Err(error) => Err(AskError::BaseUrl { url: base_url.into(), why: error.to_string() }),
    }
}

/// Parameters of the media type are ignored, and so is its case.
fn is_event_stream(response: &Response) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE).map_or(&b""[..], |value| value.as_bytes());
    let essence = content_type.split(|&byte| byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(b"text/event-stream")
}

/// Why there is no answer. It prints, in one line, what went wrong and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AskError {
    /// The HTTP client cannot be set up.
    #[error("cannot set up an HTTP client: {why}; check the certificates of this machine")]
    #[non_exhaustive]
    Client {
        /// The cause.
        why: String,
    },
    /// The base URL is not valid.
    #[error("{url:?} is not a base URL: {why}; write it as http://host:port/v1")]
    #[non_exhaustive]
    BaseUrl {
        /// The URL, as it was given.
        url: String,
        /// The cause.
        why: String,
    },
    /// There is no connection to the server.
    #[error("cannot connect to {url}: {why}; check the base URL and the server")]
    #[non_exhaustive]
    Connect {
        /// The URL of the request.
        url: Url,
        /// The cause.
        why: String,
    },
    /// The request failed after the connection was made.
    #[error("the request to {url} failed: {why}; check the base URL")]
    #[non_exhaustive]
    Request {
        /// The URL of the request.
        url: Url,
        /// The cause.
        why: String,
    },
    /// The server answered with an error.
    #[error("the server answered {status}: {reason}")]
    #[non_exhaustive]
    Refused {
        /// The status of the response.
        status: StatusCode,
        /// The error message in the response.
        reason: String,
    },
    /// The server answered with another content type.
    #[error(
        "the response from {url} is not an event stream; check that the base URL is that of an OpenAI-compatible API"
    )]
    #[non_exhaustive]
    NoStream {
        /// The URL of the response.
        url: Url,
    },
}
