//! The adapter: the events of a source of chunks.

#[cfg(feature = "json")]
use super::Rest;
use super::{
    Error, Next, SourceState, Timeout, Turn,
    watchdog::{BoxedWatchdog, Watchdog},
};
use crate::{
    decoder::{DecodeError, Decoder},
    event::Event,
    timer::Timer,
};
use alloc::boxed::Box;
#[cfg(feature = "json")]
use alloc::string::String;
use bytes::Bytes;
use core::{
    future::Ready,
    iter::FusedIterator,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Reads the events of a source of byte chunks: a [`Stream`] or an [`Iterator`] of `Result<Event, Error<E>>`.
    ///
    /// Over a stream of chunks, such as reqwest's `bytes_stream()`, it is a stream; over an iterator of chunks it is
    /// an iterator. For a file, a socket or any other [`Read`](std::io::Read), call
    /// [`from_reader`](Events::from_reader).
    ///
    /// The items of the source are `Result<B, E>`. A chunk `B` is any type that is `Into<Bytes>`, such as `Bytes`,
    /// `Vec<u8>`, `String` or `&'static str`. The source is asked for the next chunk only when all bytes of the last
    /// chunk are decoded, and every event is returned before the error that follows it. How the bytes are split into
    /// chunks [makes no difference](crate#guarantees). After an error of
    /// [`Utf8Policy::Stop`](crate::Utf8Policy::Stop) the adapter ends, and does not ask its source again.
    ///
    /// ```
    /// use eventwire::Events;
    /// use std::convert::Infallible;
    ///
    /// let chunks = ["data: he", "llo\n\nevent: bye\ndata\n\n"].map(Ok::<_, Infallible>);
    /// let events: Vec<_> = Events::new(chunks.into_iter()).collect::<Result<_, _>>()?;
    /// assert_eq!(events[0].data(), "hello");
    /// assert_eq!(events[1].event_type(), "bye");
    /// # Ok::<(), eventwire::Error<Infallible>>(())
    /// ```
    ///
    /// As a stream it works on any runtime and spawns no task. Dropping it drops the source. Dropping the future of
    /// `next()` before it is ready loses no data, so you can use it in `select!`. It is `Send` and `Unpin` if its
    /// source is. If the source is not `Unpin`, pin it first, for example with `Box::pin`. After 64 chunks without an
    /// event, a poll is pending and wakes its task, so that timeouts end even if the source is always ready.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::Events;
    /// use futures_util::{TryStreamExt, stream};
    /// use std::convert::Infallible;
    ///
    /// let body = stream::iter(["data: he", "llo\r\n\r", "\n"].map(Ok::<_, Infallible>));
    /// let mut events = Events::new(body);
    /// while let Some(event) = events.try_next().await? {
    ///     assert_eq!(event.data(), "hello");
    /// }
    /// # Ok::<(), eventwire::Error<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    #[derive(Debug)]
    #[must_use = "a stream or an iterator does nothing unless it is consumed"]
    pub struct Events<S, T: Timer = NoTimer> {
        // No bounds on `S`: it is a `Stream` if `S` is one, and an `Iterator` if `S` is one.
        #[pin]
        source: S,
        idle: Option<(T, BoxedWatchdog<T>)>,
        feed: Feed,
    }
}

/// The timer of [`Events`] without a timeout. It has no values.
#[derive(Clone, Copy, Debug)]
pub enum NoTimer {}

impl Timer for NoTimer {
    type Sleep = Ready<()>;

    fn sleep(&self, _: Duration) -> Ready<()> {
        match *self {}
    }
}

impl<S> Events<S> {
    /// Reads the events in `chunks`.
    pub fn new(chunks: S) -> Events<S> {
        let feed = Feed {
            decoder: Decoder::new(),
            chunk: Bytes::new(),
            source: SourceState::Open,
            rejects_text: false,
            #[cfg(feature = "json")]
            unfinished: Box::default(),
        };
        Events { source: chunks, idle: None, feed }
    }
}

