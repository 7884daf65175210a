//! Chunks that are passed on unchanged, and an observer of their blocks and comments.

mod observe;
#[cfg(feature = "http-body")]
mod tap_error;

pub use self::observe::{End, Observe};
#[cfg(feature = "http-body")]
pub use self::tap_error::TapError;

use crate::{
    decoder::{DecodeError, Decoder, Position},
    event::BlockItemRef,
};
#[cfg(feature = "http-body")]
use alloc::boxed::Box;
use bytes::Bytes;
use core::{
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::Stream;
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
    /// An observer that implements [`Observe`] is told how the stream ended, also if the client has left: pass it to
    /// [`observed`](Tap::observed), as in the [recipe](crate::recipes::proxies#a-proxy-that-counts-tokens). A server
    /// may drop a body after its last byte without polling it again, if it knows the length: hyper does. So do not
    /// forward `Content-Length` if you need to see the end.
    ///
    /// A tap reads what it gets: of a page of HTML or of a compressed body, it shows nothing. With feature `http-body`,
    /// `Tap::from_response` checks the head of a response first, and removes `Content-Length`.
    ///
    /// If the observer panics, the poll panics, and the observer is not called again. If a server catches the panic and
    /// polls again, it still gets every chunk.
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
            observed: Observed { observer, tell_end: F::end, decoder: Decoder::new(), state: State::Open, next: None },
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

#[cfg(feature = "http-body")]
impl<B, F> Tap<B, F>
where
    B: http_body::Body<Data = Bytes>,
    F: Observe,
{
    /// Puts a tap into the body of a response, whose events are shown to `observer`.
    ///
    /// Use it in a proxy: a response that cannot be read is an error, which returns the response, so that it can be
    /// forwarded unobserved.
    ///
    /// ```
    /// use eventwire::{BlockItemRef, DecodeError, Event, EventBody, Tap, TapError};
    /// use futures_util::stream;
    ///
    /// let response = http::Response::builder()
    ///     .header("content-type", "text/event-stream")
    ///     .header("content-encoding", "gzip")
    ///     .body(EventBody::new(stream::empty::<Event>()))?; // reqwest's or hyper's
    /// let observer = |item: Result<BlockItemRef<'_>, DecodeError>| println!("{item:?}");
    /// match Tap::from_response(response, observer) {
    ///     Ok(observed) => drop(observed), // the response, with the tap as its body
    ///     Err(error) => {
    ///         // not counted: the body is compressed with gzip, so its events cannot be read; send
    ///         // `Accept-Encoding: identity` to the server, or decompress the body first
    ///         eprintln!("not counted: {error}");
    ///         assert!(matches!(error, TapError::Compressed(_)));
    ///         let unobserved = error.into_response();
    ///         assert_eq!(unobserved.headers()["content-encoding"], "gzip");
    ///     }
    /// }
    /// # Ok::<(), http::Error>(())
    /// ```
    ///
    /// The observer is anything that implements [`Observe`]. So if it is a closure, name the type of its argument, as
    /// here; the compiler cannot infer it.
    ///
    /// The status is not checked, because some servers send the events of an error with another one than 200. To
    /// forward those responses unobserved, check the status first.
    ///
    /// The header `Content-Length` is removed, so that a server polls the body until its end. If the body knows its
    /// length by itself, a server may set the header again; the observer is then told of the end with the last byte.
    ///
    /// A server need not poll an empty body, such as that of a response to `HEAD`. So the observer is told of its end
    /// at once, which is [`Complete`](End::Complete), and its headers stay.
    ///
    /// # Errors
    ///
    /// [`TapError::NotEventStream`] if the media type is not `text/event-stream`. [`TapError::Compressed`] if the
    /// header `Content-Encoding` names a known coding, such as `gzip`, `br` or `zstd`, and the body is not empty. Other
    /// names are ignored, as in browsers.
    pub fn from_response(response: http::Response<B>, observer: F) -> Result<http::Response<Tap<B, F>>, TapError<B>> {
        if !tap_error::is_event_stream(response.headers()) {
            return Err(TapError::NotEventStream(response));
        }
        let is_empty = has_ended(response.body());
        if !is_empty && tap_error::codings(response.headers()).next().is_some() {
            return Err(TapError::Compressed(response));
        }
        let mut response = response.map(|body| Tap::observed(body, observer));
        if is_empty {
            response.body_mut().observed.finish();
        } else {
            response.headers_mut().remove(http::header::CONTENT_LENGTH);
        }
        Ok(response)
    }
}

/// Whether a server may stop polling this body, so that its end is not seen otherwise.
///
/// A body need not report its end, even if it knows its length: reqwest's does not if a feature such as `gzip` is
/// enabled.
#[cfg(feature = "http-body")]
fn has_ended(body: &impl http_body::Body) -> bool {
    body.is_end_stream() || body.size_hint().exact() == Some(0)
}

/// Everything except the source, which has to be pinned. If it is dropped before the end, it tells the observer.
#[derive(Debug)]
struct Observed<F, C> {
    observer: F,
    /// `F::end`. A bound on `F` would have to stand at the type.
    tell_end: fn(&mut F, End),
    decoder: Decoder,
    state: State,
    /// What the source has returned, while the observer is called for it. If the observer panics, it stays here, and
    /// the next poll returns it. So nothing is lost.
    next: Option<Next<C>>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    Open,
    /// The last item of the source was an error.
    Failed,
    /// The observer is being called, has panicked, or has been told of the end.
    Unobserved,
}

/// What a source has returned, except an error.
#[derive(Debug)]
enum Next<C> {
    Chunk(C),
    /// Boxed, because each chunk is moved through this enum. Nothing follows them.
    #[cfg(feature = "http-body")]
    Trailers(Box<http_body::Frame<Bytes>>),
    End,
}

impl<F, C> Drop for Observed<F, C> {
    fn drop(&mut self) {
        let end = match self.state {
            State::Open => End::Dropped,
            State::Failed => End::Failed,
            State::Unobserved => return,
        };
        (self.tell_end)(&mut self.observer, end);
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
}

impl<F: Observe, C: AsRef<[u8]>> Observed<F, C> {
    /// Shows the blocks that a chunk completes.
    #[inline]
    fn show(&mut self, chunk: C) {
        let Next::Chunk(chunk) = self.next.insert(Next::Chunk(chunk)) else { return };
        if !matches!(self.state, State::Unobserved) {
            self.state = State::Unobserved;
            let mut rest = chunk.as_ref();
            while let Some(item) = self.decoder.next_item(&mut rest).transpose() {
                self.observer.item(item);
            }
            self.state = State::Open;
        }
    }

    /// Ends the stream with this.
    #[cold]
    fn end(&mut self, next: Next<C>) {
        self.next = Some(next);
        self.finish();
    }

    /// Shows what is unfinished, and tells how the stream ended, once. After an error of the source, what is unfinished
    /// is dropped, as in [`Events`](super::Events).
    #[cold]
    fn finish(&mut self) {
        let end = match (mem::replace(&mut self.state, State::Unobserved), self.decoder.position()) {
            (State::Unobserved, _) => return,
            (State::Failed, _) => {
                self.decoder.reset();
                End::Failed
            }
            (State::Open, Position::WithinBlock) => End::Truncated,
            (State::Open, Position::BetweenBlocks | Position::WithinComment | Position::Ended) => End::Complete,
        };
        while let Some(item) = self.decoder.finish_block().transpose() {
            self.observer.item(item.as_ref().map(BlockItemRef::from).map_err(|error| *error));
        }
        self.observer.end(end);
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
        if observed.next.is_none() {
            match ready!(this.source.poll_next(context)) {
                Some(Ok(chunk)) => observed.show(chunk),
                Some(Err(error)) => {
                    observed.fail();
                    return Poll::Ready(Some(Err(error)));
                }
                None => observed.end(Next::End),
            }
        }
        // A stream has no trailers.
        Poll::Ready(if let Some(Next::Chunk(chunk)) = observed.next.take() { Some(Ok(chunk)) } else { None })
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
        if observed.next.is_none() {
            match ready!(this.source.as_mut().poll_frame(context)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(chunk) => observed.show(chunk),
                    // Nothing follows trailers.
                    Err(trailers) => observed.end(Next::Trailers(Box::new(trailers))),
                },
                Some(Err(error)) => {
                    observed.fail();
                    return Poll::Ready(Some(Err(error)));
                }
                None => observed.end(Next::End),
            }
            // A server stops polling such a body: `None` may never come.
            if has_ended(&*this.source) {
                observed.finish();
            }
        }
        Poll::Ready(match observed.next.take() {
            Some(Next::Chunk(chunk)) => Some(Ok(http_body::Frame::data(chunk))),
            Some(Next::Trailers(trailers)) => Some(Ok(*trailers)),
            Some(Next::End) | None => None,
        })
    }

    fn is_end_stream(&self) -> bool {
        self.observed.next.is_none() && self.source.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        // What is left of a panic is not counted by the source.
        if self.observed.next.is_some() { http_body::SizeHint::default() } else { self.source.size_hint() }
    }
}
