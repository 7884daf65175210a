//! The errors of decoding a multipart stream.

use core::fmt;

/// The error of [`PartDecoder`](super::PartDecoder): what is wrong with the stream, and in which part.
///
/// It is returned after everything before it. The [kind](DecodeErrorKind) determines whether decoding continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// A kind and a number, so that it is the same for every split.
pub struct DecodeError {
    kind: DecodeErrorKind,
    part: u64,
}

/// The kind of a [`DecodeError`], and whether decoding continues after it.
///
/// After `HeadersTooLarge` and `TooManyHeaders`, decoding continues with the next part. The other kinds end the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// More bytes than [the limit](super::PartDecoder::with_max_preamble_size) came before the first delimiter.
    /// Perhaps the boundary is wrong. This ends the stream.
    PreambleTooLarge,
    /// The stream has text but no delimiter. Perhaps the boundary is wrong. This ends the stream.
    NoDelimiter,
    /// The headers of the part are larger than [the limit](super::PartDecoder::with_max_headers_size). The part is
    /// skipped, and decoding continues with the next one.
    HeadersTooLarge,
    /// The part has more header lines than [the limit](super::PartDecoder::with_max_headers). The part is skipped, and
    /// decoding continues with the next one.
    TooManyHeaders,
    /// The stream ended without the close delimiter, which is [required](super::PartDecoder::require_close): data
    /// is missing. This ends the stream.
    Truncated,
}

impl DecodeError {
    pub(super) fn new(kind: DecodeErrorKind, part: u64) -> DecodeError {
        DecodeError { kind, part }
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> DecodeErrorKind {
        self.kind
    }

    /// Returns the number of the part, counted from 1 and including skipped parts. It is 0 before the first part.
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
            DecodeErrorKind::Truncated if part == 0 => {
                f.write_str("the stream is truncated: it ended before its first part")
            }
            DecodeErrorKind::Truncated => {
                write!(f, "the stream is truncated: it ended in or after part {part}, without its close delimiter")
            }
        }
    }
}

impl core::error::Error for DecodeError {}
