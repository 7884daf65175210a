//! The server that is checked.

use std::io;
use std::rc::Rc;
use std::time::Duration;

use anyhow::anyhow;
use bytes::Bytes;
use eventwire_lint::{Finding, Lint, Severity};
use futures_util::{Stream, StreamExt};
use http::header::{ACCEPT_ENCODING, HeaderValue, ORIGIN, SERVER, VIA};
use http::{HeaderMap, Response};
use reqwest::Url;
use tokio::time::{Instant, timeout};

use super::seen::{Ended, Limits, Seen};
use crate::coding::{coding, decoded};
use crate::failure::{advice_on_connecting, public};
use crate::journey::{Ask, Chunks, Form, Sender, Step};
use crate::request::Request;

/// How long to wait for a response that is only asked for to compare it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// For how long the body of a response is read that is no event stream.
const PAGE: Duration = Duration::from_secs(1);

/// The server that is checked, and the request that the options describe.
pub(crate) struct Target {
    sender: Rc<Sender>,
    is_repeatable: bool,
    origin: Option<HeaderValue>,
}

impl Target {
    pub(crate) fn new(url: &Url, request: &Request, origin: Option<&str>) -> anyhow::Result<Target> {
        let origin = origin.map(HeaderValue::from_str).transpose()?;
        Ok(Target { sender: request.sender(url)?, is_repeatable: request.is_get(), origin })
    }

    /// Returns the origin of the page for which CORS is judged.
    pub(crate) fn origin(&self) -> Option<&HeaderValue> {
        self.origin.as_ref()
    }

    /// Returns whether the request may be sent again.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.is_repeatable
    }

    /// Returns what a browser asks for, but for a stream that is not compressed.
    pub(crate) fn ask(&self) -> Ask {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        if let Some(origin) = &self.origin {
            headers.insert(ORIGIN, origin.clone());
        }
        Ask { headers, last_id: None }
    }

    /// Sends a preflight request with these headers. Returns the answer if it arrives soon.
    pub(crate) async fn preflight(&self, headers: HeaderMap) -> Option<Response<()>> {
        timeout(PATIENCE, self.sender.preflight(headers)).await.ok()?.ok()
    }

    /// Sends the request, follows redirects, and reads the response as far as the limits allow.
    pub(crate) async fn watch(&self, ask: Ask, lint: Lint, limits: Limits) -> anyhow::Result<Seen> {
        let mut seen = Seen::new(lint, limits);
        let start = Instant::now();
        let reading = self.read(ask, &mut seen, start);
        match limits.time {
            None => reading.await?,
            // What has been seen so far is judged.
            Some(time) => timeout(time, reading).await.unwrap_or(Ok(()))?,
        }
        Ok(seen.finish(start.elapsed()))
    }

    async fn read(&self, ask: Ask, seen: &mut Seen, start: Instant) -> anyhow::Result<()> {
        let Some(response) = self.send(ask, seen).await? else { return Ok(()) };
        let (head, body) = response.into_parts();
        let head = Response::from_parts(head, ());
        let chunks = decoded(coding(&head), body);
        seen.head(head, start.elapsed());
        if !seen.is_readable() || seen.is_enough() {
            return Ok(());
        }
        if seen.is_page() {
            // What has arrived so far is shown.
            let _ = timeout(PAGE, read_body(chunks, seen, start)).await;
        } else {
            read_body(chunks, seen, start).await;
        }
        Ok(())
    }

    /// Returns the response, or `None` if a redirect leads where the request is not sent.
    async fn send(&self, ask: Ask, seen: &mut Seen) -> anyhow::Result<Option<Response<Chunks>>> {
        let mut journey = self.sender.journey(ask);
        loop {
            seen.url = Some(journey.url().clone());
            let step = journey.step().await.map_err(|error| cannot_send(journey.url(), error))?;
            let (what, severity) = match step {
                Step::Arrived(response) => return Ok(Some(response)),
                Step::Refused(refused) => (refused.to_string(), Severity::Fail),
                Step::Moved(status) => {
                    let what = format!("the server answered {status} and redirects to {}", public(journey.url()));
                    match journey.form() {
                        Form::Result => (
                            format!("{what}, where the request is not sent, because a browser would send a GET"),
                            Severity::Fail,
                        ),
                        Form::AsGiven | Form::Probe => (what, Severity::Note),
                    }
                }
            };
            seen.add(Finding { severity, ..Finding::new("redirect", what) });
            if severity == Severity::Fail {
                return Ok(None);
            }
        }
    }

    /// Returns what is wrong with a server that has not even sent a head in this time.
    pub(crate) async fn no_head(&self, seen: &Seen, time: Duration) -> Finding {
        let head = match &seen.url {
            Some(url) if self.is_repeatable => {
                timeout(PATIENCE, self.sender.probe(url)).await.ok().and_then(Result::ok)
            }
            _ => None,
        };
        let mut named = [(VIA, "Via"), (SERVER, "Server")]
            .into_iter()
            .filter_map(|(name, shown)| Some((shown, head.as_ref()?.headers().get(name)?)));
        let mut what = format!("no headers arrived in {:.1} s", time.as_secs_f64());
        if let Some((name, value)) = named.next() {
            let value = String::from_utf8_lossy(value.as_bytes());
            what += &format!(", although a HEAD request was answered (`{name}: {value}`)");
        }
        Finding::new("no-response", what)
    }
}

async fn read_body(mut chunks: impl Stream<Item = io::Result<Bytes>> + Unpin, seen: &mut Seen, start: Instant) {
    while let Some(chunk) = chunks.next().await {
        match chunk {
            Ok(chunk) => seen.chunk(&chunk, start.elapsed()),
            Err(error) => return seen.end(Ended::Broken(format!("{:#}", anyhow!(error)))),
        }
        if seen.is_enough() {
            return;
        }
    }
    seen.end(Ended::Complete);
}

fn cannot_send(url: &Url, error: reqwest::Error) -> anyhow::Error {
    let (what, advice) = match &error {
        error if error.is_connect() => ("cannot connect to", advice_on_connecting(error)),
        error if error.is_builder() => ("cannot send a request to", "check the URL"),
        _ => ("no answer from", "look for a crash in the server"),
    };
    let error = anyhow!(error.without_url());
    anyhow!("{what} {}: {error:#}; {advice}", public(url))
}
