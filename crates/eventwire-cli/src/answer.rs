//! Whether a model's answer is complete, or has failed: the rules of a dialect, one event after the other.

use std::cell::RefCell;
use std::convert::Infallible;
use std::mem;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use eventwire::{Dialect, Error, Event, EventRef, JsonError, JsonStream};
use futures_util::stream::{FusedStream, Stream};
use serde::de::IgnoredAny;

/// An answer that is read.
pub(crate) struct Answer {
    values: JsonStream<Source, IgnoredAny>,
    next: Rc<RefCell<Next>>,
}

/// Why an answer has failed.
pub(crate) type Failure = Box<JsonError<Infallible>>;

/// What the stream of values gets when it asks for an event.
enum Next {
    Nothing,
    Event(Event),
    End,
}

/// The source of the stream of values: an event that is there, or none yet.
struct Source(Rc<RefCell<Next>>);

impl Answer {
    pub(crate) fn new(dialect: Dialect) -> Answer {
        let next = Rc::new(RefCell::new(Next::Nothing));
        Answer { values: JsonStream::new(Source(Rc::clone(&next)), dialect), next }
    }

    /// Reads an event.
    ///
    /// # Errors
    ///
    /// It reports an error, or is not JSON.
    pub(crate) fn event(&mut self, event: EventRef<'_>) -> Result<(), Failure> {
        self.read(Next::Event(event.to_event()))
    }

    /// The stream has ended.
    ///
    /// # Errors
    ///
    /// The answer is truncated.
    pub(crate) fn end(&mut self) -> Result<(), Failure> {
        self.read(Next::End)
    }

    /// Returns whether the last event of the answer was read.
    pub(crate) fn is_complete(&self) -> bool {
        self.values.is_terminated()
    }

    fn read(&mut self, next: Next) -> Result<(), Failure> {
        *self.next.borrow_mut() = next;
        match Pin::new(&mut self.values).poll_next(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(Some(Err(error))) => Err(Box::new(error)),
            Poll::Ready(_) | Poll::Pending => Ok(()),
        }
    }
}

impl Stream for Source {
    type Item = Result<Event, Error<Infallible>>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match mem::replace(&mut *self.0.borrow_mut(), Next::Nothing) {
            Next::Nothing => Poll::Pending,
            Next::Event(event) => Poll::Ready(Some(Ok(event))),
            Next::End => Poll::Ready(None),
        }
    }
}
