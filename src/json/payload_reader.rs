//! Reads events as values, without I/O.

use super::{
    JsonError, Payload,
    dialect::{Dialect, Finality, Reports},
    top_level::{TopLevel, TopLevelFinder},
};
use crate::{
    event::{Event, EventRef},
    feed::Error,
};
use core::ops::ControlFlow;

/// The type of an event that reports an error.
const ERROR: &str = "error";
/// The type of an event without an `event` field.
const MESSAGE: &str = EventRef::new("").event_type();

/// Reads events as JSON, and detects their end.
#[derive(Clone, Debug)]
pub(super) struct PayloadReader {
    dialect: Dialect,
    finder: TopLevelFinder,
    completion: Completion,
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

impl PayloadReader {
    pub(super) fn new(dialect: Dialect) -> PayloadReader {
        PayloadReader { dialect, finder: TopLevelFinder::default(), completion: Completion::Open }
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
                ControlFlow::Break(self.dialect.requires_end().then_some(Err(JsonError::Truncated)))
            }
        }
    }

    #[inline]
    fn meaning(&mut self, event: &Event) -> Meaning {
        let event_type = event.event_type();
        let text = event.data().trim_ascii();
        if let Some(finality) = self.dialect.end_by_event(event_type, text) {
            self.completion = Completion::Complete;
            if finality == Finality::Marker {
                return Meaning::Marker;
            }
        }
        let reports_errors = matches!(self.dialect.reports, Reports::Errors);
        if reports_errors && event_type == ERROR {
            return Meaning::Report;
        }
        // Such an event is skipped, even if it ends the stream: `completion` has been set before.
        if text.is_empty() || self.dialect.is_keep_alive(event_type) {
            return Meaning::Nothing;
        }
        let may_be_error = reports_errors && self.finder.may_be_error(text);
        // The `type` of the JSON counts only for events of the default type, so it cannot contradict the `event` field:
        // in an event of type `job`, `{"type":"done"}` is the end of a job.
        let may_be_end =
            self.dialect.has_end_types() && event_type == MESSAGE && self.finder.may_be_end(text, &self.dialect);
        if may_be_error || may_be_end { self.read_top_level(event_type, text) } else { Meaning::Value }
    }

    #[cold]
    fn read_top_level(&mut self, event_type: &str, text: &str) -> Meaning {
        let found = TopLevel::read(text, &self.dialect);
        let is_named = event_type != MESSAGE;
        match found.end.filter(|_| !is_named) {
            Some(Finality::Marker) => {
                self.completion = Completion::Complete;
                return Meaning::Marker;
            }
            Some(Finality::Item) => self.completion = Completion::Complete,
            None => {}
        }
        match self.dialect.reports {
            Reports::Errors if found.has_error || (found.has_error_type && !is_named) => Meaning::Report,
            Reports::Errors | Reports::Values => Meaning::Value,
        }
    }
}
