//! The two forms in which blocks are returned: borrowed and owned.

use super::{
    DecodeError,
    borrowed::{Borrowed, Plain},
    interpreter::Interpreter,
    owned_data::OwnedData,
};
use crate::{
    event::{Block, BlockItem, BlockItemRef, BlockRef, Data},
    line::Scanned,
};
use core::{ops::Range, time::Duration};

/// Makes the item that the decoder returns of what it has found. The steps of the decoder stand once for both forms.
pub(super) trait Form<'d, 'c> {
    type Item;

    /// A block with only this data.
    fn lone_block(self, interpreter: &'d mut Interpreter, data: Scanned<'c>) -> Self::Item;

    /// A block with only these values.
    fn plain_block(self, interpreter: &'d mut Interpreter, plain: &Plain<'c>) -> Self::Item;

    /// A block with these values and those that are stored.
    fn block(self, interpreter: &'d mut Interpreter, borrowed: &Borrowed<'c>) -> Self::Item;

    /// A comment: its text if it is in the chunk, otherwise it is buffered.
    fn comment(self, interpreter: &'d mut Interpreter, text: Option<Scanned<'c>>) -> Result<Self::Item, DecodeError>;

    /// A block that only sets the reconnection time.
    fn retry(self, time: Duration) -> Self::Item;
}

/// Borrowed from the chunk or from the decoder.
pub(super) struct AsBorrowed;

impl<'d, 'c: 'd> Form<'d, 'c> for AsBorrowed {
    type Item = BlockItemRef<'d>;

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn lone_block(self, interpreter: &'d mut Interpreter, data: Scanned<'c>) -> BlockItemRef<'d> {
        BlockItemRef::Block(interpreter.borrow_lone_block(data))
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn plain_block(self, interpreter: &'d mut Interpreter, plain: &Plain<'c>) -> BlockItemRef<'d> {
        BlockItemRef::Block(interpreter.borrow_plain_block(plain))
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn block(self, interpreter: &'d mut Interpreter, borrowed: &Borrowed<'c>) -> BlockItemRef<'d> {
        BlockItemRef::Block(interpreter.borrow_block(borrowed))
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn comment(
        self,
        interpreter: &'d mut Interpreter,
        text: Option<Scanned<'c>>,
    ) -> Result<BlockItemRef<'d>, DecodeError> {
        interpreter.borrow_comment(text).map(BlockItemRef::Comment)
    }

    fn retry(self, time: Duration) -> BlockItemRef<'d> {
        BlockItemRef::Block(BlockRef::of_retry(time))
    }
}

/// Owned.
///
/// A block is made without data that stays in the chunk, and its place is noted. The caller adds the data when nothing
/// borrows from the chunk any more. A block that were made with its data only then would be copied once more, which
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
    type Item = BlockItem;

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn lone_block(self, interpreter: &'d mut Interpreter, data: Scanned<'c>) -> BlockItem {
        BlockItem::Block(interpreter.own_plain_block(&Plain::default(), self.data(data)))
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn plain_block(self, interpreter: &'d mut Interpreter, plain: &Plain<'c>) -> BlockItem {
        let data = self.data(Scanned::from(plain.data.unwrap_or_default()));
        BlockItem::Block(interpreter.own_plain_block(plain, data))
    }

    fn block(self, interpreter: &'d mut Interpreter, borrowed: &Borrowed<'c>) -> BlockItem {
        let data = borrowed.data.and_then(|value| self.data(value));
        BlockItem::Block(interpreter.own_block(borrowed, data))
    }

    fn comment(self, interpreter: &'d mut Interpreter, text: Option<Scanned<'c>>) -> Result<BlockItem, DecodeError> {
        interpreter.own_comment(text).map(BlockItem::Comment)
    }

    fn retry(self, time: Duration) -> BlockItem {
        BlockItem::Block(Block::default().with_retry(time))
    }
}
