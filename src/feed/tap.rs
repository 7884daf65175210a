//! Chunks that are passed on unchanged, and an observer of their blocks.

use super::Source;
use crate::{
    decoder::{DecodeError, Decoder},
    event::BlockRef,
};
use core::{
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Passes a stream of chunks on unchanged, and shows each block in it to an observer.
    ///
    /// Use it in a proxy to count tokens, to measure the time to the first token, for billing or for logs. The
    /// output equals the input: the same chunks, byte for byte and without delay, and the same errors. The observer is
    /// called with each [`BlockRef`] when the chunk that completes it arrives, before that chunk is passed on.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{BlockRef, Tap};
    /// use futures_util::{TryStreamExt, stream};
    /// use std::convert::Infallible;
    ///
    /// let upstream = stream::iter(["data: Hel", "lo\n\n: wait\n\nda", "ta:  world\n\n"].map(Ok::<_, Infallible>));
    /// let mut tokens = 0;
    /// let tap = Tap::new(upstream, |block| tokens += usize::from(matches!(block, Ok(BlockRef::Event(_)))));
    /// let chunks: Vec<&str> = tap.try_collect().await?;
    /// assert_eq!(chunks, ["data: Hel", "lo\n\n: wait\n\nda", "ta:  world\n\n"]);
    /// assert_eq!(tokens, 2);
    /// # Ok::<(), Infallible>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// A tap is a `Stream` if its source is a stream of `Result<B, E>` with `B: AsRef<[u8]>`. With feature
    /// `http-body` it is an `http_body::Body` if its source is a body whose data type is `Bytes`; trailers are
    /// passed on as well.
    ///
    /// If an event or a comment is over the decoder's [limit](Decoder::with_max_event_size), the observer is called
    /// with an error. The bytes are passed on like all others. At the end of the source, the decoder's
    /// [`Eof`](crate::Eof) decides what the observer sees of an unfinished block. If the source ends after an error,
    /// or if the tap is dropped before the end, the observer sees nothing of it.
    ///
    /// A server may drop a body after its last byte without polling it again, if it knows the length: hyper does. So
    /// do not forward `Content-Length` if you need to see the end. The observer is not told how the stream ended
    /// (complete, with an error, or dropped because the client left). To record that, observe the source as well: the
    /// example [`proxy`](https://github.com/eventwire/eventwire/tree/main/examples/proxy) does.
    /// [`ResponseHead::is_event_stream`](crate::client::ResponseHead::is_event_stream) tells you whether a response is
    /// an event stream.
    #[derive(Clone, Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct Tap<S, F> {
        #[pin]
        source: S,
        observed: Observed<F>,
    }
}

impl<S, F> Tap<S, F>
where
    F: FnMut(Result<BlockRef<'_>, DecodeError>),
{
    /// Creates a tap that passes `chunks` on and shows their blocks to `observer`.
    pub fn new(chunks: S, observer: F) -> Tap<S, F> {
        Tap::with_decoder(chunks, observer, Decoder::new())
    }

    /// Creates a tap with a configured decoder, for example one with a last event ID or another size limit.
    ///
    /// If the decoder has an unfinished block, the first chunk continues it. (A [`Rewrite`](super::Rewrite) drops an
    /// unfinished block.)
    pub fn with_decoder(chunks: S, observer: F, decoder: Decoder) -> Tap<S, F> {
        Tap { source: chunks, observed: Observed { observer, decoder, source: Source::Open } }
    }
}

impl<S, F> Tap<S, F> {
    /// Returns the decoder in its state after the last chunk.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.observed.decoder
    }

    /// Returns a reference to the observer.
    #[must_use]
    pub fn observer(&self) -> &F {
        &self.observed.observer
    }

    /// Returns a reference to the source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        &self.source
    }

    /// Returns a mutable reference to the source. The observer does not see chunks that you read from it directly.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.source
    }

    /// Returns a pinned mutable reference to the source of the chunks.
    #[must_use]
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut S> {
        self.project().source
    }

    /// Returns the source of the chunks.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.source
    }

    /// Returns the source of the chunks, the observer and the decoder.
    #[must_use]
    pub fn into_parts(self) -> (S, F, Decoder) {
        (self.source, self.observed.observer, self.observed.decoder)
    }
}

/// Everything except the source, which has to be pinned.
#[derive(Clone, Debug)]
struct Observed<F> {
    observer: F,
    decoder: Decoder,
    source: Source,
}

impl<F> Observed<F>
where
    F: FnMut(Result<BlockRef<'_>, DecodeError>),
{
    #[inline]
    fn chunk(&mut self, chunk: &[u8]) {
        self.source = Source::Open;
        self.decoder.decode_chunk(chunk, &mut self.observer);
    }

    #[cold]
    fn fail(&mut self) {
        self.source = Source::Failed;
    }

    /// Shows what is unfinished. After an error of the source it is dropped, as in an
    /// [`EventStream`](super::EventStream).
    #[cold]
    fn end(&mut self) {
        if self.source == Source::Failed {
            self.decoder.reset();
        }
        loop {
            match self.decoder.finish_block() {
                Ok(None) => break,
                Ok(Some(block)) => {
                    if let Some(block) = block.as_block_ref() {
                        (self.observer)(Ok(block));
                    }
                }
                Err(error) => (self.observer)(Err(error)),
            }
        }
    }
}

impl<S, B, E, F> Stream for Tap<S, F>
where
    S: Stream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
    F: FnMut(Result<BlockRef<'_>, DecodeError>),
{
    type Item = Result<B, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        let item = ready!(this.source.poll_next(context));
        match &item {
            Some(Ok(chunk)) => this.observed.chunk(chunk.as_ref()),
            Some(Err(_)) => this.observed.fail(),
            None => this.observed.end(),
        }
        Poll::Ready(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.source.size_hint()
    }
}

impl<S, B, E, F> FusedStream for Tap<S, F>
where
    S: FusedStream<Item = Result<B, E>>,
    B: AsRef<[u8]>,
    F: FnMut(Result<BlockRef<'_>, DecodeError>),
{
    fn is_terminated(&self) -> bool {
        self.source.is_terminated()
    }
}

#[cfg(feature = "http-body")]
impl<S, F> http_body::Body for Tap<S, F>
where
    S: http_body::Body<Data = bytes::Bytes>,
    F: FnMut(Result<BlockRef<'_>, DecodeError>),
{
    type Data = bytes::Bytes;
    type Error = S::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<bytes::Bytes>, S::Error>>> {
        let mut this = self.project();
        let item = ready!(this.source.as_mut().poll_frame(context));
        match &item {
            Some(Ok(frame)) => {
                if let Some(chunk) = frame.data_ref() {
                    this.observed.chunk(chunk);
                }
                // A server stops polling a body that reports its end, and also after trailers: `None` may never come.
                if frame.is_trailers() || this.source.is_end_stream() {
                    this.observed.end();
                }
            }
            Some(Err(_)) => this.observed.fail(),
            None => this.observed.end(),
        }
        Poll::Ready(item)
    }

    fn is_end_stream(&self) -> bool {
        self.source.is_end_stream()
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.source.size_hint()
    }
}
