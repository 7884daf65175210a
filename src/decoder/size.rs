//! The size of an event, and the limit on it.

use crate::line::Field;

/// The bytes of a block's data, event and id lines so far, each line end counted as one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    bytes: usize,
    limit: usize,
}

/// Where the first byte beyond the limit stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Excess {
    /// In the piece of a line that was just taken in, with so many bytes behind it that are not looked at.
    InLine { unread: usize },
    /// It is the line's end.
    LineEnd,
}

impl Size {
    pub(super) fn new(limit: usize) -> Size {
        Size { bytes: 0, limit }
    }

    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Whether no line has been counted: the shortest, `id`, has three bytes.
    #[inline]
    pub(super) fn is_zero(&self) -> bool {
        self.bytes == 0
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.bytes = 0;
    }

    /// Counts a line that was taken in at once, with its `end` of one byte, or of none if only its beginning was there.
    #[inline]
    pub(super) fn count_line(&mut self, line: &[u8], end: usize) -> Result<(), Excess> {
        self.bytes = self.bytes.saturating_add(line.len() + end);
        if self.bytes > self.limit { Err(self.excess(line, end)) } else { Ok(()) }
    }

    #[cold]
    fn excess(&self, line: &[u8], end: usize) -> Excess {
        let counted = line.len() + end;
        let first_beyond = counted - (self.bytes - self.limit).min(counted);
        // What a line is, and that it counts, is known at its colon and not before.
        let known = memchr::memchr(b':', line).unwrap_or(line.len());
        match line.len().checked_sub(first_beyond.max(known) + 1) {
            Some(unread) => Excess::InLine { unread },
            None => Excess::LineEnd,
        }
    }

    /// Counts bytes of an open line; the error is how many of them are beyond the limit.
    #[inline]
    pub(super) fn count(&mut self, field: Field, bytes: usize) -> Result<(), usize> {
        if !matches!(field, Field::Data | Field::EventType | Field::Id) {
            return Ok(());
        }
        self.bytes = self.bytes.saturating_add(bytes);
        // No more than these, even if the limit has been lowered in the middle of the event.
        match self.bytes.saturating_sub(self.limit).min(bytes) {
            0 => Ok(()),
            beyond => Err(beyond),
        }
    }
}
