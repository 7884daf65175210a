//! Asks a model over OpenAI's Responses API. If the connection breaks, a GET continues
//! the answer, so that it is paid for once.

use eventwire_reqwest::{
    Dialect, Event, Hooks, ReconnectPolicy, Resend, UnexpectedResponse, Verdict,
};
use serde_json::{Value, json};
use std::{future::ready, io::Write, time::Duration};

/// Asks the server at `url`, such as `https://api.openai.com/v1/responses`, and writes
/// the answer as it arrives. `question` has the model and the input.
pub async fn ask(
    client: &reqwest::Client,
    url: &str,
    mut question: Value,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    question["stream"] = json!(true);
    question["background"] = json!(true); // it goes on when the connection is lost
    let source = eventwire_reqwest::from_fn(|attempt| {
        let request = match (attempt.cursor(), attempt.last_event_id()) {
            (Some(rest), _) => client.get(format!("{url}/{rest}")),
            (None, None) => client.post(url).json(&question),
            // There were events, but none with the response's ID. A second POST would be
            // billed; this GET fails.
            (None, Some(_)) => client.get(url),
        };
        ready(Ok::<_, reqwest::Error>(request))
    });
    // Five attempts in a row without a new piece of the answer are an error.
    let policy =
        ReconnectPolicy::new().with_resend(Resend::WithCursor).with_max_attempts(5);
    let source = source
        .with_hooks(Progress::default())
        .with_policy(policy)
        .with_idle_timeout(Duration::from_secs(60))
        .with_progress_timeout(Duration::from_secs(120));
    let mut events = source.events().json_with::<Value>(Dialect::OPENAI_RESPONSES);
    let mut last = Value::Null;
    while let Some(event) = events.next().await {
        let event = event?;
        if event["type"] == "response.output_text.delta" {
            write!(out, "{}", event["delta"].as_str().unwrap_or_default())?;
            out.flush()?;
        }
        last = event;
    }
    let response = &last["response"];
    let why = [&response["error"]["message"], &response["incomplete_details"]["reason"]];
    let why = why.into_iter().find_map(Value::as_str).unwrap_or("no reason is given");
    let is_complete = last["type"] == "response.completed";
    anyhow::ensure!(is_complete, "the answer is incomplete: {why}");
    Ok(())
}

/// The ID of the response.
#[derive(Default)]
struct Progress(Option<String>);

impl<E> Hooks<E> for Progress {
    /// Where the answer continues: the rest of the URL.
    fn cursor(&mut self, event: &Event) -> Option<String> {
        let data: Value = serde_json::from_str(event.data()).ok()?;
        let id = data["response"]["id"].as_str().map(str::to_owned);
        self.0 = id.or(self.0.take());
        let (id, number) = (self.0.as_ref()?, data["sequence_number"].as_u64()?);
        Some(format!("{id}?stream=true&starting_after={number}"))
    }

    /// Pings show that the server is alive, but not that the answer goes on.
    fn is_progress(&mut self, event: &Event) -> bool {
        event.event_type().ends_with(".delta")
    }

    fn response_verdict(&mut self, response: &UnexpectedResponse) -> Verdict {
        match response.status().as_u16() {
            // Cloudflare in front of the server: the question may have reached the model.
            520..=524 => Verdict::RetryIfAllowed,
            _ => Verdict::default_for(&response.head()),
        }
    }

    /// A connection that ends before the last event was lost.
    fn expects_end(&self) -> bool {
        true
    }
}
