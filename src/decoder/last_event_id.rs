//! The last event ID.

use super::text_buffer::LARGEST_KEPT;
use crate::event::Label;
use alloc::{string::String, sync::Arc};

/// The last event ID of a stream that has one, which may be empty.
#[derive(Clone, Debug, Default)]
pub(super) struct LastEventId {
    text: String,
    /// The same for owned events, if it is too long to be copied into each. Created for the first event that needs
    /// it.
    shared: Option<Arc<str>>,
}

impl LastEventId {
    #[inline]
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    #[inline]
    pub(super) fn set(&mut self, text: &str) {
        let capacity = self.text.capacity();
        if text.len() > capacity || capacity > LARGEST_KEPT && text.len() < capacity / 4 {
            self.make_room(text.len());
        }
        if self.shared.as_deref().is_some_and(|shared| shared != text) {
            self.shared = None;
        }
        self.text.clear();
        self.text.push_str(text);
    }

    /// Makes room for another ID. The old one is released first, so that two long IDs are not in memory at once.
    #[cold]
    fn make_room(&mut self, len: usize) {
        *self = LastEventId::default();
        self.text.reserve_exact(len);
    }

    /// The ID for an owned event.
    #[inline]
    pub(super) fn label(&mut self) -> Label {
        match Label::try_from(&*self.text) {
            Ok(short) => short,
            Err(_) => Label::from(self.shared()),
        }
    }

    #[inline(never)]
    fn shared(&mut self) -> Arc<str> {
        Arc::clone(self.shared.get_or_insert_with(|| Arc::from(&*self.text)))
    }
}
