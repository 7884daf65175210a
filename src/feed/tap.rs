//! Chunks that are passed on unchanged, and an observer of their blocks and comments.

mod observe;

pub use self::observe::{End, Observe};

use crate::{
    decoder::{DecodeError, Decoder, Position},
    event::BlockItemRef,
};
use bytes::Bytes;
use core::{
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Passes a stream of chunks on unchanged, and shows each block and comment in it to an observer.
    ///
    /// Use it in a proxy to count tokens, to measure the time to the first token, for billing or for logs. The
    /// output equals the input: the same chunks, byte for byte and without delay, and the same errors. The observer is
    /// called with each [`BlockItemRef`] when the chunk that completes it arrives, before that chunk is passed on.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::Tap;
    /// use futures_util::{TryStreamExt, stream};
    /// use std::convert::Infallible;
    ///
    /// let upstream = stream::iter(
    ///     ["data: Hel", "lo\n\n: wait\n\nda", "ta:  world\n\n"].map(Ok::<_, Infallible>),
    /// );
    /// let mut tokens = 0;
    /// let tap = Tap::new(upstream, |item| {
    ///     tokens += usize::from(item.is_ok_and(|item| item.event().is_some()))
    /// });
    /// let chunks: Vec<&str> = tap.try_collect().await?;
    /// assert_eq!(chunks, ["data: Hel", "lo\n\n: wait\n\nda", "ta:  world\n\n"]);
    /// assert_eq!(tokens, 2);
    /// # Ok::<(), Infallible>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// A tap is a `Stream` if its source is a stream of `Result<B, E>` with `B: AsRef<[u8]>`. With feature
    /// `http-body` it is an `http_body::Body` if its source is a body whose data type is `Bytes`; trailers are
    /// passed on as well. `C` is the type of the chunks, which the compiler infers.
    ///
    /// If an event or a comment is over the decoder's [limit](Decoder::with_max_event_size), the observer is called
    /// with an error. The bytes are passed on like all others, even after an error of
    /// [`Utf8Policy::Stop`](crate::Utf8Policy::Stop), with which the observer is called for the last time. At the end
    /// of the source, the decoder's [`Eof`](crate::Eof) decides what the observer sees of an unfinished block. If the
    /// source ends after an error, or if the tap is dropped before the end, the observer sees nothing of it.
    ///
    /// A server may drop a body after its last byte without polling it again, if it knows the length: hyper does. So do
    /// not forward `Content-Length` if you need to see the end. An observer that implements [`Observe`] is told how the
    /// stream ended, also if the client has left: pass it to [`observed`](Tap::observed), as in the
    /// [recipe](crate::recipes::proxies#a-proxy-that-counts-tokens). [`ResponseHead::is_event_stream`] tells you
    /// whether a response is an event stream.
    ///
    /// If the observer panics, the poll panics, and the observer is not called again. If a server catches the panic and
    /// goes on polling, it gets every chunk, including the one that was observed last.
    ///
    /// [`ResponseHead::is_event_stream`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.ResponseHead.html#method.is_event_stream
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct Tap<S, F, C = Bytes> {
        #[pin]
        source: S,
        observed: Observed<F, C>,
    }
}

impl<S, F, C> Tap<S, F, C>
where
    F: FnMut(Result<BlockItemRef<'_>, DecodeError>),
{
    /// Creates a tap that passes `chunks` on and shows their blocks and comments to `observer`.
    pub fn new(chunks: S, observer: F) -> Tap<S, F, C> {
        Tap::observed(chunks, observer)
    }
}

impl<S, F: Observe, C> Tap<S, F, C> {
    /// Creates a tap that passes `chunks` on, shows their blocks and comments to `observer`, and tells it how the
    /// stream ended.
    pub fn observed(chunks: S, observer: F) -> Tap<S, F, C> {
        Tap {
            source: chunks,
            observed: Observed { observer, tell_end: F::end, decoder: Decoder::new(), state: State::Open },
        }
    }

    /// Sets the decoder, for example one with a last event ID or another size limit.
    ///
    /// If the decoder has an unfinished block, the first chunk continues it.
    pub fn with_decoder(mut self, decoder: Decoder) -> Tap<S, F, C> {
        self.observed.decoder = decoder;
        self
    }
}

impl<S, F, C> Tap<S, F, C> {
    /// Returns the decoder in its state after the last chunk, or when the observer panicked.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.observed.decoder
    }

    /// Returns a reference to the source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        &self.source
    }
}

