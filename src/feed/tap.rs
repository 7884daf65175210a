//! Chunks that pass through unchanged, and the blocks in them.

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
    /// Passes a stream of chunks on unchanged, and shows an observer each block in them.
    ///
    /// Use it in a proxy to count tokens, to measure the time to the first one, for billing or for logs. What comes out
    /// is what came in: the same chunks, byte for byte, at once, and the source's errors. The observer is called for
    /// each [`BlockRef`] as soon as the chunk that completes it has come, before the chunk is passed on.
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
    /// It is a `Stream` if its source is a stream of `Result<B, E>` with `B: AsRef<[u8]>`. With feature `http-body` it
    /// is an `http_body::Body` if its source is one whose data is `Bytes`; trailers pass through as well.
    ///
    /// An event or comment over the decoder's [limit](Decoder::with_max_event_size) is an error for the observer only:
    /// its bytes are passed on like all others. At the end of the source, what is unfinished is treated as
    /// [`Eof`](crate::Eof) says and shown to the observer. If the source ends after an error, or if the tap is dropped
    /// before, the unfinished rest is not shown.
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
    /// Passes these chunks on, and shows their blocks to `observer`.
    pub fn new(chunks: S, observer: F) -> Tap<S, F> {
        Tap::with_decoder(chunks, observer, Decoder::new())
    }

    /// The same by a decoder with settings or a last event ID of its own.
    ///
    /// If it has an unfinished block, the first chunk goes on with it. (A [`Rewrite`](super::Rewrite) drops such a
    /// block.)
    pub fn with_decoder(chunks: S, observer: F, decoder: Decoder) -> Tap<S, F> {
        Tap { source: chunks, observed: Observed { observer, decoder, source: Source::Open } }
    }
}

impl<S, F> Tap<S, F> {
    /// The decoder, as it is after the last chunk.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.observed.decoder
    }

    /// The observer.
    #[must_use]
    pub fn observer(&self) -> &F {
        &self.observed.observer
    }

    /// The source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        &self.source
    }

    /// The source of the chunks. The observer does not see chunks that are taken out of it here.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.source
    }

    /// The source of the chunks, pinned.
    #[must_use]
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut S> {
        self.project().source
    }

    /// The source of the chunks.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.source
    }

    /// The source of the chunks, the observer and the decoder.
    #[must_use]
    pub fn into_parts(self) -> (S, F, Decoder) {
        (self.source, self.observed.observer, self.observed.decoder)
    }
}

/// All but the source, which is pinned.
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

    /// Shows what is unfinished. After an error nobody knows what the rest would have been.
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
                // A server does not ask a body for more that says that it has ended, nor after the trailers.
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
