//! What becomes of blocks that are too large to be held.

/// What a [`Rewrite`](super::Rewrite) does with a block, or a comment, of more bytes than the decoder's
/// [limit](crate::Decoder::with_max_event_size).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Oversize {
    /// It is left out and reported in its place, as [`DecodeError::EventTooLarge`](crate::DecodeError::EventTooLarge)
    /// or [`CommentTooLarge`](crate::DecodeError::CommentTooLarge). The blocks after it follow as usual.
    ///
    /// A reconnection time whose line is complete before the block is too large counts all the same, as in a decoder:
    /// the function is asked about it after the error, and if it is kept, it is written as a block of its own.
    #[default]
    Error,
    /// It is passed on as it is, without being shown to the function. So are comments inside the block that come after
    /// the byte at which it became too large. The ID that it sets is not known to the function either.
    Pass,
}
