//! A stream of events with a timeout by meaning.

use super::{Error, watchdog::Watchdog};
use crate::{event::Event, timer::Timer};
use core::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

/// When the time is over, an event that is progress may still be behind this many others in the same chunk. More of
/// them are a source that never pauses.
const MAX_LATE: u32 = 64;

pin_project! {
    /// Ends a stream of events with an error when no event that is progress has been received for some time.
    ///
    /// [`Events::with_progress_timeout`](crate::Events::with_progress_timeout) returns it, and so do methods of the
    /// same name in other crates. It passes events and errors on unchanged. When the time has passed, it returns
    /// [`Error::ProgressTimeout`] and ends. It does not poll the events after that.
    ///
    /// There are two times, because a model may think for a minute before its first token, but not between two tokens:
    /// one until the first event that is progress, and one from each of them to the next. Zero means no timeout.
    ///
    /// The time starts with the first poll. Events that are not progress, errors and comments do not stop it. An
    /// event that is progress stops it until the next poll, so a slow consumer does not cause a timeout. If you do not
    /// poll in between, a pause, however long, counts for at most a quarter of the time. An event that has arrived is
    /// returned before the timeout, unless it is behind more than 64 others that are not progress.
    ///
    /// The time is checked between two events, and when the source is not ready. So a source that always has another
    /// chunk ready, without any event, delays the error.
    ///
    /// Set it last: the decoder, an idle timeout and blocks are settings of the events in it.
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct ProgressTimeout<S, T: Timer, F> {
        #[pin]
        events: S,
        between: Duration,
        is_progress: F,
        // How many items without progress have been returned since the time was over.
        late: u32,
        // `None` when the stream has ended.
        watchdog: Option<Watchdog<T>>,
    }
}

impl<S, T: Timer, F: FnMut(&Event) -> bool> ProgressTimeout<S, T, F> {
    /// Passes `events` on, until no progress has been made for `first` or, after the first progress, for `between`.
    pub fn new(events: S, first: Duration, between: Duration, timer: T, is_progress: F) -> ProgressTimeout<S, T, F> {
        ProgressTimeout { events, between, is_progress, late: 0, watchdog: Some(Watchdog::new(first, timer)) }
    }

    accessors! {
        events: S, "the stream of the events";
        into_inner;
    }
}

impl<S, E, T, F> Stream for ProgressTimeout<S, T, F>
where
    S: Stream<Item = Result<Event, Error<E>>>,
    T: Timer,
    F: FnMut(&Event) -> bool,
{
    type Item = Result<Event, Error<E>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        let Some(watchdog) = this.watchdog else { return Poll::Ready(None) };
        if *this.late <= MAX_LATE
            && let Poll::Ready(item) = this.events.poll_next(context)
        {
            match &item {
                None => *this.watchdog = None,
                Some(Ok(event)) if (this.is_progress)(event) => {
                    *this.late = 0;
                    watchdog.stop_with(*this.between);
                }
                // The clock also runs over a source that always has another ping.
                Some(_) => *this.late += u32::from(watchdog.poll(context).is_ready()),
            }
            return Poll::Ready(item);
        }
        let duration = ready!(watchdog.poll(context));
        *this.watchdog = None;
        Poll::Ready(Some(Err(Error::ProgressTimeout(duration))))
    }
}

impl<S, E, T, F> FusedStream for ProgressTimeout<S, T, F>
where
    S: Stream<Item = Result<Event, Error<E>>>,
    T: Timer,
    F: FnMut(&Event) -> bool,
{
    fn is_terminated(&self) -> bool {
        self.watchdog.is_none()
    }
}

// Not derived, because closures have no `Debug`.
impl<S: fmt::Debug, T: Timer, F> fmt::Debug for ProgressTimeout<S, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgressTimeout").field("events", &self.events).finish_non_exhaustive()
    }
}
