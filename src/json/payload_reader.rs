//! Reads events as values, without I/O.

use super::{
    dialect::{Dialect, Finality, Reports},
    ignored_text,
    json_error::JsonError,
    top_level::{self, ByType, TopLevel, TopLevelFinder},
};
use crate::{
    event::{Event, MESSAGE},
    feed::{Error, Rest, beginning},
};
use alloc::{boxed::Box, string::String, vec::Vec};
use core::{convert::Infallible, mem, ops::ControlFlow};
use serde_core::de::IgnoredAny;

/// The type of an event that reports an error.
const ERROR: &str = "error";

/// Reads events as JSON, and detects their end.
#[derive(Debug)]
pub(super) struct PayloadReader {
    dialect: Dialect,
    finder: TopLevelFinder,
    /// Whether events without data are skipped: they are no JSON, but may be text.
    skips_blank: bool,
    /// Whether an event was the end, or the source has ended.
    has_ended: bool,
    /// The errors that the end has shown and that have not been returned yet, the last one first.
    late: Vec<JsonError<Infallible>>,
}

/// What an event means in the stream of values.
enum Meaning {
    End,
    Nothing,
    Report,
    Value,
}

impl PayloadReader {
    pub(super) fn new(dialect: Dialect) -> PayloadReader {
        let finder = TopLevelFinder::default();
        PayloadReader { dialect, finder, skips_blank: true, has_ended: false, late: Vec::new() }
    }

    /// Returns a reader whose values are the events themselves.
    pub(super) fn of_events(dialect: Dialect) -> PayloadReader {
        PayloadReader { skips_blank: false, ..PayloadReader::new(dialect) }
    }

    /// Returns whether to read no more of the source. What is returned then is [`after_end`](Self::after_end).
    #[inline]
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Returns whether everything has been returned.
    pub(super) fn is_done(&self) -> bool {
        self.has_ended && self.late.is_empty()
    }

    /// Returns the next of the errors that the end has shown.
    #[cold]
    pub(super) fn after_end<T, E>(&mut self) -> Option<Result<T, JsonError<E>>> {
        Some(Err(self.late.pop()?.map_transport(|never| match never {})))
    }

