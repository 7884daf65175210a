//! How far the decoder has come in a chunk.

use super::DecodeError;
use crate::line::Scanned;
use core::time::Duration;

/// The result of reading lines.
#[derive(Clone, Copy, Debug)]
pub(super) enum Progress<'c> {
    /// A block, whose values are borrowed or stored. It is an event if the caller reads only events.
    Block,
    /// The end of the chunk.
    NeedsMore,
    /// A comment: its text if it is contained in a single chunk, otherwise it is buffered.
    Comment(Option<Scanned<'c>>),
    /// The end of a comment that was larger than the limit.
    RefusedComment,
    /// A blank line that ends no block, or one that is not returned.
    BlankLine,
    /// The reconnection time of a block that is larger than the limit, after the error.
    Retry(Duration),
    /// Something is larger than the limit, or a setting rejects it.
    Error(DecodeError),
}
