//! The decoder of multipart streams: it turns chunks into pieces of parts.

mod body;
mod delimiter;
mod head;
mod place;
mod preamble;
mod settings;

use self::{
    body::{Body, BodyPiece, Length, Purpose},
    delimiter::Delimiter,
    head::{Head, HeadEnd},
    place::{Found, Place},
    preamble::{Candidates, Preamble, PreambleEnd},
    settings::Settings,
};
use super::{
    Boundary, DecodeError, DecodeErrorKind, Headers, HeadersRef, InvalidBoundary, LengthPolicy, MediaType, PartEnd,
    Piece, PieceRef,
};
use alloc::vec::Vec;
use bytes::{Buf, Bytes};
use core::mem;

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
/// for mut chunk in [&b"--frame\r\nContent-Type: text/plain\r\n\r\nHel"[..], b"lo\r\n--fra", b"me--"] {
///     while let Some(piece) = decoder.decode(&mut chunk)? {
///         match piece {
///             PieceRef::PartBegin(headers) => assert!(headers.media_type().unwrap().is("text/plain")),
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
    settings: Settings,
    state: State,
    delimiter: Delimiter,
    /// Bytes that cross a chunk boundary: a line of the preamble, a block of headers, or what follows a dash-boundary.
    /// Also a block of headers with continued lines.
    buffer: Vec<u8>,
    /// The number of the current part, or between parts, of the last one.
    part: u64,
    junk: u64,
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

/// What follows a part without a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    Head,
    Close,
    EndOfStream,
}

impl PartDecoder {
    /// Returns a decoder for a stream with this boundary. The stream may end without a close delimiter.
    #[must_use]
    pub fn new(boundary: Boundary) -> PartDecoder {
        PartDecoder::with(Delimiter::new(&boundary), Candidates::Dashed)
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

    /// Returns a decoder that takes the boundary from the stream: from the first line that begins with two dashes.
    ///
    /// Use it for senders that do not name their boundary, or name the wrong one.
    ///
    /// ```
    /// use eventwire_multipart::{PartDecoder, PieceRef};
    ///
    /// let mut decoder = PartDecoder::sniffing();
    /// let mut chunk = &b"--frame\r\n\r\nHello\r\n--frame--"[..];
    /// assert!(matches!(decoder.decode(&mut chunk)?, Some(PieceRef::PartBegin(_))));
    /// assert_eq!(decoder.decode(&mut chunk)?, Some(PieceRef::Data(b"Hello")));
    /// # Ok::<(), eventwire_multipart::DecodeError>(())
    /// ```
    #[must_use]
    pub fn sniffing() -> PartDecoder {
        PartDecoder::with(Delimiter::unknown(), Candidates::Sniffed)
    }

    fn with(delimiter: Delimiter, candidates: Candidates) -> PartDecoder {
        PartDecoder {
            settings: Settings::default(),
            state: State::Preamble(Preamble::new(candidates)),
            delimiter,
            buffer: Vec::new(),
            part: 0,
            junk: 0,
        }
    }

    /// Accepts a first delimiter line without the two leading dashes. The later delimiter lines must then be the same.
    ///
    /// A boundary that itself begins with two dashes is always accepted without two more. This setting has no
    /// effect on a [`sniffing`](PartDecoder::sniffing) decoder, or after the first delimiter.
    #[must_use]
    pub fn with_bare_boundary(mut self) -> PartDecoder {
        if let State::Preamble(preamble) = &mut self.state
            && preamble.candidates == Candidates::Dashed
        {
            preamble.candidates = Candidates::DashedOrBare;
        }
        self
    }

    /// Sets how a part's `Content-Length` is used. The default is [`LengthPolicy::Hint`].
    #[must_use]
    pub fn with_length_policy(mut self, policy: LengthPolicy) -> PartDecoder {
        self.settings.length_policy = policy;
        self
    }

    /// Makes a wrong `Content-Length` an error, [`DecodeErrorKind::LengthMismatch`].
    ///
    /// By default, bytes between the end of a length and the next delimiter are ignored and
    /// [counted](PartDecoder::junk), and a part that is too short ends with [`PartEnd::DelimiterBeforeLength`]. A
    /// part that is truncated by the end of the stream is not a length error; see
    /// [`require_close`](PartDecoder::require_close).
    #[must_use]
    pub fn with_strict_lengths(mut self) -> PartDecoder {
        self.settings.has_strict_lengths = true;
        self
    }

    /// Makes a stream without a close delimiter an error, [`DecodeErrorKind::NotClosed`].
    ///
    /// Without it, a part that is truncated by the end of the stream ends with [`PartEnd::EndOfStream`].
    ///
    /// ```
    /// use eventwire_multipart::{Boundary, DecodeErrorKind, PartDecoder};
    ///
    /// let mut decoder = PartDecoder::new(Boundary::new("b")?).require_close();
    /// let mut chunk = &b"--b\r\n\r\nHello"[..];
    /// while decoder.decode(&mut chunk)?.is_some() {}
    /// assert_eq!(decoder.finish().unwrap_err().kind(), DecodeErrorKind::NotClosed);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn require_close(mut self) -> PartDecoder {
        self.settings.requires_close = true;
        self
    }

