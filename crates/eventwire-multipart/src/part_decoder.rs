//! The decoder of multipart streams: it turns chunks into pieces of parts.

mod body;
mod delimiter;
mod head;
mod preamble;

use self::{
    body::Body,
    delimiter::Delimiter,
    head::{Block, Head},
    preamble::Preamble,
};
use super::{
    Boundary, HeadersRef, InvalidBoundary, MediaType, PartDecodeError, PartDecodeErrorKind, PartEnd, Piece, PieceRef,
    feed::{Decode, Step},
};
use alloc::vec::Vec;
use bytes::{Buf, Bytes};
use core::{mem, ops::Range};

/// Decodes a multipart stream into pieces, chunk by chunk, in your own loop. It does no I/O.
///
/// [`decode`](PartDecoder::decode) returns borrowed pieces, [`decode_bytes`](PartDecoder::decode_bytes) owned
/// slices of the chunk. Call one of them until it returns `None`, then call it with the next chunk. At the end of
/// the stream, call [`finish`](PartDecoder::finish) until it returns `None`.
///
/// Bodies are never buffered. The decoder stores only headers and lines before the first delimiter that cross a
/// chunk boundary, headers that are continued on a second line, and the blanks after a boundary.
///
/// ```
/// use eventwire_multipart::{Boundary, PartDecoder, PartEnd, PieceRef};
///
/// let mut decoder = PartDecoder::new(Boundary::new("frame")?);
/// let mut text = Vec::new();
/// for mut chunk in
///     [&b"--frame\r\nContent-Type: text/plain\r\n\r\nHel"[..], b"lo\r\n--fra", b"me--"]
/// {
///     while let Some(piece) = decoder.decode(&mut chunk)? {
///         match piece {
///             PieceRef::PartBegin(headers) => {
///                 assert!(headers.media_type().unwrap().is("text/plain"));
///             }
///             PieceRef::Data(bytes) => text.extend_from_slice(bytes),
///             PieceRef::PartEnd(end) => assert_eq!(end, PartEnd::Delimiter),
///             _ => {} // the end of the stream; see `is_closed`
///         }
///     }
/// }
/// assert_eq!(text, b"Hello");
/// assert!(decoder.is_closed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct PartDecoder {
    limits: Limits,
    requires_close: bool,
    state: State,
    delimiter: Delimiter,
    /// Bytes that cross a chunk boundary: a line of the preamble, a block of headers, or what follows a dash-boundary.
    /// Also a block of headers with continued lines.
    buffer: Vec<u8>,
    /// The number of the current part, or between parts, of the last one.
    part: u64,
}

#[derive(Clone, Debug)]
struct Limits {
    /// In bytes, like the next one.
    preamble_size: usize,
    headers_size: usize,
    headers: usize,
}

#[derive(Clone, Debug)]
enum State {
    Preamble(Preamble),
    Head(Head),
    Body(Body),
    /// A part without a body. Its end has not been returned yet.
    Bodyless(PartEnd, Next),
    Closing,
    Closed,
}

/// What follows in the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Body,
    Head,
    Close,
    EndOfStream,
}

/// A piece, in which places stand for bytes. It becomes a [`PieceRef`] or a [`Piece`].
#[derive(Debug)]
pub(super) enum Found {
    PartBegin(Place),
    Data(Place),
    PartEnd(PartEnd),
    Close,
}

/// The location of bytes.
#[derive(Debug)]
pub(super) enum Place {
    Chunk(Range<usize>),
    /// In the delimiter: the input began like a delimiter and then differed.
    Delimiter(Range<usize>),
    Buffer(Range<usize>),
}

impl PartDecoder {
    /// Returns a decoder for a stream with this boundary. The stream may end without a close delimiter.
    #[must_use]
    pub fn new(boundary: Boundary) -> PartDecoder {
        PartDecoder {
            limits: Limits { preamble_size: 64 * 1024, headers_size: 16 * 1024, headers: 64 },
            requires_close: false,
            state: State::Preamble(Preamble::default()),
            delimiter: Delimiter::new(&[b"--", boundary.as_bytes()].concat()),
            buffer: Vec::new(),
            part: 0,
        }
    }

