//! Where the ID of an event comes from.

use core::hash::{Hash, Hasher};

/// Which block set the ID of an event.
///
/// It makes no difference to whether two events are equal, so all of these are.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum IdOrigin {
    /// An earlier one, if any.
    #[default]
    Inherited,
    /// The event's own.
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
