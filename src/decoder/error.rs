//! The errors of the decoder.

use super::utf8::InvalidUtf8;
use crate::line::Field;

/// The error of [`Decoder`](super::Decoder): a limit was exceeded, or a setting rejected the input.
///
/// There is no error for malformed input, because every byte sequence is an event stream. Decoding can continue after
/// each of these errors, except with [`Utf8Policy::Stop`](super::Utf8Policy::Stop).
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
    /// A line is not valid UTF-8. It is only reported with [`Utf8Policy::Stop`](super::Utf8Policy::Stop), at the end of
    /// the line, and the stream has ended.
    #[error("{0}")]
    InvalidUtf8(InvalidUtf8),
    /// The stream ended inside an event, or inside a line that is not a comment. It is only reported with
    /// [`Eof::Error`](super::Eof::Error).
    #[error("the stream is truncated: it ended inside an event")]
    Truncated,
}

impl DecodeError {
    /// Returns whether the error concerns a comment. No event is missing then, unless
    /// [`Utf8Policy::Stop`](super::Utf8Policy::Stop) has ended the stream.
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
    pub fn is_in_comment(&self) -> bool {
        match self {
            DecodeError::CommentTooLarge { .. } => true,
            DecodeError::InvalidUtf8(line) => line.field() == Field::Comment,
            DecodeError::EventTooLarge { .. } | DecodeError::Truncated => false,
        }
    }
}
