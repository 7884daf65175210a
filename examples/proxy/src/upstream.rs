//! The server to which requests are forwarded.

use std::net::IpAddr;
use std::time::Duration;

use axum::http::request::Parts;
use bytes::Bytes;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Response, Url};

use crate::api_error::ApiError;
use crate::headers;
use crate::root_cause::root_cause;

/// The server to which requests are forwarded, and the HTTP client for it.
#[derive(Clone, Debug)]
pub struct Upstream {
    client: Client,
    /// Without a slash at the end.
    base: String,
}

impl Upstream {
    /// Returns the server at this URL. The path of each request is added to the URL.
    ///
    /// # Errors
    ///
    /// [`InvalidUpstream`] if the URL is not valid, or if no HTTP client can be made.
    pub fn new(url: &str) -> Result<Upstream, InvalidUpstream> {
        let invalid = |why: String| InvalidUpstream::Url { url: url.into(), why };
        let parsed = Url::parse(url).map_err(|error| invalid(error.to_string()))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(invalid(format!("its scheme is {:?}", parsed.scheme())));
        }
        if parsed.query().is_some() || parsed.fragment().is_some() {
            return Err(invalid("it has a query or a fragment".into()));
        }
        let client =
            client(is_loopback(&parsed)).map_err(|error| InvalidUpstream::Client(root_cause(&error).to_string()))?;
        Ok(Upstream { client, base: parsed.as_str().trim_end_matches('/').into() })
    }

    /// Forwards a request, and returns the answer as soon as its head has arrived.
    pub(crate) async fn send(&self, request: Parts, body: Bytes) -> Result<Response, ApiError> {
        let url = self.url(request.uri.path_and_query().map_or("/", |path| path.as_str()))?;
        let headers = headers::for_upstream(request.headers);
        let request = self.client.request(request.method, url).headers(headers).body(body);
        request.send().await.map_err(|error| {
            let why = root_cause(&error).to_string();
            if error.is_connect() { ApiError::unreachable(&why) } else { ApiError::broken(&why) }
        })
    }

    fn url(&self, path: &str) -> Result<Url, ApiError> {
        let url =
            Url::parse(&format!("{}{path}", self.base)).map_err(|error| ApiError::invalid_path(&error.to_string()))?;
        // The parser resolves `..`, which must not lead out of the server's path.
        if url.as_str().strip_prefix(&self.base).is_some_and(|rest| rest.starts_with('/')) {
            Ok(url)
        } else {
            Err(ApiError::invalid_path("it leads out of the server's path"))
        }
    }
}

/// Returns whether the server is on this machine. A proxy from the environment would connect to its own loopback
/// interface.
fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// On a machine without root certificates, the client still works for http:// URLs.
fn client(is_loopback: bool) -> reqwest::Result<Client> {
    let builder = || if is_loopback { builder().no_proxy() } else { builder() };
    builder().build().or_else(|_| builder().tls_certs_only([]).build())
}

fn builder() -> ClientBuilder {
    // There is no other timeout, because a model may take minutes. Redirects are passed on to the client.
    Client::builder().connect_timeout(Duration::from_secs(10)).redirect(Policy::none())
}

/// Why there is no [`Upstream`]. It is printed as one line: what went wrong, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidUpstream {
    /// The URL is not valid.
    #[error("{url:?} is not the URL of a server: {why}; write it as http://host:port")]
    #[non_exhaustive]
    Url {
        /// The URL that was given.
        url: String,
        /// Why it is not valid.
        why: String,
    },
    /// The HTTP client cannot be set up.
    #[error("cannot set up an HTTP client: {0}; check the certificates of this machine")]
    Client(String),
}
