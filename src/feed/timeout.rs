//! A stream with a timeout.

use super::{
    Error, Next,
    watchdog::{BoxedWatchdog, Watchdog},
};
use crate::{event::Event, timer::Timer};
use alloc::boxed::Box;
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
    /// Ends a stream with an error when nothing has been received for some time: no chunk, or no event that is
    /// progress.
    ///
    /// A dead peer looks like an idle one: without a timeout, the stream waits forever. When the time has passed, this
    /// adapter returns an error once and ends. It does not poll its source after that. Drop it to close the connection.
    ///
    /// | you have | you call | what counts | error |
    /// |---|---|---|---|
    /// | events | [`Events::with_idle_timeout`], which needs no other type | any data | [`Error::IdleTimeout`] |
    /// | events | [`Events::with_progress_timeout`] | events that are progress | [`Error::ProgressTimeout`] |
    /// | chunks that are not decoded, for example for a [`Tap`](crate::Tap) in a proxy | [`Timeout::new`] | any chunk | [`Error::IdleTimeout`] |
    ///
    /// Everything that the source returns is passed on. An error of a source of chunks becomes an
    /// [`Error::Transport`].
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Error, Timeout};
    /// use futures_util::{StreamExt, stream};
    /// use std::{convert::Infallible, future, time::Duration};
    ///
    /// let body = stream::iter([Ok::<_, Infallible>("data: 1\n\n")]).chain(stream::pending());
    /// let timer = |_: Duration| future::ready(()); // in a program, `TokioTimer`
    /// let mut chunks = Timeout::new(body, Duration::from_secs(30), timer);
    /// assert_eq!(chunks.next().await, Some(Ok("data: 1\n\n")));
    /// assert_eq!(chunks.next().await, Some(Err(Error::IdleTimeout(Duration::from_secs(30)))));
    /// assert_eq!(chunks.next().await, None);
    /// # }).unwrap();
    /// ```
    ///
    /// # How the time is counted
    ///
    /// The time starts when the source is polled and has nothing ready. What counts stops it until the next poll, so a
    /// slow consumer does not cause a timeout.
    ///
    /// For an idle timeout, every chunk counts, even an empty one, and so does an error. The comments that a server
    /// sends as keep-alives are therefore data. The duration must be longer than the interval between these comments;
    /// servers often use 15 seconds.
    ///
    /// For a progress timeout, nothing else counts than events that are progress: no other event, error or comment.
    /// Other events start the time as well. There are two times, because a model may think for a minute before its
    /// first token, but not between two tokens: one until the first event that is progress, and one from each of them
    /// to the next. Set it last: the decoder, an idle timeout and blocks are settings of the events in it. If the
    /// function that says what is progress panics, the stream has ended.
    ///
    /// If `next()` is dropped while it waits, for example by `select!`, the time continues to run. The adapter limits
    /// the effect of a pause before the next poll: it counts the duration in four sleeps, and each sleep starts when
    /// it is polled. A pause, however long, thus counts for at most a quarter of the duration. After the pause, the
    /// source is polled before the timer, so what has arrived is returned before the timeout. (If an event that is
    /// progress has arrived behind more than 64 others, it comes too late.)
    ///
    /// The wait for the head of a response does not count, because there is no stream yet. HTTP clients have a
    /// separate timeout for it.
    ///
    /// # What it costs
    ///
    /// It allocates once, when it is created: the sleep is boxed, so that the adapter is `Unpin` if its source is. It
    /// allocates nothing for a chunk or an event. With a timer that [has a clock](Timer::now), such as `TokioTimer`, it
    /// creates at most two sleeps in each quarter of the duration, for any number of items. With any other timer, it
    /// creates a sleep each time that the source has nothing ready after an item.
    ///
    /// [`Events::with_idle_timeout`]: crate::Events::with_idle_timeout
    /// [`Events::with_progress_timeout`]: crate::Events::with_progress_timeout
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct Timeout<S, T: Timer, F = ()> {
        #[pin]
        source: S,
        timer: T,
        // `None` after the end.
        watchdog: Option<BoxedWatchdog<T>>,
        // The time after an item that counts.
        between: Duration,
        is_progress: F,
        // How many items that do not count have been returned since the time was over.
        late: u32,
    }
}

