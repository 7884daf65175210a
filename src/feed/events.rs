//! The synchronous adapter: events of an iterator of chunks, or of a reader.

use super::{Error, Feed};
use crate::{decoder::Decoder, event::Event};
use bytes::Bytes;
use core::{iter::FusedIterator, time::Duration};

/// The events of an iterator of chunks; an iterator of `Result<Event, Error<E>>`.
///
/// The source gives `Result<B, E>`, where a chunk `B` is anything that is `Into<Bytes>`: `Bytes`, `Vec<u8>`, `String`, `&'static
/// str`. It is asked for the next chunk only when the bytes of the last are used up, and every event comes out before
/// the error that follows it. For a [`Read`](std::io::Read) there is [`from_reader`](Events::from_reader).
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
#[derive(Debug)]
#[must_use = "an iterator does nothing unless it is asked"]
pub struct Events<I> {
    pub(super) source: I,
    pub(super) feed: Feed,
}

impl<I> Events<I> {
    /// The events of these chunks.
    pub fn new(chunks: I) -> Events<I> {
        Events::with_decoder(chunks, Decoder::new())
    }

    /// The events of these chunks, by a decoder with settings or a last event ID of its own.
    pub fn with_decoder(chunks: I, decoder: Decoder) -> Events<I> {
        Events { source: chunks, feed: Feed::new(decoder) }
    }

    /// See [`Decoder::last_event_id`].
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.feed.decoder.last_event_id()
    }

    /// See [`Decoder::reconnection_time`].
    #[must_use]
    pub fn reconnection_time(&self) -> Option<Duration> {
        self.feed.decoder.reconnection_time()
    }

    /// The decoder, as it is after the last item.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.feed.decoder
    }

    /// What is left of the last chunk: bytes that the source gave and that the decoder has not been told yet.
    #[must_use]
    pub fn remaining(&self) -> &Bytes {
        &self.feed.chunk
    }

    /// The source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &I {
        &self.source
    }

    /// The source of the chunks. Chunks that are taken out of it here are missing in the events.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut I {
        &mut self.source
    }

    /// The source of the chunks; [`remaining`](Events::remaining) bytes are lost.
    #[must_use]
    pub fn into_inner(self) -> I {
        self.source
    }

    /// The source of the chunks, and the decoder; [`remaining`](Events::remaining) bytes are lost.
    #[must_use]
    pub fn into_parts(self) -> (I, Decoder) {
        (self.source, self.feed.decoder)
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
        if let Some(item) = self.feed.event() {
            return Some(item);
        }
        loop {
            if self.feed.has_ended() {
                return None;
            }
            match self.source.next() {
                Some(Ok(chunk)) => {
                    if let Some(item) = self.feed.first_event(chunk.into()) {
                        return Some(item);
                    }
                }
                Some(Err(error)) => return Some(Err(self.feed.fail(error))),
                None => return self.feed.end(),
            }
        }
    }
}

impl<I, B, E> FusedIterator for Events<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
}
