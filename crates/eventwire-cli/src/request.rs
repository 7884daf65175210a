//! The request for a URL, from the options.

use std::fs;
use std::io::{self, Read};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use eventwire_client::{EventSource, ReconnectPolicy, Resend};
use eventwire_reqwest::{PlatformTimer, RequestBuilderExt, RequestConnector, client_builder};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};

use crate::observed::Observed;

#[derive(Default, PartialEq)]
pub(crate) struct Request {
    pub(crate) follow: bool,
    pub(crate) last_event_id: Option<String>,
    /// The body of a POST: a text, `@FILE`, or `@-` for standard input.
    pub(crate) post: Option<String>,
    headers: HeaderMap,
}

impl Request {
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

    /// Returns the event source that sends the request.
    pub(crate) fn source(self, url: Url) -> anyhow::Result<EventSource<Observed, PlatformTimer>> {
        let client = client().context("cannot set up the HTTP client")?;
        let is_https = url.scheme() == "https";
        let is_for_one_server = self.post.is_some() || !self.headers.is_empty();
        let request = match &self.post {
            None => client.get(url),
            Some(body) => client.post(url).header(CONTENT_TYPE, "application/json").body(read(body)?),
        };
        // What was sent over HTTPS is never sent without it, and the user's headers and body are for one server.
        let request = request
            .headers(self.headers)
            .with_redirects(10)
            .with_other_origins(move |next| !is_for_one_server && (next.scheme() == "https" || !is_https));
        let connector = RequestConnector::new(request).context("cannot send the request")?;
        let mut source = EventSource::with_connector(Observed::new(connector), PlatformTimer).with_blocks();
        if let Some(id) = self.last_event_id {
            source.set_last_event_id(&id).context("cannot send the --last-event-id")?;
        }
        if !self.follow {
            source.set_policy(ReconnectPolicy::new().with_resend(Resend::Never));
        }
        Ok(source)
    }
}

/// On a machine without root certificates, the client can still fetch http:// URLs.
fn client() -> reqwest::Result<Client> {
    // There is no other timeout, because a stream may be silent for any length of time.
    let builder = || client_builder().connect_timeout(Duration::from_secs(10));
    builder().build().or_else(|_| builder().tls_certs_only([]).build())
}

/// Reads the body of a POST.
fn read(body: &str) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match body.strip_prefix('@') {
        None => return Ok(body.into()),
        Some("-") => io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes),
        Some(path) => fs::read(path),
    }
    .map_err(|error| anyhow!("cannot read the --post {body:?}: {error}; use a text, @FILE, or @- for standard input"))
}