/// Everything except the source, which has to be pinned. If it is dropped before the end, it tells the observer.
#[derive(Debug)]
struct Observed<F, C> {
    observer: F,
    /// `F::end`. A bound on `F` would have to stand at the type.
    tell_end: fn(&mut F, End),
    decoder: Decoder,
    state: State<C>,
}

#[derive(Debug)]
enum State<C> {
    Open,
    /// The last item of the source was an error.
    Failed,
    /// The observer has panicked because of this item, which has not been passed on.
    Left(Item<C>),
    /// The observer has been told of the end, or has panicked, and is not called again.
    Unobserved,
}

/// What was not passed on because the observer has panicked.
#[derive(Debug)]
enum Item<C> {
    Chunk(C),
    #[cfg(feature = "http-body")]
    Trailers(http::HeaderMap),
    End,
}

impl<F, C> Drop for Observed<F, C> {
    fn drop(&mut self) {
        let end = match self.state {
            State::Open => End::Dropped,
            State::Failed => End::Failed,
            State::Left(_) | State::Unobserved => return,
        };
        (self.tell_end)(&mut self.observer, end);
    }
}

impl<F: Observe, C: AsRef<[u8]>> Observed<F, C> {
    /// Shows the blocks that a chunk completes, and all that is unfinished if the source has ended.
    #[inline]
    fn show<P: Polled<C>>(&mut self, polled: &mut P, is_last: bool) {
        let mut has_failed = false;
        if !matches!(self.state, State::Open) {
            if !matches!(self.state, State::Failed) {
                return;
            }
            has_failed = true;
        }
        let guard = Guard { polled, state: &mut self.state };
        if let Some(chunk) = guard.polled.chunk() {
            has_failed = false;
            let observer = &mut self.observer;
            let mut rest = chunk;
            loop {
                match self.decoder.decode_block(&mut rest) {
                    Ok(Some(item)) => observer.item(Ok(item)),
                    Ok(None) => break,
                    Err(error) => observer.item(Err(error)),
                }
            }
        }
        if is_last {
            end(&mut self.decoder, &mut self.observer, has_failed);
        }
        *guard.state = if is_last { State::Unobserved } else { State::Open };
        mem::forget(guard);
    }
}

/// Shows what is unfinished, and tells how the stream ended. After an error of the source, what is unfinished is
/// dropped, as in [`Events`](super::Events).
#[cold]
fn end(decoder: &mut Decoder, observer: &mut impl Observe, has_failed: bool) {
    let end = match decoder.position() {
        _ if has_failed => End::Failed,
        Position::WithinBlock => End::Truncated,
        Position::BetweenBlocks | Position::WithinComment | Position::Ended => End::Complete,
    };
    if has_failed {
        decoder.reset();
    }
    loop {
        match decoder.finish_block() {
            Ok(None) => break,
            Ok(Some(item)) => observer.item(Ok((&item).into())),
            Err(error) => observer.item(Err(error)),
        }
    }
    observer.end(end);
}

/// What a source has returned from a poll, except an error.
trait Polled<C> {
    /// The bytes, if it is a chunk.
    fn chunk(&self) -> Option<&[u8]>;

    /// Takes it, and leaves the end of the source in its place.
    fn take_item(&mut self) -> Item<C>;
}

impl<B: AsRef<[u8]>, E> Polled<B> for Option<Result<B, E>> {
    #[inline]
    fn chunk(&self) -> Option<&[u8]> {
        if let Some(Ok(chunk)) = self { Some(chunk.as_ref()) } else { None }
    }

    fn take_item(&mut self) -> Item<B> {
        if let Some(Ok(chunk)) = self.take() { Item::Chunk(chunk) } else { Item::End }
    }
}

#[cfg(feature = "http-body")]
impl<E> Polled<Bytes> for Option<Result<http_body::Frame<Bytes>, E>> {
    #[inline]
    fn chunk(&self) -> Option<&[u8]> {
        if let Some(Ok(frame)) = self { frame.data_ref().map(|chunk| &**chunk) } else { None }
    }

