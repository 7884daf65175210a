//! The size of an event, and the limit on it.

/// The bytes of a block's data, event and id lines so far, each line end counted as one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    bytes: usize,
    limit: usize,
}

/// The block is larger than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLarge;

impl Size {
    pub(super) fn new(limit: usize) -> Size {
        Size { bytes: 0, limit }
    }

    #[inline]
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    pub(super) fn set_limit(&mut self, limit: usize) {
        self.limit = limit;
    }

    /// Whether no line has been counted. The shortest line that counts, `id`, has three bytes.
    #[inline]
    pub(super) fn is_zero(&self) -> bool {
        self.bytes == 0
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.bytes = 0;
    }

    /// How many bytes may follow.
    #[inline]
    pub(super) fn room(&self) -> usize {
        self.limit.saturating_sub(self.bytes)
    }

    /// Counts bytes that fit.
    #[inline]
    pub(super) fn add(&mut self, bytes: usize) {
        self.bytes += bytes;
    }

    /// Counts bytes, which may exceed the limit.
    #[inline]
    pub(super) fn count(&mut self, bytes: usize) -> Result<(), TooLarge> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.limit { Err(TooLarge) } else { Ok(()) }
    }
}
