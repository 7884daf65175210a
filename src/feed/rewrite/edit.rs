//! What is to become of a block.

use super::Encode;
use alloc::vec::Vec;
use core::fmt;

/// Says what becomes of a block in a [`Rewrite`](super::Rewrite).
///
/// A block that nothing is said about is kept: its very bytes are passed on.
pub struct Edit<'e> {
    /// What goes on after the block, or in its place.
    written: &'e mut Vec<u8>,
    is_removed: bool,
}

impl<'e> Edit<'e> {
    pub(super) fn new(written: &'e mut Vec<u8>) -> Edit<'e> {
        Edit { written, is_removed: false }
    }

    /// Leaves the block out.
    ///
    /// If that is an event whose block sets the last event ID, a reader of the output does not learn that ID.
    pub fn remove(&mut self) {
        self.is_removed = true;
    }

    /// Writes `other` in place of the block. The same as [`remove`](Edit::remove) and [`append`](Edit::append).
    ///
    /// An event that was read has the last event ID of its stream, even if an earlier block set it. To change an event
    /// without adding an `id` line, use [`EventRef::without_inherited_id`](crate::EventRef::without_inherited_id):
    ///
    /// ```
    /// use eventwire::{BlockRef, Edit};
    ///
    /// fn shout(block: BlockRef<'_>, edit: &mut Edit<'_>) {
    ///     if let BlockRef::Event(event) = block {
    ///         let loud = event.data().to_uppercase();
    ///         edit.replace(&event.without_inherited_id().with_data(&loud));
    ///     }
    /// }
    /// # let chunks = futures_util::stream::iter([Ok::<_, std::convert::Infallible>("id: 1\n\ndata: hello\n\n")]);
    /// # let rewritten = futures_util::StreamExt::collect::<Vec<_>>(eventwire::Rewrite::new(chunks, shout));
    /// # let rewritten = futures_util::FutureExt::now_or_never(rewritten).unwrap();
    /// # assert_eq!(rewritten, [Ok("id: 1\n\ndata: HELLO\n\n".into())]);
    /// ```
    pub fn replace(&mut self, other: &impl Encode) {
        self.remove();
        self.append(other);
    }

    /// Writes `other` after the block, or after what was written before.
    pub fn append(&mut self, other: &impl Encode) {
        other.encode_into(self.written);
    }

    pub(super) fn is_removed(&self) -> bool {
        self.is_removed
    }
}

impl fmt::Debug for Edit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Edit").field("is_removed", &self.is_removed).finish_non_exhaustive()
    }
}
