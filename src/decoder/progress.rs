//! How far the decoder has come in a chunk.

use super::DecodeError;
use crate::line::Scanned;

/// The result of reading lines.
#[derive(Clone, Copy, Debug)]
pub(super) enum Progress<'c> {
    /// An event, whose values are borrowed or buffered.
    Event,
    /// The end of the chunk.
    NeedsMore,
    /// A block that is larger than the limit.
    TooLarge,
    /// A value that a setting rejects.
    Invalid(DecodeError),
    /// A comment that is contained in a single chunk.
    Comment(Scanned<'c>),
    /// A comment that is buffered.
    BufferedComment,
    /// A comment that is larger than the limit.
    CommentTooLarge,
    /// The end of a comment that was larger than the limit.
    RefusedComment,
    /// A blank line that ends no block, or one that is not returned.
    BlankLine,
    /// The reconnection time of a block that is larger than the limit.
    RefusedRetry,
}
