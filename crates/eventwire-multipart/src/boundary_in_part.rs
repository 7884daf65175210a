//! The error for a part that contains the boundary.

/// The error of [`PartEncoder`](super::PartEncoder): a part contains the boundary, and readers would end the part
/// there.
///
/// The bytes passed to the call that failed have not been written. Choose another boundary, for example
/// `Boundary::random()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the boundary occurs in the part; choose another boundary")]
pub struct BoundaryInPart;
