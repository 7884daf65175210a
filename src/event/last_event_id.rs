//! The last event ID of a stream.

use super::Label;
use alloc::{string::String, sync::Arc};

/// A longer ID is not in memory twice, as `text` and as `shared`, and its memory is not kept for a much shorter one.
const LONGEST_KEPT: usize = 1024;

/// The last event ID of a stream that has one, which may be empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastEventId {
    /// Empty if the ID is only `shared`.
    text: String,
    /// The ID for owned events, if it is too long to be copied into each. Created for the first event that needs it.
    shared: Option<Arc<str>>,
}

impl LastEventId {
    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        match &self.shared {
            Some(shared) if self.text.is_empty() => shared,
            _ => &self.text,
        }
    }

    /// Sets another ID. The old one is released first, so that two long IDs are not in memory at once.
    #[inline]
    pub(crate) fn set(&mut self, id: &str) {
        if self.shared.as_deref() == Some(id) {
            return;
        }
        self.shared = None;
        self.text.clear();
        let capacity = self.text.capacity();
        if id.len() > capacity || capacity > LONGEST_KEPT && id.len() < capacity / 4 {
            self.text = String::new();
            self.text.reserve_exact(id.len());
        }
        self.text.push_str(id);
    }

    /// The ID for an owned event.
    #[inline]
    pub(crate) fn label(&mut self) -> Label {
        match Label::try_from(self.as_str()) {
            Ok(short) => short,
            Err(()) => Label::from(self.shared()),
        }
    }

    #[inline(never)]
    fn shared(&mut self) -> Arc<str> {
        let shared = self.shared.get_or_insert_with(|| Arc::from(&*self.text));
        if self.text.len() > LONGEST_KEPT {
            self.text = String::new();
        }
        Arc::clone(shared)
    }
}
