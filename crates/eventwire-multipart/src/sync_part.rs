//! A part from a synchronous source, whose body is read on demand.

use super::{
    Error, Headers, HeadersRef, MediaType, PartEnd, Pieces, WholePart,
    collector::{Collector, DEFAULT_LIMIT},
    part::Progress,
};
use bytes::Bytes;

/// A part returned by [`SyncParts::next_part`](super::SyncParts::next_part): an `Iterator` over the chunks of its
/// body, each a `Result<Bytes, Error<E>>`.
///
/// If it is dropped before the end of its body, the next call of `SyncParts::next_part` skips the rest.
#[derive(Debug)]
#[must_use = "an iterator does nothing unless it is asked"]
pub struct SyncPart<'p, I> {
    pieces: &'p mut Pieces<I>,
    progress: Progress,
}

impl<'p, I> SyncPart<'p, I> {
    pub(super) fn new(pieces: &'p mut Pieces<I>, headers: Headers) -> SyncPart<'p, I> {
        SyncPart { pieces, progress: Progress::new(headers) }
    }

    /// Returns the headers.
    #[must_use]
    pub fn headers(&self) -> HeadersRef<'_> {
        self.progress.headers.as_ref()
    }

    /// Returns the media type from the `Content-Type` header; `None` without that header.
    #[must_use]
    pub fn media_type(&self) -> Option<MediaType<'_>> {
        self.progress.headers.media_type()
    }

    /// Returns how the part ended; see [`Part::part_end`](super::Part::part_end).
    #[must_use]
    pub fn part_end(&self) -> Option<PartEnd> {
        self.progress.part_end()
    }
}

impl<I, B, E> SyncPart<'_, I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    /// Reads the rest of the body, up to 16 MiB. Use [`whole_up_to`](SyncPart::whole_up_to) for another limit.
    ///
    /// # Errors
    ///
    /// The same as [`Part::bytes`](super::Part::bytes).
    pub fn bytes(self) -> Result<Bytes, Error<E>> {
        Ok(self.whole()?.into_body())
    }

    /// Reads the rest of the body, up to 16 MiB, and returns it with the headers. See
    /// [`Part::whole`](super::Part::whole).
    ///
    /// # Errors
    ///
    /// The same as [`Part::whole`](super::Part::whole).
    pub fn whole(self) -> Result<WholePart, Error<E>> {
        self.whole_up_to(DEFAULT_LIMIT)
    }

    /// Reads the rest of the body like [`whole`](SyncPart::whole), with another limit in bytes.
    ///
    /// # Errors
    ///
    /// The same as [`Part::whole`](super::Part::whole).
    pub fn whole_up_to(mut self, limit: usize) -> Result<WholePart, Error<E>> {
        let part = self.pieces.decoder().part();
        let mut collector = Collector::new(limit);
        while let Some(chunk) = self.next() {
            let chunk = chunk?;
            collector.add(chunk, self.pieces.chunk_len(), self.headers()).map_err(|error| error.of_part(part))?;
        }
        self.progress.into_whole(collector, part)
    }
}

impl<I, B, E> Iterator for SyncPart<'_, I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<Bytes, Error<E>>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.progress.is_open() {
            return None;
        }
        let piece = self.pieces.next();
        self.progress.take_in(piece, self.pieces.decoder().part())
    }
}

impl<I, B, E> core::iter::FusedIterator for SyncPart<'_, I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
}
