//! The server that is checked.

use std::time::Duration;

use anyhow::{anyhow, bail};
use eventwire_lint::{Finding, Lint, Severity};
use futures_util::StreamExt;
use http::header::{ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, HeaderName, HeaderValue, LOCATION, ORIGIN, SERVER, VIA};
use http::{HeaderMap, Method, Response};
use reqwest::{Client, Url};
use tokio::time::{Instant, timeout};

use super::seen::{Ended, Limits, Seen};
use crate::coding::{coding, decoded, is_coded};
use crate::failure;
use crate::request::{MOST_REDIRECTS, Request};

pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// How long to wait for a response that is only asked for to compare it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// The server that is checked: its URL, and the request that the options describe.
pub(crate) struct Target {
    client: Client,
    url: Url,
    request: Request,
    origin: Option<HeaderValue>,
}

impl Target {
    pub(crate) fn new(url: &Url, request: &Request, origin: Option<&str>) -> anyhow::Result<Target> {
        let origin = origin.map(HeaderValue::from_str).transpose()?;
        Ok(Target { client: request.client()?, url: url.clone(), request: request.clone(), origin })
    }

    /// Returns the origin of the page for which CORS is judged.
    pub(crate) fn origin(&self) -> Option<&HeaderValue> {
        self.origin.as_ref()
    }

    pub(crate) fn is_https(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// Returns whether the request may be sent again.
    pub(crate) fn is_repeatable(&self) -> bool {
        self.request.is_get()
    }

    /// Returns the request as a browser sends it, but for a stream that is not compressed.
    pub(crate) fn request(&self) -> anyhow::Result<reqwest::Request> {
        let mut request = self.request.builder(&self.client, self.url.clone())?.build()?;
        request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let defaults = [(ACCEPT, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
        for (name, value) in defaults {
            request.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
        }
        if let Some(origin) = &self.origin {
            request.headers_mut().insert(ORIGIN, origin.clone());
        }
        Ok(request)
    }

    /// Sends a request for a head only. Returns it if it arrives soon.
    pub(crate) async fn ask(&self, method: Method, headers: HeaderMap) -> Option<Response<()>> {
        let request = self.client.request(method, self.url.clone()).headers(headers);
        let response = timeout(PATIENCE, request.send()).await.ok()?.ok()?;
        Some(Response::from(response).map(drop))
    }

    /// Sends the request, follows redirects, and reads the response as far as the limits allow.
    pub(crate) async fn watch(&self, request: reqwest::Request, lint: Lint, limits: Limits) -> anyhow::Result<Seen> {
        let mut seen = Seen::new(lint, limits);
        let start = Instant::now();
        let reading = self.read(request, &mut seen, start);
        match limits.time {
            None => reading.await?,
            // What has been seen so far is judged.
            Some(time) => timeout(time, reading).await.unwrap_or(Ok(()))?,
        }
        Ok(seen.finish(start.elapsed()))
    }

    async fn read(&self, request: reqwest::Request, seen: &mut Seen, start: Instant) -> anyhow::Result<()> {
        let Some(response) = self.send(request, seen).await? else { return Ok(()) };
        let mut head = Response::new(());
        *head.status_mut() = response.status();
        *head.version_mut() = response.version();
        *head.headers_mut() = response.headers().clone();
        let coding = coding(&head);
        let is_readable = coding.is_some() || !is_coded(&head);
        let mut chunks = decoded(coding, response.bytes_stream());
        seen.head(head, start.elapsed());
        if !is_readable || seen.is_enough() {
            return Ok(());
        }
        while let Some(chunk) = chunks.next().await {
            match chunk {
                Ok(chunk) => seen.chunk(&chunk, start.elapsed()),
                Err(error) => {
                    seen.end(Ended::Broken(format!("{:#}", anyhow!(error))));
                    return Ok(());
                }
            }
            if seen.is_enough() {
                return Ok(());
            }
        }
        seen.end(Ended::Complete);
        Ok(())
    }

    /// Returns the response, or `None` if a redirect leads where the request must not be sent.
    async fn send(&self, mut request: reqwest::Request, seen: &mut Seen) -> anyhow::Result<Option<reqwest::Response>> {
        for _ in 0..=MOST_REDIRECTS {
            let again = request.try_clone();
            let url = request.url().clone();
            let response = self.client.execute(request).await.map_err(|error| cannot_send(&url, error))?;
            let Some(next) = next_url(&response, &url) else { return Ok(Some(response)) };
            let what = format!("the server answered {} and redirects to {}", response.status(), failure::public(&next));
            let is_same = url.origin() == next.origin();
            let keeps_method = matches!(response.status().as_u16(), 307 | 308);
            let may_repeat = self.is_repeatable() || keeps_method;
            let Some(next_request) = again.filter(|_| may_repeat && (is_same || self.request.may_leave(&url, &next)))
            else {
                let why = match may_repeat {
                    false => "a browser would send a GET",
                    true if !self.request.is_for_one_server() => "it is not encrypted",
                    true => "its headers and its body are for the first server",
                };
                let what = format!("{what}, where the request is not sent, because {why}");
                seen.add(Finding { severity: Severity::Fail, ..Finding::new("redirect", what) });
                return Ok(None);
            };
            seen.add(Finding::new("redirect", what));
            request = next_request;
            *request.url_mut() = next;
        }
        bail!("more than {MOST_REDIRECTS} redirects from {}; check the URL", failure::public(&self.url))
    }

    /// Returns what is wrong with a server that has not even sent a head in this time.
    pub(crate) async fn no_head(&self, time: Duration) -> Finding {
        let head = if self.is_repeatable() { self.ask(Method::HEAD, HeaderMap::new()).await } else { None };
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

fn cannot_send(url: &Url, error: reqwest::Error) -> anyhow::Error {
    let advice = failure::advice_on_connecting(&error);
    let error = anyhow!(error.without_url());
    anyhow!("cannot connect to {}: {error:#}; {advice}", failure::public(url))
}

fn next_url(response: &reqwest::Response, url: &Url) -> Option<Url> {
    let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = response.headers().get(LOCATION).filter(|_| is_redirect)?;
    url.join(str::from_utf8(location.as_bytes()).ok()?).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}
