//! Chunks that are passed on with changes: blocks are kept, removed, replaced or followed by others.

mod edit;
mod keep_alive;
mod output;
mod oversize;
mod plain;
mod rewriter;

pub use self::{edit::Edit, keep_alive::RewriteKeepAlive, oversize::Oversize};

use self::rewriter::Rewriter;
use super::{Error, SourceState};
use crate::{decoder::Decoder, event::BlockItemRef};
use bytes::Bytes;
use core::{
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Passes a stream of chunks on, and lets a function keep, remove or replace each block and comment.
    ///
    /// Use it in a proxy that drops comments or changes payloads. The function is called with each [`BlockItemRef`], in
    /// order, and with an [`Edit`]. It removes or replaces the item by calling the methods of the `Edit`. If it calls
    /// none, the item is passed on byte for byte.
    ///
    /// ```
    /// # #[cfg(feature = "json")]
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{BlockItemRef, Rewrite};
    /// use futures_util::{TryStreamExt, stream};
    /// use serde_json::Value;
    /// use std::convert::Infallible;
    ///
    /// let upstream = stream::iter([
    ///     ": keep-alive\n\ndata: {\"model\":\"small-2",
    ///     "\",\"n\":1}\n\ndata: [DONE]\n\n",
    /// ].map(Ok::<_, Infallible>));
    ///
    /// let rewritten = Rewrite::new(upstream, |item, edit| match item {
    ///     BlockItemRef::Comment(_) => edit.remove(),
    ///     BlockItemRef::Block(block) => {
    ///         let data = block.data().unwrap_or_default();
    ///         let Ok(Value::Object(mut payload)) = serde_json::from_str(data) else { return };
    ///         if payload.contains_key("model") {
    ///             payload.insert("model".into(), "ours".into());
    ///             // serde_json sorts the keys, unless its feature `preserve_order` is enabled.
    ///             let data = Value::Object(payload).to_string();
    ///             edit.replace(block.with_data(&data));
    ///         }
    ///     }
    /// });
    /// let rewritten: Vec<_> = rewritten.try_collect().await?;
    /// assert_eq!(rewritten.concat(), b"data: {\"model\":\"ours\",\"n\":1}\n\ndata: [DONE]\n\n");
    /// # Ok::<(), eventwire::Error<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// # How blocks are passed on
    ///
    /// * The bytes of a block are its lines and their line ends, including unknown fields and the blank line. A
    ///   block without effect, such as one that contains only unknown fields, is passed on without a call of the
    ///   function.
    /// * The function is called with a comment as soon as its line ends. A comment inside a block is passed on first:
    ///   the other lines of the block wait for its blank line. A blank line directly after removed comments is removed
    ///   as well.
    /// * If a block ends with CR LF and a chunk ends between the two, the LF is passed on with the next chunk. If
    ///   something is appended to the block, it follows the CR, and the LF is dropped.
    /// * A byte order mark is passed on.
    ///
    /// If the function changes nothing and no comment is inside a block, the output equals the input, up to the last
    /// blank line or comment.
    ///
    /// # Chunks, memory and the end
    ///
    /// A `Rewrite` is a stream of `Result<Bytes, Error<E>>`. Its source is a stream of `Result<B, E>`, where a chunk
    /// `B` is any type that is `Into<Bytes>`. The source is polled only when all output has been returned. A chunk
    /// of input becomes at most one chunk of output, unless a block in it is an error: then the output before the
    /// error is one chunk, and the output after it is another. A chunk is not copied if everything in it is kept.
    ///
    /// A block is buffered until it is complete, up to the decoder's [limit](Decoder::with_max_event_size). In a
    /// `Rewrite`, the limit applies to all lines of a block together, including unknown fields but without comments,
    /// and to each comment separately. [`Oversize`] sets whether a larger block or comment is an error or is passed
    /// on. After an error of [`InvalidUtf8::Stop`](crate::InvalidUtf8::Stop) the output ends.
    ///
    /// If only a part of a chunk is kept, the output is a copy, for which at most the size of the chunk is allocated.
    /// Besides these two, and what the function writes, a `Rewrite` needs at most 13 times the limit in memory, or 18
    /// times if invalid UTF-8 is replaced (U+FFFD is three bytes long), and buffers of up to 256 KiB that it keeps. Its
    /// decoder releases larger buffers [after 32 small blocks](Decoder#memory).
    ///
    /// At the end of the source, the decoder's [`Eof`](crate::Eof) decides what happens to an unfinished block. If it
    /// is not [dispatched](crate::Eof::Dispatch), it is dropped, and so is its `retry`. With
    /// [`Eof::Error`](crate::Eof::Error), this is an error even if the block contains only unknown fields. If the
    /// source ends after an error, an unfinished block is dropped.
    ///
    /// # As a body
    ///
    /// A `Rewrite` is a stream, not an HTTP body. Convert it with axum's `Body::from_stream`, or with `StreamBody`
    /// of the crate `http-body-util` (map each chunk to a `Frame::data`). Do not forward the `Content-Length` of the
    /// response, because the length changes. Forward a compressed response without a `Rewrite`: a compressed body
    /// contains no blocks. With reqwest and axum:
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../../docs/rewrite-axum.md"))]
    ///
    /// The [recipe](crate::recipes::proxies#a-proxy-that-counts-tokens) of a complete proxy also handles headers and
    /// errors.
    ///
    /// # Panics
    ///
    /// If the function, the source or the conversion of a chunk into [`Bytes`] panics, the poll panics, and so does
    /// each later poll, like those of an `async fn`. Bytes are missing after such a panic, so a server that catches it
    /// must not complete the response.
    #[derive(Clone, Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct Rewrite<S, F> {
        #[pin]
        source: S,
        function: F,
        rewriter: Rewriter,
        // `None` during a poll. A poll that finds it knows that the one before it has panicked.
        state: Option<SourceState>,
    }
}

