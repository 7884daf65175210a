//! The asynchronous adapter: events of a stream of chunks.

use super::{Error, Feed, IdleTimeout};
use crate::{decoder::Decoder, event::Event, timer::Timer};
use bytes::Bytes;
use core::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// The events of a stream of chunks; a stream of `Result<Event, Error<E>>`.
    ///
    /// The source gives `Result<B, E>`, where a chunk `B` is anything that is `Into<Bytes>`, as the body streams of HTTP clients do.
    /// It is polled only when the bytes of the last chunk are used up, and every event comes out before the error that follows
    /// it. No runtime is assumed, no task spawned. Dropping the stream drops the source; a `next()` that is
    /// dropped half-way loses nothing. It is `Send` and `Unpin` if its source is; a source that is not `Unpin` is pinned
    /// first, as by `Box::pin`.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::EventStream;
    /// use futures_util::{TryStreamExt, stream};
    /// use std::convert::Infallible;
    ///
    /// let body = stream::iter(["data: he", "llo\r\n\r", "\n"].map(Ok::<_, Infallible>));
    /// let mut events = EventStream::new(body);
    /// while let Some(event) = events.try_next().await? {
    ///     assert_eq!(event.data(), "hello");
    /// }
    /// # Ok::<(), eventwire::Error<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct EventStream<S> {
        #[pin]
        source: S,
        pub(super) feed: Feed,
    }
}

impl<S> EventStream<S> {
    /// The events of these chunks.
    pub fn new(chunks: S) -> EventStream<S> {
        EventStream::with_decoder(chunks, Decoder::new())
    }

    /// The events of these chunks, by a decoder with settings or a last event ID of its own.
    pub fn with_decoder(chunks: S, decoder: Decoder) -> EventStream<S> {
        EventStream { source: chunks, feed: Feed::new(decoder) }
    }

    /// Fails when no data has been received for `duration`: for a peer that may be gone without closing the connection.
    ///
    /// The error is [`IdleTimeoutError::Idle`](crate::IdleTimeoutError::Idle), and the stream ends after it: an unfinished
    /// event is dropped, as after any error that ends the source. Keep-alive comments count as data. A zero `duration` is no timeout.
    /// [`IdleTimeout`] describes when the time runs, and what it costs. The decoder and what is left of the last chunk are
    /// kept, so it can be set on a stream in use.
    ///
    /// It adds no reconnection; that is what [`client`](crate::client) is for.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Error, Eventsource, IdleTimeoutError};
    /// use futures_util::{StreamExt, stream};
    /// use std::{convert::Infallible, future, time::Duration};
    ///
    /// let body = stream::iter([Ok::<_, Infallible>("data: 1\n\ndata: 2")]).chain(stream::pending());
    /// let no_time = |_: Duration| future::ready(()); // in a program: `TokioTimer`, or `tokio::time::sleep`
    /// let mut events = body.eventsource().with_idle_timeout(Duration::from_secs(30), no_time);
    /// assert_eq!(events.next().await.unwrap()?.data(), "1");
    /// match events.next().await {
    ///     Some(Err(Error::Transport(IdleTimeoutError::Idle(time)))) => assert_eq!(time.as_secs(), 30),
    ///     other => panic!("{other:?}"),
    /// }
    /// assert!(events.next().await.is_none());
    /// # Ok::<(), Error<IdleTimeoutError<Infallible>>>(())
    /// # }).unwrap().unwrap();
    /// ```
    pub fn with_idle_timeout<T: Timer>(self, duration: Duration, timer: T) -> EventStream<IdleTimeout<S, T>> {
        EventStream { source: IdleTimeout::new(self.source, duration, timer), feed: self.feed }
    }

    /// See [`Decoder::last_event_id`].
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.feed.decoder.last_event_id()
    }

    /// See [`Decoder::reconnection_time`].
    #[must_use]
    pub fn reconnection_time(&self) -> Option<Duration> {
        self.feed.decoder.reconnection_time()
    }

    /// The decoder, as it is after the last item.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.feed.decoder
    }

    /// What is left of the last chunk: bytes that the source gave and that the decoder has not been told yet.
    #[must_use]
    pub fn remaining(&self) -> &Bytes {
        &self.feed.chunk
    }

    /// The source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        &self.source
    }

    /// The source of the chunks. Chunks that are taken out of it here are missing in the events.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.source
    }

    /// The source of the chunks, pinned.
    #[must_use]
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut S> {
        self.project().source
    }

    pub(super) fn parts(self: Pin<&mut Self>) -> (Pin<&mut S>, &mut Feed) {
        let this = self.project();
        (this.source, this.feed)
    }

    /// The source of the chunks; [`remaining`](EventStream::remaining) bytes are lost.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.source
    }

    /// The source of the chunks, and the decoder; [`remaining`](EventStream::remaining) bytes are lost.
    #[must_use]
    pub fn into_parts(self) -> (S, Decoder) {
        (self.source, self.feed.decoder)
    }
}

impl<S, B, E> Stream for EventStream<S>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<Event, Error<E>>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        if let Some(item) = this.feed.event() {
            return Poll::Ready(Some(item));
        }
        loop {
            if this.feed.has_ended() {
                return Poll::Ready(None);
            }
            match ready!(this.source.as_mut().poll_next(context)) {
                Some(Ok(chunk)) => {
                    if let Some(item) = this.feed.first_event(chunk.into()) {
                        return Poll::Ready(Some(item));
                    }
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(this.feed.fail(error)))),
                None => return Poll::Ready(this.feed.end()),
            }
        }
    }
}

impl<S, B, E> FusedStream for EventStream<S>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    fn is_terminated(&self) -> bool {
        self.feed.has_ended()
    }
}

/// `.eventsource()` on any stream of chunks. (On a request of reqwest's, which
/// reconnects, it is that of the crate `eventwire-reqwest`.)
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire::Eventsource;
/// use futures_util::{StreamExt, stream};
/// # use std::convert::Infallible;
///
/// let bytes_stream = stream::iter([Ok::<_, Infallible>("data: hello\n\n")]); // such as `response.bytes_stream()`
/// let mut events = bytes_stream.eventsource();
/// assert_eq!(events.next().await.unwrap()?.data(), "hello");
/// # Ok::<(), eventwire::Error<Infallible>>(())
/// # }).unwrap().unwrap();
/// ```
///
/// This trait is sealed: every stream of chunks has it, and nothing else.
pub trait Eventsource: Sized + sealed::Sealed {
    /// The events of this stream of chunks; the same as [`EventStream::new`].
    fn eventsource(self) -> EventStream<Self>;
}

impl<S, B, E> Eventsource for S
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    fn eventsource(self) -> EventStream<S> {
        EventStream::new(self)
    }
}

mod sealed {
    pub trait Sealed {}

    impl<S, B, E> Sealed for S
    where
        S: futures_core::Stream<Item = Result<B, E>>,
        B: Into<bytes::Bytes>,
    {
    }
}
