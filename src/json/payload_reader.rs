//! Reads events as values, without I/O.

use super::{
    JsonError, Payload,
    end::{End, Finality, type_name},
    top_level::{TopLevel, TopLevelFinder},
};
use crate::{
    event::{Event, EventRef, IntoText},
    feed::Error,
};
use alloc::{borrow::Cow, vec::Vec};
use bytestring::ByteString;
use core::ops::ControlFlow;

/// The type of an event that reports an error.
const ERROR: &str = "error";
/// The type of an event without an `event` field.
const MESSAGE: &str = EventRef::new("").event_type();
/// The types of events that only keep the connection open, by default.
static KEEP_ALIVES: [ByteString; 2] = [ByteString::from_static("ping"), ByteString::from_static("keepalive")];

/// Reads events as JSON, and detects their end.
#[derive(Clone, Debug)]
pub(super) struct PayloadReader {
    pub(super) end: End,
    missing_end: MissingEnd,
    keep_alives: Cow<'static, [ByteString]>,
    reports: Reports,
    finder: TopLevelFinder,
    completion: Completion,
}

/// What a stream is that ends without any of its markers.
#[derive(Clone, Copy, Debug)]
enum MissingEnd {
    Fine,
    Truncated,
}

/// How an object with an `error`, or of type `error`, is returned.
#[derive(Clone, Copy, Debug)]
enum Reports {
    Errors,
    Values,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Completion {
    Open,
    /// An event was the end.
    Complete,
    /// The source has ended, or is no longer needed.
    Ended,
}

/// What an event means in the stream of values.
enum Meaning {
    Marker,
    Nothing,
    Report,
    Value,
}

impl Default for PayloadReader {
    fn default() -> PayloadReader {
        PayloadReader {
            end: End::default(),
            missing_end: MissingEnd::Fine,
            keep_alives: Cow::Borrowed(&KEEP_ALIVES),
            reports: Reports::Errors,
            finder: TopLevelFinder::default(),
            completion: Completion::Open,
        }
    }
}

impl PayloadReader {
    pub(super) fn require_end(&mut self) {
        self.missing_end = MissingEnd::Truncated;
    }

    pub(super) fn read_errors_as_values(&mut self) {
        self.reports = Reports::Values;
    }

    pub(super) fn add_keep_alives<I>(&mut self, event_types: I)
    where
        I: IntoIterator<Item: IntoText>,
    {
        self.keep_alives.to_mut().extend(event_types.into_iter().map(type_name));
    }

    pub(super) fn clear_keep_alives(&mut self) {
        self.keep_alives = Cow::Owned(Vec::new());
    }

    #[inline]
    pub(super) fn has_ended(&self) -> bool {
        self.completion != Completion::Open
    }

    /// Returns whether the last event was the end. Only the first call for this event returns `true`.
    #[inline]
    pub(super) fn take_completion(&mut self) -> bool {
        let is_complete = self.completion == Completion::Complete;
        if is_complete {
            self.completion = Completion::Ended;
        }
        is_complete
    }

    /// Reads an item of the stream of events. Breaks with the item to return, or continues if another one is needed.
    #[inline]
    pub(super) fn read<T, E>(
        &mut self,
        event: Option<Result<Event, Error<E>>>,
    ) -> ControlFlow<Option<Result<T, JsonError<E>>>>
    where
        T: Payload,
    {
        match event {
            Some(Ok(event)) => match self.meaning(&event) {
                Meaning::Value => ControlFlow::Break(Some(T::from_event(event))),
                Meaning::Nothing => ControlFlow::Continue(()),
                Meaning::Report => ControlFlow::Break(Some(Err(JsonError::Reported(event)))),
                Meaning::Marker => ControlFlow::Break(None),
            },
            Some(Err(error)) => ControlFlow::Break(Some(Err(JsonError::Stream(error)))),
            None => {
                self.completion = Completion::Ended;
                ControlFlow::Break(match self.missing_end {
                    MissingEnd::Truncated if !self.end.is_unmarked() => Some(Err(JsonError::Truncated)),
                    MissingEnd::Truncated | MissingEnd::Fine => None,
                })
            }
        }
    }

    #[inline]
    fn meaning(&mut self, event: &Event) -> Meaning {
        let event_type = event.event_type();
        let text = event.data().trim_ascii();
        if let Some(finality) = self.end.of_event(event_type, text) {
            self.completion = Completion::Complete;
            if finality == Finality::Marker {
                return Meaning::Marker;
            }
        }
        if event_type == ERROR {
            return Meaning::Report;
        }
        // Such an event is skipped, even if it ends the stream: `completion` has been set before.
        if text.is_empty() || self.keep_alives.iter().any(|keep_alive| event_type == &**keep_alive) {
            return Meaning::Nothing;
        }
        let may_be_error = matches!(self.reports, Reports::Errors) && self.finder.may_be_error(text);
        // The `type` of the JSON counts only for events of the default type, so it cannot contradict the `event` field:
        // in an event of type `job`, `{"type":"done"}` is the end of a job.
        let may_be_end = self.end.has_types() && event_type == MESSAGE && self.finder.may_be_end(text, &self.end);
        if may_be_error || may_be_end { self.read_top_level(event_type, text) } else { Meaning::Value }
    }

    #[cold]
    fn read_top_level(&mut self, event_type: &str, text: &str) -> Meaning {
        let found = TopLevel::read(text, &self.end);
        let is_named = event_type != MESSAGE;
        match found.end.filter(|_| !is_named) {
            Some(Finality::Marker) => {
                self.completion = Completion::Complete;
                return Meaning::Marker;
            }
            Some(Finality::Item) => self.completion = Completion::Complete,
            None => {}
        }
        match self.reports {
            Reports::Errors if found.has_error || (found.is_of_type_error && !is_named) => Meaning::Report,
            Reports::Errors | Reports::Values => Meaning::Value,
        }
    }
}
