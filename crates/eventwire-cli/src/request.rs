//! The request for a URL, from the options.

use std::cell::RefCell;
use std::fs;
use std::io::{self, Read};
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use bytes::Bytes;
use eventwire_client::{EventSource, ReconnectPolicy, Resend};
use eventwire_reqwest::{PlatformTimer, client_builder};
use http::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};

use crate::args::Connection;
use crate::journey::Sender;
use crate::observed::Observed;
use crate::record::Recorder;

/// How much is recorded of a response that is no event stream.
const LARGEST_PAGE: usize = 16 * 1024 * 1024;

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

    /// Adds a header.
    pub(crate) fn add_header(&mut self, line: &str) -> anyhow::Result<()> {
        let (name, value) = header(line)?;
        self.headers.append(name, value);
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

    /// Returns a client, which leaves a compressed body as it is.
    fn client(&self) -> anyhow::Result<Client> {
        // There is no other timeout, because a stream may be silent for any length of time.
        let builder = || {
            let builder = client_builder().connect_timeout(Duration::from_secs(10));
            if self.insecure { builder.tls_danger_accept_invalid_certs(true) } else { builder }
        };
        // On a machine without root certificates, the client can still fetch http:// URLs.
        builder().build().or_else(|_| builder().tls_certs_only([]).build()).context("cannot set up the HTTP client")
    }

    /// Returns what makes the requests to this URL.
    pub(crate) fn sender(&self, url: &Url) -> anyhow::Result<Rc<Sender>> {
        Ok(Rc::new(Sender {
            client: self.client()?,
            home: url.clone(),
            method: self.method(),
            headers: self.headers.clone(),
            body: self.data.as_deref().map(read).transpose()?.map(Bytes::from),
        }))
    }

    /// Returns the event source that sends the request, and records the answers if there is a recorder.
    pub(crate) fn source(
        &self,
        url: &Url,
        connection: &Connection,
        recorder: Option<Rc<RefCell<Recorder>>>,
    ) -> anyhow::Result<EventSource<Observed, PlatformTimer>> {
        let is_recorded = recorder.is_some();
        let connector = Observed::new(self.sender(url)?, recorder);
        let mut source = EventSource::with_connector(connector, PlatformTimer).with_blocks();
        if is_recorded {
            // All of a page is recorded, not only the beginning that is shown.
            source = source.with_max_unexpected_body(LARGEST_PAGE);
        }
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

/// Reads a `--header`. An error does not quote the value, which may be a key, because standard error may be a log.
pub(crate) fn header(line: &str) -> anyhow::Result<(HeaderName, HeaderValue)> {
    let Some((name, value)) = line.split_once(':') else { bail!("a --header has no colon; write 'Name: value'") };
    let value = HeaderValue::from_bytes(value.trim().as_bytes());
    match (HeaderName::from_bytes(name.as_bytes()), value) {
        (Ok(name), Ok(value)) => Ok((name, value)),
        _ => bail!("the --header {name:?} is not valid; write 'Name: value', without control characters"),
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
