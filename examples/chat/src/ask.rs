//! Sends the question.

use std::io::{self, Write};
use std::time::Duration;

use eventwire_client::{Decide, EventSource, ReconnectPolicy, Verdict};
use eventwire_reqwest::{PlatformTimer, RequestBuilderExt, RequestConnector};
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Url};
use serde_json::json;

use crate::failure::{Failure, cause};
use crate::root_cause::root_cause;

/// The longest delay that a server may ask for, and the longest time that an answer in JSON may take.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

pub(crate) struct Question {
    pub(crate) prompt: String,
    pub(crate) model: String,
    pub(crate) api_key: Option<String>,
    /// How long the server may send nothing. Zero means no limit.
    pub(crate) timeout: Duration,
}

pub(crate) fn client() -> Result<Client, Failure> {
    build(builder)
}

/// A client for servers on this machine. It uses no proxy, which would connect to its own loopback interface.
pub(crate) fn loopback_client() -> Result<Client, Failure> {
    build(|| builder().no_proxy())
}

/// On a machine without root certificates, the client still works for http:// URLs.
fn build(builder: impl Fn() -> ClientBuilder) -> Result<Client, Failure> {
    let client = builder().build().or_else(|_| builder().tls_certs_only([]).build());
    client.map_err(|error| Failure::Client(root_cause(&error).to_string()))
}

fn builder() -> ClientBuilder {
    // Redirects are not followed, because two servers might carry out the same POST.
    Client::builder().connect_timeout(Duration::from_secs(10)).redirect(Policy::none())
}

/// Returns the source of the answer.
///
/// A question that was not sent, or that the server turned away, is sent up to three times. Each retry is logged to
/// standard error.
pub(crate) fn ask(
    client: &Client,
    base_url: &str,
    question: &Question,
) -> Result<EventSource<RequestConnector, PlatformTimer, impl Decide<reqwest::Error> + use<>>, Failure> {
    let body = json!({
        "model": question.model,
        "messages": [{ "role": "user", "content": question.prompt }],
        "stream": true,
    });
    let mut request = client.post(endpoint(base_url)?).header(CONTENT_TYPE, "application/json").body(body.to_string());
    if let Some(key) = &question.api_key {
        request = request.bearer_auth(key);
    }
    let source = request.eventsource().map_err(|error| Failure::Request(root_cause(&error).to_string()))?;
    Ok(source
        .with_policy(ReconnectPolicy::new().with_max_attempts(3).with_reconnection_time(Duration::from_millis(500)))
        .with_idle_timeout(question.timeout)
        // For a server that answers with JSON instead of a stream.
        .with_max_refusal_body(4 * 1024 * 1024)
        .with_refusal_timeout(LONGEST_WAIT)
        .with_verdict(|head| match Verdict::default_for(head) {
            Verdict::TurnedAway if head.retry_after().is_some_and(|delay| delay > LONGEST_WAIT) => Verdict::Fail,
            verdict => verdict,
        })
        .with_delay(|delay, _, error| {
            // `eprintln!` would panic if standard error is closed.
            let _ = writeln!(io::stderr(), "chat: {}; trying again in {:.1}s", cause(error), delay.as_secs_f64());
            delay
        }))
}

fn endpoint(base_url: &str) -> Result<Url, Failure> {
    let url = format!("{}/chat/completions", base_url.trim_end_matches('/'));
    match Url::parse(&url) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(url) => Err(Failure::BaseUrl { url: base_url.into(), why: format!("its scheme is {:?}", url.scheme()) }),
        Err(error) => Err(Failure::BaseUrl { url: base_url.into(), why: error.to_string() }),
    }
}
