//! How a part's length is used.

/// How a part's `Content-Length` is used; see [`PartDecoder::with_length_policy`](super::PartDecoder::with_length_policy).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LengthPolicy {
    /// The part ends after that many bytes, or at an earlier delimiter. So a length that is too large, as some cameras send it, does
    /// not swallow the next part.
    #[default]
    Hint,
    /// The part has exactly that many bytes. They are not searched, so they may contain the boundary.
    Trust,
    /// The length is ignored: a part ends only when its delimiter has arrived.
    Ignore,
}
