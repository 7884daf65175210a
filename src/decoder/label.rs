//! A text that recurs from event to event: the event type, the last event ID.

use super::{buffer::Buffer, utf8};
use alloc::{string::String, sync::Arc};

/// A label as the last block that set one left it.
///
/// Most blocks set the one that is there already; then nothing is validated, copied or allocated.
#[derive(Clone, Debug, Default)]
pub(super) struct Label {
    text: Buffer<String>,
    /// Made when an owned event asks for it first, and then the same for every event until the text is another.
    shared: Option<Arc<str>>,
}

impl Label {
    #[inline]
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The text for an owned event.
    #[inline]
    pub(super) fn shared(&mut self) -> Arc<str> {
        match &self.shared {
            Some(shared) => Arc::clone(shared),
            None => self.share(),
        }
    }

    #[cold]
    fn share(&mut self) -> Arc<str> {
        // The default is one for all, and costs no allocation.
        let shared = if self.text.is_empty() { Arc::default() } else { Arc::from(self.as_str()) };
        self.shared = Some(Arc::clone(&shared));
        shared
    }

    /// Sets the label; `scratch` is filled where the bytes have to be repaired. Says whether buffers have to be looked at
    /// when the block ends.
    #[inline]
    pub(super) fn set(&mut self, bytes: &[u8], scratch: &mut Buffer<String>) -> bool {
        bytes != self.text.as_bytes() && self.replace(bytes, scratch)
    }

    fn replace(&mut self, bytes: &[u8], scratch: &mut Buffer<String>) -> bool {
        scratch.empty();
        let text = match utf8::valid(bytes) {
            Some(text) => text,
            None => {
                utf8::repair(bytes, scratch);
                &*scratch
            }
        };
        // Bytes that are repaired are other bytes every time, and the same text.
        if *text != **self.text {
            self.shared = None;
            if text.len() > self.text.capacity() {
                // What is there is let go first, and nothing is made in advance: a label need not grow step by step.
                *self.text = String::new();
                self.text.reserve_exact(text.len());
            }
            self.text.clear();
            self.text.push_str(text);
        }
        self.is_large() || !scratch.is_empty()
    }

    /// Whether the label has more memory than is kept for good.
    #[inline]
    pub(super) fn is_large(&self) -> bool {
        self.text.is_large()
    }

    /// Ends a block, for which the label was needed or was not.
    #[inline]
    pub(super) fn end_block(&mut self, is_needed: bool) {
        if self.is_large() {
            self.end_large_block(is_needed);
        }
    }

    #[cold]
    fn end_large_block(&mut self, is_needed: bool) {
        let needed = if is_needed { self.text.len() } else { 0 };
        if self.text.count_block(needed) {
            let text = if is_needed { String::from(self.as_str()) } else { String::new() };
            *self = Label { text: Buffer::from(text), shared: None };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Label;
    use crate::decoder::buffer::Buffer;

    #[test]
    fn a_small_label_stays_as_it_is_when_no_block_needs_it() {
        let mut label = Label::default();
        label.set(b"tick", &mut Buffer::default());
        for _ in 0..300 {
            label.end_block(false);
        }
        assert_eq!(label.as_str(), "tick");
    }
}
