//! The asynchronous adapter: the events of a stream of chunks.

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
    /// Reads the events of an asynchronous stream of byte chunks: a [`Stream`] of `Result<Event, Error<E>>`.
    ///
    /// The source is a stream of `Result<B, E>`, such as reqwest's `bytes_stream()`. A chunk `B` is any type that is
    /// `Into<Bytes>`. The source is polled only when all bytes of the last chunk are decoded, and every
    /// event is returned before the error that follows it. How the bytes are split into chunks
    /// [makes no difference](crate#guarantees).
    ///
    /// It works on any runtime and spawns no task. Dropping the stream drops the source. Dropping the future of
    /// `next()` before it is ready loses no data, so you can use it in `select!`. The stream is `Send` and `Unpin` if
    /// its source is. If the source is not `Unpin`, pin it first, for example with `Box::pin`.
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
    /// Creates a stream of the events in `chunks`.
    pub fn new(chunks: S) -> EventStream<S> {
        EventStream::with_decoder(chunks, Decoder::new())
    }

    /// Creates a stream of the events in `chunks` with a configured decoder, for example one with a last event ID.
    pub fn with_decoder(chunks: S, decoder: Decoder) -> EventStream<S> {
        EventStream { source: chunks, feed: Feed::new(decoder) }
    }

    /// Sets an idle timeout: the stream fails when no data has been received for `duration`.
    ///
    /// Use it for a peer that may disappear without closing the connection. When the time has passed, the stream
    /// returns [`IdleTimeoutError::Idle`](crate::IdleTimeoutError::Idle) as an [`Error::Transport`], and ends. An
    /// unfinished event is dropped, as after any error that ends the source. Keep-alive comments count as data. A
    /// `duration` of zero means no timeout. [`IdleTimeout`] describes how the time is counted, and the cost.
    ///
    /// You can set the timeout on a stream that is already in use: the decoder and the rest of the last chunk are
    /// kept. The stream does not reconnect; the streams in [`client`] do.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Error, Eventsource, IdleTimeoutError};
    /// use futures_util::{StreamExt, stream};
    /// use std::{convert::Infallible, future, time::Duration};
    ///
    /// let body = stream::iter([Ok::<_, Infallible>("data: 1\n\ndata: 2")]).chain(stream::pending());
    /// let timer = |_: Duration| future::ready(()); // does not wait; in a program, use `TokioTimer`
    /// let mut events = body.eventsource().with_idle_timeout(Duration::from_secs(30), timer);
    /// assert_eq!(events.next().await.unwrap()?.data(), "1");
    /// match events.next().await {
    ///     Some(Err(Error::Transport(IdleTimeoutError::Idle(time)))) => assert_eq!(time.as_secs(), 30),
    ///     other => panic!("{other:?}"),
    /// }
    /// assert!(events.next().await.is_none());
    /// # Ok::<(), Error<IdleTimeoutError<Infallible>>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// [`client`]: https://docs.rs/eventwire-client/latest/eventwire_client/
    pub fn with_idle_timeout<T: Timer>(self, duration: Duration, timer: T) -> EventStream<IdleTimeout<S, T>> {
        EventStream { source: IdleTimeout::new(self.source, duration, timer), feed: self.feed }
    }

    /// Returns the last event ID; see [`Decoder::last_event_id`].
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.feed.decoder.last_event_id()
    }

    /// Returns the reconnection time that the stream has set; see [`Decoder::reconnection_time`].
    #[must_use]
    pub fn reconnection_time(&self) -> Option<Duration> {
        self.feed.decoder.reconnection_time()
    }

    /// Returns the decoder, in its state after the last item that the stream has returned.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.feed.decoder
    }

    /// Returns the bytes of the last chunk that are not decoded yet.
    #[must_use]
    pub fn remaining(&self) -> &Bytes {
        &self.feed.chunk
    }

    /// Returns a reference to the source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        &self.source
    }

    /// Returns a mutable reference to the source. Chunks that you read from it directly are not decoded.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.source
    }

    /// Returns a pinned mutable reference to the source of the chunks.
    #[must_use]
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut S> {
        self.project().source
    }

    pub(super) fn parts(self: Pin<&mut Self>) -> (Pin<&mut S>, &mut Feed) {
        let this = self.project();
        (this.source, this.feed)
    }

    /// Returns the source of the chunks. The [`remaining`](EventStream::remaining) bytes are lost.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.source
    }

    /// Returns the source of the chunks and the decoder. The [`remaining`](EventStream::remaining) bytes are lost.
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

/// Adds `.eventsource()` to any stream of byte chunks.
///
/// The crate `eventwire-reqwest` adds a method of the same name to reqwest's requests. Its stream reconnects; this
/// one does not.
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
/// This trait is sealed: it is implemented for all streams of chunks, and cannot be implemented for other types.
pub trait Eventsource: Sized + sealed::Sealed {
    /// Returns a stream of the events in this stream of chunks; the same as [`EventStream::new`].
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