impl<S, T: Timer> Timeout<S, T> {
    /// Creates an adapter that passes `chunks` on, and fails when none arrives for `duration`. Zero means no timeout.
    pub fn new(chunks: S, duration: Duration, timer: T) -> Timeout<S, T> {
        Timeout::with_progress(chunks, duration, duration, timer, ())
    }
}

impl<S, T: Timer, F> Timeout<S, T, F> {
    /// Passes `source` on, until nothing that counts has come for `first` or, after the first of it, for `between`.
    pub(super) fn with_progress(
        source: S,
        first: Duration,
        between: Duration,
        timer: T,
        is_progress: F,
    ) -> Timeout<S, T, F> {
        let watchdog = Some(Box::pin(Watchdog::new(first)));
        Timeout { source, timer, watchdog, between, is_progress, late: 0 }
    }

    #[cfg(feature = "json")]
    pub(crate) fn source(&self) -> &S {
        &self.source
    }
}

impl<S: Stream, T: Timer, F> Timeout<S, T, F> {
    /// Returns the next item of the source, or how long nothing that counts has come.
    #[inline]
    fn poll_item(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        counts: impl FnOnce(&mut F, &S::Item) -> bool,
    ) -> Poll<Result<Option<S::Item>, Duration>> {
        let this = self.project();
        // Put back if the stream goes on. If the caller's function panics, its event is lost, and the stream has ended.
        let Some(mut watchdog) = this.watchdog.take() else { return Poll::Ready(Ok(None)) };
        if *this.late <= MAX_LATE
            && let Poll::Ready(item) = this.source.poll_next(context)
        {
            if let Some(item) = &item {
                if counts(this.is_progress, item) {
                    *this.late = 0;
                    watchdog.as_mut().stop();
                    watchdog.as_mut().set_duration(*this.between);
                } else {
                    // The clock also runs over a source that always has another ping.
                    *this.late += u32::from(watchdog.as_mut().poll(context, this.timer).is_ready());
                }
                *this.watchdog = Some(watchdog);
            }
            return Poll::Ready(Ok(item));
        }
        let polled = watchdog.as_mut().poll(context, this.timer);
        if polled.is_pending() {
            *this.watchdog = Some(watchdog);
        }
        polled.map(Err)
    }
}

impl<S, T: Timer, F> Timeout<S, T, F>
where
    Timeout<S, T, F>: Stream + Unpin,
{
    /// Returns the next event or chunk, or `None` at the end of the stream; see [`Next`].
    pub fn next(&mut self) -> Next<'_, Timeout<S, T, F>> {
        Next::new(self)
    }
}

impl<S, B, E, T> Stream for Timeout<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer,
{
    type Item = Result<B, Error<E>>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(match ready!(self.poll_item(context, |(), _| true)) {
            Ok(chunk) => chunk.map(|chunk| chunk.map_err(Error::Transport)),
            Err(duration) => Some(Err(Error::IdleTimeout(duration))),
        })
    }
}

impl<S, E, T, F> Stream for Timeout<S, T, F>
where
    S: Stream<Item = Result<Event, Error<E>>>,
    T: Timer,
    F: FnMut(&Event) -> bool,
{
    type Item = Result<Event, Error<E>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let polled = self.poll_item(context, |is_progress, item| item.as_ref().is_ok_and(is_progress));
        Poll::Ready(match ready!(polled) {
            Ok(item) => item,
            Err(duration) => Some(Err(Error::ProgressTimeout(duration))),
        })
    }
}

impl<S, T: Timer, F> FusedStream for Timeout<S, T, F>
where
    Timeout<S, T, F>: Stream,
{
    fn is_terminated(&self) -> bool {
        self.watchdog.is_none()
    }
}

// Not derived, because closures and timers often have no `Debug`.
impl<S: fmt::Debug, T: Timer, F> fmt::Debug for Timeout<S, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timeout").field("source", &self.source).finish_non_exhaustive()
    }
}
