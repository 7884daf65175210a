//! `Rewrite`: what happens to each block, however the stream is split.

mod by_hand;
mod keep_alive;
mod laws;
mod memory;
mod naive;

use eventwire::{Block, BlockItem, BlockItemRef, Comment, Decoder, Edit, Error, Event, EventId, Oversize, Rewrite};
use futures_util::{FutureExt, StreamExt, stream};
use std::{convert::Infallible, time::Duration};

/// Output, or the error as a short text.
type Item = Result<Vec<u8>, String>;

/// Decides whether an item is kept, and what is written after it or instead of it.
type Function<'f> = dyn FnMut(BlockItem) -> (bool, Vec<u8>) + 'f;

/// A decision about a block.
#[derive(Clone, Copy, Debug)]
enum Decision {
    Keep,
    Remove,
    Replace(usize),
    Append(usize),
    /// Two blocks are appended, and then the block is removed.
    AppendAndRemove(usize, usize),
}

/// Items to write.
fn new_item(number: usize) -> BlockItem {
    BlockItem::Block(match number % 6 {
        0 => Event::new("new").into(),
        1 => return BlockItem::Comment(Comment::new("new")),
        2 => Block::default().with_retry(Duration::from_millis(7)),
        3 => Block::default().with_id(EventId::from(9)),
        4 => Event::new("two\nlines").with_event_type("new").unwrap().with_id("n").unwrap().into(),
        _ => Event::new("").with_retry(Duration::ZERO).into(),
    })
}

/// Applies the decision to an `Edit`.
fn edit(decision: Decision, edit: &mut Edit<'_>) {
    match decision {
        Decision::Keep => {}
        Decision::Remove => edit.remove(),
        Decision::Replace(number) => edit.replace(&new_item(number)),
        Decision::Append(number) => edit.append(&new_item(number)),
        Decision::AppendAndRemove(one, other) => {
            edit.append(&new_item(one));
            edit.append(&new_item(other));
            edit.remove();
        }
    }
}

/// The decision for the naive twin: whether the block is kept, and the blocks after it or instead of it.
fn decided(decision: Decision) -> (bool, Vec<BlockItem>) {
    match decision {
        Decision::Keep => (true, vec![]),
        Decision::Remove => (false, vec![]),
        Decision::Replace(number) => (false, vec![new_item(number)]),
        Decision::Append(number) => (true, vec![new_item(number)]),
        Decision::AppendAndRemove(one, other) => (false, vec![new_item(one), new_item(other)]),
    }
}

/// Returns the items of a `Rewrite` over these chunks.
fn items(
    chunks: &[&[u8]],
    decoder: &Decoder,
    oversize: Oversize,
    function: impl FnMut(BlockItemRef<'_>, &mut Edit<'_>),
) -> Vec<Item> {
    let chunks = stream::iter(chunks.iter().map(|chunk| Ok::<_, Infallible>(chunk.to_vec())));
    let mut rewrite = Rewrite::new(chunks, function).with_decoder(decoder.clone()).with_oversize(oversize);
    let mut items = Vec::new();
    while let Some(item) = rewrite.next().now_or_never().expect("always ready") {
        items.push(match item {
            Ok(output) => {
                assert!(!output.is_empty(), "an empty chunk, which would end a body");
                Ok(output.to_vec())
            }
            Err(Error::Decode(error)) => Err(naive::word(error)),
            Err(other) => panic!("{other:?}"),
        });
    }
    assert!(rewrite.next().now_or_never().unwrap().is_none(), "not fused");
    items
}

/// Returns the items, with consecutive output joined.
fn joined(items: Vec<Item>) -> Vec<Item> {
    let mut joined: Vec<Item> = Vec::new();
    for item in items {
        match (joined.last_mut(), item) {
            (Some(Ok(before)), Ok(output)) => before.extend(output),
            (_, item) => joined.push(item),
        }
    }
    joined
}
