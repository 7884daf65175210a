//! Chunks in which blocks are kept, removed, replaced or followed by others.

mod edit;
mod encode;
mod output;
mod oversize;
mod rewriter;

pub use self::{edit::Edit, encode::Encode, oversize::Oversize};

use self::rewriter::Rewriter;
use super::{Error, Source};
use crate::{decoder::Decoder, event::BlockRef};
use bytes::Bytes;
use core::{
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Passes a stream of chunks on, and lets a function change the blocks in them.
    ///
    /// Use it in a proxy that drops comments or rewrites payloads. The function is called for each [`BlockRef`], in
    /// order, and says by [`Edit`] what becomes of it. A block that it says nothing about is passed on byte for byte.
    ///
    /// ```
    /// # #[cfg(feature = "json")]
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{BlockRef, Rewrite};
    /// use futures_util::{TryStreamExt, stream};
    /// use serde_json::Value;
    /// use std::convert::Infallible;
    ///
    /// let upstream = stream::iter([
    ///     ": keep-alive\n\ndata: {\"model\":\"small-2",
    ///     "\",\"n\":1}\n\ndata: [DONE]\n\n",
    /// ].map(Ok::<_, Infallible>));
    ///
    /// let rewritten = Rewrite::new(upstream, |block, edit| match block {
    ///     BlockRef::Comment(_) => edit.remove(),
    ///     BlockRef::Event(event) => {
    ///         let Ok(Value::Object(mut payload)) = serde_json::from_str(event.data()) else { return };
    ///         if payload.contains_key("model") {
    ///             payload.insert("model".into(), "ours".into());
    ///             let data = Value::Object(payload).to_string();
    ///             edit.replace(&event.without_inherited_id().with_data(&data));
    ///         }
    ///     }
    ///     _ => {}
    /// });
    /// let rewritten: Vec<_> = rewritten.try_collect().await?;
    /// assert_eq!(rewritten.concat(), b"data: {\"model\":\"ours\",\"n\":1}\n\ndata: [DONE]\n\n");
    /// # Ok::<(), eventwire::Error<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// # What a block is
    ///
    /// * The bytes of a block are its lines with their ends, unknown fields and the blank line included. A block of
    ///   unknown fields alone is passed on as it is.
    /// * A comment is decided when its line ends, and goes on before the lines of the block around it, which are held
    ///   until their blank line. A blank line that comes directly after removed comments is removed with them.
    /// * A block without data can have an ID, a reconnection time and a type. The function is called for each of them.
    ///   If it keeps them all, the bytes of the block stay as they are, and what it appends comes after the block. If
    ///   it removes one of them, the others are written anew, each with what was appended to it.
    /// * If a chunk ends between the CR and the LF at the end of a block, the block goes on with the CR, and the LF
    ///   with the next chunk. If something is appended to the block, it comes directly after the CR, and the LF is
    ///   dropped.
    /// * A byte order mark is passed on.
    ///
    /// If nothing is changed and no comment stands inside a block, the output is the input, up to the last blank line
    /// or comment.
    ///
    /// # Chunks, memory and the end
    ///
    /// It is a stream of `Result<Bytes, Error<E>>` over a stream of `Result<B, E>` with `B: Into<Bytes>`. The source is
    /// polled only when all output has been given. A chunk becomes one chunk at most, unless a block in it is an error:
    /// then what comes before the error is one chunk, and what comes after it another. A chunk in which all is kept is
    /// not copied.
    ///
    /// What is undecided is held, up to the decoder's [limit](Decoder::with_max_event_size). In a `Rewrite` that limit
    /// counts all bytes of a block except its comments; each comment is counted for itself. What is larger is an error,
    /// or is passed on: see [`Oversize`].
    ///
    /// The memory for an event and a comment of valid text is at most 6 times the limit, besides the chunk and what the
    /// function writes. The worst sequence of blocks that is known comes to 10 times, and to 28 times where text
    /// has to be repaired (U+FFFD is three bytes long).
    ///
    /// At the end of the source, what is unfinished is treated as [`Eof`](crate::Eof) says. If the source ends after an
    /// error, it is dropped.
    ///
    /// # As a body
    ///
    /// A `Rewrite` is a stream, and not an HTTP body. Make a body of it by axum's `Body::from_stream`, or by
    /// `StreamBody` of the crate `http-body-util` (map each chunk to a `Frame::data`). With reqwest and axum:
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../../docs/rewrite-axum.md"))]
    ///
    /// A whole proxy, with the headers, errors and compressed responses to think of, is the example
    /// [`proxy`](https://github.com/eventwire/eventwire/tree/main/examples/proxy).
    #[derive(Clone, Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct Rewrite<S, F> {
        #[pin]
        source: S,
        function: F,
        rewriter: Rewriter,
        state: Source,
    }
}

