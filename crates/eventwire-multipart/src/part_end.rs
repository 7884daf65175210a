//! How a part ended.

/// How a part ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartEnd {
    /// At a delimiter. The part has no `Content-Length`, or the decoder ignores it.
    Delimiter,
    /// With the last byte of its `Content-Length`.
    Length,
    /// At a delimiter before the end of its `Content-Length`: the length is wrong, or data is missing.
    DelimiterBeforeLength,
    /// At the end of the stream, before a delimiter or the end of its length. Data may be missing.
    EndOfStream,
}

impl PartEnd {
    /// Returns whether the part is complete: it ended at a delimiter, and not before the end of its `Content-Length`.
    ///
    /// A part that is not complete is truncated. [`Part`](super::Part) and [`Collected`](super::Collected) return an
    /// error for it, and `PartBody` does not send it.
    ///
    /// ```
    /// use eventwire_multipart::PartEnd;
    ///
    /// assert!(PartEnd::Delimiter.is_complete() && PartEnd::Length.is_complete());
    /// assert!(!PartEnd::DelimiterBeforeLength.is_complete() && !PartEnd::EndOfStream.is_complete());
    /// ```
    #[must_use]
    pub fn is_complete(self) -> bool {
        match self {
            PartEnd::Delimiter | PartEnd::Length => true,
            PartEnd::DelimiterBeforeLength | PartEnd::EndOfStream => false,
        }
    }
}
