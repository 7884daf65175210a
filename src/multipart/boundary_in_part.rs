//! A part that cannot be written with its boundary.

/// The boundary occurs in a part, so readers would end the part there.
///
/// Nothing of what was refused has been written. Choose another boundary, such as a [random](super::Boundary) one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the boundary occurs in the part")]
pub struct BoundaryInPart;
