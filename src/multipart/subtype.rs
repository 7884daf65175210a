//! The types of multipart streams.

/// The type of a multipart response, which says how its parts relate to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Subtype {
    /// `multipart/mixed`: one after the other, as in GraphQL's incremental delivery. The stream must end with a close delimiter.
    Mixed,
    /// `multipart/x-mixed-replace`: each replaces the one before it, as the frames of a camera do. It may end at any time.
    MixedReplace,
}

impl Subtype {
    /// The type as it is written: `multipart/mixed` or `multipart/x-mixed-replace`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Subtype::Mixed => "multipart/mixed",
            Subtype::MixedReplace => "multipart/x-mixed-replace",
        }
    }
}
