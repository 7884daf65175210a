//! The use of a part's length.

/// How a decoder uses the `Content-Length` of a part;
/// [`PartDecoder::with_length_policy`](super::PartDecoder::with_length_policy) sets it.
///
/// ```
/// use eventwire_multipart::{Boundary, Collected, LengthPolicy, PartDecoder};
/// use std::convert::Infallible;
///
/// let body = |policy| {
///     let chunks = [Ok::<_, Infallible>("--b\r\nContent-Length: 9\r\n\r\nab\r\n--b\r\n\r\n--b--")];
///     let decoder = PartDecoder::new(Boundary::new("b").unwrap()).with_length_policy(policy);
///     Collected::new(chunks.into_iter(), decoder).next().unwrap().map(|part| part.into_body())
/// };
/// assert!(body(LengthPolicy::Hint).is_err());
/// assert_eq!(body(LengthPolicy::Trust).unwrap(), "ab\r\n--b\r\n");
/// assert_eq!(body(LengthPolicy::Ignore).unwrap(), "ab");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LengthPolicy {
    /// The part ends after that many bytes, or at an earlier delimiter. With this default, a length that is too
    /// large does not swallow the next part. Readers of parts get an error for such a part, because it looks like a
    /// truncated one: [`Error::CutOff`](super::Error::CutOff).
    #[default]
    Hint,
    /// The part has exactly that many bytes. They are not searched for delimiters, so they may contain the boundary.
    Trust,
    /// The length is ignored. A part ends only when its delimiter has arrived. Use it for senders whose lengths are
    /// wrong, such as some cameras.
    Ignore,
}
