//! How a part ended.

/// How a part ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartEnd {
    /// At a delimiter. The part has no `Content-Length`, or the decoder ignores it.
    Delimiter,
    /// With the last byte of its `Content-Length`.
    Length,
    /// At a delimiter before the end of its `Content-Length`: the length is wrong, or the sender stopped early.
    DelimiterBeforeLength,
    /// At the end of the stream, before a delimiter or the end of its length. Data may be missing.
    EndOfStream,
}
