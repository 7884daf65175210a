//! The last event ID.

use super::{text_buffer::LARGEST_KEPT, utf8};
use crate::{event::Label, line::Scanned};
use alloc::{string::String, sync::Arc};

/// A longer ID is not in memory twice, as `text` and as `shared`.
const LONGEST_TWICE: usize = 1024;

/// The last event ID of a stream that has one, which may be empty.
#[derive(Clone, Debug, Default)]
pub(super) struct LastEventId {
    /// Empty if the ID is only `shared`.
    text: String,
    /// The ID for owned events, if it is too long to be copied into each. Created for the first event that needs it.
    shared: Option<Arc<str>>,
}

impl LastEventId {
    #[inline]
    pub(super) fn as_str(&self) -> &str {
        match &self.shared {
            Some(shared) if self.text.is_empty() => shared,
            _ => &self.text,
        }
    }

    #[inline]
    pub(super) fn set(&mut self, text: &str) {
        if self.shared.as_deref() != Some(text) {
            self.begin(text.len()).push_str(text);
        }
    }

    /// Sets the ID to a value. Invalid text is repaired.
    #[cold]
    #[inline(never)]
    pub(super) fn set_value(&mut self, value: Scanned<'_>) {
        match utf8::valid(value) {
            Some(text) => self.set(text),
            None => utf8::repair(value.bytes(), self.begin(utf8::repaired_len(value.bytes()))),
        }
    }

    /// Begins another ID of this length. The old one is released first, so that two long IDs are not in memory at
    /// once.
    #[inline]
    fn begin(&mut self, len: usize) -> &mut String {
        self.shared = None;
        self.text.clear();
        let capacity = self.text.capacity();
        if len > capacity || capacity > LARGEST_KEPT && len < capacity / 4 {
            self.replace(len);
        }
        &mut self.text
    }

    #[cold]
    fn replace(&mut self, len: usize) {
        self.text = String::new();
        self.text.reserve_exact(len);
    }

    /// The ID for an owned event.
    #[inline]
    pub(super) fn label(&mut self) -> Label {
        match Label::try_from(self.as_str()) {
            Ok(short) => short,
            Err(()) => Label::from(self.shared()),
        }
    }

    #[inline(never)]
    fn shared(&mut self) -> Arc<str> {
        let shared = self.shared.get_or_insert_with(|| Arc::from(&*self.text));
        if self.text.len() > LONGEST_TWICE {
            self.text = String::new();
        }
        Arc::clone(shared)
    }
}
