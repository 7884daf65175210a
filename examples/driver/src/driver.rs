//! The driver.

use crate::{
    Answer, DriverError,
    response::{Response, ResponseEvent},
};
use eventwire::{
    Event, JsonError,
    client::{Decide, ReconnectPolicy, Resend, ResponseHead, Verdict},
};
use eventwire_reqwest::from_fn;
use futures_util::TryStreamExt;
use reqwest::Client;
use serde_json::{Value, json};
use std::{future::ready, time::Duration};

/// For how long there may be no data at all. A server that does not stream needs this long for its whole answer.
const IDLE_TIMEOUT: Duration = Duration::from_secs(120);
/// The longest time without a new piece of the answer.
const PROGRESS_TIMEOUT: Duration = Duration::from_secs(300);
/// The longest wait that a server may ask for. If it asks for more, that is an error.
const LONGEST_WAIT: Duration = Duration::from_secs(120);
const RECONNECTION_TIME: Duration = Duration::from_millis(500);
/// Attempts in a row that bring nothing new.
const ATTEMPTS: u32 = 5;
/// The largest answer that a server may send at once, in bytes.
const MAX_ANSWER: usize = 16 * 1024 * 1024;

/// Asks a model.
#[derive(Clone, Debug)]
pub struct Driver {
    /// Sends the requests. The API key is one of its default headers. It has no timeout for the whole request. Over
    /// HTTP/2, set its keep-alives; see [`with_idle_timeout`](eventwire::client::EventSource::with_idle_timeout).
    pub client: Client,
    /// The URL up to `/responses`, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The name of the model.
    pub model: String,
}

impl Driver {
    /// Asks the model, and passes each piece of the answer to `each` as it arrives.
    ///
    /// The POST is sent again only if it was certainly not carried out, so that the answer is billed once. Once the server has said how to
    /// continue the answer, a GET does that if the connection is lost. If the future is dropped, the model goes on in the background.
    ///
    /// # Errors
    ///
    /// [`DriverError`], if there is no answer, or not all of it. `each` has got what there is.
    pub async fn answer(&self, prompt: &str, mut each: impl FnMut(&str)) -> Result<Answer, DriverError> {
        let url = format!("{}/responses", self.base_url.trim_end_matches('/'));
        // Only a response in the background goes on when the connection is lost.
        let question = json!({ "model": self.model, "input": prompt, "stream": true, "background": true });
        let policy = ReconnectPolicy::new().with_reconnection_time(RECONNECTION_TIME).with_max_attempts(ATTEMPTS);
        let policy = policy.with_max_server_delay(LONGEST_WAIT);
        let mut events = from_fn(|attempt| {
            ready(Ok::<_, reqwest::Error>(match (attempt.cursor(), attempt.last_event_id()) {
                (Some(rest), _) => self.client.get(format!("{url}/{rest}")),
                (None, None) => self.client.post(&url).json(&question),
                // There were events, which do not say how to continue. A second POST would be billed; this fails.
                (None, Some(_)) => self.client.get(&url),
            }))
        })
        .with_decisions(Progress::default())
        .with_policy(policy.with_resend(Resend::WithCursor))
        .with_idle_timeout(IDLE_TIMEOUT)
        .with_event_timeout(PROGRESS_TIMEOUT)
        .with_refusal_timeout(IDLE_TIMEOUT)
        .with_max_refusal_body(MAX_ANSWER)
        .events()
        .json::<ResponseEvent>();
        let mut has_begun = false;
        let response = loop {
            match events.try_next().await {
                Ok(Some(ResponseEvent::Delta { delta })) => {
                    has_begun = true;
                    each(&delta);
                }
                Ok(Some(ResponseEvent::Last { response })) => break response,
                Ok(Some(ResponseEvent::Other)) => {}
                Ok(None) => return Err(JsonError::Truncated.into()),
                // JSON in place of the rest is not the rest.
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

/// How far the answer has come.
#[derive(Default)]
struct Progress {
    id: Option<String>,
    event_type: String,
}

impl<E> Decide<E> for Progress {
    fn verdict(&mut self, head: &ResponseHead<'_>) -> Verdict {
        match head.status() {
            429 | 500..=599 if head.retry_after() > Some(LONGEST_WAIT) => Verdict::Fail,
            // The server did not get the whole request. The model is overloaded. Cloudflare did not reach the server.
            408 | 529 | 521 | 523 => Verdict::Retry,
            // Cloudflare reached the server, or may have, and got no answer in time or an invalid one.
            520 | 522 | 524 => Verdict::Disconnect,
            _ => Verdict::default_for(head),
        }
    }

    /// The first question about an event. Some gateways leave out the `event` lines, so the type is that in the JSON.
    fn cursor(&mut self, event: &Event) -> Option<String> {
        let data: Value = serde_json::from_str(event.data()).unwrap_or_default();
        self.event_type = data["type"].as_str().unwrap_or_default().to_owned();
        self.id = data["response"]["id"].as_str().map(str::to_owned).or(self.id.take());
        Some(format!("{}?stream=true&starting_after={}", self.id.as_ref()?, data["sequence_number"].as_u64()?))
    }

    fn is_progress(&mut self, _: &Event) -> bool {
        self.event_type.ends_with(".delta")
    }

    /// The driver stops reading at the last event. So if the connection ends before that, the answer is incomplete.
    fn expects_end(&self) -> bool {
        true
    }
}
