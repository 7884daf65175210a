//! The response whose body is an event stream, or why there is none.

use std::time::Duration;

use reqwest::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, ClientBuilder, Response, StatusCode, Url};

use crate::root;

pub(crate) fn client() -> Result<Client, FetchError> {
    build(builder)
}

/// A proxy would look for the loopback interface on its own machine.
pub(crate) fn loopback_client() -> Result<Client, FetchError> {
    build(|| builder().no_proxy())
}

/// On a machine without root certificates, http:// URLs can be fetched all the same.
fn build(builder: impl Fn() -> ClientBuilder) -> Result<Client, FetchError> {
    let client = builder().build().or_else(|_| builder().tls_certs_only([]).build());
    client.map_err(|error| FetchError::Client { why: root(&error).to_string() })
}

fn builder() -> ClientBuilder {
    // No other timeout: a stream may be silent for as long as it likes.
    Client::builder().connect_timeout(Duration::from_secs(10))
}

/// As the standard has it: status 200, and the content type `text/event-stream`. Anything else is no event stream.
pub(crate) async fn open(client: &Client, url: &str) -> Result<Response, FetchError> {
    let url = Url::parse(url).map_err(|error| FetchError::Url { url: url.into(), why: error.to_string() })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchError::Scheme { scheme: url.scheme().into() });
    }
    let failed = |error: reqwest::Error| {
        let why = root(&error).to_string();
        let url = url.clone();
        if error.is_connect() { FetchError::Connect { url, why } } else { FetchError::Request { url, why } }
    };
    let request = client.get(url.clone()).header(ACCEPT, "text/event-stream").header(CACHE_CONTROL, "no-cache");
    let response = request.send().await.map_err(failed)?;

    // Where a redirect led, not where it began.
    let url = response.url().clone();
    match response.status() {
        StatusCode::OK => {}
        StatusCode::NO_CONTENT => return Err(FetchError::NoContent { url }),
        status => return Err(FetchError::Status { url, status, advice: advice(status) }),
    }
    match response.headers().get(CONTENT_TYPE) {
        Some(found) if is_event_stream(found) => Ok(response),
        found => {
            let found = found.map_or("no content type".into(), |found| format!("the content type {found:?}"));
            Err(FetchError::ContentType { url, found })
        }
    }
}

/// The essence of the media type alone counts: parameters are ignored, and so is the case.
fn is_event_stream(content_type: &HeaderValue) -> bool {
    let essence = content_type.as_bytes().split(|&byte| byte == b';').next().unwrap_or_default();
    essence.trim_ascii().eq_ignore_ascii_case(b"text/event-stream")
}

fn advice(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 | 403 => "fetch it with your credentials by another client, and pipe that into tail -",
        404 | 410 => "check the path of the URL",
        405 => "fetch it with the right method by another client, and pipe that into tail -",
        429 | 500.. => "try again later",
        _ => "an event stream begins with 200 OK",
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("cannot make an HTTP client: {why}; fetch the stream by another, and pipe it into tail -")]
    Client { why: String },
    #[error("{url:?} is not a URL: {why}; write it as http://host:port/path")]
    Url { url: String, why: String },
    #[error("cannot fetch {scheme}:// URLs; give one that begins with http:// or https://")]
    Scheme { scheme: String },
    #[error("cannot connect to {url}: {why}; check the address, and the server behind it")]
    Connect { url: Url, why: String },
    #[error("cannot fetch {url}: {why}; check the URL with another client")]
    Request { url: Url, why: String },
    #[error("{url} has no events: the server answered 204 No Content, which tells clients not to ask again")]
    NoContent { url: Url },
    #[error("{url} answered {status}; {advice}")]
    Status { url: Url, status: StatusCode, advice: &'static str },
    #[error(
        "{url} is not an event stream: it has {found}, not text/event-stream; check the URL, or pipe it into tail -"
    )]
    ContentType { url: Url, found: String },
}
