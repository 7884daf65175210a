//! A part whose body is read on demand.

use super::{
    Error, Headers, HeadersRef, MediaType, PartEnd, Pieces, TextDecoder, WholePart,
    collector::{Collector, DEFAULT_LIMIT},
    feed::Step,
    part_decoder::Found,
};
use alloc::{borrow::ToOwned, string::String};
use bytes::Bytes;
use core::{
    future::poll_fn,
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
};
use eventwire::internal::Turn;
use futures_core::{FusedStream, Stream};

/// A part returned by [`Parts::next`](super::Parts::next). Read its body as it arrives with [`chunk`](Part::chunk),
/// or completely with [`bytes`](Part::bytes).
///
/// A part is truncated if the stream, or a delimiter, ends it before its `Content-Length` is reached, or if the stream
/// ends before its delimiter. Every way to read a truncated part fails with [`Truncated`](Error::Truncated), after the
/// bytes that have arrived.
///
/// It is also a `Stream` of `Result<Bytes, Error<E>>`. If it is dropped before the end of its body, the next call
/// of `Parts::next` skips the rest.
#[derive(Debug)]
pub struct Part<'p, S> {
    pieces: &'p mut Pieces<S>,
    headers: Headers,
    state: State,
    text: TextDecoder,
}

#[derive(Debug)]
enum State {
    Open,
    Ended(PartEnd),
    /// An error was returned in place of its end.
    Failed,
}

impl<'p, S> Part<'p, S> {
    pub(super) fn new(pieces: &'p mut Pieces<S>, headers: Headers) -> Part<'p, S> {
        Part { pieces, headers, state: State::Open, text: TextDecoder::new() }
    }

    /// Returns the headers.
    #[must_use]
    pub fn headers(&self) -> HeadersRef<'_> {
        self.headers.as_ref()
    }

    /// Returns the media type from the `Content-Type` header; `None` without that header.
    #[must_use]
    pub fn media_type(&self) -> Option<MediaType<'_>> {
        self.headers.media_type()
    }

    /// Returns how the part ended; `None` until [`chunk`](Part::chunk) has returned `None` or
    /// [`Truncated`](Error::Truncated), and if the part ended with another error.
    #[must_use]
    pub fn part_end(&self) -> Option<PartEnd> {
        match self.state {
            State::Ended(end) => Some(end),
            State::Open | State::Failed => None,
        }
    }
}