    /// Reads an item of the stream of events. Breaks with the item to return, or continues if another one is needed.
    /// `item` makes a value of an event, and `rest` is what the source knows beside its events.
    #[inline]
    pub(super) fn read<'r, T, E>(
        &mut self,
        event: Option<Result<Event, Error<E>>>,
        item: fn(&mut Event) -> Result<T, JsonError<Infallible>>,
        rest: impl Fn() -> Rest<'r>,
    ) -> ControlFlow<Option<Result<T, JsonError<E>>>> {
        match event {
            Some(Ok(mut event)) => match self.meaning(&event, &rest) {
                Meaning::Value => ControlFlow::Break(match self.value(&mut event, item) {
                    Ok(value) => Some(Ok(value)),
                    Err(error) => self.unreadable(error, rest()),
                }),
                Meaning::Nothing => ControlFlow::Continue(()),
                Meaning::Report => ControlFlow::Break(Some(Err(reported(event, rest())))),
                Meaning::End => ControlFlow::Break(self.after_end()),
            },
            Some(Err(Error::NotEventStream(text))) => {
                let error = ignored_text::error_in(&text, &self.dialect);
                let error = error.unwrap_or(JsonError::Stream(Error::NotEventStream(text)));
                self.end_with(Finality::Close, Rest::default(), Some(error));
                ControlFlow::Break(self.after_end())
            }
            Some(Err(error)) => ControlFlow::Break(Some(Err(JsonError::Stream(error)))),
            None => {
                self.end(Finality::Close, rest());
                ControlFlow::Break(self.after_end())
            }
        }
    }

    /// Reads a value. If that panics, the event is lost, and the stream has ended.
    #[inline]
    fn value<T, E>(&mut self, event: &mut Event, item: fn(&mut Event) -> Result<T, E>) -> Result<T, E> {
        let has_ended = mem::replace(&mut self.has_ended, true);
        let value = item(event);
        self.has_ended = has_ended;
        value
    }

    /// Returns the error of an event that could not be read as a value. A line that is not JSON because the stream
    /// ended inside it is the end of the stream.
    #[cold]
    fn unreadable<T, E>(
        &mut self,
        mut error: JsonError<Infallible>,
        rest: Rest<'_>,
    ) -> Option<Result<T, JsonError<E>>> {
        if let (JsonError::Payload { event, line, .. }, Some(last)) = (&mut error, rest.line) {
            if last.is_cut && serde_json::from_str::<IgnoredAny>(event.data()).is_err() {
                let unfinished = &*beginning(event.data().as_bytes());
                self.end_with(Finality::Close, Rest { unfinished, line: rest.line, ..Rest::default() }, None);
                return self.after_end();
            }
            *line = Some(last.number);
        }
        Some(Err(error.map_transport(|never| match never {})))
    }

    /// Ends the stream, and looks for an error in the text that is in no event.
    #[cold]
    fn end(&mut self, finality: Finality, rest: Rest<'_>) {
        let error = ignored_text::error_in(rest.ignored, &self.dialect);
        // The text is quoted once.
        let ignored = if error.is_some() { &[] } else { rest.ignored };
        self.end_with(finality, Rest { ignored, ..rest }, error);
    }

    fn end_with(&mut self, finality: Finality, rest: Rest<'_>, error: Option<JsonError<Infallible>>) {
        self.has_ended = true;
        let expected = if finality == Finality::Close { self.dialect.required_ends() } else { String::new() };
        let line = rest.line.filter(|_| !rest.unfinished.is_empty()).map(|line| line.number);
        if !expected.is_empty() || line.is_some() {
            let (unfinished, ignored) = (rest.unfinished.into(), rest.ignored.into());
            self.late.push(JsonError::Truncated { expected: expected.into(), unfinished, ignored, line });
        }
        self.late.extend(error);
    }

    #[inline]
    fn meaning<'r>(&mut self, event: &Event, rest: impl Fn() -> Rest<'r>) -> Meaning {
        let event_type = event.event_type();
        let text = event.data().trim_ascii();
        if let Some(finality) = self.dialect.end_by_event(event_type, text) {
            self.end(finality, rest());
            if finality != Finality::Item {
                return Meaning::End;
            }
        }
        if self.dialect.reports != Reports::Nothing && event_type == ERROR {
            return Meaning::Report;
        }
        // Such an event is skipped, even if it ends the stream: `has_ended` has been set before.
        if (text.is_empty() && self.skips_blank) || self.dialect.is_keep_alive(event_type.as_bytes()) {
            return Meaning::Nothing;
        }
        // The `type` of the JSON counts only for events of the default type, so it cannot contradict the `event` field:
        // in an event of type `job`, `{"type":"done"}` is the end of a job.
        let is_named = event_type != MESSAGE;
        if self.finder.may_matter(text, is_named, &self.dialect) {
            self.read_top_level(is_named, text, rest)
        } else {
            Meaning::Value
        }
    }

    #[cold]
    fn read_top_level<'r>(&mut self, is_named: bool, text: &str, rest: impl Fn() -> Rest<'r>) -> Meaning {
        let TopLevel { is_error, is_done, by_type } = TopLevel::read(text, &self.dialect);
        let by_type = if is_named { ByType::default() } else { by_type };
        let end = by_type.end.or(is_done.then_some(Finality::Item));
        if let Some(finality) = end
            && !self.has_ended
        {
            self.end(finality, rest());
        }
        let reports_errors = self.dialect.reports != Reports::Nothing;
        match end {
            Some(Finality::Marker) => Meaning::End,
            _ if is_error || (reports_errors && by_type.is_error) => Meaning::Report,
            _ if by_type.is_keep_alive => Meaning::Nothing,
            _ => Meaning::Value,
        }
    }
}

#[cold]
fn reported<E>(event: Event, rest: Rest<'_>) -> JsonError<E> {
    let line = rest.line.map(|line| line.number);
    JsonError::Reported { message: top_level::message(event.data()), event: Box::new(event), line }
}
