//! The synchronous adapter: parts of an iterator of chunks, or of a reader.

use super::{Collected, Error, PartDecoder, Piece, Pieces, SyncPart};
use bytes::Bytes;

/// The parts of an iterator of chunks, one after the other: what [`Parts`](super::Parts) is, without `async`.
///
/// ```
/// # #[cfg(feature = "std")] {
/// use eventwire::multipart::{Boundary, PartDecoder, SyncParts};
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
    /// The parts in these chunks.
    pub fn new(chunks: I, decoder: PartDecoder) -> SyncParts<I> {
        SyncParts { pieces: Pieces::new(chunks, decoder) }
    }

    /// The decoder, as it is after what was given last.
    #[must_use]
    pub fn decoder(&self) -> &PartDecoder {
        self.pieces.decoder()
    }

    /// The pieces of the parts that have not been asked for.
    pub fn pieces(self) -> Pieces<I> {
        self.pieces
    }

    /// The parts that have not been asked for, each with all of its body: an `Iterator`. What is left of the part at hand is passed
    /// over.
    pub fn collected(self) -> Collected<I> {
        Collected::of(self.pieces)
    }
}

#[cfg(feature = "std")]
impl<R: std::io::Read> SyncParts<crate::ReadChunks<R>> {
    /// The parts of a reader: a file, a socket, standard input. See [`ReadChunks`](crate::ReadChunks).
    pub fn from_reader(reader: R, decoder: PartDecoder) -> Self {
        SyncParts::new(crate::ReadChunks::new(reader), decoder)
    }
}

impl<I, B, E> SyncParts<I>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    /// The next part; `None` at the end of the stream. What is left of the part before is passed over.
    ///
    /// It is no `Iterator`, because a part borrows from it; [`collected`](SyncParts::collected) is.
    ///
    /// After an error, the [`DecodeErrorKind`](super::DecodeErrorKind) says what follows.
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
