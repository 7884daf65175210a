//! The synchronous adapter: the events of an iterator of chunks, or of a reader.

use super::{Error, Feed};
use crate::{decoder::Decoder, event::Event};
use bytes::Bytes;
use core::{iter::FusedIterator, time::Duration};

/// Reads the events of byte chunks without `async`: an iterator of `Result<Event, Error<E>>`.
///
/// For a file, a socket or any other [`Read`](std::io::Read), call [`from_reader`](Events::from_reader). Otherwise
/// the source is an iterator of `Result<B, E>`, where a chunk `B` is any type that is `Into<Bytes>`, such as
/// `Bytes`, `Vec<u8>`, `String` or `&'static str`. The source is asked for the next chunk only when all bytes of the
/// last chunk are decoded, and every event is returned before the error that follows it. How the bytes are split into
/// chunks [makes no difference](crate#guarantees).
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
#[must_use = "an iterator does nothing unless it is consumed"]
pub struct Events<I> {
    pub(super) source: I,
    pub(super) feed: Feed,
}

impl<I> Events<I> {
    /// Creates an iterator over the events in `chunks`.
    pub fn new(chunks: I) -> Events<I> {
        Events::with_decoder(chunks, Decoder::new())
    }

    /// Creates an iterator over the events in `chunks` with a configured decoder, for example one with a last event ID.
    ///
    /// ```
    /// use eventwire::{Decoder, Events};
    /// # use std::convert::Infallible;
    ///
    /// let decoder = Decoder::new().with_last_event_id("41")?; // from an earlier connection
    /// let chunks = [Ok::<_, Infallible>("data: a\n\n")];
    /// let mut events = Events::with_decoder(chunks.into_iter(), decoder);
    /// assert_eq!(events.next().unwrap()?.id(), "41");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_decoder(chunks: I, decoder: Decoder) -> Events<I> {
        Events { source: chunks, feed: Feed::new(decoder) }
    }

    /// Returns the last event ID; see [`Decoder::last_event_id`].
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.feed.decoder.last_event_id()
    }

    /// Returns the reconnection time that the stream has set; see [`Decoder::reconnection_time`].
    #[must_use]
    pub fn reconnection_time(&self) -> Option<Duration> {
        self.feed.decoder.reconnection_time()
    }

    /// Returns the decoder, in its state after the last item that the iterator has returned.
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
    #[must_use]
    pub fn get_ref(&self) -> &I {
        &self.source
    }

    /// Returns a mutable reference to the source. Chunks that you read from it directly are not decoded.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut I {
        &mut self.source
    }

    /// Returns the source of the chunks. The [`remaining`](Events::remaining) bytes are lost.
    #[must_use]
    pub fn into_inner(self) -> I {
        self.source
    }

    /// Returns the source of the chunks and the decoder. The [`remaining`](Events::remaining) bytes are lost.
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
