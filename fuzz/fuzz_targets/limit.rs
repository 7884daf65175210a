//! A small limit is enforced however the bytes are split, and the decoder's memory stays below a multiple of it.
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

use bytes::Bytes;
use case::Case;
use heap::Heap;
use libfuzzer_sys::fuzz_target;
use naive::Options;

#[global_allocator]
static HEAP: Heap = Heap::new();

/// The stream is split in two at this many of its first places. Splitting at all of them would be quadratic.
const CUTS: usize = 32;

fuzz_target!(|input: &[u8]| {
    let Some(case) = Case::of(input) else { return };
    let options = options::options(case.mode, case.number);
    let expected = naive::interpret(case.stream, &options);
    let chunks = case.chunks();
    decode_routes::check(&[case.stream], &options, &expected);
    decode_routes::check(&chunks, &options, &expected);
    for i in 0..=case.stream.len().min(CUTS) {
        let (first, second) = case.stream.split_at(i);
        assert_eq!(decode_routes::borrowed(&[first, second], &options), expected, "split at {i}");
        assert_eq!(decode_routes::owned(&[first, second], &options), expected, "split at {i}");
    }
    check_memory(&[case.stream], &options);
    check_memory(&chunks, &options);
});

/// The decoder's maximum memory, as a multiple of its limit.
const TIMES: usize = 10;

/// Checks the memory with borrowed and with owned events.
fn check_memory(chunks: &[&[u8]], options: &Options<'_>) {
    memory::check(
        &HEAP,
        chunks,
        options,
        TIMES,
        |decoder, mut input| {
            while decoder.decode(&mut input).transpose().is_some() {}
        },
    );
    memory::check(&HEAP, chunks, options, TIMES, |decoder, input| {
        // The chunk is dropped afterwards, so if the decoder shares a part of it, that counts as the decoder's
        // memory.
        let mut input = Bytes::copy_from_slice(input);
        while decoder.decode_bytes(&mut input).transpose().is_some() {}
    });
}
