//! The driver.

use crate::{
    Answer, DriverError,
    response::{Response, ResponseEvent},
};
use eventwire_reqwest::{
    ConnectionError, Dialect, Event, Hooks, ReconnectPolicy, Resend, UnexpectedResponse, Verdict, from_fn,
};
use futures_util::TryStreamExt;
use reqwest::Client;
use serde_json::{Value, json};
use std::{error::Error, future::ready, time::Duration};

/// The idle timeout. A server that does not stream has this long for its complete answer.
const IDLE_TIMEOUT: Duration = Duration::from_secs(120);
/// The longest time without a new piece of the answer.
const PROGRESS_TIMEOUT: Duration = Duration::from_secs(300);
/// The longest delay that a server may ask for. A longer one is an error.
const LONGEST_WAIT: Duration = Duration::from_secs(120);
const RECONNECTION_TIME: Duration = Duration::from_millis(500);
/// After this many attempts in a row without progress, it fails.
const ATTEMPTS: u32 = 5;
/// The largest answer of a server that does not stream, in bytes.
const MAX_ANSWER: usize = 16 * 1024 * 1024;

/// Asks a model.
#[derive(Clone, Debug)]
pub struct Driver {
    /// The HTTP client. Its default headers contain the API key. Do not set its timeout for the whole request. Over
    /// HTTP/2, enable its keep-alives; see
    /// [`with_idle_timeout`](eventwire_reqwest::EventSource::with_idle_timeout).
    pub client: Client,
    /// The URL up to `/responses`, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The name of the model.
    pub model: String,
}

impl Driver {
    /// Asks the model, passes each piece of the answer to `each` as it arrives, and passes one line for each retry to
    /// `retrying`.
    ///
    /// The POST is sent again only if it was not carried out, so that the answer is billed once. If the
    /// connection is lost after the server has sent the response's ID, a GET continues the answer. If the future is
    /// dropped, the model continues in the background.
    ///
    /// # Errors
    ///
    /// [`DriverError`] if there is no answer, or only part of it. `each` was called with the pieces that arrived.
    pub async fn answer(
        &self,
        prompt: &str,
        mut each: impl FnMut(&str),
        retrying: impl FnMut(&str),
    ) -> Result<Answer, DriverError> {
        let url = format!("{}/responses", self.base_url.trim_end_matches('/'));
        // Only a response in the background continues when the connection is lost.
        let question = json!({ "model": self.model, "input": prompt, "stream": true, "background": true });
        let policy = ReconnectPolicy::new().with_reconnection_time(RECONNECTION_TIME).with_max_attempts(ATTEMPTS);
        let policy = policy.with_max_server_delay(LONGEST_WAIT);
        let mut events = from_fn(|attempt| {
            ready(Ok::<_, reqwest::Error>(match (attempt.cursor(), attempt.last_event_id()) {
                (Some(rest), _) => self.client.get(format!("{url}/{rest}")),
                (None, None) => self.client.post(&url).json(&question),
                // There were events, but none with the response's ID. A second POST would be billed; this GET
                // fails.
                (None, Some(_)) => self.client.get(&url),
            }))
        })
        .with_hooks(Progress { id: None, event_type: String::new(), retrying })
        .with_policy(policy.with_resend(Resend::WithCursor))
        .with_idle_timeout(IDLE_TIMEOUT)
        .with_progress_timeout(PROGRESS_TIMEOUT)
        .with_unexpected_body_timeout(IDLE_TIMEOUT)
        .with_max_unexpected_body(MAX_ANSWER)
        .events()
        .json_with::<ResponseEvent>(Dialect::OPENAI_RESPONSES);
        let mut has_begun = false;
        let response = loop {
            match events.try_next().await {
                Ok(Some(ResponseEvent::Delta { delta })) => {
                    has_begun = true;
                    each(&delta);
                }
                Ok(Some(ResponseEvent::Last { response })) => break response,
                Ok(Some(ResponseEvent::Other)) => {}
                Ok(None) => return Err(DriverError::ended_early()),
                // JSON that replaces the rest of the stream does not continue the answer.
                Err(error) if has_begun => return Err(error.into()),
                Err(error) => break Response::instead_of_events(error)?,
            }
        };
        if !has_begun {
            response.texts().for_each(each);
        }
        response.into_answer()
    }
}

/// The position in the answer.
struct Progress<F> {
    id: Option<String>,
    event_type: String,
    retrying: F,
}

impl<E: Error + 'static, F: FnMut(&str)> Hooks<E> for Progress<F> {
    fn response_verdict(&mut self, refusal: &UnexpectedResponse) -> Verdict {
        match refusal.status().as_u16() {
            429 | 500..=599 if refusal.retry_after() > Some(LONGEST_WAIT) => Verdict::Fail,
            // 529: the model is overloaded. 521 and 523: Cloudflare did not reach the server.
            529 | 521 | 523 => Verdict::NotProcessed,
            // Cloudflare may have reached the server, and received no answer in time or an invalid one.
            520 | 522 | 524 => Verdict::RetryIfAllowed,
            _ => Verdict::default_for(&refusal.head()),
        }
    }

    /// The first method that is called for an event, so it also stores the type. That comes from the JSON, because
    /// some gateways leave out the `event` lines.
    fn cursor(&mut self, event: &Event) -> Option<String> {
        let data: Value = serde_json::from_str(event.data()).unwrap_or_default();
        self.event_type = data["type"].as_str().unwrap_or_default().to_owned();
        self.id = data["response"]["id"].as_str().map(str::to_owned).or(self.id.take());
        Some(format!("{}?stream=true&starting_after={}", self.id.as_ref()?, data["sequence_number"].as_u64()?))
    }

    /// Only reports the delay.
    fn delay(&mut self, delay: Duration, _: u32, error: &ConnectionError<E>) -> Duration {
        (self.retrying)(&format!("{error}; trying again in {:.1} s", delay.as_secs_f64()));
        delay
    }

    fn is_progress(&mut self, _: &Event) -> bool {
        self.event_type.ends_with(".delta")
    }

    /// The driver stops reading at the last event. If the connection ends before it, the answer is incomplete.
    fn expects_end(&self) -> bool {
        true
    }
}
