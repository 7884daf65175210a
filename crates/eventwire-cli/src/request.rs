//! The request for a URL, from the options.

use std::fs;
use std::io::{self, Read};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use eventwire_client::{EventSource, ReconnectPolicy, Resend};
use eventwire_reqwest::{PlatformTimer, RequestBuilderExt, RequestConnector, client_builder};
use http::Method;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, Url};

use crate::args::Connection;
use crate::observed::Observed;

/// How many redirects are followed.
pub(crate) const MOST_REDIRECTS: usize = 10;

#[derive(Clone)]
pub(crate) struct Request {
    method: Option<Method>,
    /// The body: a text, `@FILE`, or `@-` for standard input.
    data: Option<String>,
    headers: HeaderMap,
    insecure: bool,
}

impl Request {
    pub(crate) fn new(method: Option<Method>, data: Option<String>, insecure: bool) -> Request {
        Request { method, data, headers: HeaderMap::new(), insecure }
    }

    /// Adds a header. An error does not quote the value, which may be a key, because standard error may be a log.
    pub(crate) fn add_header(&mut self, line: &str) -> anyhow::Result<()> {
        let Some((name, value)) = line.split_once(':') else { bail!("a --header has no colon; write 'Name: value'") };
        let value = HeaderValue::from_bytes(value.trim().as_bytes());
        let (Ok(key), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), value) else {
            bail!("the --header {name:?} is not valid; write 'Name: value', without control characters");
        };
        self.headers.append(key, value);
        Ok(())
    }

    pub(crate) fn method(&self) -> Method {
        let default = if self.data.is_some() { Method::POST } else { Method::GET };
        self.method.clone().unwrap_or(default)
    }

    /// Returns whether the request only reads, so that it may be sent again.
    pub(crate) fn is_get(&self) -> bool {
        self.method() == Method::GET && self.data.is_none()
    }

    /// Returns whether the request has headers or a body that are meant for one server.
    pub(crate) fn is_for_one_server(&self) -> bool {
        self.data.is_some() || !self.headers.is_empty()
    }

    /// Returns whether a redirect from this URL may lead to another origin: what was sent over HTTPS is never sent
    /// without it, and the user's headers and body are for one server.
    pub(crate) fn may_leave(&self, from: &Url, to: &Url) -> bool {
        !self.is_for_one_server() && (to.scheme() == "https" || from.scheme() != "https")
    }

    /// Returns a client, which leaves a compressed body as it is.
    pub(crate) fn client(&self) -> anyhow::Result<Client> {
        // There is no other timeout, because a stream may be silent for any length of time.
        let builder = || {
            let builder = client_builder().connect_timeout(Duration::from_secs(10));
            if self.insecure { builder.tls_danger_accept_invalid_certs(true) } else { builder }
        };
        // On a machine without root certificates, the client can still fetch http:// URLs.
        builder().build().or_else(|_| builder().tls_certs_only([]).build()).context("cannot set up the HTTP client")
    }

    /// Returns the request. It does not ask for compression, which delays events.
    pub(crate) fn builder(&self, client: &Client, url: Url) -> anyhow::Result<RequestBuilder> {
        let mut request = client.request(self.method(), url);
        if let Some(data) = &self.data {
            request = request.header(CONTENT_TYPE, "application/json").body(read(data)?);
        }
        if !self.headers.contains_key(ACCEPT_ENCODING) {
            request = request.header(ACCEPT_ENCODING, "identity");
        }
        Ok(request.headers(self.headers.clone()))
    }

    /// Returns the event source that sends the request.
    pub(crate) fn source(
        &self,
        url: Url,
        connection: &Connection,
    ) -> anyhow::Result<EventSource<Observed, PlatformTimer>> {
        let (rules, from) = (self.clone(), url.clone());
        let request = self
            .builder(&self.client()?, url)?
            .with_redirects(MOST_REDIRECTS)
            .with_other_origins(move |next| rules.may_leave(&from, next));
        let connector = RequestConnector::new(request).context("cannot send the request")?;
        let mut source = EventSource::with_connector(Observed::new(connector), PlatformTimer).with_blocks();
        if let Some(id) = &connection.last_event_id {
            source.set_last_event_id(id).context("cannot send the --last-event-id")?;
        }
        if let Some(timeout) = connection.timeout {
            source = source.with_idle_timeout(timeout);
        }
        if !connection.follow {
            source.set_policy(ReconnectPolicy::new().with_resend(Resend::Never));
        }
        Ok(source)
    }
}

/// Reads the body of the request.
fn read(data: &str) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match data.strip_prefix('@') {
        None => return Ok(data.into()),
        Some("-") => io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes),
        Some(path) => fs::read(path),
    }
    .map_err(|error| anyhow!("cannot read the --data {data:?}: {error}; use a text, @FILE, or @- for standard input"))
}
