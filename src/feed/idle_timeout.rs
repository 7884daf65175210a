//! A stream of chunks with an idle timeout.

use super::{Error, watchdog::Watchdog};
use crate::timer::Timer;
use core::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Ends a stream of chunks with an error when no data has been received for some time.
    ///
    /// A dead peer looks like an idle one: without a timeout, the stream waits forever. This adapter passes the
    /// chunks of its source on unchanged, and its errors as [`Error::Transport`]. When the source has returned nothing
    /// for the whole duration, the adapter returns [`Error::IdleTimeout`] once and ends. It does not poll the source
    /// after that. Drop the adapter to close the connection.
    ///
    /// For a stream of events, call [`Events::with_idle_timeout`](crate::Events::with_idle_timeout). Use this
    /// type for chunks that are not decoded, for example as the source of a [`Tap`](crate::Tap) in a proxy.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Error, IdleTimeout};
    /// use futures_util::{StreamExt, stream};
    /// use std::{convert::Infallible, future, time::Duration};
    ///
    /// let body = stream::iter([Ok::<_, Infallible>("data: 1\n\n")]).chain(stream::pending());
    /// let timer = |_: Duration| future::ready(()); // in a program, `TokioTimer`
    /// let mut chunks = IdleTimeout::new(body, Duration::from_secs(30), timer);
    /// assert_eq!(chunks.next().await, Some(Ok("data: 1\n\n")));
    /// assert_eq!(chunks.next().await, Some(Err(Error::IdleTimeout(Duration::from_secs(30)))));
    /// assert_eq!(chunks.next().await, None);
    /// # }).unwrap();
    /// ```
    ///
    /// # What counts as idle
    ///
    /// The time starts when the source is polled and has nothing ready. It stops at the next item: a chunk, even an
    /// empty one, or an error. The comments that a server sends as keep-alives therefore count as data. The duration
    /// must be longer than the interval between these comments; servers often use 15 seconds.
    ///
    /// The time does not run between an item and the next poll, so a slow consumer does not cause a timeout.
    ///
    /// If `next()` is dropped while it waits, for example by `select!`, the time continues to run. The adapter limits
    /// the effect of a pause before the next poll: it counts the duration in four sleeps, and each sleep starts when
    /// it is polled. A pause, however long, thus counts for at most a quarter of the duration. After the pause, the
    /// source is polled before the timer.
    ///
    /// The wait for the head of a response does not count, because there is no stream yet. HTTP clients have a
    /// separate timeout for it.
    ///
    /// # What it costs
    ///
    /// It allocates once, when it is created: the sleep is boxed, so that the adapter is `Unpin` if its source is. It
    /// allocates nothing for a chunk. With a timer that [has a clock](Timer::now), such as `TokioTimer`, it creates
    /// at most two sleeps in each quarter of the duration, for any number of chunks. With any other timer, it creates
    /// a sleep each time that the source has nothing ready after a chunk.
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct IdleTimeout<S, T: Timer> {
        #[pin]
        chunks: S,
        watchdog: Watchdog<T>,
    }
}

impl<S, T: Timer> IdleTimeout<S, T> {
    /// Creates an adapter that passes `chunks` on, and fails when none arrives for `duration`. Zero means no timeout.
    pub fn new(chunks: S, duration: Duration, timer: T) -> IdleTimeout<S, T> {
        IdleTimeout { chunks, watchdog: Watchdog::new(duration, timer) }
    }

    accessors! {
        chunks: S, "the source of the chunks";
        into_inner;
    }
}

impl<S, B, E, T> Stream for IdleTimeout<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer,
{
    type Item = Result<B, Error<E>>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        if this.watchdog.is_over() {
            return Poll::Ready(None);
        }
        if let Poll::Ready(item) = this.chunks.poll_next(context) {
            match item {
                Some(_) => this.watchdog.stop(),
                None => this.watchdog.end(),
            }
            return Poll::Ready(item.map(|chunk| chunk.map_err(Error::Transport)));
        }
        let duration = ready!(this.watchdog.poll(context));
        Poll::Ready(Some(Err(Error::IdleTimeout(duration))))
    }
}

impl<S, B, E, T> FusedStream for IdleTimeout<S, T>
where
    S: FusedStream<Item = Result<B, E>>,
    T: Timer,
{
    /// Returns whether the next item is `None`: the source has ended, or the timeout has been returned.
    fn is_terminated(&self) -> bool {
        self.watchdog.is_over() || self.chunks.is_terminated()
    }
}