impl<S, F> Rewrite<S, F>
where
    F: FnMut(BlockRef<'_>, &mut Edit<'_>),
{
    /// Passes these chunks on as `function` says.
    pub fn new(chunks: S, function: F) -> Rewrite<S, F> {
        Rewrite::with_decoder(chunks, function, Decoder::new())
    }

    /// The same by a decoder with settings or a last event ID of its own.
    ///
    /// If it has an unfinished block, that is dropped, since its bytes cannot be passed on. (A [`Tap`](super::Tap) goes
    /// on with it.)
    pub fn with_decoder(chunks: S, function: F, decoder: Decoder) -> Rewrite<S, F> {
        Rewrite { source: chunks, function, rewriter: Rewriter::new(decoder), state: Source::Open }
    }
}

impl<S, F> Rewrite<S, F> {
    /// Sets what becomes of a block over the decoder's [limit](Decoder::with_max_event_size).
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Decoder, Oversize, Rewrite};
    /// use futures_util::{TryStreamExt, stream};
    /// use std::convert::Infallible;
    ///
    /// let upstream = stream::iter(["data: a long event\n\ndata: 1\n\n"].map(Ok::<_, Infallible>));
    /// let decoder = Decoder::new().with_max_event_size(10);
    /// let rewritten = Rewrite::with_decoder(upstream, |_, edit| edit.remove(), decoder).with_oversize(Oversize::Pass);
    /// assert_eq!(rewritten.try_collect::<Vec<_>>().await?.concat(), b"data: a long event\n\n");
    /// # Ok::<(), eventwire::Error<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    pub fn with_oversize(mut self, oversize: Oversize) -> Rewrite<S, F> {
        self.rewriter.set_oversize(oversize);
        self
    }

    /// The decoder, as it is after the last block that was decided. After the end it is ready for another stream.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        self.rewriter.decoder()
    }

    /// The function.
    #[must_use]
    pub fn function(&self) -> &F {
        &self.function
    }

    /// The source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        &self.source
    }

    /// The source of the chunks. Chunks that are taken out of it here are missing in the output.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.source
    }

    /// The source of the chunks, pinned.
    #[must_use]
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut S> {
        self.project().source
    }

    /// The source of the chunks; bytes that are held are lost.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.source
    }

    /// The source of the chunks, the function and the decoder; bytes that are held are lost.
    #[must_use]
    pub fn into_parts(self) -> (S, F, Decoder) {
        (self.source, self.function, self.rewriter.into_decoder())
    }
}

impl<S, B, E, F> Stream for Rewrite<S, F>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    F: FnMut(BlockRef<'_>, &mut Edit<'_>),
{
    type Item = Result<Bytes, Error<E>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            if let Some(item) = this.rewriter.next(this.function) {
                return Poll::Ready(Some(item.map_err(Error::Decode)));
            }
            match this.state {
                Source::Open | Source::Failed => {}
                Source::Ending if this.rewriter.end(this.function) => continue,
                Source::Ending | Source::Ended => {
                    *this.state = Source::Ended;
                    this.rewriter.close();
                    return Poll::Ready(None);
                }
            }
            match ready!(this.source.as_mut().poll_next(context)) {
                Some(Ok(chunk)) => {
                    *this.state = Source::Open;
                    this.rewriter.begin(chunk.into());
                }
                Some(Err(error)) => {
                    *this.state = Source::Failed;
                    return Poll::Ready(Some(Err(Error::Transport(error))));
                }
                // After an error nobody knows what the rest would have been.
                None if *this.state == Source::Failed => *this.state = Source::Ended,
                None => *this.state = Source::Ending,
            }
        }
    }
}

impl<S, B, E, F> FusedStream for Rewrite<S, F>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    F: FnMut(BlockRef<'_>, &mut Edit<'_>),
{
    fn is_terminated(&self) -> bool {
        self.state == Source::Ended
    }
}
