//! The forms in which blocks are returned.

use super::{
    borrowed_fields::{AsciiFields, BorrowedFields},
    boundary::Boundary,
    comment_buffer::CommentBuffer,
    finished_block::FinishedBlock,
    owned_data::OwnedData,
    scope::{AllBlocks, Boundaries, Scope},
};
use crate::{
    event::{Block, BlockItem, BlockItemRef, BlockRef, Data},
    line::Scanned,
};
use core::{ops::Range, time::Duration};

/// Makes the item that the decoder returns of what it has found. The steps of the decoder stand once for all forms.
pub(super) trait Form<'d, 'c>: Sized {
    type Scope: Scope;
    type Item;

    /// A block with this data and the type and ID of `plain`.
    fn plain_block(self, block: FinishedBlock<'d>, plain: &AsciiFields<'c>, data: Scanned<'c>) -> Self::Item;

    /// A block with these values and those that are stored.
    fn block(self, block: FinishedBlock<'d>, borrowed: &BorrowedFields<'c>) -> Self::Item;

    /// A comment: its text if it is in the chunk, otherwise it is buffered.
    fn comment(self, buffer: &'d mut CommentBuffer, text: Option<Scanned<'c>>) -> Self::Item;

    /// The reconnection time of a block that is too large.
    fn retry(self, time: Duration) -> Self::Item;

    /// A blank line that ends no block, or one that is not returned.
    fn blank_line(self) -> Option<Self::Item> {
        None
    }

    /// The end of a comment that was too large.
    fn refused_comment(self) -> Option<Self::Item> {
        None
    }
}

/// Borrowed from the chunk or from the decoder.
pub(super) struct AsBorrowed;

impl<'d, 'c: 'd> Form<'d, 'c> for AsBorrowed {
    type Scope = AllBlocks;
    type Item = BlockItemRef<'d>;

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn plain_block(self, block: FinishedBlock<'d>, plain: &AsciiFields<'c>, data: Scanned<'c>) -> BlockItemRef<'d> {
        BlockItemRef::Block(block.plain_block(plain, data))
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn block(self, block: FinishedBlock<'d>, borrowed: &BorrowedFields<'c>) -> BlockItemRef<'d> {
        BlockItemRef::Block(block.block(borrowed))
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn comment(self, buffer: &'d mut CommentBuffer, text: Option<Scanned<'c>>) -> BlockItemRef<'d> {
        BlockItemRef::Comment(buffer.text(text))
    }

    fn retry(self, time: Duration) -> BlockItemRef<'d> {
        BlockItemRef::Block(BlockRef::retry_only(time))
    }
}

/// Borrowed, with the boundary at which it ends.
pub(super) struct AsBoundary;

impl<'d, 'c: 'd> Form<'d, 'c> for AsBoundary {
    type Scope = Boundaries;
    type Item = Boundary<'d>;

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn plain_block(self, block: FinishedBlock<'d>, plain: &AsciiFields<'c>, data: Scanned<'c>) -> Boundary<'d> {
        Boundary::BlankLine(Some(block.plain_block(plain, data)))
    }

    fn block(self, block: FinishedBlock<'d>, borrowed: &BorrowedFields<'c>) -> Boundary<'d> {
        Boundary::BlankLine(Some(block.block(borrowed)))
    }

    fn comment(self, buffer: &'d mut CommentBuffer, text: Option<Scanned<'c>>) -> Boundary<'d> {
        Boundary::Comment(Some(buffer.text(text)))
    }

    fn retry(self, time: Duration) -> Boundary<'d> {
        Boundary::Retry(BlockRef::retry_only(time))
    }

    fn blank_line(self) -> Option<Boundary<'d>> {
        Some(Boundary::BlankLine(None))
    }

    fn refused_comment(self) -> Option<Boundary<'d>> {
        Some(Boundary::Comment(None))
    }
}

/// Owned.
///
/// A block is made without data that stays in the chunk, and its place is noted. The caller adds the data when nothing
/// borrows from the chunk any more. A block that is made with its data only then would be copied once more, which
/// takes as long as decoding it.
pub(super) struct AsOwned<'c, 'p> {
    /// The chunk in which the values are.
    pub(super) chunk: &'c [u8],
    pub(super) place: &'p mut Option<Range<usize>>,
}

impl AsOwned<'_, '_> {
    /// The data, unless it stays in the chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn data(self, value: Scanned<'_>) -> Option<Data> {
        match OwnedData::value(value, self.chunk) {
            OwnedData::Here(data) => Some(data),
            OwnedData::InChunk(place) => {
                *self.place = Some(place);
                None
            }
        }
    }
}

impl<'d, 'c> Form<'d, 'c> for AsOwned<'c, '_> {
    type Scope = AllBlocks;
    type Item = BlockItem;

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn plain_block(self, block: FinishedBlock<'d>, plain: &AsciiFields<'c>, data: Scanned<'c>) -> BlockItem {
        BlockItem::Block(block.own_plain_block(plain, self.data(data)))
    }

    fn block(self, block: FinishedBlock<'d>, borrowed: &BorrowedFields<'c>) -> BlockItem {
        let data = borrowed.data.and_then(|value| self.data(value));
        BlockItem::Block(block.own_block(borrowed, data))
    }

    fn comment(self, buffer: &'d mut CommentBuffer, text: Option<Scanned<'c>>) -> BlockItem {
        BlockItem::Comment(buffer.comment(text))
    }

    fn retry(self, time: Duration) -> BlockItem {
        BlockItem::Block(Block::default().with_retry(time))
    }
}