impl<S, F> Rewrite<S, F>
where
    F: FnMut(BlockItemRef<'_>, &mut Edit<'_>),
{
    /// Creates a stream that passes `chunks` on and calls `function` with each block and comment.
    pub fn new(chunks: S, function: F) -> Rewrite<S, F> {
        let rewriter = Rewriter::new(Decoder::new(), Oversize::default());
        Rewrite { source: chunks, function, rewriter, state: Some(SourceState::Open) }
    }
}

impl<S, F> Rewrite<S, F> {
    /// Sets the decoder, for example one with another size limit.
    ///
    /// If the decoder has an unfinished block, that block is dropped, because its bytes are no longer known. (A
    /// [`Tap`](super::Tap) continues an unfinished block.)
    pub fn with_decoder(mut self, decoder: Decoder) -> Rewrite<S, F> {
        self.rewriter = Rewriter::new(decoder, self.rewriter.oversize());
        self
    }

    /// Sets what happens to a block over the decoder's [limit](Decoder::with_max_event_size). By default it is an
    /// error.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Decoder, Oversize, Rewrite};
    /// use futures_util::{TryStreamExt, stream};
    /// use std::convert::Infallible;
    ///
    /// let upstream =
    ///     stream::iter(["data: a long event\n\ndata: 1\n\n"].map(Ok::<_, Infallible>));
    /// let decoder = Decoder::new().with_max_event_size(10);
    /// let rewritten = Rewrite::new(upstream, |_, edit| edit.remove());
    /// let rewritten = rewritten.with_decoder(decoder).with_oversize(Oversize::Pass);
    /// assert_eq!(rewritten.try_collect::<Vec<_>>().await?.concat(), b"data: a long event\n\n");
    /// # Ok::<(), eventwire::Error<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    pub fn with_oversize(mut self, oversize: Oversize) -> Rewrite<S, F> {
        self.rewriter.set_oversize(oversize);
        self
    }

    /// Returns the decoder in its state after the last byte that was read, which may be inside a block.
    ///
    /// After the end of the stream, the decoder is ready for another stream.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        self.rewriter.decoder()
    }

    accessors! {
        source: S, "the source of the chunks";
        /// Buffered bytes are lost.
        into_inner;
    }
}

impl<S, B, E, F> Stream for Rewrite<S, F>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    F: FnMut(BlockItemRef<'_>, &mut Edit<'_>),
{
    type Item = Result<Bytes, Error<E>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        let Some(mut source) = this.state.take() else { polled_after_panic() };
        let poll = poll(this.source.as_mut(), this.function, this.rewriter, &mut source, context);
        *this.state = Some(source);
        poll
    }
}

#[cold]
#[expect(clippy::panic, reason = "any other end would look as if nothing were missing")]
fn polled_after_panic() -> ! {
    panic!("`Rewrite` polled after a panic");
}

/// Polls a [`Rewrite`] that has not panicked.
fn poll<S, B, E, F>(
    mut chunks: Pin<&mut S>,
    function: &mut F,
    rewriter: &mut Rewriter,
    source: &mut SourceState,
    context: &mut Context<'_>,
) -> Poll<Option<Result<Bytes, Error<E>>>>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    F: FnMut(BlockItemRef<'_>, &mut Edit<'_>),
{
    loop {
        if let Some(item) = rewriter.next(function) {
            return Poll::Ready(Some(item.map_err(Error::Decode)));
        }
        match source {
            SourceState::Open | SourceState::Failed if !rewriter.has_ended() => {}
            SourceState::Ending if rewriter.end(function) => continue,
            _ => {
                *source = SourceState::Ended;
                rewriter.close();
                return Poll::Ready(None);
            }
        }
        match ready!(chunks.as_mut().poll_next(context)) {
            Some(Ok(chunk)) => {
                *source = SourceState::Open;
                if let Some(chunk) = rewriter.begin(chunk.into(), function) {
                    return Poll::Ready(Some(Ok(chunk)));
                }
            }
            Some(Err(error)) => {
                *source = SourceState::Failed;
                return Poll::Ready(Some(Err(Error::Transport(error))));
            }
            // The unfinished rest is dropped, as in an `Events`.
            None if *source == SourceState::Failed => *source = SourceState::Ended,
            None => *source = SourceState::Ending,
        }
    }
}

impl<S, B, E, F> FusedStream for Rewrite<S, F>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    F: FnMut(BlockItemRef<'_>, &mut Edit<'_>),
{
    fn is_terminated(&self) -> bool {
        self.state == Some(SourceState::Ended)
    }
}
