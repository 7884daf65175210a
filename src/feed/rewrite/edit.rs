//! What a rewriting function decides about a block or comment.

use crate::event::BlockItemRef;
use alloc::vec::Vec;
use core::fmt;

/// Removes or replaces a block or comment in a [`Rewrite`](super::Rewrite), or appends others to it.
///
/// If none of its methods is called, the item is kept, and its bytes are passed on unchanged.
pub struct Edit<'e> {
    /// The encoded blocks that follow the block, or replace it.
    written: &'e mut Vec<u8>,
    is_removed: bool,
}

impl<'e> Edit<'e> {
    pub(super) fn new(written: &'e mut Vec<u8>) -> Edit<'e> {
        Edit { written, is_removed: false }
    }

    /// Removes the item. What [`append`](Edit::append) or [`replace`](Edit::replace) wrote stays.
    ///
    /// A second call changes nothing, and no other call restores the item.
    ///
    /// If the item is a block that sets the last event ID, readers of the output do not receive that ID.
    ///
    /// ```
    /// use eventwire::{BlockItemRef, Edit};
    ///
    /// fn without_comments(item: BlockItemRef<'_>, edit: &mut Edit<'_>) {
    ///     if let BlockItemRef::Comment(_) = item {
    ///         edit.remove();
    ///     }
    /// }
    /// # let chunks = futures_util::stream::iter([Ok::<_, std::convert::Infallible>(": hello\n\ndata: 1\n\n")]);
    /// # let rewritten = futures_util::StreamExt::collect::<Vec<_>>(eventwire::Rewrite::new(chunks, without_comments));
    /// # let rewritten = futures_util::FutureExt::now_or_never(rewritten).unwrap();
    /// # assert_eq!(rewritten, [Ok("data: 1\n\n".into())]);
    /// ```
    pub fn remove(&mut self) {
        self.is_removed = true;
    }

    /// Replaces the item with `other`: [`remove`](Edit::remove) and [`append`](Edit::append) in one call.
    ///
    /// It does not replace what was written before: if it is called several times, everything is written, in order.
    ///
    /// To change one field of a block, replace the block with a changed copy. Its other fields are then written as they
    /// were. Anything else can be built as a [`Block`](crate::Block).
    ///
    /// ```
    /// use eventwire::{BlockItemRef, Edit};
    ///
    /// fn shout(item: BlockItemRef<'_>, edit: &mut Edit<'_>) {
    ///     if let Some(block) = item.block()
    ///         && let Some(data) = block.data()
    ///     {
    ///         let loud = data.to_uppercase();
    ///         edit.replace(block.with_data(&loud));
    ///     }
    /// }
    /// # let chunks = futures_util::stream::iter([Ok::<_, std::convert::Infallible>("id: 1\n\ndata: hello\n\n")]);
    /// # let rewritten = futures_util::StreamExt::collect::<Vec<_>>(eventwire::Rewrite::new(chunks, shout));
    /// # let rewritten = futures_util::FutureExt::now_or_never(rewritten).unwrap();
    /// # assert_eq!(rewritten, [Ok("id: 1\n\ndata: HELLO\n\n".into())]);
    /// ```
    pub fn replace<'b>(&mut self, other: impl Into<BlockItemRef<'b>>) {
        self.remove();
        self.append(other);
    }

    /// Writes `other` after the item. If the item is removed, `other` takes its place.
    ///
    /// If it is called several times, everything is written, in order, together with what [`replace`](Edit::replace)
    /// writes.
    ///
    /// ```
    /// use eventwire::{BlockItemRef, Comment, Edit, EventRef, Rewrite};
    /// # use futures_util::{FutureExt, StreamExt, stream};
    /// # use std::convert::Infallible;
    ///
    /// fn edit(_: BlockItemRef<'_>, edit: &mut Edit<'_>) {
    ///     edit.append(&Comment::new("one"));
    ///     edit.replace(EventRef::new("two"));
    ///     edit.append(EventRef::new("three"));
    /// }
    /// # let chunks = stream::iter([Ok::<_, Infallible>("data: 1\n\n")]);
    /// # let rewritten: Vec<_> = Rewrite::new(chunks, edit).collect().now_or_never().unwrap();
    /// // Every block becomes ": one\n\ndata: two\n\ndata: three\n\n".
    /// # assert_eq!(rewritten, [Ok(": one\n\ndata: two\n\ndata: three\n\n".into())]);
    /// ```
    pub fn append<'b>(&mut self, other: impl Into<BlockItemRef<'b>>) {
        other.into().encode(self.written);
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
