//! What is wrong with a multipart stream.

use core::fmt;

/// What is wrong with a multipart stream, and with which part of it.
///
/// Whatever came before the error has been given. What comes after it depends on the [kind](DecodeErrorKind).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DecodeError {
    kind: DecodeErrorKind,
    part: u64,
}

/// The kinds of [`DecodeError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// More bytes than [the limit](super::PartDecoder::with_max_preamble_size) came before the first delimiter. Nothing follows.
    PreambleTooLarge,
    /// The stream has ended, and the boundary was not in it: perhaps it is another one.
    NoDelimiter,
    /// The headers of the part have more bytes than [the limit](super::PartDecoder::with_max_headers_size). The part is left out, and
    /// decoding goes on with the next.
    HeadersTooLarge,
    /// The part has more header lines than [the limit](super::PartDecoder::with_max_headers). The part is left out, and decoding goes
    /// on with the next.
    TooManyHeaders,
    /// The part is longer or shorter than its `Content-Length`, and lengths are [strict](super::PartDecoder::with_strict_lengths).
    /// Decoding goes on with the next part.
    LengthMismatch,
    /// The stream has ended without its close delimiter, which is [required](super::PartDecoder::require_close): something is missing.
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

    /// The number of the part, counted from 1, with those that were left out. It is 0 before the first part.
    #[must_use]
    pub fn part(&self) -> u64 {
        self.part
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.part;
        match self.kind {
            DecodeErrorKind::PreambleTooLarge => f.write_str("the preamble is larger than the limit"),
            DecodeErrorKind::NoDelimiter => f.write_str("the stream ended, and its boundary was not found"),
            DecodeErrorKind::HeadersTooLarge => write!(f, "the headers of part {part} are larger than the limit"),
            DecodeErrorKind::TooManyHeaders => write!(f, "part {part} has more headers than the limit"),
            DecodeErrorKind::LengthMismatch => write!(f, "the length of part {part} is not its Content-Length"),
            DecodeErrorKind::NotClosed if part == 0 => f.write_str("the stream ended before its first part"),
            DecodeErrorKind::NotClosed => {
                write!(f, "the stream was cut off: it ended in or after part {part}, without its close delimiter")
            }
        }
    }
}

impl core::error::Error for DecodeError {}