impl<S, B, E> Part<'_, S>
where
    S: Stream<Item = Result<B, E>> + Unpin,
    B: Into<Bytes>,
{
    /// Returns the next bytes of the body as soon as they arrive; `None` at the end of a complete part.
    ///
    /// They are a slice of the chunk that they arrived in, and **keep that chunk in memory**. It is cancel safe: no
    /// data is lost if the future is dropped.
    ///
    /// # Errors
    ///
    /// [`Truncated`](Error::Truncated) at the end of a truncated part, or any error that occurs before the part is
    /// complete.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, Error<E>>> {
        poll_fn(|context| self.poll_chunk(context)).await
    }

    /// Returns the next text of the body as soon as it arrives; `None` at the end of a complete part. It is never
    /// empty.
    ///
    /// A character that is split across two chunks comes with the second one. Bytes that are not UTF-8 become U+FFFD.
    /// If the part is truncated inside a character, that character is dropped.
    /// It is cancel safe, like [`chunk`](Part::chunk); what `chunk` returns is not in the text.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_multipart::{Boundary, PartDecoder, Parts};
    /// # use futures_util::stream;
    /// # use std::convert::Infallible;
    /// # let chunks = [&b"--x\r\n\r\ncaf\xC3"[..], b"\xA9\r\n--x--"];
    /// # let chunks = stream::iter(chunks.map(|chunk| Ok::<_, Infallible>(chunk.to_vec())));
    ///
    /// let mut parts = Parts::new(chunks, PartDecoder::new(Boundary::new("x")?));
    /// let mut answer = String::new();
    /// while let Some(part) = parts.next().await {
    ///     let mut part = part?;
    ///     while let Some(text) = part.text().await {
    ///         answer += &text?;
    ///     }
    /// }
    /// assert_eq!(answer, "caf\u{E9}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// The same as [`chunk`](Part::chunk).
    pub async fn text(&mut self) -> Option<Result<String, Error<E>>> {
        loop {
            match self.chunk().await {
                Some(Ok(chunk)) => {
                    let text = self.text.decode(&chunk);
                    if !text.is_empty() {
                        return Some(Ok(text));
                    }
                }
                Some(Err(error)) => {
                    if self.is_terminated() {
                        self.text = TextDecoder::new();
                    }
                    return Some(Err(error));
                }
                None => {
                    let rest = self.text.finish();
                    return (!rest.is_empty()).then(|| Ok(rest.to_owned()));
                }
            }
        }
    }

    /// Reads the rest of the body, up to 16 MiB. Use [`collect_up_to`](Part::collect_up_to) for another limit.
    ///
    /// # Errors
    ///
    /// [`PartTooLarge`](Error::PartTooLarge), or the same as [`chunk`](Part::chunk).
    pub async fn bytes(self) -> Result<Bytes, Error<E>> {
        Ok(self.collect_up_to(DEFAULT_LIMIT).await?.into_body())
    }

    /// Reads the rest of the body, up to a limit in bytes, and returns it with the headers.
    ///
    /// # Errors
    ///
    /// The same as [`bytes`](Part::bytes).
    pub async fn collect_up_to(mut self, limit: usize) -> Result<WholePart, Error<E>> {
        let part = self.pieces.decoder().part();
        let mut collector = Collector::new(mem::take(&mut self.headers), part, limit);
        let mut turn = Turn::default();
        loop {
            let polled = poll_fn(|context| {
                ready!(turn.poll(context));
                self.poll_chunk(context)
            });
            let Some(chunk) = polled.await else { break };
            collector.add(chunk?, self.pieces.chunk_len())?;
        }
        match self.state {
            State::Ended(end) if end.is_complete() => Ok(collector.into_part()),
            // The error may have been returned by an earlier call of `chunk`.
            State::Ended(_) | State::Open | State::Failed => Err(Error::Truncated { part }),
        }
    }

    fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error<E>>>> {
        if self.is_terminated() {
            return Poll::Ready(None);
        }
        let found = ready!(self.pieces.poll_found(context));
        let part = self.pieces.decoder().part();
        Poll::Ready(match found {
            Some(Ok(Step::Chunk(data))) => Some(Ok(data)),
            Some(Ok(Step::Found(Found::Data(place)))) => Some(Ok(self.pieces.bytes(place))),
            Some(Ok(Step::Found(Found::PartEnd(end)))) => {
                self.state = State::Ended(end);
                (!end.is_complete()).then_some(Err(Error::Truncated { part }))
            }
            Some(Err(error)) => {
                // After an error of the source, the part may continue.
                if !matches!(error, Error::Transport(_)) {
                    self.state = State::Failed;
                }
                Some(Err(error))
            }
            // The source ended after an error, so it is unknown what is missing.
            None | Some(Ok(Step::Found(Found::PartBegin(_) | Found::Close))) => {
                self.state = State::Failed;
                Some(Err(Error::Truncated { part }))
            }
        })
    }
}

impl<S, B, E> FusedStream for Part<'_, S>
where
    S: Stream<Item = Result<B, E>> + Unpin,
    B: Into<Bytes>,
{
    fn is_terminated(&self) -> bool {
        !matches!(self.state, State::Open)
    }
}

impl<S, B, E> Stream for Part<'_, S>
where
    S: Stream<Item = Result<B, E>> + Unpin,
    B: Into<Bytes>,
{
    type Item = Result<Bytes, Error<E>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_chunk(context)
    }
}