    /// Returns a decoder for the body of a response with this `Content-Type`.
    ///
    /// For any type except `multipart/x-mixed-replace` it sets [`require_close`](PartDecoder::require_close).
    ///
    /// ```
    /// use eventwire_multipart::PartDecoder;
    ///
    /// let decoder = PartDecoder::from_content_type(b"multipart/mixed; boundary=\"-\"")?;
    /// # Ok::<(), eventwire_multipart::InvalidBoundary>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The same as [`Boundary::from_content_type`].
    pub fn from_content_type(content_type: &[u8]) -> Result<PartDecoder, InvalidBoundary> {
        let decoder = PartDecoder::new(Boundary::from_content_type(content_type)?);
        let may_be_open = MediaType::new(content_type).is("multipart/x-mixed-replace");
        Ok(if may_be_open { decoder } else { decoder.require_close() })
    }

    /// Makes a stream without a close delimiter an error, [`PartDecodeErrorKind::Truncated`].
    ///
    /// Without it, a part that is truncated by the end of the stream ends with [`PartEnd::EndOfStream`].
    ///
    /// ```
    /// use eventwire_multipart::{Boundary, PartDecodeErrorKind, PartDecoder};
    ///
    /// let mut decoder = PartDecoder::new(Boundary::new("b")?).require_close();
    /// let mut chunk = &b"--b\r\n\r\nHello"[..];
    /// while decoder.decode(&mut chunk)?.is_some() {}
    /// assert_eq!(decoder.finish().unwrap_err().kind(), PartDecodeErrorKind::Truncated);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn require_close(mut self) -> PartDecoder {
        self.requires_close = true;
        self
    }

    /// Sets the limit on the bytes before the first delimiter. The default is 64 KiB.
    #[must_use]
    pub fn with_max_preamble_size(mut self, bytes: usize) -> PartDecoder {
        self.limits.preamble_size = bytes;
        self
    }

    /// Sets the limit on the headers of a part in bytes, including line ends. The default is 16 KiB.
    ///
    /// Headers just below this limit can exceed it when they are sent on, because a
    /// [`PartEncoder`](super::PartEncoder) writes a blank after each colon, CRLF after each line, and may add a
    /// `Content-Length`.
    #[must_use]
    pub fn with_max_headers_size(mut self, bytes: usize) -> PartDecoder {
        self.limits.headers_size = bytes;
        self
    }

    /// Sets the limit on the header lines of a part. The default is 64. A
    /// [`PartEncoder`](super::PartEncoder) may add one, a `Content-Length`.
    #[must_use]
    pub fn with_max_headers(mut self, lines: usize) -> PartDecoder {
        self.limits.headers = lines;
        self
    }

    /// Returns the next piece of the stream, borrowed from `input` or the decoder, and advances `input` past it.
    ///
    /// `None` means that the next chunk is needed. A piece may be returned even if `input` is empty, so call it
    /// until it returns `None`.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded. [`PartDecodeErrorKind`] describes after which errors decoding continues with the next
    /// call.
    #[inline]
    pub fn decode<'d, 'c: 'd>(&'d mut self, input: &mut &'c [u8]) -> Result<Option<PieceRef<'d>>, PartDecodeError> {
        let chunk = *input;
        if chunk.is_empty() && self.is_idle() {
            return Ok(None);
        }
        if self.take(chunk) {
            *input = &chunk[chunk.len()..];
            return Ok(Some(PieceRef::Data(chunk)));
        }
        let mut used = 0;
        let found = self.find(chunk, &mut used, false);
        *input = &chunk[used..];
        Ok(found?.map(|found| self.borrow_piece(found, chunk)))
    }

    /// Returns the next piece of the stream, owned, and advances `input` past it. Data and headers are slices of
    /// `input`, and keep it in memory.
    ///
    /// Only headers that cross a chunk boundary, or that are continued on a second line, are copied. `None` means that
    /// the next chunk is needed. A piece may be returned even if `input` is empty, so call it until it returns `None`.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use eventwire_multipart::{Boundary, PartDecoder, Piece};
    ///
    /// let mut decoder = PartDecoder::new(Boundary::new("b")?);
    /// let mut chunk = Bytes::from_static(b"--b\r\n\r\nHello\r\n--b--");
    /// let mut pieces = Vec::new();
    /// while let Some(piece) = decoder.decode_bytes(&mut chunk)? {
    ///     pieces.push(piece);
    /// }
    /// assert_eq!(pieces[1], Piece::Data("Hello".into()));
    /// assert_eq!(pieces[3], Piece::Close);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The same as [`decode`](PartDecoder::decode).
    #[inline]
    pub fn decode_bytes(&mut self, input: &mut Bytes) -> Result<Option<Piece>, PartDecodeError> {
        if input.is_empty() && self.is_idle() {
            return Ok(None);
        }
        if self.take(input) {
            return Ok(Some(Piece::Data(mem::take(input))));
        }
        let mut used = 0;
        let found = self.find(input, &mut used, false);
        let piece = found.map(|found| found.map(|found| self.own(Step::Found(found), input)));
        input.advance(used);
        piece
    }

    /// Ends the stream, and returns the pieces that depend on its end. Call it until it returns `None`; then the
    /// decoder is [closed](PartDecoder::is_closed).
    ///
    /// ```
    /// use eventwire_multipart::{Boundary, PartDecoder, PartEnd, PieceRef};
    ///
    /// let mut decoder = PartDecoder::new(Boundary::new("b")?);
    /// let mut chunk = &b"--b\r\n\r\nHel"[..];
    /// while decoder.decode(&mut chunk)?.is_some() {}
    /// assert_eq!(decoder.finish()?, Some(PieceRef::PartEnd(PartEnd::EndOfStream)));
    /// assert_eq!(decoder.finish()?, None);
    /// assert!(decoder.is_closed());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Truncated`](PartDecodeErrorKind::Truncated) if a close delimiter is [required](PartDecoder::require_close) and
    /// missing; [`NoDelimiter`](PartDecodeErrorKind::NoDelimiter) if the stream had no delimiter, but more than line
    /// ends; or the errors of [`decode`](PartDecoder::decode).
    pub fn finish(&mut self) -> Result<Option<PieceRef<'_>>, PartDecodeError> {
        Ok(self.find(&[], &mut 0, true)?.map(|found| self.borrow_piece(found, &[])))
    }

    /// Returns whether the stream has ended: at a close delimiter, with an error after which nothing follows, or
    /// because [`finish`](PartDecoder::finish) has returned everything.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    /// Returns the number of the current part, or between parts, of the last one. It counts from 1 and includes
    /// skipped parts; it is 0 before the first part.
    pub(super) fn part(&self) -> u64 {
        self.part
    }

    /// Whether nothing can be returned before more bytes arrive, as in the middle of a body. Each chunk is followed
    /// by a call that returns `None`, and this early check makes decoding of frames in chunks of 64 bytes a quarter
    /// faster.
    #[inline]
    fn is_idle(&self) -> bool {
        matches!(&self.state, State::Body(body) if body.is_idle())
    }

    /// Takes a chunk that is data of the current part as a whole. Other chunks are left to `find`.
    #[inline]
    pub(super) fn take(&mut self, chunk: &[u8]) -> bool {
        match &mut self.state {
            State::Body(body) => body.take(chunk),
            _ => false,
        }
    }

    #[inline]
    fn borrow_piece<'d>(&'d self, found: Found, chunk: &'d [u8]) -> PieceRef<'d> {
        let bytes = |place| match place {
            Place::Chunk(range) => &chunk[range],
            Place::Delimiter(range) => &self.delimiter.bytes()[range],
            Place::Buffer(range) => &self.buffer[range],
        };
        match found {
            Found::PartBegin(place) => PieceRef::PartBegin(HeadersRef::new(bytes(place))),
            Found::Data(place) => PieceRef::Data(bytes(place)),
            Found::PartEnd(end) => PieceRef::PartEnd(end),
            Found::Close => PieceRef::Close,
        }
    }

    /// Returns the bytes at this place of the chunk or the decoder.
    #[inline]
    pub(super) fn bytes(&self, place: Place, chunk: &Bytes) -> Bytes {
        match place {
            Place::Chunk(range) => chunk.slice(range),
            Place::Delimiter(range) => self.delimiter.bytes().slice(range),
            Place::Buffer(range) => Bytes::copy_from_slice(&self.buffer[range]),
        }
    }

    /// Reads up to the next piece. `used` counts the bytes of the chunk that have been read. With `is_end` no chunk
    /// follows. After an error, the rest of the part or of the stream is skipped.
    pub(super) fn find(
        &mut self,
        chunk: &[u8],
        used: &mut usize,
        is_end: bool,
    ) -> Result<Option<Found>, PartDecodeError> {
        self.step(chunk, used, is_end).map_err(|kind| {
            self.state = match kind {
                PartDecodeErrorKind::HeadersTooLarge | PartDecodeErrorKind::TooManyHeaders => {
                    self.part += 1;
                    State::Body(Body::skipped())
                }
                PartDecodeErrorKind::PreambleTooLarge
                | PartDecodeErrorKind::NoDelimiter
                | PartDecodeErrorKind::Truncated => State::Closed,
            };
            PartDecodeError::new(kind, self.part)
        })
    }

    fn step(&mut self, chunk: &[u8], used: &mut usize, is_end: bool) -> Result<Option<Found>, PartDecodeErrorKind> {
        loop {
            let step = match &mut self.state {
                State::Preamble(preamble) => {
                    let max = self.limits.preamble_size;
                    let next = preamble.read(chunk, used, &mut self.buffer, &mut self.delimiter, max, is_end)?;
                    next.map(|next| (None, next))
                }
                State::Head(head) => {
                    match head.read(chunk, used, &mut self.buffer, &self.delimiter, &self.limits, is_end)? {
                        Some((Some(block), next)) => return self.begin_part(block, next).map(Some),
                        end => end.map(|(_, next)| (None, next)),
                    }
                }
                State::Body(body) => body.read(chunk, used, &mut self.buffer, &self.delimiter, is_end),
                &mut State::Bodyless(end, next) => Some((Some(Found::PartEnd(end)), next)),
                State::Closing => {
                    self.state = State::Closed;
                    return Ok(Some(Found::Close));
                }
                State::Closed => {
                    *used = chunk.len();
                    return Ok(None);
                }
            };
            let Some((found, next)) = step else { return Ok(None) };
            self.enter_next(next)?;
            if found.is_some() {
                return Ok(found);
            }
        }
    }

    /// Begins the part with these headers.
    fn begin_part(&mut self, block: Block, next: Next) -> Result<Found, PartDecodeErrorKind> {
        self.part += 1;
        self.state = match next {
            Next::Body => State::Body(Body::new(block.length)),
            Next::EndOfStream if self.requires_close => return Err(PartDecodeErrorKind::Truncated),
            Next::EndOfStream => State::Bodyless(PartEnd::EndOfStream, next),
            Next::Head | Next::Close if block.length.is_some_and(|length| length > 0) => {
                State::Bodyless(PartEnd::DelimiterBeforeLength, next)
            }
            Next::Head | Next::Close => State::Bodyless(PartEnd::Delimiter, next),
        };
        Ok(Found::PartBegin(block.place))
    }

    fn enter_next(&mut self, next: Next) -> Result<(), PartDecodeErrorKind> {
        self.state = match next {
            Next::Body => return Ok(()),
            Next::Head => {
                self.buffer.clear();
                State::Head(Head::default())
            }
            Next::Close => State::Closing,
            Next::EndOfStream if self.requires_close => return Err(PartDecodeErrorKind::Truncated),
            Next::EndOfStream => State::Closed,
        };
        Ok(())
    }
}
