//! What a part's length is worth.

/// What becomes of a part's `Content-Length`; see [`PartDecoder::with_length_policy`](super::PartDecoder::with_length_policy).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LengthPolicy {
    /// The part is complete with that many bytes, or with a delimiter inside of them: a length that is too large, as some cameras
    /// send, does not swallow the next part.
    #[default]
    Hint,
    /// The part has exactly that many bytes, which are not searched: they may have the boundary in them.
    Trust,
    /// It is not looked at: only a delimiter ends a part, which is then complete no sooner than the delimiter is there.
    Ignore,
}
