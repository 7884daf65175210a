//! What is wrong with a stream of OpenAI's chat completions, or of a server that imitates them.

use eventwire::{DecodeError, Decoder, EventRef};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::Finding;
use crate::Severity::{self, Fail, Note, Warn};
use crate::lint::End;

/// Checks the [chunks of a chat completion](https://platform.openai.com/docs/api-reference/chat-streaming).
#[derive(Debug)]
pub(crate) struct Chat {
    decoder: Decoder,
    marker: Marker,
    has_finish_reason: bool,
    /// The number of the event that is read. The first is 1.
    number: u64,
    not_chunks: Count,
    bad_errors: Count,
    reported: Option<String>,
}

/// Whether the end marker, `[DONE]`, has been seen.
#[derive(Debug, PartialEq, Eq)]
enum Marker {
    NotSeen,
    Seen,
    /// Events follow the end marker.
    Passed(u64),
}

/// Events with the same fault.
#[derive(Debug, Default)]
struct Count {
    first: u64,
    count: u64,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    finish_reason: Option<IgnoredAny>,
}

impl Chat {
    pub(crate) fn new() -> Chat {
        Chat {
            decoder: Decoder::new().without_comments(),
            marker: Marker::NotSeen,
            has_finish_reason: false,
            number: 0,
            not_chunks: Count::default(),
            bad_errors: Count::default(),
            reported: None,
        }
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        let mut decoder = std::mem::take(&mut self.decoder);
        loop {
            match decoder.decode(&mut bytes) {
                Ok(None) => break,
                Ok(Some(event)) => self.event(event),
                Err(DecodeError::EventTooLarge { .. }) => {
                    self.number += 1;
                    self.not_chunks.add(self.number);
                }
                Err(_) => {}
            }
        }
        self.decoder = decoder;
    }

    fn event(&mut self, event: EventRef<'_>) {
        self.number += 1;
        match self.marker {
            Marker::NotSeen if event.data() == "[DONE]" => {
                self.marker = Marker::Seen;
                return;
            }
            Marker::NotSeen => {}
            Marker::Seen => self.marker = Marker::Passed(1),
            Marker::Passed(count) => self.marker = Marker::Passed(count + 1),
        }
        let Ok(Chunk { choices, error }) = serde_json::from_str(event.data()) else {
            self.not_chunks.add(self.number);
            return;
        };
        match (choices, error.filter(|error| !error.is_null())) {
            (_, Some(error)) => match error.get("message").and_then(Value::as_str) {
                Some(message) => self.reported = Some(message.chars().take(100).collect()),
                None => self.bad_errors.add(self.number),
            },
            (Some(choices), None) => {
                self.has_finish_reason |= choices.iter().any(|choice| choice.finish_reason.is_some())
            }
            (None, None) => self.not_chunks.add(self.number),
        }
    }

    /// Returns what was found. Only a stream whose end was reached can lack its end marker.
    pub(crate) fn findings(self, end: End) -> Vec<Finding> {
        let has_error = self.reported.is_some() || self.bad_errors.count > 0;
        let is_over = self.marker != Marker::NotSeen || end == End::Reached;
        let mut findings = Vec::new();
        let mut add = |severity: Severity, code, what: String, effect: &'static str, cure: &'static str| {
            findings.push(Finding::new(severity, code, what, effect, cure));
        };
        if let Some(what) = self.not_chunks.events() {
            add(
                Fail,
                "not-a-chunk",
                format!("{what} not JSON with a list `choices`, or with an object `error`"),
                "Clients of OpenAI's API fail to parse it",
                "Send one chat.completion.chunk as JSON per event, and keep-alives as comments",
            );
        }
        if let Some(what) = self.bad_errors.events() {
            add(
                Fail,
                "error-shape",
                format!("{what} an `error` that is no object with a text `message`"),
                "Clients of OpenAI's API cannot show what went wrong",
                "Send `{\"error\":{\"message\":\"...\",\"type\":\"...\",\"code\":null}}`",
            );
        }
        if let Some(message) = &self.reported {
            add(
                Note,
                "error-reported",
                format!("the stream reports an error: {message:?}"),
                "Clients of OpenAI's API raise it",
                "See the server's log",
            );
        }
        if end == End::Reached && self.marker == Marker::NotSeen && !has_error {
            add(
                Fail,
                "no-end-marker",
                "the stream ended without `data: [DONE]`".to_owned(),
                "Clients cannot tell a complete answer from one that was cut off",
                "Send `data: [DONE]` and a blank line as the last event",
            );
        }
        if is_over && !self.has_finish_reason && !has_error {
            add(
                Fail,
                "no-finish-reason",
                "no choice has a `finish_reason`".to_owned(),
                "Clients cannot tell a complete answer from one that reached its length limit, or that calls a tool",
                "Set `finish_reason` in the last chunk of each choice: `stop`, `length`, `tool_calls`",
            );
        }
        if let Marker::Passed(count) = self.marker {
            add(
                Warn,
                "after-end-marker",
                format!("events follow `[DONE]`: {count}"),
                "Clients stop reading at `[DONE]`, so nobody sees them",
                "Send `[DONE]` last",
            );
        }
        findings
    }
}

impl Count {
    fn add(&mut self, number: u64) {
        if self.count == 0 {
            self.first = number;
        }
        self.count += 1;
    }

    /// Returns the beginning of a sentence about the events.
    fn events(&self) -> Option<String> {
        match (self.count, self.first) {
            (0, _) => None,
            (1, first) => Some(format!("event {first} is or has")),
            (count, first) => Some(format!("{count} events, the first of which is event {first}, are or have")),
        }
    }
}
