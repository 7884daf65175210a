//! What is wrong with a stream of OpenAI's chat completions, or of a server that imitates them.

use std::borrow::Cow;

use eventwire::{DecodeError, Decoder, EventRef};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::end::End;
use crate::finding::Finding;

/// The largest event that is read. A chunk has some hundred bytes, but may contain an image.
const LARGEST: usize = 64 * 1024;

/// Checks the [chunks of a chat completion](https://platform.openai.com/docs/api-reference/chat-streaming).
#[derive(Debug)]
pub(crate) struct Chat {
    decoder: Decoder,
    marker: Marker,
    has_finish_reason: bool,
    /// The number of the event that is read. The first is 1.
    number: u64,
    not_chunks: Count,
    too_large: Count,
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
struct Chunk<'c> {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    /// Not a value, which would take many times the memory of its text.
    #[serde(borrow, default)]
    error: Option<&'c RawValue>,
}

#[derive(Deserialize)]
struct Report<'c> {
    #[serde(borrow)]
    message: Cow<'c, str>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    finish_reason: Option<IgnoredAny>,
}

impl Chat {
    pub(crate) fn new() -> Chat {
        Chat {
            decoder: Decoder::new().without_comments().with_max_event_size(LARGEST),
            marker: Marker::NotSeen,
            has_finish_reason: false,
            number: 0,
            not_chunks: Count::default(),
            too_large: Count::default(),
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
                    self.too_large.add(self.number);
                }
                Err(_) => {}
            }
        }
        self.decoder = decoder;
    }

    fn event(&mut self, event: EventRef<'_>) {
        self.number += 1;
        match self.marker {
            Marker::NotSeen if event.data() == "[DONE]" => self.marker = Marker::Seen,
            Marker::NotSeen => self.chunk(event.data()),
            // No client reads what follows the marker.
            Marker::Seen => self.marker = Marker::Passed(1),
            Marker::Passed(count) => self.marker = Marker::Passed(count + 1),
        }
    }

    fn chunk(&mut self, data: &str) {
        let Ok(Chunk { choices, error }) = serde_json::from_str(data) else {
            self.not_chunks.add(self.number);
            return;
        };
        match (choices, error.map(RawValue::get).filter(|error| says_something(error))) {
            (_, Some(error)) => match serde_json::from_str(error) {
                // A list would be read as a report, too.
                Ok(Report { message }) if error.starts_with('{') => {
                    self.reported = Some(message.chars().take(100).collect());
                }
                _ => self.bad_errors.add(self.number),
            },
            (Some(choices), None) => {
                self.has_finish_reason |= choices.iter().any(|choice| choice.finish_reason.is_some());
            }
            (None, None) => self.not_chunks.add(self.number),
        }
    }

    /// Returns what was found. Only a stream whose end was reached can lack its end marker.
    pub(crate) fn findings(self, end: End) -> Vec<Finding> {
        let has_error = self.reported.is_some() || self.bad_errors.count > 0;
        let has_ended = end == End::Reached;
        let is_over = self.marker != Marker::NotSeen || has_ended;
        let no_marker = has_ended && self.marker == Marker::NotSeen && !has_error;
        // It may be in an event that was not read.
        let no_reason = is_over && !self.has_finish_reason && !has_error && self.too_large.count == 0;
        let not_chunks = self.not_chunks.events("not JSON with a list `choices`, or with an object `error`");
        let bad_errors = self.bad_errors.events("an `error` that has no text `message`");
        let too_large = self.too_large.events("larger than 64 KiB, and not judged");
        let after = match self.marker {
            Marker::Passed(1) => Some("one event follows `[DONE]`".to_owned()),
            Marker::Passed(count) => Some(format!("{count} events follow `[DONE]`")),
            Marker::NotSeen | Marker::Seen => None,
        };
        let found = [
            ("not-a-chunk", not_chunks),
            ("large-chunk", too_large),
            ("error-shape", bad_errors),
            ("error-reported", self.reported.map(|message| format!("the stream reports an error: {message:?}"))),
            ("no-end-marker", no_marker.then(|| "the stream ended without `data: [DONE]`".to_owned())),
            ("no-finish-reason", no_reason.then(|| "no choice has a `finish_reason`".to_owned())),
            ("after-end-marker", after),
        ];
        found.into_iter().filter_map(|(code, what)| Some(Finding::new(code, what?))).collect()
    }
}

/// Returns whether the JSON of an `error` is more than a way to write that there is none.
fn says_something(error: &str) -> bool {
    match error.as_bytes() {
        b"null" | b"false" | b"0" | b"\"\"" => false,
        [b'{', inner @ .., b'}'] | [b'[', inner @ .., b']'] => !inner.trim_ascii().is_empty(),
        _ => true,
    }
}

impl Count {
    fn add(&mut self, number: u64) {
        if self.count == 0 {
            self.first = number;
        }
        self.count += 1;
    }

    /// Returns a sentence about the events, unless there is none.
    fn events(&self, what: &str) -> Option<String> {
        match (self.count, self.first) {
            (0, _) => None,
            (1, first) => Some(format!("event {first} is {what}")),
            (count, first) => Some(format!("{count} events, from event {first} on, are {what}")),
        }
    }
}
