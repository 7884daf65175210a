//! The type of the last owned event.

use crate::event::{EventRef, Label};
use alloc::sync::Arc;

/// A longer type is not kept. It would count towards the decoder's memory until another long one replaces it.
const LONGEST_KEPT: usize = 1024;

/// The type of an event without an `event` line.
const MESSAGE: &str = EventRef::new("").event_type();

/// The last type that was too long to be copied into each owned event. The next event shares it if it has the same
/// type.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentType(Option<Arc<str>>);

impl RecentType {
    /// The type for an owned event, unless it is the default one.
    #[inline]
    pub(super) fn label(&mut self, text: &str) -> Option<Label> {
        if matches!(text, "" | MESSAGE) {
            return None;
        }
        Some(self.any_label(text))
    }

    /// The type for an owned block, even if it is the default one.
    #[inline]
    pub(super) fn any_label(&mut self, text: &str) -> Label {
        Label::try_from(text).unwrap_or_else(|()| self.shared(text).into())
    }

    #[inline(never)]
    fn shared(&mut self, text: &str) -> Arc<str> {
        match &self.0 {
            Some(shared) if **shared == *text => Arc::clone(shared),
            _ => {
                let shared = Arc::from(text);
                self.0 = (text.len() <= LONGEST_KEPT).then(|| Arc::clone(&shared));
                shared
            }
        }
    }
}
