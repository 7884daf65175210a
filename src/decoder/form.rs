//! The two forms in which blocks are returned: borrowed and owned.

use super::{
    DecodeError,
    borrowed::{Borrowed, Plain},
    interpreter::Interpreter,
    owned_data::OwnedData,
};
use crate::{
    event::{Block, BlockItemRef, BlockRef, Comment},
    line::Scanned,
};
use core::time::Duration;

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

/// Owned. The chunk is that in which the values are.
pub(super) struct AsOwned<'c> {
    pub(super) chunk: &'c [u8],
}

/// An item of which the data is not yet separated from its chunk.
pub(super) enum OwnedItem {
    /// A block without its data.
    Block(Block, OwnedData),
    /// A block whose data was stored, or that has none.
    Complete(Block),
    Comment(Comment),
}

impl<'d, 'c> Form<'d, 'c> for AsOwned<'c> {
    type Item = OwnedItem;

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn lone_block(self, interpreter: &'d mut Interpreter, data: Scanned<'c>) -> OwnedItem {
        let data = OwnedData::value(data, self.chunk);
        OwnedItem::Block(interpreter.own_plain_block(&Plain::default()), data)
    }

    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn plain_block(self, interpreter: &'d mut Interpreter, plain: &Plain<'c>) -> OwnedItem {
        let data = OwnedData::value(Scanned::from(plain.data.unwrap_or_default()), self.chunk);
        OwnedItem::Block(interpreter.own_plain_block(plain), data)
    }

    fn block(self, interpreter: &'d mut Interpreter, borrowed: &Borrowed<'c>) -> OwnedItem {
        let block = interpreter.own_block(borrowed);
        match borrowed.data {
            Some(value) => OwnedItem::Block(block, OwnedData::value(value, self.chunk)),
            None => OwnedItem::Complete(block),
        }
    }

    fn comment(self, interpreter: &'d mut Interpreter, text: Option<Scanned<'c>>) -> Result<OwnedItem, DecodeError> {
        interpreter.own_comment(text).map(OwnedItem::Comment)
    }

    fn retry(self, time: Duration) -> OwnedItem {
        OwnedItem::Complete(Block::default().with_retry(time))
    }
}
