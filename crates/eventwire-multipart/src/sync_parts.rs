//! The synchronous adapter that reads parts from an iterator of chunks or from a reader.

use super::{Collected, Error, PartDecoder, Piece, Pieces, SyncPart};
use bytes::Bytes;

/// Reads parts from an iterator of chunks or from a reader: [`Parts`](super::Parts) without `async`.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use eventwire_multipart::{Boundary, PartDecoder, SyncParts};
///
/// let reader = &b"--b\r\nX-Note: 1\r\n\r\nHello\r\n--b--"[..]; // a file, a socket, standard input
/// let mut parts = SyncParts::from_reader(reader, PartDecoder::new(Boundary::new("b")?));
/// while let Some(part) = parts.next_part() {
///     let part = part?;
///     assert_eq!(part.headers().get("x-note"), Some(&b"1"[..]));
///     for chunk in part {
///         assert_eq!(chunk?, "Hello");
///     }
/// }
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SyncParts<I> {
    pieces: Pieces<I>,
}

impl<I> SyncParts<I> {
    /// Creates an adapter that reads parts from these chunks.
    pub fn new(chunks: I, decoder: PartDecoder) -> SyncParts<I> {
        SyncParts { pieces: Pieces::new(chunks, decoder) }
    }

    /// Returns the decoder, in its state after the last item.
    #[must_use]
    pub fn decoder(&self) -> &PartDecoder {
        self.pieces.decoder()
    }

    /// Returns a reference to the source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &I {
        self.pieces.get_ref()
    }

    /// Returns a mutable reference to the source. Chunks that you read from it are missing in the parts.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut I {
        self.pieces.get_mut()
    }

    /// Returns the source. Bytes of the last chunk that have not been decoded are lost.
    #[must_use]
    pub fn into_inner(self) -> I {
        self.pieces.into_inner()
    }

    /// Continues with single pieces from the current position.
    pub fn pieces(self) -> Pieces<I> {
        self.pieces
    }

    /// Returns the remaining parts, each with its complete body, as an `Iterator`. The rest of the current part is
    /// skipped.
    pub fn collected(self) -> Collected<I> {
        Collected::of(self.pieces)
    }
}

#[cfg(feature = "std")]
impl<R: std::io::Read> SyncParts<eventwire::ReadChunks<R>> {
    /// Reads parts from a reader, such as a file or standard input. See [`ReadChunks`](eventwire::ReadChunks).
    pub fn from_reader(reader: R, decoder: PartDecoder) -> Self {
        SyncParts::new(eventwire::ReadChunks::new(reader), decoder)
    }
}

impl<I, B, E> SyncParts<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    /// Returns the next part; `None` at the end of the stream. Skips the rest of the previous part.
    ///
    /// `SyncParts` is not an `Iterator`, because each part borrows from it; [`collected`](SyncParts::collected)
    /// returns one.
    ///
    /// After an error, call it again: it returns the next part, or `None` if the error ended the stream (see
    /// [`DecodeErrorKind`](super::DecodeErrorKind)).
    pub fn next_part(&mut self) -> Option<Result<SyncPart<'_, I>, Error<E>>> {
        loop {
            match self.pieces.next()? {
                Ok(Piece::PartBegin(headers)) => return Some(Ok(SyncPart::new(&mut self.pieces, headers))),
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
