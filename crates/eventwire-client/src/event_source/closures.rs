//! Decisions by closures, one each. A closure replaces an earlier one for the same decision, with three exceptions:
//! error verdicts and cursors fall back to the earlier one if they are `None`, and a delay is computed from the
//! earlier one.

use super::{ConnectionError, Decide, decide::forward};
use crate::{ResponseHead, Verdict};
use alloc::string::String;
use core::{fmt, time::Duration};
use eventwire::Event;

/// Defines a type that combines decisions `D` with a closure for one of them.
macro_rules! closure {
    ($(#[$attribute:meta])* $name:ident) => {
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        pub struct $name<D, F> {
            decisions: D,
            function: F,
        }

        impl<D, F> $name<D, F> {
            pub(super) fn new(decisions: D, function: F) -> $name<D, F> {
                $name { decisions, function }
            }
        }

        /// Closures need not be `Debug`.
        impl<D: fmt::Debug, F> fmt::Debug for $name<D, F> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).field("decisions", &self.decisions).finish_non_exhaustive()
            }
        }
    };
}

closure! {
    /// The decisions of `D` with another verdict on heads;
    /// [`with_verdict`](crate::EventSource::with_verdict) returns a source with it.
    WithVerdict
}

impl<E, D: Decide<E>, F: FnMut(&ResponseHead<'_>) -> Verdict> Decide<E> for WithVerdict<D, F> {
    forward!(self => self.decisions; error_verdict delay is_progress cursor end);

    fn verdict(&mut self, head: &ResponseHead<'_>) -> Verdict {
        (self.function)(head)
    }
}

closure! {
    /// The decisions of `D` with another verdict on errors;
    /// [`with_error_verdict`](crate::EventSource::with_error_verdict) returns a source with it.
    WithErrorVerdict
}

impl<E, D: Decide<E>, F: FnMut(&E) -> Option<Verdict>> Decide<E> for WithErrorVerdict<D, F> {
    forward!(self => self.decisions; verdict delay is_progress cursor end);

    fn error_verdict(&mut self, error: &E) -> Option<Verdict> {
        (self.function)(error).or_else(|| self.decisions.error_verdict(error))
    }
}

closure! {
    /// The decisions of `D` with another delay; [`with_delay`](crate::EventSource::with_delay) returns a
    /// source with it.
    WithDelay
}

impl<E, D, F> Decide<E> for WithDelay<D, F>
where
    D: Decide<E>,
    F: FnMut(Duration, u32, &ConnectionError<E>) -> Duration,
{
    forward!(self => self.decisions; verdict error_verdict is_progress cursor end);

    fn delay(&mut self, delay: Duration, attempt: u32, error: &ConnectionError<E>) -> Duration {
        (self.function)(self.decisions.delay(delay, attempt, error), attempt, error)
    }
}

closure! {
    /// The decisions of `D` with another rule for progress;
    /// [`with_progress`](crate::EventSource::with_progress) returns a source with it.
    WithProgress
}

impl<E, D: Decide<E>, F: FnMut(&Event) -> bool> Decide<E> for WithProgress<D, F> {
    forward!(self => self.decisions; verdict error_verdict delay cursor end);

    fn is_progress(&mut self, event: &Event) -> bool {
        (self.function)(event)
    }
}

closure! {
    /// The decisions of `D` with another cursor; [`with_cursor`](crate::EventSource::with_cursor) returns a
    /// source with it.
    WithCursor
}

impl<E, D: Decide<E>, F: FnMut(&Event) -> Option<String>> Decide<E> for WithCursor<D, F> {
    forward!(self => self.decisions; verdict error_verdict delay is_progress end);

    fn cursor(&mut self, event: &Event) -> Option<String> {
        (self.function)(event).or_else(|| self.decisions.cursor(event))
    }
}

closure! {
    /// The decisions of `D` with another last event; [`with_end`](crate::EventSource::with_end) returns a
    /// source with it.
    WithEnd
}

impl<E, D: Decide<E>, F: FnMut(&Event) -> bool> Decide<E> for WithEnd<D, F> {
    forward!(self => self.decisions; verdict error_verdict delay is_progress cursor);

    fn is_end(&mut self, event: &Event) -> bool {
        (self.function)(event)
    }

    fn expects_end(&self) -> bool {
        true
    }
}
