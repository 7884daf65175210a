//! Any bytes, split in any way, yield the same blocks as the naive twin by every route, also under a limit and in
//! strict UTF-8. Blocks that are encoded again keep their meaning.
#![no_main]

#[path = "../../tests/it/always_ready.rs"]
mod always_ready;
mod case;
#[path = "../../tests/it/decode_routes.rs"]
mod decode_routes;
mod heap;
mod memory;
#[path = "../../tests/it/naive.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod naive;
mod options;

use case::Case;
use eventwire::Decoder;
use heap::Heap;
use libfuzzer_sys::fuzz_target;
use naive::{Item, Options, Outcome, Scope, Utf8Policy};

#[global_allocator]
static HEAP: Heap = Heap::new();

/// The decoder's maximum memory, as a multiple of its limit.
const TIMES: usize = 11;

fuzz_target!(|input: &[u8]| {
    let Some(case) = Case::of(input) else { return };
    let utf8_policy = match case.mode & 0x48 {
        0x48 => Utf8Policy::Stop,
        _ => Utf8Policy::Replace,
    };
    let max_event_size = if case.mode & 16 != 0 { usize::MAX } else { case.number };
    let scope = if case.mode & 0x48 == 0x40 { Scope::WithoutComments } else { Scope::Blocks };
    let options = Options { scope, utf8_policy, ..options::options(case.mode, max_event_size) };
    let expected = naive::interpret(case.stream, &options);
    decode_routes::check(&[case.stream], &options, &expected);
    decode_routes::check(&case.chunks(), &options, &expected);
    in_turns(&case, &options);
    written_again(case.stream);
    if max_event_size != usize::MAX {
        memory::check(&HEAP, &case.chunks(), &options, TIMES, |decoder, mut input| {
            while decoder.decode_block(&mut input).transpose().is_some() {}
        });
    }
});

/// Decodes blocks and events in turns. The events must be the twin's, whichever call returns them.
fn in_turns(case: &Case<'_>, options: &Options<'_>) {
    let mut decoder = decode_routes::decoder(options);
    let mut wants_blocks = case.mode & 32 != 0;
    let mut events = Vec::new();
    for chunk in case.chunks() {
        let mut input = chunk;
        loop {
            let event = match wants_blocks {
                true => decoder.decode_block(&mut input).map(|item| item.map(|item| item.event())),
                false => decoder.decode(&mut input).map(|event| event.map(Some)),
            };
            match event {
                Ok(Some(Some(event))) => events.push(decode_routes::twin_of(event)),
                Ok(None) => break,
                _ => {}
            }
            wants_blocks = !wants_blocks;
        }
        assert!(input.is_empty());
    }
    let expected = naive::interpret(case.stream, options).items.into_iter().filter_map(|(_, item)| match item {
        Item::Block(block) => block.event,
        _ => None,
    });
    let count = expected.clone().count();
    // What the end of the stream adds is not compared.
    assert!(events.len() == count || events.len() + 1 == count, "{events:?}");
    assert!(expected.zip(events).all(|(expected, event)| expected == event));
}

fn written_again(stream: &[u8]) {
    // A block that the end cuts off is not an item, but its reconnection time takes effect.
    let stream = [stream, b"\n\n"].concat();
    let (mut decoder, mut written) = (Decoder::new(), Vec::new());
    let mut input = &stream[..];
    while let Some(item) = decoder.decode_block(&mut input).expect("within the limit") {
        item.encode(&mut written);
    }
    assert_eq!(decoder.finish_block(), Ok(None));
    for scope in [Scope::Events, Scope::Blocks] {
        let options = Options { scope, ..Options::default() };
        assert_eq!(meaning(naive::interpret(&written, &options)), meaning(naive::interpret(&stream, &options)));
    }
}

/// What a stream means: its items without their places, and the state after it.
fn meaning(outcome: Outcome) -> (Vec<Item>, String, Option<u64>) {
    let items = outcome.items.into_iter().map(|(_, item)| item);
    (items.collect(), outcome.last_event_id, outcome.reconnection_time)
}
