//! The places in a stream at which blocks can be changed.

use crate::event::BlockRef;

/// What has just ended in a stream, together with what it contained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Boundary<'a> {
    /// The start of the stream, with its byte order mark if it has one.
    Start,
    /// The line of a comment. `None` if the comment was too large.
    Comment(Option<&'a str>),
    /// A blank line, and with it the open block, if there is one. `None` if the block is too large or has no effect.
    BlankLine(Option<BlockRef<'a>>),
    /// Nothing. The reconnection time of a block that is too large is returned after the error.
    Retry(BlockRef<'a>),
}
