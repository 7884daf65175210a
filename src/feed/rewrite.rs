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
    /// * A block without data may say several things (an ID, a reconnection time, a type), for each of which the
    ///   function is called. If all are kept, so are the block's bytes; if not, those that are kept are written anew.
    /// * A byte order mark is passed on.
    ///
    /// If nothing is changed and no comment stands inside a block, the output is the input, up to the last blank line
    /// or comment.
    ///
    /// # Chunks, memory and the end
    ///
    /// It is a stream of `Result<Bytes, Error<E>>` over a stream of `Result<B, E>` with `B: Into<Bytes>`. The source is
    /// polled only when all output has been given, and each of its chunks becomes one chunk at most. A
    /// chunk in which all is kept is not copied. What is undecided is held, up to the decoder's
    /// [limit](Decoder::with_max_event_size), which counts all bytes of a block but those of comments, and of a comment
    /// for itself. What is larger is an error, or passed on: see [`Oversize`]. All in all that takes at most 6 times
    /// the limit, besides the chunk and what the function writes.
    ///
    /// At the end of the source, what is unfinished is treated as [`Eof`](crate::Eof) says. If the source ends after an
    /// error, it is dropped.
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

    /// The same by a decoder with settings or a last event ID of its own. What it has unfinished is dropped.
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

    /// The decoder, as it is after the last block that was decided.
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
