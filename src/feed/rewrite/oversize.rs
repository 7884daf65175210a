//! What happens to blocks that are too large to be buffered.

/// What a [`Rewrite`](super::Rewrite) does with a block or a comment over the decoder's
/// [limit](crate::Decoder::with_max_event_size).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Oversize {
    /// Removes it, and returns [`DecodeError::EventTooLarge`](crate::DecodeError::EventTooLarge) or
    /// [`CommentTooLarge`](crate::DecodeError::CommentTooLarge) in its place. The blocks after it follow as usual.
    ///
    /// A reconnection time takes effect if its line is complete before the block becomes too large, as in a decoder.
    /// The function is called with it after the error. If the function keeps it, it is written as a separate block.
    #[default]
    Error,
    /// Passes it on unchanged, without calling the function.
    ///
    /// The same applies to comments inside the block that come after the byte at which it became too large. If the
    /// block sets the last event ID, the events after it do not have that ID when the function sees them.
    Pass,
}
