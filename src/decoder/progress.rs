//! How far the decoder has come in a chunk.

use super::DecodeError;
use crate::line::Scanned;

/// The result of reading lines.
#[derive(Clone, Copy, Debug)]
pub(super) enum Progress<'c> {
    /// A block, whose values are borrowed or stored. It is an event if the caller reads only events.
    Block,
    /// The end of the chunk.
    NeedsMore,
    /// A block that is larger than the limit.
    TooLarge,
    /// Bytes that a setting rejects.
    Invalid(DecodeError),
    /// A comment that is contained in a single chunk.
    Comment(Scanned<'c>),
    /// A comment that is buffered.
    BufferedComment,
    /// A comment that is larger than the limit.
    CommentTooLarge,
    /// The reconnection time of a block that is larger than the limit.
    RefusedRetry,
}
