//! From an event to a value, without I/O.

use super::{JsonError, end::End, error_detector::ErrorDetector};
use crate::{event::Event, feed::Error};
use core::ops::ControlFlow;
use serde_core::de::DeserializeOwned;

/// The type of an event that says that the stream has failed.
const ERROR: &str = "error";
/// The type of an event that only keeps the connection open.
const PING: &str = "ping";

/// Reads events as JSON, and knows when they are over.
#[derive(Clone, Debug, Default)]
pub(super) struct PayloadReader {
    end: End,
    missing_end: MissingEnd,
    reports: Reports,
    detector: ErrorDetector,
    completion: Completion,
}

/// What a stream that ends without its marker is, if there is one.
#[derive(Clone, Copy, Debug, Default)]
enum MissingEnd {
    #[default]
    Fine,
    Truncated,
}

/// What an object with an `error` is.
#[derive(Clone, Copy, Debug, Default)]
enum Reports {
    #[default]
    Errors,
    Values,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Completion {
    #[default]
    Open,
    Ended,
}

impl PayloadReader {
    pub(super) fn end_at(&mut self, end: End) {
        self.end = end;
    }

    pub(super) fn require_end(&mut self) {
        self.missing_end = MissingEnd::Truncated;
    }

    pub(super) fn read_errors_as_values(&mut self) {
        self.reports = Reports::Values;
    }

    pub(super) fn has_ended(&self) -> bool {
        self.completion == Completion::Ended
    }

    /// Reads what the stream of events gave: breaks off with what is to be given in turn, or asks for more. `pair` makes the
    /// item of a value and its event.
    #[inline]
    pub(super) fn read<T, V, E>(
        &mut self,
        event: Option<Result<Event, Error<E>>>,
        pair: fn(T, Event) -> V,
    ) -> ControlFlow<Option<Result<V, JsonError<E>>>>
    where
        T: DeserializeOwned,
    {
        match event {
            Some(Ok(event)) => self.read_event(event, pair),
            Some(Err(error)) => ControlFlow::Break(Some(Err(JsonError::Stream(error)))),
            None => {
                self.completion = Completion::Ended;
                ControlFlow::Break(match (self.missing_end, &self.end) {
                    (MissingEnd::Fine, _) | (_, End::Bytes) => None,
                    (MissingEnd::Truncated, _) => Some(Err(JsonError::Truncated)),
                })
            }
        }
    }

    #[inline]
    pub(super) fn read_event<T, V, E>(
        &mut self,
        event: Event,
        pair: fn(T, Event) -> V,
    ) -> ControlFlow<Option<Result<V, JsonError<E>>>>
    where
        T: DeserializeOwned,
    {
        let text = event.data().trim_ascii();
        if self.end.is_marker(event.event_type(), text) {
            self.completion = Completion::Ended;
            return ControlFlow::Break(None);
        }
        if self.end.is_last(event.event_type()) {
            self.completion = Completion::Ended;
        }
        let is_report = match event.event_type() {
            ERROR => true,
            // Nothing to anyone; `completion` says whether it was the last.
            PING => return ControlFlow::Continue(()),
            _ if text.is_empty() => return ControlFlow::Continue(()),
            _ => matches!(self.reports, Reports::Errors) && self.detector.is_error(text),
        };
        if is_report {
            return ControlFlow::Break(Some(Err(JsonError::Reported(event))));
        }
        ControlFlow::Break(Some(match serde_json::from_str(event.data()) {
            Ok(value) => Ok(pair(value, event)),
            Err(error) => Err(JsonError::Payload { error, event }),
        }))
    }
}
