//! The driver.

use crate::{
    DriverError, Usage,
    response::{Response, ResponseEvent},
};
use eventwire::{
    Event, JsonError,
    client::{Decide, ReconnectPolicy, Resend, ResponseHead, Verdict},
};
use eventwire_reqwest::from_fn;
use futures_util::TryStreamExt;
use reqwest::Client;
use serde::Deserialize;
use serde_json::json;
use std::{future::ready, time::Duration};

/// Asks a model. All fields are settings.
#[derive(Clone, Debug)]
pub struct Driver {
    /// Sends the requests. The API key is one of its default headers.
    pub client: Client,
    /// The URL up to `/responses`, such as `https://api.openai.com/v1`.
    pub base_url: String,
    /// The name of the model.
    pub model: String,
    /// How often and after which delays to try again. What may be sent again is not up to this policy.
    pub policy: ReconnectPolicy,
    /// For how long there may be no data at all. A server that does not stream needs this long for its whole answer.
    pub idle_timeout: Duration,
    /// For how long there may be nothing new of the answer, whatever else the server sends.
    pub progress_timeout: Duration,
    /// The longest wait that a server may ask for. If it asks for more, that is an error.
    pub longest_wait: Duration,
}

/// What is known at the end of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// What the answer costs, if the server says so.
    pub usage: Option<Usage>,
    /// Why the model stopped before it was done, such as `max_output_tokens`.
    pub stopped_early: Option<String>,
}

impl Driver {
    /// A driver with the settings that suit most models.
    #[must_use]
    pub fn new(client: Client, base_url: &str, model: &str) -> Driver {
        Driver {
            client,
            base_url: base_url.to_owned(),
            model: model.to_owned(),
            policy: ReconnectPolicy::new().with_reconnection_time(Duration::from_millis(500)).with_max_attempts(5),
            idle_timeout: Duration::from_secs(120),
            progress_timeout: Duration::from_secs(300),
            longest_wait: Duration::from_secs(120),
        }
    }

    /// Asks the model, and passes each piece of the answer to `each` as it arrives.
    ///
    /// The POST is sent again only if it was certainly not carried out, so that the answer is billed once. Once the server has said how to
    /// continue the answer, a GET does that if the connection is lost.
    ///
    /// # Errors
    ///
    /// [`DriverError`], if there is no answer, or not all of it. `each` has got what there is.
    pub async fn answer(&self, prompt: &str, mut each: impl FnMut(&str)) -> Result<Answer, DriverError> {
        let url = format!("{}/responses", self.base_url.trim_end_matches('/'));
        // Only a response in the background goes on when the connection is lost.
        let question = json!({ "model": self.model, "input": prompt, "stream": true, "background": true });
        let mut events = from_fn(|attempt| {
            ready(Ok::<_, reqwest::Error>(match attempt.cursor() {
                None => self.client.post(&url).json(&question),
                Some(rest) => self.client.get(format!("{url}/{rest}")),
            }))
        })
        .with_decisions(Progress { longest_wait: self.longest_wait, ..Progress::default() })
        .with_policy(self.policy.clone().with_resend(Resend::WithCursor))
        .with_idle_timeout(self.idle_timeout)
        .with_event_timeout(self.progress_timeout)
        .with_refusal_timeout(self.idle_timeout)
        .with_max_refusal_body(MAX_ANSWER)
        .events()
        .json::<ResponseEvent>();
        loop {
            match events.try_next().await {
                Ok(Some(ResponseEvent::Delta { delta })) => each(&delta),
                Ok(Some(ResponseEvent::Last { response })) => return response.into_answer(),
                Ok(Some(ResponseEvent::Other)) => {}
                Ok(None) => return Err(JsonError::Truncated.into()),
                Err(error) => {
                    let response = Response::instead_of_events(error)?;
                    response.texts().for_each(&mut each);
                    return response.into_answer();
                }
            }
        }
    }
}

/// The largest answer that a server may send at once, in bytes.
const MAX_ANSWER: usize = 16 * 1024 * 1024;

/// How far the answer has come, and what the client has to know of an event.
#[derive(Default)]
struct Progress {
    longest_wait: Duration,
    id: Option<String>,
    event_type: String,
}

#[derive(Default, Deserialize)]
struct Envelope {
    #[serde(rename = "type")]
    event_type: String,
    sequence_number: Option<u64>,
    response: Option<Identified>,
}

#[derive(Deserialize)]
struct Identified {
    id: String,
}

impl<E> Decide<E> for Progress {
    fn verdict(&mut self, head: &ResponseHead<'_>) -> Verdict {
        match head.status() {
            429 | 503 if head.retry_after() > Some(self.longest_wait) => Verdict::Fail,
            // The server did not get the whole request. The model is overloaded. Cloudflare did not reach the server.
            408 | 529 | 521 | 523 => Verdict::Retry,
            // Cloudflare reached the server, or may have, and got no answer in time or an invalid one.
            520 | 522 | 524 => Verdict::Disconnect,
            _ => Verdict::default_for(head),
        }
    }

    fn cursor(&mut self, event: &Event) -> Option<String> {
        let envelope: Envelope = serde_json::from_str(event.data()).unwrap_or_default();
        self.event_type = envelope.event_type;
        self.id = envelope.response.map(|response| response.id).or(self.id.take());
        Some(format!("{}?stream=true&starting_after={}", self.id.as_ref()?, envelope.sequence_number?))
    }

    fn is_progress(&mut self, _: &Event) -> bool {
        self.event_type.ends_with(".delta")
    }

    fn is_end(&mut self, _: &Event) -> bool {
        matches!(self.event_type.as_str(), "response.completed" | "response.incomplete" | "response.failed")
    }

    fn expects_end(&self) -> bool {
        true
    }
}
