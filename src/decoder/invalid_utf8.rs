//! What happens to bytes that are not UTF-8.

/// What a [`Decoder`](super::Decoder) does with bytes that are not valid UTF-8; set by
/// [`with_invalid_utf8`](super::Decoder::with_invalid_utf8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InvalidUtf8 {
    /// Invalid bytes become U+FFFD, as in ["UTF-8 decode"](https://encoding.spec.whatwg.org/#utf-8-decode). The
    /// standard requires this.
    #[default]
    Replace,
    /// The block is rejected with [`DecodeError::InvalidUtf8`](super::DecodeError::InvalidUtf8), and nothing in it
    /// takes effect. If you read blocks, a comment is checked and rejected separately.
    Reject,
    /// The stream ends with [`DecodeError::InvalidUtf8`](super::DecodeError::InvalidUtf8) at the end of the first line
    /// that has an invalid byte anywhere: in a value, in a field name, or in a line without effect. Use it for peers
    /// that must send UTF-8, so that anything else proves that the stream is broken.
    ///
    /// All that was complete before that line has been returned. The open block is discarded. The decoder then returns
    /// nothing more until [`finish`](super::Decoder::finish) or [`reset`](super::Decoder::reset) begins the next
    /// stream, and its [`position`](super::Decoder::position) is [`Ended`](super::Position::Ended).
    Stop,
}
