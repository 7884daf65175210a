//! Reads events as values, without I/O.

use super::{
    JsonError, Payload,
    dialect::{Dialect, Finality, Reports},
    top_level::{self, ByType, TopLevel, TopLevelFinder},
};
use crate::{
    event::{Event, EventRef},
    feed::Error,
};
use alloc::boxed::Box;
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
    /// Whether an event was the end, or the source has ended.
    has_ended: bool,
}

/// What an event means in the stream of values.
enum Meaning {
    Marker,
    Close,
    Nothing,
    Report,
    Value,
}

impl PayloadReader {
    pub(super) fn new(dialect: Dialect) -> PayloadReader {
        PayloadReader { dialect, finder: TopLevelFinder::default(), has_ended: false }
    }

    #[inline]
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Reads an item of the stream of events. Breaks with the item to return, or continues if another one is needed.
    /// At the end, `unfinished` is the data that the source has discarded.
    #[inline]
    pub(super) fn read<'u, T, E>(
        &mut self,
        event: Option<Result<Event, Error<E>>>,
        unfinished: impl FnOnce() -> &'u str,
    ) -> ControlFlow<Option<Result<T, JsonError<E>>>>
    where
        T: Payload,
    {
        match event {
            Some(Ok(event)) => match self.meaning(&event) {
                Meaning::Value => ControlFlow::Break(Some(T::from_event(event))),
                Meaning::Nothing => ControlFlow::Continue(()),
                Meaning::Report => ControlFlow::Break(Some(Err(reported(event)))),
                Meaning::Marker => ControlFlow::Break(None),
                Meaning::Close => ControlFlow::Break(self.missing_end("").map(Err)),
            },
            Some(Err(error)) => ControlFlow::Break(Some(Err(JsonError::Stream(error)))),
            None => {
                self.has_ended = true;
                ControlFlow::Break(self.missing_end(unfinished()).map(Err))
            }
        }
    }

    /// Returns the error of a stream that has ended without an end.
    #[cold]
    fn missing_end<E>(&self, unfinished: &str) -> Option<JsonError<E>> {
        let expected = self.dialect.required_ends();
        (!expected.is_empty())
            .then(|| JsonError::Truncated { expected: expected.into(), unfinished: unfinished.into() })
    }

    #[inline]
    fn meaning(&mut self, event: &Event) -> Meaning {
        let event_type = event.event_type();
        let text = event.data().trim_ascii();
        if let Some(finality) = self.dialect.end_by_event(event_type, text) {
            self.has_ended = true;
            match finality {
                Finality::Marker => return Meaning::Marker,
                Finality::Close => return Meaning::Close,
                Finality::Item => {}
            }
        }
        if self.dialect.reports != Reports::Nothing && event_type == ERROR {
            return Meaning::Report;
        }
        // Such an event is skipped, even if it ends the stream: `has_ended` has been set before.
        if text.is_empty() || self.dialect.is_keep_alive(event_type.as_bytes()) {
            return Meaning::Nothing;
        }
        // The `type` of the JSON counts only for events of the default type, so it cannot contradict the `event` field:
        // in an event of type `job`, `{"type":"done"}` is the end of a job.
        let is_named = event_type != MESSAGE;
        if self.finder.may_matter(text, is_named, &self.dialect) {
            self.read_top_level(is_named, text)
        } else {
            Meaning::Value
        }
    }

    #[cold]
    fn read_top_level(&mut self, is_named: bool, text: &str) -> Meaning {
        let TopLevel { is_error, by_type } = TopLevel::read(text, &self.dialect);
        let by_type = if is_named { ByType::default() } else { by_type };
        if by_type.end.is_some() {
            self.has_ended = true;
        }
        let reports_errors = self.dialect.reports != Reports::Nothing;
        match by_type.end {
            Some(Finality::Marker) => Meaning::Marker,
            _ if is_error || (reports_errors && by_type.is_error) => Meaning::Report,
            _ if by_type.is_keep_alive => Meaning::Nothing,
            _ => Meaning::Value,
        }
    }
}

#[cold]
fn reported<E>(event: Event) -> JsonError<E> {
    JsonError::Reported { message: top_level::message(event.data()), event: Box::new(event) }
}
