//! What may go wrong in decoding.

use super::InvalidText;
use crate::line::Field;

/// Why the bytes did not become an event.
///
/// No input is malformed: these errors come from limits and from settings. Decoding goes on after each of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The event's data, event and id lines have more bytes than the limit.
    ///
    /// Reported once, in the event's place among the results. The rest of the block is skipped, and neither its ID nor
    /// its type takes effect. A `retry` before the byte that was too much does. The events after it follow as usual.
    #[error("the event is larger than the limit of {limit} bytes")]
    #[non_exhaustive]
    EventTooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// A comment is longer than the limit on an event's size. Only those who read blocks get this error.
    ///
    /// Reported once. The rest of the comment is skipped; an event around it is not affected.
    #[error("the comment is larger than the limit of {limit} bytes")]
    #[non_exhaustive]
    CommentTooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// A value is not valid UTF-8. Only with [`InvalidUtf8::Error`](super::InvalidUtf8::Error).
    ///
    /// Reported at the blank line, and nothing of the block takes effect, neither its ID nor its `retry`. If several values are
    /// invalid, it is the type before the ID before the data.
    ///
    /// A comment is reported at the end of its line, and only the comment is lost.
    #[error("{0}")]
    InvalidUtf8(InvalidText),
    /// The stream ended inside an event or a line.
    #[error("the stream ended in the middle of an event")]
    UnexpectedEof,
}

impl DecodeError {
    /// Whether the error is about a comment, so that no event is missing.
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