impl<S, T: Timer> Events<S, T> {
    /// Sets the decoder, for example one with a last event ID. Call it before you read the first event.
    ///
    /// ```
    /// use eventwire::{Decoder, Events};
    /// # use std::convert::Infallible;
    ///
    /// let decoder = Decoder::new().with_last_event_id("41")?; // from an earlier connection
    /// let chunks = [Ok::<_, Infallible>("data: a\n\n")];
    /// let mut events = Events::new(chunks.into_iter()).with_decoder(decoder);
    /// assert_eq!(events.next().unwrap()?.last_event_id(), "41");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_decoder(mut self, decoder: Decoder) -> Events<S, T> {
        self.feed.decoder = decoder;
        self
    }

    /// Sets an idle timeout: the stream fails when no data has been received for `duration`.
    ///
    /// A dead peer looks like an idle one: without a timeout, the stream waits forever. When the time has passed, the
    /// stream returns [`Error::IdleTimeout`] and ends. An unfinished event is dropped, as after any error that ends the
    /// source. Keep-alive comments count as data, so the time must be longer than the interval between them. A
    /// `duration` of zero means no timeout. [`Timeout`] describes how the time is counted, and the cost.
    ///
    /// You can set the timeout on a stream that is already in use: the decoder and the rest of the last chunk are
    /// kept. The stream does not reconnect; the streams in [`client`] do.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Error, EventsExt};
    /// use futures_util::{StreamExt, stream};
    /// use std::{convert::Infallible, future, time::Duration};
    ///
    /// let body = stream::iter([Ok::<_, Infallible>("data: 1\n\ndata: 2")])
    ///     .chain(stream::pending());
    /// let timer = |_: Duration| future::ready(()); // in a program, `TokioTimer`
    /// let mut events = body.events().with_idle_timeout(Duration::from_secs(30), timer);
    /// assert_eq!(events.next().await.unwrap()?.data(), "1");
    /// match events.next().await {
    ///     Some(Err(Error::IdleTimeout(time))) => assert_eq!(time.as_secs(), 30),
    ///     other => panic!("{other:?}"),
    /// }
    /// assert!(events.next().await.is_none());
    /// # Ok::<(), Error<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// [`client`]: https://docs.rs/eventwire-client/latest/eventwire_client/
    pub fn with_idle_timeout<U: Timer>(self, duration: Duration, timer: U) -> Events<S, U>
    where
        S: Stream,
    {
        let idle = Some((timer, Box::pin(Watchdog::new(duration))));
        Events { source: self.source, idle, feed: self.feed }
    }

    /// Sets a timeout by meaning: the stream fails when no event that is progress has been received for `between`, or
    /// for `first` before the first one.
    ///
    /// A server that hangs may go on sending pings, which keep an idle timeout from ending. `is_progress` says which
    /// events show that the answer continues. [`Timeout`] describes how the time is counted. Set it last.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Error, EventsExt};
    /// use futures_util::{StreamExt, stream};
    /// use std::{convert::Infallible, future, time::Duration};
    ///
    /// let pings = stream::iter([Ok::<_, Infallible>("event: ping\ndata: {}\n\n")]);
    /// let body = pings.chain(stream::pending());
    /// let timer = |_: Duration| future::ready(()); // in a program, `TokioTimer`
    /// let (first, between) = (Duration::from_secs(60), Duration::from_secs(20));
    /// let events = body.events().with_progress_timeout(first, between, timer, |event| {
    ///     event.event_type() != "ping"
    /// });
    /// let items: Vec<_> = events.collect().await;
    /// assert_eq!(items[0].as_ref().unwrap().event_type(), "ping");
    /// assert_eq!(items[1..], [Err(Error::ProgressTimeout(first))]);
    /// # }).unwrap();
    /// ```
    pub fn with_progress_timeout<U: Timer, F>(
        self,
        first: Duration,
        between: Duration,
        timer: U,
        is_progress: F,
    ) -> Timeout<Events<S, T>, U, F>
    where
        S: Stream,
        F: FnMut(&Event) -> bool,
    {
        Timeout::with_progress(self, first, between, timer, is_progress)
    }

    /// Returns the decoder, in its state after the last item. It has the [last event ID](Decoder::last_event_id) and
    /// the [reconnection time](Decoder::reconnection_time) that the stream has set.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.feed.decoder
    }

    /// Returns the bytes of the last chunk that are not decoded yet.
    ///
    /// ```
    /// # use std::convert::Infallible;
    /// let chunks = [Ok::<_, Infallible>("data: a\n\ndata: b\n\n")];
    /// let mut events = eventwire::Events::new(chunks.into_iter());
    /// assert_eq!(events.next().unwrap()?.data(), "a");
    /// assert_eq!(events.remaining(), "data: b\n\n");
    /// # Ok::<(), eventwire::Error<Infallible>>(())
    /// ```
    #[must_use]
    pub fn remaining(&self) -> &Bytes {
        &self.feed.chunk
    }

    /// Returns a reference to the source of the chunks.
    pub fn get_ref(&self) -> &S {
        &self.source
    }

    /// Returns the source of the chunks. The [`remaining`](Events::remaining) bytes are lost.
    pub fn into_inner(self) -> S {
        self.source
    }

    /// Returns [`Error::NotEventStream`] at the end if there was text that the decoder ignores, and no event: for
    /// eventwire-client.
    #[doc(hidden)]
    pub fn rejecting_text(mut self) -> Events<S, T> {
        self.feed.rejects_text = true;
        self
    }

    /// What is known of the text that was in no event.
    #[cfg(feature = "json")]
    pub(crate) fn rest(&self) -> Rest<'_> {
        Rest { unfinished: &self.feed.unfinished, ignored: self.feed.decoder.ignored(), line: None }
    }

    /// Returns whether the next item is `None`, as far as the adapter knows.
    pub(super) fn has_ended(&self) -> bool {
        self.feed.source == SourceState::Ended
    }
}

