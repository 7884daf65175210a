//! The newest items of a sequence, as many as fit.

use std::collections::VecDeque;

/// The newest items of a sequence that is numbered 1, 2, 3 and so on. It knows their length in bytes.
pub(crate) struct Ring<T> {
    items: VecDeque<T>,
    /// The number of the item before the oldest one that is kept.
    before_oldest: u64,
    bytes: usize,
}

impl<T: AsRef<[u8]>> Ring<T> {
    /// Continues a sequence after this number.
    pub(crate) fn new(after: u64) -> Ring<T> {
        Ring { items: VecDeque::new(), before_oldest: after, bytes: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn before_oldest(&self) -> u64 {
        self.before_oldest
    }

    /// The number of the newest item, also if it is no longer kept.
    pub(crate) fn newest(&self) -> u64 {
        self.before_oldest + self.items.len() as u64
    }

    /// Adds the next item. Then [`trim`](Ring::trim) it.
    pub(crate) fn push(&mut self, item: T) {
        self.bytes += item.as_ref().len();
        self.items.push_back(item);
    }

    /// Removes the oldest items until both limits are met. The newest one always stays.
    pub(crate) fn trim(&mut self, max_items: usize, max_bytes: usize) {
        while self.items.len() > 1
            && (self.items.len() > max_items || self.bytes > max_bytes)
            && let Some(oldest) = self.items.pop_front()
        {
            self.before_oldest += 1;
            self.bytes -= oldest.as_ref().len();
        }
    }

    /// Returns the item after the one with this number, if it is kept.
    pub(crate) fn next_after(&self, number: u64) -> Option<&T> {
        self.items.get(usize::try_from(number.checked_sub(self.before_oldest)?).ok()?)
    }

    /// Returns all items after the one with this number that are kept, with their numbers.
    pub(crate) fn all_after(&self, number: u64) -> impl Iterator<Item = (u64, &T)> {
        let skipped = usize::try_from(number.saturating_sub(self.before_oldest)).unwrap_or(usize::MAX);
        let items = self.items.iter().enumerate().skip(skipped);
        items.map(|(index, item)| (self.before_oldest + 1 + index as u64, item))
    }
}