    /// Sets the limit on the bytes before the first delimiter. The default is 64 KiB.
    #[must_use]
    pub fn with_max_preamble_size(mut self, bytes: usize) -> PartDecoder {
        self.settings.max_preamble_size = bytes;
        self
    }

    /// Sets the limit on the headers of a part in bytes, including line ends. The default is 16 KiB.
    ///
    /// Headers just below this limit can exceed it when they are sent on, because a
    /// [`PartEncoder`](super::PartEncoder) writes a blank after each colon, CRLF after each line, and may add a
    /// `Content-Length`.
    #[must_use]
    pub fn with_max_headers_size(mut self, bytes: usize) -> PartDecoder {
        self.settings.max_headers_size = bytes;
        self
    }

    /// Sets the limit on the header lines of a part. The default is 64. A
    /// [`PartEncoder`](super::PartEncoder) may add one, a `Content-Length`.
    #[must_use]
    pub fn with_max_headers(mut self, lines: usize) -> PartDecoder {
        self.settings.max_headers = lines;
        self
    }

    /// Returns the next piece of the stream, borrowed from `input` or the decoder, and advances `input` past it.
    ///
    /// `None` means that the next chunk is needed. A piece may be returned even if `input` is empty, so call it
    /// until it returns `None`.
    ///
    /// # Errors
    ///
    /// If a limit is exceeded, or if a length is wrong and lengths are [strict](PartDecoder::with_strict_lengths).
    /// [`DecodeErrorKind`] describes after which errors decoding continues with the next call.
    #[inline]
    pub fn decode<'d, 'c: 'd>(&'d mut self, input: &mut &'c [u8]) -> Result<Option<PieceRef<'d>>, DecodeError> {
        let chunk = *input;
        if chunk.is_empty() && self.is_idle() {
            return Ok(None);
        }
        let mut used = 0;
        let found = self.step(chunk, &mut used);
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
    pub fn decode_bytes(&mut self, input: &mut Bytes) -> Result<Option<Piece>, DecodeError> {
        if input.is_empty() && self.is_idle() {
            return Ok(None);
        }
        let mut used = 0;
        let found = self.step(input, &mut used);
        let piece = found.map(|found| found.map(|found| self.give(found, input)));
        input.advance(used.min(input.len()));
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
    /// [`NotClosed`](DecodeErrorKind::NotClosed) if a close delimiter is [required](PartDecoder::require_close) and
    /// missing; [`NoDelimiter`](DecodeErrorKind::NoDelimiter) if the stream had no delimiter, but more than line
    /// ends; or the errors of [`decode`](PartDecoder::decode).
    pub fn finish(&mut self) -> Result<Option<PieceRef<'_>>, DecodeError> {
        Ok(self.end()?.map(|found| self.borrow_piece(found, &[])))
    }

    /// Ends the stream like [`finish`](PartDecoder::finish), and returns owned pieces.
    ///
    /// # Errors
    ///
    /// The same as [`finish`](PartDecoder::finish).
    pub fn finish_bytes(&mut self) -> Result<Option<Piece>, DecodeError> {
        Ok(self.end()?.map(|found| self.give(found, &mut Bytes::new())))
    }

    /// Returns whether the stream has ended: at a close delimiter, with an error after which nothing follows, or
    /// because [`finish`](PartDecoder::finish) has returned everything.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        matches!(self.state, State::Closed)
    }

    /// Returns the number of the current part, or between parts, of the last one. It counts from 1 and includes
    /// skipped parts; it is 0 before the first part.
    #[must_use]
    pub fn part(&self) -> u64 {
        self.part
    }

    /// Returns how many bytes of the stream so far were between the end of a part's `Content-Length` and the next
    /// delimiter.
    #[must_use]
    pub fn junk(&self) -> u64 {
        self.junk
    }

