//! The errors of the decoder.

use super::InvalidText;
use crate::line::Field;

/// The errors of [`Decoder`](super::Decoder): a limit was exceeded, or a setting rejected the input.
///
/// No input is malformed, so these errors come only from limits and settings. After each of them, decoding can go
/// on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// An event's `data`, `event` and `id` lines are larger than the limit.
    ///
    /// It is reported once, at the event's place among the results. The rest of the block is skipped, and neither
    /// its ID nor its type takes effect. A `retry` line before the byte that exceeded the limit does. The following
    /// events are not affected.
    #[error("the event is larger than the limit of {limit} bytes")]
    #[non_exhaustive]
    EventTooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// A comment is larger than the limit on an event's size. Only readers of blocks get it: `decode_block`,
    /// `.blocks()`, `Tap` and `Rewrite`.
    ///
    /// It is reported once. The rest of the comment is skipped. An event around the comment is not affected.
    #[error("the comment is larger than the limit of {limit} bytes")]
    #[non_exhaustive]
    CommentTooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// A value is not valid UTF-8. It is only reported with [`InvalidUtf8::Error`](super::InvalidUtf8::Error).
    ///
    /// It is reported at the blank line, and nothing in the block takes effect, neither its ID nor its `retry`. If
    /// several values are invalid, the first of type, ID and data is reported.
    ///
    /// An invalid comment is reported at the end of its line, and only the comment is lost.
    #[error("{0}")]
    InvalidUtf8(InvalidText),
    /// The stream ended inside an event or a line. It is only reported with [`Eof::Error`](super::Eof::Error).
    #[error("the stream ended in the middle of an event")]
    UnexpectedEof,
}

impl DecodeError {
    /// Returns whether the error concerns a comment, so that no event is missing.
    ///
    /// ```
    /// use eventwire::Decoder;
    ///
    /// let mut decoder = Decoder::new().with_max_event_size(9);
    /// let mut input = &b": 0123456789\ndata: a\n\n"[..];
    /// assert!(decoder.decode_block(&mut input).unwrap_err().is_of_comment());
    /// assert!(decoder.decode_block(&mut input)?.is_some());
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    #[must_use]
    pub const fn is_of_comment(&self) -> bool {
        match self {
            DecodeError::CommentTooLarge { .. } => true,
            DecodeError::InvalidUtf8(text) => matches!(text.field(), Field::Comment),
            DecodeError::EventTooLarge { .. } | DecodeError::UnexpectedEof => false,
        }
    }
}
