//! The error of a line over the limit.

/// Why a line did not come out of a [`LineBuffer`](super::LineBuffer): it is longer than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("the line is longer than the limit of {limit} bytes")]
#[non_exhaustive]
pub struct LineTooLong {
    /// The limit, in bytes.
    pub limit: usize,
}