    /// Whether nothing can be returned before more bytes arrive, as in the middle of a body. Each chunk is followed
    /// by a call that returns `None`, and this early check makes decoding of frames in chunks of 64 bytes a quarter
    /// faster.
    #[inline]
    fn is_idle(&self) -> bool {
        matches!(&self.state, State::Body(body) if body.is_idle())
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

    #[inline]
    fn give(&self, found: Found, chunk: &mut Bytes) -> Piece {
        let mut bytes = |place| match place {
            // Most bodies are longer than a chunk, and moving a chunk is cheaper than slicing it, which adds a
            // reference.
            Place::Chunk(range) if range.len() == chunk.len() => mem::take(chunk),
            Place::Chunk(range) => chunk.slice(range),
            Place::Delimiter(range) => self.delimiter.bytes().slice(range),
            Place::Buffer(range) => Bytes::copy_from_slice(&self.buffer[range]),
        };
        match found {
            Found::PartBegin(place) => Piece::PartBegin(Headers::decoded(bytes(place))),
            Found::Data(place) => Piece::Data(bytes(place)),
            Found::PartEnd(end) => Piece::PartEnd(end),
            Found::Close => Piece::Close,
        }
    }

    /// Reads up to the next piece. `used` counts the bytes of the chunk that have been read.
    fn step(&mut self, chunk: &[u8], used: &mut usize) -> Result<Option<Found>, DecodeError> {
        loop {
            match &mut self.state {
                State::Preamble(preamble) => {
                    let max = self.settings.max_preamble_size;
                    let end = preamble.read(chunk, used, &mut self.buffer, &mut self.delimiter, max);
                    let Some(end) = end else { return Ok(None) };
                    self.end_preamble(end)?;
                }
                State::Head(head) => match head.read(chunk, used, &mut self.buffer, &self.delimiter, &self.settings) {
                    Ok(None) => return Ok(None),
                    Ok(Some((place, end))) => {
                        if let Some(found) = self.end_head(place, end, chunk) {
                            return Ok(Some(found));
                        }
                    }
                    Err(kind) => return Err(self.skip_part(kind)),
                },
                State::Body(body) => {
                    let piece = body.read(chunk, used, &mut self.buffer, &self.delimiter, false);
                    let Some(piece) = piece else { return Ok(None) };
                    if let Some(found) = self.take_in(piece)? {
                        return Ok(Some(found));
                    }
                }
                &mut State::Bodyless(end, next) => {
                    self.go_on(next);
                    return self.part_end(end).map(Some);
                }
                State::Closing => {
                    self.state = State::Closed;
                    return Ok(Some(Found::Close));
                }
                State::Closed => {
                    *used = chunk.len();
                    return Ok(None);
                }
            }
        }
    }

    /// Reads up to the next piece at the end of the stream, when no chunk follows.
    fn end(&mut self) -> Result<Option<Found>, DecodeError> {
        loop {
            match &mut self.state {
                State::Preamble(preamble) => {
                    let max = self.settings.max_preamble_size;
                    match preamble.finish(&self.buffer, &mut self.delimiter, max) {
                        Some(end) => self.end_preamble(end)?,
                        None if preamble.is_empty() => return self.end_of_stream(),
                        None => {
                            self.state = State::Closed;
                            return Err(DecodeError::new(DecodeErrorKind::NoDelimiter, 0));
                        }
                    }
                }
                State::Head(head) => match head.finish(&self.buffer, &self.delimiter, &self.settings) {
                    Ok((_, HeadEnd::EndOfStream)) if self.buffer.is_empty() => return self.end_of_stream(),
                    Ok((_, HeadEnd::EndOfStream)) if self.settings.requires_close => {
                        self.part += 1;
                        return self.end_of_stream();
                    }
                    Ok((place, end)) => {
                        if let Some(found) = self.end_head(place, end, &[]) {
                            return Ok(Some(found));
                        }
                    }
                    Err(kind) => return Err(self.skip_part(kind)),
                },
                State::Body(body) => match body.read(&[], &mut 0, &mut self.buffer, &self.delimiter, true) {
                    Some(piece) => {
                        if let Some(found) = self.take_in(piece)? {
                            return Ok(Some(found));
                        }
                    }
                    None if body.purpose == Purpose::Part && !self.settings.requires_close => {
                        self.state = State::Closed;
                        return Ok(Some(Found::PartEnd(PartEnd::EndOfStream)));
                    }
                    None => return self.end_of_stream(),
                },
                State::Bodyless(..) | State::Closing | State::Closed => return self.step(&[], &mut 0),
            }
        }
    }

    /// Closes the decoder when the stream has ended without a close delimiter.
    fn end_of_stream(&mut self) -> Result<Option<Found>, DecodeError> {
        self.state = State::Closed;
        if self.settings.requires_close {
            return Err(DecodeError::new(DecodeErrorKind::NotClosed, self.part));
        }
        Ok(None)
    }

    fn end_preamble(&mut self, end: PreambleEnd) -> Result<(), DecodeError> {
        match end {
            PreambleEnd::Delimiter => self.go_on(Next::Head),
            PreambleEnd::Close => self.go_on(Next::Close),
            PreambleEnd::TooLarge => {
                self.state = State::Closed;
                return Err(DecodeError::new(DecodeErrorKind::PreambleTooLarge, 0));
            }
        }
        Ok(())
    }

    /// Begins the part with these headers. Headers without lines that end at a delimiter do not begin a part.
    #[inline]
    fn end_head(&mut self, place: Place, end: HeadEnd, chunk: &[u8]) -> Option<Found> {
        let next = match end {
            HeadEnd::BlankLine => None,
            HeadEnd::Delimiter => Some(Next::Head),
            HeadEnd::Close => Some(Next::Close),
            HeadEnd::EndOfStream => Some(Next::EndOfStream),
        };
        // At the end of the stream, the only line may have been left out, because it is truncated.
        if let Some(next) = next
            && place.len() == 0
            && next != Next::EndOfStream
        {
            self.go_on(next);
            return None;
        }
        self.part += 1;
        let place = match &mut self.state {
            State::Head(head) => head.unfold(place, chunk, &mut self.buffer),
            _ => place,
        };
        let length = self.length(&place, chunk);
        self.state = match next {
            None => State::Body(Body::new(length)),
            Some(Next::EndOfStream) => State::Bodyless(PartEnd::EndOfStream, Next::EndOfStream),
            Some(next) if matches!(length, Length::Hint(1..) | Length::Trusted(1..)) => {
                State::Bodyless(PartEnd::DelimiterBeforeLength, next)
            }
            Some(next) => State::Bodyless(PartEnd::Delimiter, next),
        };
        Some(Found::PartBegin(place))
    }

    /// Returns the length of the part with these headers.
    #[inline]
    fn length(&self, place: &Place, chunk: &[u8]) -> Length {
        let State::Head(head) = &self.state else { return Length::Unknown };
        let block = match place {
            Place::Chunk(range) => &chunk[range.clone()],
            Place::Delimiter(_) => &[],
            Place::Buffer(range) => &self.buffer[range.clone()],
        };
        let length: fn(u64) -> Length = match self.settings.length_policy {
            LengthPolicy::Hint => Length::Hint,
            LengthPolicy::Trust => Length::Trusted,
            LengthPolicy::Ignore => return Length::Unknown,
        };
        head.length_lines(block).content_length().map_or(Length::Unknown, length)
    }

    /// Skips the part whose headers are too large.
    fn skip_part(&mut self, kind: DecodeErrorKind) -> DecodeError {
        self.part += 1;
        self.state = State::Body(Body::skipped());
        DecodeError::new(kind, self.part)
    }

    /// Processes a piece of a body. Returns nothing if the body is skipped or junk.
    #[inline]
    fn take_in(&mut self, piece: BodyPiece) -> Result<Option<Found>, DecodeError> {
        let State::Body(body) = &mut self.state else { return Ok(None) };
        let (purpose, had_length) = (body.purpose, body.has_length());
        let next = match piece {
            BodyPiece::Data(place) => {
                match purpose {
                    Purpose::Part => return Ok(Some(Found::Data(place))),
                    Purpose::Junk | Purpose::ReportedJunk => {
                        self.junk += u64::try_from(place.len()).unwrap_or(u64::MAX);
                    }
                    Purpose::Skipped => {}
                }
                if purpose == Purpose::Junk && self.settings.has_strict_lengths {
                    body.purpose = Purpose::ReportedJunk;
                    return Err(DecodeError::new(DecodeErrorKind::LengthMismatch, self.part));
                }
                return Ok(None);
            }
            BodyPiece::Length => {
                body.begin_junk(&mut self.buffer, &self.delimiter);
                return Ok(Some(Found::PartEnd(PartEnd::Length)));
            }
            BodyPiece::Delimiter => Next::Head,
            BodyPiece::Close => Next::Close,
        };
        self.go_on(next);
        if purpose != Purpose::Part {
            return Ok(None);
        }
        self.part_end(if had_length { PartEnd::DelimiterBeforeLength } else { PartEnd::Delimiter }).map(Some)
    }

    /// Returns the end of a part, or an error if lengths are strict and this one is wrong.
    fn part_end(&self, end: PartEnd) -> Result<Found, DecodeError> {
        if self.settings.has_strict_lengths && end == PartEnd::DelimiterBeforeLength {
            return Err(DecodeError::new(DecodeErrorKind::LengthMismatch, self.part));
        }
        Ok(Found::PartEnd(end))
    }

    fn go_on(&mut self, next: Next) {
        self.state = match next {
            Next::Head => {
                self.buffer.clear();
                State::Head(Head::default())
            }
            Next::Close => State::Closing,
            Next::EndOfStream => State::Closed,
        };
    }
}
