//! What is wrong with a multipart stream.

use core::fmt;

/// What is wrong with a multipart stream, and in which part.
///
/// Everything before the error has been returned. What follows depends on the [kind](DecodeErrorKind).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    kind: DecodeErrorKind,
    part: u64,
}

/// The kinds of [`DecodeError`].
///
/// After `HeadersTooLarge`, `TooManyHeaders` and `LengthMismatch`, decoding continues with the next part. The others end the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// More bytes than [the limit](super::PartDecoder::with_max_preamble_size) came before the first delimiter.
    /// The boundary may be the wrong one. Nothing follows.
    PreambleTooLarge,
    /// The stream ended without a delimiter. The boundary may be the wrong one;
    /// [`sniffing`](super::PartDecoder::sniffing) takes it from the stream. Nothing follows.
    NoDelimiter,
    /// The headers of the part have more bytes than [the limit](super::PartDecoder::with_max_headers_size). The part is
    /// skipped, and decoding continues with the next one.
    HeadersTooLarge,
    /// The part has more header lines than [the limit](super::PartDecoder::with_max_headers). The part is skipped, and
    /// decoding continues with the next one.
    TooManyHeaders,
    /// The part is longer or shorter than its `Content-Length`, and lengths are [strict](super::PartDecoder::with_strict_lengths).
    /// If it is longer, the part itself has already been returned. Decoding continues with the next part.
    LengthMismatch,
    /// The stream ended without its close delimiter, which is [required](super::PartDecoder::require_close): data is missing. Nothing
    /// follows.
    NotClosed,
}

impl DecodeError {
    pub(super) fn new(kind: DecodeErrorKind, part: u64) -> DecodeError {
        DecodeError { kind, part }
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> DecodeErrorKind {
        self.kind
    }

    /// The number of the part, counted from 1, including skipped parts. It is 0 before the first part.
    #[must_use]
    pub fn part(&self) -> u64 {
        self.part
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.part;
        match self.kind {
            DecodeErrorKind::PreambleTooLarge => f.write_str("no delimiter within the limit; check the boundary"),
            DecodeErrorKind::NoDelimiter => f.write_str("the stream ended without a delimiter; check the boundary"),
            DecodeErrorKind::HeadersTooLarge => write!(f, "the headers of part {part} are larger than the limit"),
            DecodeErrorKind::TooManyHeaders => write!(f, "part {part} has more header lines than the limit"),
            DecodeErrorKind::LengthMismatch => write!(f, "part {part} is longer or shorter than its Content-Length"),
            DecodeErrorKind::NotClosed if part == 0 => f.write_str("the stream ended before its first part"),
            DecodeErrorKind::NotClosed => {
                write!(f, "the stream was cut off: it ended in or after part {part}, without its close delimiter")
            }
        }
    }
}

impl core::error::Error for DecodeError {}
