//! The errors of decoding a multipart stream.

use core::fmt;

/// The error of [`PartDecoder`](super::PartDecoder): what is wrong with the stream, and in which part.
///
/// It is returned after everything before it. The [kind](PartDecodeErrorKind) determines whether decoding continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// A kind and a number, so that it is the same for every split.
pub struct PartDecodeError {
    kind: PartDecodeErrorKind,
    part: u64,
}

/// The kind of a [`PartDecodeError`], and whether decoding continues after it.
///
/// After `HeadersTooLarge` and `TooManyHeaders`, decoding continues with the next part. The other kinds end the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartDecodeErrorKind {
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

impl PartDecodeError {
    pub(super) fn new(kind: PartDecodeErrorKind, part: u64) -> PartDecodeError {
        PartDecodeError { kind, part }
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> PartDecodeErrorKind {
        self.kind
    }

    /// Returns the number of the part, counted from 1 and including skipped parts. It is 0 before the first part.
    #[must_use]
    pub fn part(&self) -> u64 {
        self.part
    }
}

impl fmt::Display for PartDecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.part;
        match self.kind {
            PartDecodeErrorKind::PreambleTooLarge => f.write_str("no delimiter within the limit; check the boundary"),
            PartDecodeErrorKind::NoDelimiter => f.write_str("the stream ended without a delimiter; check the boundary"),
            PartDecodeErrorKind::HeadersTooLarge => write!(f, "the headers of part {part} are larger than the limit"),
            PartDecodeErrorKind::TooManyHeaders => write!(f, "part {part} has more header lines than the limit"),
            PartDecodeErrorKind::Truncated if part == 0 => {
                f.write_str("the stream is truncated: it ended before its first part")
            }
            PartDecodeErrorKind::Truncated => {
                write!(f, "the stream is truncated: it ended in or after part {part}, without its close delimiter")
            }
        }
    }
}

impl core::error::Error for PartDecodeError {}
