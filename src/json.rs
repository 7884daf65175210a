//! Typed streams: what the events of a stream of JSON mean.

mod end;
mod error;
mod events;
mod reported;
mod stream;
mod with_events;

pub use self::{error::JsonError, events::JsonEvents, stream::JsonStream, with_events::WithEvents};

use self::end::End;
use crate::{event::Event, feed::Error};
use core::ops::ControlFlow;
use serde_core::de::DeserializeOwned;

/// The type of an event that says that the stream has failed.
const ERROR: &str = "error";
/// The type of an event that only keeps the connection open.
const PING: &str = "ping";

/// Reads events as JSON, and knows when they are over.
#[derive(Clone, Debug, Default)]
struct Reader {
    end: End,
    missing_end: MissingEnd,
    reports: Reports,
    course: Course,
}

/// What a stream that ends without its marker is.
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
enum Course {
    #[default]
    Open,
    Ended,
}

/// A value beside its event.
type Item<T, E> = Result<(T, Event), JsonError<E>>;

impl Reader {
    fn has_ended(&self) -> bool {
        self.course == Course::Ended
    }

    /// Reads what the stream of events gave: breaks off with what is to be given in turn, or asks for more.
    fn read<T, E>(&mut self, item: Option<Result<Event, Error<E>>>) -> ControlFlow<Option<Item<T, E>>>
    where
        T: DeserializeOwned,
    {
        match item {
            Some(Ok(event)) => self.read_event(event),
            Some(Err(error)) => ControlFlow::Break(Some(Err(JsonError::Stream(error)))),
            None => {
                self.course = Course::Ended;
                ControlFlow::Break(match self.missing_end {
                    MissingEnd::Fine => None,
                    MissingEnd::Truncated => Some(Err(JsonError::Truncated)),
                })
            }
        }
    }

    fn read_event<T, E>(&mut self, event: Event) -> ControlFlow<Option<Item<T, E>>>
    where
        T: DeserializeOwned,
    {
        let text = event.data().trim_ascii();
        if self.end.is_marker(event.event_type(), text) {
            self.course = Course::Ended;
            return ControlFlow::Break(None);
        }
        if self.end.is_last(event.event_type()) {
            self.course = Course::Ended;
        }
        match event.event_type() {
            ERROR => return ControlFlow::Break(Some(Err(JsonError::Reported(event)))),
            PING => return self.nothing(),
            _ if text.is_empty() => return self.nothing(),
            _ => {}
        }
        if matches!(self.reports, Reports::Errors) && reported::is_error(text) {
            return ControlFlow::Break(Some(Err(JsonError::Reported(event))));
        }
        ControlFlow::Break(Some(match serde_json::from_str(event.data()) {
            Ok(value) => Ok((value, event)),
            Err(source) => Err(JsonError::Payload { source, event }),
        }))
    }

    /// The event is nothing to anyone; but it may have been the last.
    fn nothing<T>(&self) -> ControlFlow<Option<T>> {
        match self.course {
            Course::Open => ControlFlow::Continue(()),
            Course::Ended => ControlFlow::Break(None),
        }
    }
}
