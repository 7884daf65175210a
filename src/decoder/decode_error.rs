//! The errors of the decoder.

use super::InvalidText;
use crate::line::Field;

/// The error of [`Decoder`](super::Decoder): a limit was exceeded, or a setting rejected the input.
///
/// There is no error for malformed input, because every byte sequence is an event stream. Decoding can continue after
/// each of these errors, except with [`InvalidUtf8::Stop`](super::InvalidUtf8::Stop).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// An event's `data`, `event` and `id` lines are larger than the limit.
    ///
    /// It is reported once, in order with the other events. The rest of the block is skipped. Its ID and its type
    /// have no effect, but a `retry` line before the byte that exceeded the limit takes effect. The following events
    /// are not affected.
    #[error("the event is larger than the limit of {limit} bytes")]
    #[non_exhaustive]
    EventTooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The line of a comment, with its colon and its end, is larger than the limit on an event's size. Only readers of
    /// blocks get it: `decode_block`, `.blocks()` and `Tap`.
    ///
    /// It is reported once, and the rest of the comment is skipped. If the comment is between the lines of an event,
    /// the event is not affected.
    #[error("the comment is larger than the limit of {limit} bytes")]
    #[non_exhaustive]
    CommentTooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// A value is not valid UTF-8. It is only reported with [`InvalidUtf8::Reject`](super::InvalidUtf8::Reject) and
    /// [`InvalidUtf8::Stop`](super::InvalidUtf8::Stop).
    ///
    /// With `Reject`, it is reported at the blank line that ends the block. The complete block is rejected, so neither
    /// its ID nor its `retry` takes effect. If several values are invalid, the first of type, ID and data is reported.
    /// An invalid comment is reported at the end of its line, and only the comment is rejected.
    ///
    /// With `Stop`, it is reported at the end of the invalid line, and the stream has ended.
    #[error("{0}")]
    InvalidUtf8(InvalidText),
    /// The stream ended inside an event, or inside a line that is not a comment. It is only reported with
    /// [`Eof::Error`](super::Eof::Error).
    #[error("the stream is truncated: it ended inside an event")]
    Truncated,
}

impl DecodeError {
    /// Returns whether the error concerns a comment. No event is missing then, unless
    /// [`InvalidUtf8::Stop`](super::InvalidUtf8::Stop) has ended the stream.
    ///
    /// ```
    /// use eventwire::Decoder;
    ///
    /// let mut decoder = Decoder::new().with_max_event_size(9);
    /// let mut input = &b": 0123456789\ndata: a\n\n"[..];
    /// assert!(decoder.decode_block(&mut input).unwrap_err().is_in_comment());
    /// assert!(decoder.decode_block(&mut input)?.is_some());
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    #[must_use]
    pub const fn is_in_comment(&self) -> bool {
        match self {
            DecodeError::CommentTooLarge { .. } => true,
            DecodeError::InvalidUtf8(text) => matches!(text.field(), Field::Comment),
            DecodeError::EventTooLarge { .. } | DecodeError::Truncated => false,
        }
    }
}
