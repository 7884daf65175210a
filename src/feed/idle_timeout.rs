//! Chunks of a source that may not be silent for too long.

mod idle_timeout_error;

pub use self::idle_timeout_error::IdleTimeoutError;

use crate::{alarm::Alarm, timer::Timer};
use alloc::boxed::Box;
use core::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

/// In how many sleeps a timeout is counted.
const PARTS: u32 = 4;

pin_project! {
    /// Ends a stream of chunks with an error when no data has been received for some time.
    ///
    /// A dead peer looks like an idle one: without a timeout, the stream waits forever. This adapter passes the chunks and
    /// the errors of its source on unchanged. When the source has had nothing to give for the whole duration, it returns
    /// [`IdleTimeoutError::Idle`] once and ends. It does not poll the source after that; drop it to close the connection.
    ///
    /// [`EventStream::with_idle_timeout`](crate::EventStream::with_idle_timeout) puts it under a stream of events. Use the type
    /// itself for chunks that are not decoded, for example in a proxy, below a [`Tap`](crate::Tap).
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{IdleTimeout, IdleTimeoutError};
    /// use futures_util::{StreamExt, stream};
    /// use std::{convert::Infallible, future, time::Duration};
    ///
    /// let body = stream::iter([Ok::<_, Infallible>("data: 1\n\n")]).chain(stream::pending());
    /// let no_time = |_: Duration| future::ready(()); // in a program: `TokioTimer`, or `tokio::time::sleep`
    /// let mut chunks = IdleTimeout::new(body, Duration::from_secs(30), no_time);
    /// assert_eq!(chunks.next().await, Some(Ok("data: 1\n\n")));
    /// assert_eq!(chunks.next().await, Some(Err(IdleTimeoutError::Idle(Duration::from_secs(30)))));
    /// assert_eq!(chunks.next().await, None);
    /// # }).unwrap();
    /// ```
    ///
    /// # What counts as idle
    ///
    /// The time starts when the source is polled and has nothing to give. Any item ends it: a chunk, even an empty one, or an
    /// error. So comments that a server sends as keep-alives count as data. The duration must be longer than the interval of
    /// these comments; servers often use 15 seconds.
    ///
    /// The time does not run between an item and the next poll, so a slow consumer does not cause a timeout. A `next()` that
    /// is dropped early, as by `select!`, cannot be told from one that waits. For this reason the duration is counted in four
    /// sleeps, each of which starts when it is polled. However long nobody polls, one absence counts for a quarter of the
    /// duration at most, and the source is always polled first.
    ///
    /// The wait for the head of a response is not included, because there is no stream yet. HTTP clients have their own
    /// timeout for it.
    ///
    /// # What it costs
    ///
    /// One allocation when it is created, because it is `Unpin` if its source is, and sleeps such as tokio's are not. It
    /// allocates nothing for a chunk. With a timer that [has a clock](Timer::now), such as `TokioTimer`, a stream of many
    /// chunks makes at most two sleeps in each quarter of the duration. With any other timer it makes one after each chunk
    /// that is followed by a moment of silence.
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct IdleTimeout<S, T: Timer> {
        #[pin]
        chunks: S,
        duration: Duration,
        timer: T,
        phase: Phase,
        // Boxed, so that it can be moved with the rest.
        alarm: Pin<Box<Alarm<T::Sleep>>>,
    }
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The source has not been polled since its last item.
    Flowing,
    /// The source has nothing to give. So many parts of the timeout are over.
    Silent { parts_over: u32 },
    /// The error has been returned.
    TimedOut,
}

impl<S, T: Timer> IdleTimeout<S, T> {
    /// These chunks, up to the first silence of `duration`. If `duration` is zero, there is no timeout.
    pub fn new(chunks: S, duration: Duration, timer: T) -> IdleTimeout<S, T> {
        IdleTimeout { chunks, duration, timer, phase: Phase::Flowing, alarm: Box::pin(Alarm::stopped()) }
    }

    /// The source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        &self.chunks
    }

    /// The source of the chunks. Chunks that are taken out of it here do not end a silence.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.chunks
    }

    /// The source of the chunks, pinned.
    #[must_use]
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut S> {
        self.project().chunks
    }

    /// The source of the chunks, without a timeout.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.chunks
    }
}

impl<S, B, E, T> Stream for IdleTimeout<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer,
{
    type Item = Result<B, IdleTimeoutError<E>>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        if let Phase::TimedOut = this.phase {
            return Poll::Ready(None);
        }
        if let Poll::Ready(item) = this.chunks.poll_next(context) {
            *this.phase = Phase::Flowing;
            if item.is_none() {
                this.alarm.as_mut().stop();
            }
            return Poll::Ready(item.map(|chunk| chunk.map_err(IdleTimeoutError::Source)));
        }
        if this.duration.is_zero() {
            return Poll::Pending;
        }
        ready!(this.phase.poll_silence(context, this.alarm.as_mut(), this.timer, *this.duration / PARTS));
        Poll::Ready(Some(Err(IdleTimeoutError::Idle(*this.duration))))
    }
}

impl Phase {
    /// Ready when all parts are over.
    fn poll_silence<T: Timer>(
        &mut self,
        context: &mut Context<'_>,
        mut alarm: Pin<&mut Alarm<T::Sleep>>,
        timer: &T,
        part: Duration,
    ) -> Poll<()> {
        let (mut parts_over, mut polled) = match *self {
            Phase::Silent { parts_over } => (parts_over, alarm.as_mut().poll(context, timer, part)),
            Phase::Flowing | Phase::TimedOut => (0, alarm.as_mut().restart(context, timer, part)),
        };
        while polled.is_ready() {
            parts_over += 1;
            if parts_over == PARTS {
                *self = Phase::TimedOut;
                return Poll::Ready(());
            }
            polled = alarm.as_mut().restart(context, timer, part);
        }
        *self = Phase::Silent { parts_over };
        Poll::Pending
    }
}

impl<S, B, E, T> FusedStream for IdleTimeout<S, T>
where
    S: FusedStream<Item = Result<B, E>>,
    T: Timer,
{
    /// Whether the next item is `None`: the source has ended, or the timeout was returned.
    fn is_terminated(&self) -> bool {
        matches!(self.phase, Phase::TimedOut) || self.chunks.is_terminated()
    }
}
