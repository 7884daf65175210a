//! The type or the ID of an owned event.

use super::{IntoText, short::Short};
use alloc::sync::Arc;
use core::{
    fmt,
    hash::{Hash, Hasher},
};

/// A text of one line that recurs from event to event.
#[derive(Clone)]
pub(crate) struct Label(Repr);

#[derive(Clone)]
enum Repr {
    /// Up to 23 bytes, in place: nothing is allocated for most types and IDs.
    Short(Short),
    /// Longer text, which is shared by the events that have the same.
    Shared(Arc<str>),
}

impl Label {
    pub(super) fn new(text: impl IntoText) -> Label {
        Label::try_from(text.as_ref()).unwrap_or_else(|()| Label(Repr::Shared(text.into_shared())))
    }

    #[inline]
    pub(super) fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Short(text) => text.as_str(),
            Repr::Shared(text) => text,
        }
    }
}

/// Text that is short enough to be held in place.
impl TryFrom<&str> for Label {
    type Error = ();

    #[inline(always)]
    fn try_from(text: &str) -> Result<Label, ()> {
        Short::new(text).map(|short| Label(Repr::Short(short))).ok_or(())
    }
}

impl From<Arc<str>> for Label {
    #[inline]
    fn from(text: Arc<str>) -> Label {
        Label(Repr::Shared(text))
    }
}

impl PartialEq for Label {
    fn eq(&self, other: &Label) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Label {}

impl Hash for Label {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_str().fmt(f)
    }
}
