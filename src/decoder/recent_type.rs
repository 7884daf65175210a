//! The type of the last owned event.

use super::text_buffer::LARGEST_KEPT;
use crate::event::{EventRef, Label};
use alloc::sync::Arc;

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
        Some(Label::try_from(text).unwrap_or_else(|()| self.shared(text).into()))
    }

    /// A very long type is not kept, because no later type might replace it.
    #[inline(never)]
    fn shared(&mut self, text: &str) -> Arc<str> {
        match &self.0 {
            Some(shared) if **shared == *text => Arc::clone(shared),
            _ => {
                let shared = Arc::from(text);
                self.0 = (text.len() <= LARGEST_KEPT).then(|| Arc::clone(&shared));
                shared
            }
        }
    }
}