    fn take_item(&mut self) -> Item<Bytes> {
        let Some(Ok(frame)) = self.take() else { return Item::End };
        match frame.into_data().map_err(http_body::Frame::into_trailers) {
            Ok(chunk) => Item::Chunk(chunk),
            Err(Ok(trailers)) => Item::Trailers(trailers),
            // There are no other frames.
            Err(Err(_)) => Item::End,
        }
    }
}

/// Exists while the observer is called. It is dropped only if the observer panics, and then stores what was polled. The
/// panic is not caught: that needs `std`, and would hide a failed assertion in an observer.
struct Guard<'s, P: Polled<C>, C> {
    polled: &'s mut P,
    state: &'s mut State<C>,
}

impl<P: Polled<C>, C> Drop for Guard<'_, P, C> {
    fn drop(&mut self) {
        // `*self.state = ` would also drop the old state, which owns nothing here. That code is too large to be
        // inlined, so each chunk would be moved through memory, and one of a short event would take 1.6 times as long.
        mem::forget(mem::replace(self.state, State::Left(self.polled.take_item())));
    }
}

impl<F, C> Observed<F, C> {
    /// Notes an error of the source. Some sources fail and continue, and so does the tap.
    #[cold]
    fn fail(&mut self) {
        if !matches!(self.state, State::Unobserved) {
            self.state = State::Failed;
        }
    }

    /// Whether the observer has panicked, and the item that it was called for has not been returned.
    fn has_left(&self) -> bool {
        matches!(self.state, State::Left(_))
    }

    /// The chunk that the observer was called for when it panicked.
    fn left_chunk(&self) -> Option<&C> {
        if let State::Left(Item::Chunk(chunk)) = &self.state { Some(chunk) } else { None }
    }

    #[cold]
    fn take_left(&mut self) -> Item<C> {
        if let State::Left(item) = mem::replace(&mut self.state, State::Unobserved) { item } else { Item::End }
    }
}

impl<S, B, E, F> Stream for Tap<S, F, B>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
    F: Observe,
{
    type Item = Result<B, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        let observed = this.observed;
        if observed.has_left() {
            // A stream has no trailers.
            return Poll::Ready(if let Item::Chunk(chunk) = observed.take_left() { Some(Ok(chunk)) } else { None });
        }
        let mut polled = ready!(this.source.poll_next(context));
        if let Some(Err(_)) = &polled {
            observed.fail();
        } else {
            let is_last = polled.is_none();
            observed.show(&mut polled, is_last);
        }
        Poll::Ready(polled)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::from(self.observed.left_chunk().is_some());
        let (lower, upper) = self.source.size_hint();
        (lower.saturating_add(left), upper.and_then(|upper| upper.checked_add(left)))
    }
}

impl<S, B, E, F> FusedStream for Tap<S, F, B>
where
    S: FusedStream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
    F: Observe,
{
    fn is_terminated(&self) -> bool {
        !self.observed.has_left() && self.source.is_terminated()
    }
}

#[cfg(feature = "http-body")]
impl<S, F> http_body::Body for Tap<S, F>
where
    S: http_body::Body<Data = Bytes>,
    F: Observe,
{
    type Data = Bytes;
    type Error = S::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, S::Error>>> {
        let mut this = self.project();
        let observed = this.observed;
        if observed.has_left() {
            return Poll::Ready(match observed.take_left() {
                Item::Chunk(chunk) => Some(Ok(http_body::Frame::data(chunk))),
                Item::Trailers(trailers) => Some(Ok(http_body::Frame::trailers(trailers))),
                Item::End => None,
            });
        }
        let mut polled = ready!(this.source.as_mut().poll_frame(context));
        if let Some(Err(_)) = &polled {
            observed.fail();
        } else {
            // A server stops polling a body that reports its end, and also after trailers: `None` may never come.
            let is_last = polled.chunk().is_none() || this.source.is_end_stream();
            observed.show(&mut polled, is_last);
        }
        Poll::Ready(polled)
    }

    fn is_end_stream(&self) -> bool {
        !self.observed.has_left() && self.source.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        let mut hint = self.source.size_hint();
        if let Some(chunk) = self.observed.left_chunk() {
            let upper = hint.upper().and_then(|upper| upper.checked_add(chunk.len() as u64));
            let mut with_left = http_body::SizeHint::new();
            with_left.set_lower(hint.lower().saturating_add(chunk.len() as u64));
            if let Some(upper) = upper {
                with_left.set_upper(upper);
            }
            hint = with_left;
        }
        hint
    }
}
