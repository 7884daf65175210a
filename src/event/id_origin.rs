//! Where the ID of an event comes from.

use core::hash::{Hash, Hasher};

/// Which block set the ID of an event.
///
/// All values are equal, because the origin does not affect whether two events are equal. If an event that inherits its
/// ID is encoded alone, its ID is written, and the decoded event has it from its own block. Guarantee 9 requires that
/// the two events are equal.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum IdOrigin {
    /// An earlier block, if any.
    #[default]
    Inherited,
    /// The event's own block.
    Own,
}

impl PartialEq for IdOrigin {
    fn eq(&self, _: &IdOrigin) -> bool {
        true
    }
}

impl Eq for IdOrigin {}

impl Hash for IdOrigin {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}