impl<S, T: Timer> Events<S, T>
where
    Events<S, T>: Stream + Unpin,
{
    /// Returns the next event, or `None` at the end of the stream. [`Next`] says more about the future.
    ///
    /// Over an iterator, `next()` is [`Iterator::next`].
    pub fn next(&mut self) -> Next<'_, Events<S, T>> {
        Next::new(self)
    }
}

impl<S, T, B, E> Events<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer,
    B: Into<Bytes>,
{
    #[inline(always)]
    pub(super) fn poll_item<R: Reads>(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        reads: R,
    ) -> Poll<Option<Result<R::Item, Error<E>>>>
    where
        Error<E>: From<R::Error>,
    {
        let mut this = self.project();
        let mut turn = Turn::default();
        this.feed.poll(reads, || {
            ready!(turn.poll(context));
            let polled = this.source.as_mut().poll_next(context);
            if let Some((timer, idle)) = this.idle {
                let idle = idle.as_mut();
                match polled {
                    Poll::Pending => {
                        return idle.poll(context, timer).map(|duration| Some(Err(Error::IdleTimeout(duration))));
                    }
                    Poll::Ready(Some(_)) => idle.stop(),
                    Poll::Ready(None) => idle.end(),
                }
            }
            polled.map_err(Error::Transport)
        })
    }
}

impl<I, B, E> Events<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    #[inline(always)]
    pub(super) fn next_item<R: Reads>(&mut self, reads: R) -> Option<Result<R::Item, Error<E>>>
    where
        Error<E>: From<R::Error>,
    {
        match self.feed.poll(reads, || Poll::Ready(self.source.next()).map_err(Error::Transport)) {
            Poll::Ready(item) => item,
            // An iterator is always ready.
            Poll::Pending => None,
        }
    }
}

impl<S, T, B, E> Stream for Events<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer,
    B: Into<Bytes>,
{
    type Item = Result<Event, Error<E>>;

    // At the edge of what the compiler inlines by itself: without it, up to 25 % more instructions, and 1 % more time.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_item(context, OnlyEvents)
    }
}

impl<S, T, B, E> FusedStream for Events<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer,
    B: Into<Bytes>,
{
    fn is_terminated(&self) -> bool {
        self.has_ended()
    }
}

impl<I, B, E> Iterator for Events<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<Event, Error<E>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_item(OnlyEvents)
    }
}

impl<I, B, E> FusedIterator for Events<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
}

/// Everything except the source, which has to be pinned.
#[derive(Debug)]
struct Feed {
    decoder: Decoder,
    /// The rest of the last chunk, not decoded yet.
    chunk: Bytes,
    source: SourceState,
    /// Whether text that the decoder ignores is an error at the end. Not after an event or an error.
    rejects_text: bool,
    #[cfg(feature = "json")]
    unfinished: Box<str>,
}

impl Feed {
    /// Returns the next item: from the rest of the chunk, or else from the next chunks of the source, which `next`
    /// polls.
    // Inlined, with the decoder, and each item is created as what a poll returns: moving it there from an `Option`
    // takes up to 14 % of the time of short events, which instruction counts hardly show.
    #[inline(always)]
    fn poll<R: Reads, B: Into<Bytes>, E>(
        &mut self,
        mut reads: R,
        mut next: impl FnMut() -> Poll<Option<Result<B, Error<E>>>>,
    ) -> Poll<Option<Result<R::Item, Error<E>>>>
    where
        Error<E>: From<R::Error>,
    {
        loop {
            match reads.decode(&mut self.decoder, &mut self.chunk) {
                Ok(Some(item)) => {
                    self.rejects_text &= !R::is_event(&item);
                    return Poll::Ready(Some(Ok(item)));
                }
                Ok(None) => {}
                Err(error) => {
                    self.accept_text();
                    return Poll::Ready(Some(Err(error.into())));
                }
            }
            match self.source {
                SourceState::Open | SourceState::Failed if !self.decoder.has_ended() => {}
                SourceState::Ending => return Poll::Ready(self.finish(reads)),
                SourceState::Ended => return Poll::Ready(None),
                SourceState::Open | SourceState::Failed => {
                    self.end_early();
                    return Poll::Ready(None);
                }
            }
            match ready!(next()) {
                Some(Ok(chunk)) => {
                    self.source = SourceState::Open;
                    self.chunk = chunk.into();
                }
                Some(Err(error)) => {
                    self.fail(&error);
                    return Poll::Ready(Some(Err(error)));
                }
                None => self.end(),
            }
        }
    }

