//! All the ways to decode bytes into blocks. Each returns an outcome of the naive twin's type, so that all of them
//! can be compared.

use crate::{
    decode_routes::{
        Way, counted, decode_error, decoder, error_item, finish, milliseconds, outcome, owned_by, show, twin_of,
    },
    naive::{self, Item, Options, Outcome, Scope, push},
};
use bytes::Bytes;
use eventwire::{BlockItem, BlockItemRef, DecodeError, Decoder, EventStream, Events, Outgoing};
use futures_util::{FutureExt, StreamExt, stream};
use std::cell::Cell;

pub(crate) const ALL: [(&str, Route); 5] =
    [("borrowed", borrowed), ("shown", shown), ("owned", owned), ("iterator", iterator), ("stream", asynchronous)];

pub(crate) type Route = fn(&[&[u8]], &Options<'_>) -> Outcome;

/// Checks every route over these chunks against an outcome.
#[track_caller]
pub(crate) fn check(chunks: &[&[u8]], options: &Options<'_>, expected: &Outcome) {
    assert_eq!(options.scope, Scope::Blocks);
    for (name, route) in ALL {
        let outcome = route(chunks, options);
        assert_eq!(outcome, *expected, "{name}, {options:?}, chunks {}", show(chunks));
    }
}

pub(crate) fn borrowed(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    let mut decoder = decoder(options);
    let (mut items, mut taken) = (Vec::new(), 0);
    for chunk in chunks {
        let mut input = *chunk;
        loop {
            let before = input.len();
            let outcome = match decoder.decode_block(&mut input) {
                Ok(Some(item)) => {
                    let copy = item.to_item();
                    assert_eq!(BlockItemRef::from(&copy), item);
                    let mut bytes = Vec::new();
                    item.encode(&mut bytes);
                    assert_eq!(Outgoing::from(copy.clone()).into_bytes(), bytes);
                    Ok(copy)
                }
                Ok(None) => {
                    assert!(input.is_empty(), "`Ok(None)` means that the input is consumed");
                    taken += before;
                    break;
                }
                Err(error) => Err(error),
            };
            taken += before - input.len();
            push(&mut items, taken, block_item(outcome));
        }
    }
    finish(decoder, items, taken, &BLOCKS)
}

/// Decodes with `decode_chunk`, byte by byte, because it does not report at which byte a block ended. Then decodes
/// these chunks, without the positions.
pub(crate) fn shown(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    let decode = |chunks: &mut dyn Iterator<Item = &[u8]>| {
        let mut decoder = decoder(options);
        let (mut items, mut taken) = (Vec::new(), 0);
        for chunk in chunks {
            taken += chunk.len();
            decoder.decode_chunk(chunk, |item| {
                push(&mut items, taken, block_item(item.map(|item| item.to_item())));
            });
        }
        finish(decoder, items, taken, &BLOCKS)
    };
    let outcome = decode(&mut chunks.iter().flat_map(|chunk| chunk.chunks(1)));
    let in_chunks = decode(&mut chunks.iter().copied());
    let items = |outcome: &Outcome| outcome.items.iter().map(|(_, item)| item.clone()).collect::<Vec<_>>();
    assert_eq!(items(&in_chunks), items(&outcome), "chunks {}", show(chunks));
    outcome
}

pub(crate) fn owned(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    owned_by(chunks, options, &BLOCKS)
}

const BLOCKS: Way<BlockItem> =
    Way { next: Decoder::decode_block_bytes, finish: Decoder::finish_block, item: block_item };

pub(crate) fn iterator(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    let given = Cell::new(0);
    let source = counted(chunks, &given, <[u8]>::to_vec);
    let mut blocks = Events::with_decoder(source, decoder(options)).blocks();
    let mut items = Vec::new();
    while let Some(outcome) = blocks.next() {
        let taken = given.get() - blocks.get_ref().remaining().len();
        push(&mut items, taken, block_item(outcome.map_err(decode_error)));
    }
    assert!(blocks.next().is_none(), "fused");
    outcome(items, blocks.get_ref().decoder())
}

pub(crate) fn asynchronous(chunks: &[&[u8]], options: &Options<'_>) -> Outcome {
    let given = Cell::new(0);
    let source = stream::iter(counted(chunks, &given, Bytes::copy_from_slice));
    let mut blocks = EventStream::with_decoder(source, decoder(options)).blocks();
    let mut items = Vec::new();
    while let Some(outcome) = blocks.next().now_or_never().expect("the source is always ready") {
        let taken = given.get() - blocks.get_ref().remaining().len();
        push(&mut items, taken, block_item(outcome.map_err(decode_error)));
    }
    assert!(blocks.next().now_or_never().expect("the source is always ready").is_none(), "fused");
    outcome(items, blocks.get_ref().decoder())
}

pub(crate) fn block_item(outcome: Result<BlockItem, DecodeError>) -> Item {
    match outcome {
        Ok(BlockItem::Block(block)) => Item::Block(naive::Block {
            event_type: block.event_type().map(str::to_owned),
            data: block.data().map(str::to_owned),
            id: block.id().map(str::to_owned),
            retry: block.retry().map(milliseconds),
            event: block.event().map(twin_of),
        }),
        Ok(BlockItem::Comment(comment)) => Item::Comment(comment.text().into()),
        Err(error) => error_item(error),
    }
}
