//! What happens to bytes that are not UTF-8.

/// What a [`Decoder`](super::Decoder) does with values that are not valid UTF-8; set by
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
}
