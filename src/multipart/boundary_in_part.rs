//! A part that cannot be written with its boundary.

/// The boundary occurs in a part, so readers would end the part there.
///
/// The refused bytes have not been written. Choose another boundary, for example `Boundary::random()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the boundary occurs in the part; choose another boundary")]
pub struct BoundaryInPart;
