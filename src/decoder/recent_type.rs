//! The type of the last owned event.

use super::text_buffer::LARGEST_KEPT;
use crate::event::Label;
use alloc::sync::Arc;

/// The last type that was too long to be copied into each owned event. The next event shares it, if it has the same.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentType(Option<Arc<str>>);

impl RecentType {
    /// The type for an owned event.
    #[inline]
    pub(super) fn label(&mut self, text: &str) -> Label {
        match Label::try_from(text) {
            Ok(short) => short,
            Err(_) => Label::from(self.shared(text)),
        }
    }

    /// What is very long is not kept: there need not be a type after it that would replace it.
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
