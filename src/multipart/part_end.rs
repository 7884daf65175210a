//! How a part has ended.

/// How a part has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartEnd {
    /// With its delimiter, and it did not say how long it is.
    Delimiter,
    /// With the last byte of its `Content-Length`.
    Length,
    /// With a delimiter that came before the end of its `Content-Length`: the length is wrong, or the sender gave up.
    DelimiterBeforeLength,
    /// With the end of the stream, and neither a delimiter nor its length was there. Something may be missing.
    EndOfStream,
}
