//! The last event ID, as it persists from event to event and from connection to connection.

use crate::{buffer::Buffer, text};
use alloc::{string::String, sync::Arc};

/// The last event ID string, and its shared copy for owned events.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastEventId {
    text: Buffer<String>,
    /// Made when an owned event asks for it first, and then the same for every event until another ID takes hold.
    shared: Option<Arc<str>>,
}

impl LastEventId {
    #[inline]
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The ID for an owned event, `None` where it is empty.
    #[inline]
    pub(crate) fn shared(&mut self) -> Option<Arc<str>> {
        if self.shared.is_none() && !self.text.is_empty() {
            self.shared = Some(Arc::from(self.text.as_str()));
        }
        self.shared.clone()
    }

    /// Lets an ID take hold; `scratch` is emptied, and filled where the bytes have to be repaired.
    #[inline]
    pub(crate) fn replace(&mut self, bytes: &[u8], scratch: &mut String) {
        scratch.clear();
        let text = match text::valid(bytes) {
            Some(text) => text,
            None => {
                text::repair(bytes, scratch);
                scratch
            }
        };
        if *text != **self.text {
            self.text.clear();
            self.text.push_str(text);
            self.shared = None;
        }
    }

    /// See [`Buffer::end_block`].
    pub(crate) fn end_block(&mut self) -> bool {
        self.text.end_block(self.text.len())
    }

    #[inline]
    pub(crate) fn is_large(&self) -> bool {
        self.text.is_large()
    }
}
