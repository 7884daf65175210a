//! The types of multipart streams.

/// The media type of a multipart response, for [`PartBody::response`](super::PartBody::response).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subtype {
    /// `multipart/mixed`: the parts belong together, as in GraphQL's incremental delivery. The stream must end with
    /// a close delimiter.
    Mixed,
    /// `multipart/x-mixed-replace`: each part replaces the previous one, like the frames of a camera. The stream
    /// may end at any time.
    MixedReplace,
}

impl Subtype {
    /// Returns `multipart/mixed` or `multipart/x-mixed-replace`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Subtype::Mixed => "multipart/mixed",
            Subtype::MixedReplace => "multipart/x-mixed-replace",
        }
    }
}
