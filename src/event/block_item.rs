//! The items of a stream of blocks.

use super::{Block, BlockRef, Comment, EventRef};
use crate::encoding::Encoding;
use bytes::BufMut;

/// An item of a stream that is read block by block: a block or a comment.
///
/// A comment is returned at the end of its line, even if that is between the lines of a block.
/// [`Decoder::without_comments`](crate::Decoder::without_comments) omits them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BlockItem {
    /// A block with at least one field.
    Block(Block),
    /// A comment, such as `: ping`.
    Comment(Comment),
}

/// A borrowed [`BlockItem`]; [`Decoder::decode_block`](crate::Decoder::decode_block) returns it.
///
/// It borrows from the chunk or from the decoder, and is valid until the next call to the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockItemRef<'a> {
    /// A block with at least one field.
    Block(BlockRef<'a>),
    /// The text of a comment, without one leading space.
    Comment(&'a str),
}

impl<'a> BlockItemRef<'a> {
    /// Returns the block, unless the item is a comment.
    #[inline]
    #[must_use]
    pub const fn block(&self) -> Option<BlockRef<'a>> {
        match self {
            BlockItemRef::Block(block) => Some(*block),
            BlockItemRef::Comment(_) => None,
        }
    }

    /// Returns the event, if the item is a block that has data.
    #[inline]
    #[must_use]
    pub fn event(&self) -> Option<EventRef<'a>> {
        self.block()?.event()
    }

    /// Appends the item to `buffer`; see [`Event::encode`](crate::Event::encode).
    pub fn encode(&self, buffer: &mut impl BufMut) {
        match self {
            BlockItemRef::Block(block) => block.encoding(),
            BlockItemRef::Comment(text) => Encoding::comment(text),
        }
        .write(buffer);
    }

    /// Returns an owned copy of the item, which you can keep.
    #[must_use]
    pub fn to_item(&self) -> BlockItem {
        match self {
            BlockItemRef::Block(block) => BlockItem::Block(block.to_block()),
            BlockItemRef::Comment(text) => BlockItem::Comment(Comment::new(*text)),
        }
    }
}

/// Borrows the item, so that one function can handle the items of [`decode_block`](crate::Decoder::decode_block), which
/// are borrowed, and those of [`finish_block`](crate::Decoder::finish_block), which are owned.
impl<'a> From<&'a BlockItem> for BlockItemRef<'a> {
    fn from(item: &'a BlockItem) -> BlockItemRef<'a> {
        match item {
            BlockItem::Block(block) => BlockItemRef::Block(block.into()),
            BlockItem::Comment(comment) => BlockItemRef::Comment(comment.text()),
        }
    }
}