    /// Notes that something was reported which is no text, such as an event that is too large.
    #[cold]
    fn accept_text(&mut self) {
        self.rejects_text = false;
    }

    /// Notes an error. A source may continue after one of its own. After a timeout it is not asked again.
    #[cold]
    fn fail<E>(&mut self, error: &Error<E>) {
        match error {
            Error::Transport(_) => self.source = SourceState::Failed,
            _ => self.end_early(),
        }
    }

    /// Ends the stream before its source has ended: because the decoder has ended, or after a timeout.
    #[cold]
    fn end_early(&mut self) {
        self.decoder.reset();
        self.source = SourceState::Ended;
    }

    /// Returns what the decoder makes of the unfinished rest. The source has ended without an error.
    #[cold]
    fn finish<R: Reads, E>(&mut self, mut reads: R) -> Option<Result<R::Item, Error<E>>>
    where
        Error<E>: From<R::Error>,
    {
        #[cfg(feature = "json")]
        let unfinished = beginning(self.decoder.unfinished_data());
        // What the decoder has ignored is that of an earlier stream until the next one begins.
        let is_empty = self.decoder.bytes_read() == 0;
        let item = reads.finish(&mut self.decoder).map_err(Error::from);
        #[cfg(feature = "json")]
        if !matches!(item, Ok(Some(_))) && !unfinished.is_empty() {
            self.unfinished = unfinished;
        }
        let is_text = self.rejects_text && !is_empty && !self.decoder.ignored().is_empty();
        match item {
            Ok(Some(item)) => {
                self.rejects_text &= !R::is_event(&item);
                Some(Ok(item))
            }
            Ok(None) | Err(Error::Decode(DecodeError::Truncated)) if is_text => {
                self.source = SourceState::Ended;
                Some(Err(Error::NotEventStream(self.decoder.ignored().into())))
            }
            Err(error) => Some(Err(error)),
            Ok(None) => {
                self.source = SourceState::Ended;
                None
            }
        }
    }

    /// Notes that the source has ended. If it ended after an error, the rest is dropped, because nobody knows how it
    /// would have continued.
    fn end(&mut self) {
        self.source = match self.source {
            SourceState::Failed => {
                self.decoder.reset();
                SourceState::Ended
            }
            _ => SourceState::Ending,
        };
    }
}

/// Returns as much of the data as an error message shows.
#[cfg(feature = "json")]
pub(crate) fn beginning(data: &[u8]) -> Box<str> {
    String::from_utf8_lossy(&data[..data.len().min(1000)]).into()
}

/// What an adapter reads from chunks: events, all blocks, or lines.
pub(super) trait Reads {
    type Item;
    type Error;

    /// Returns whether it is an event, or has one.
    fn is_event(item: &Self::Item) -> bool;

    /// Returns the next item in the rest of a chunk. `None` asks for the next chunk.
    fn decode(&mut self, decoder: &mut Decoder, rest: &mut Bytes) -> Result<Option<Self::Item>, Self::Error>;

    /// Returns what is unfinished at the end of the source. `None` when all of it has been returned.
    fn finish(&mut self, decoder: &mut Decoder) -> Result<Option<Self::Item>, Self::Error>;
}

struct OnlyEvents;

impl Reads for OnlyEvents {
    type Item = Event;
    type Error = DecodeError;

    #[inline(always)]
    fn is_event(_: &Event) -> bool {
        true
    }

    #[inline(always)]
    fn decode(&mut self, decoder: &mut Decoder, rest: &mut Bytes) -> Result<Option<Event>, DecodeError> {
        // The decoder would return the same, but its code is too large to enter for that.
        if rest.is_empty() { Ok(None) } else { decoder.next_event(rest) }
    }

    fn finish(&mut self, decoder: &mut Decoder) -> Result<Option<Event>, DecodeError> {
        decoder.finish()
    }
}
