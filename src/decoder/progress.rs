//! How far the lines of a chunk have led.

use super::DecodeError;
use crate::line::Scanned;

/// What is there after lines have been read.
#[derive(Clone, Copy, Debug)]
pub(super) enum Progress<'c> {
    /// An event, whose values are borrowed or in the buffers.
    Event,
    /// The end of the chunk.
    NeedsMore,
    /// A block that is larger than the limit.
    TooLarge,
    /// A value that may not be what it is.
    Invalid(DecodeError),
    /// A comment that lies whole in the chunk.
    Comment(Scanned<'c>),
    /// A comment that is buffered.
    BufferedComment,
    /// A comment that is larger than the limit.
    CommentTooLarge,
    /// A block without an event, which says something.
    Dataless,
}
