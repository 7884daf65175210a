//! A small limit is kept, in every cut, and the decoder's memory with it.
#![no_main]

mod case;
#[path = "../../tests/it/decode_routes.rs"]
mod decode_routes;
mod heap;
#[path = "../../tests/it/naive.rs"]
mod naive;
mod options;

use bytes::Bytes;
use case::Case;
use heap::Heap;
use libfuzzer_sys::fuzz_target;
use naive::Options;

#[global_allocator]
static HEAP: Heap = Heap::new();

/// The stream is cut in two at each of its first places, so many of them; all of them would be quadratic.
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
        assert_eq!(decode_routes::lent(&[first, second], &options), expected, "cut at {i}");
        assert_eq!(decode_routes::owned(&[first, second], &options), expected, "cut at {i}");
    }
    check_memory(&[case.stream], &options);
    check_memory(&chunks, &options);
});

/// Whatever the stream, the decoder holds no more than so many times its limit, and this constant.
const TIMES: usize = 24;
const CONSTANT: usize = 512;

/// Decodes by both faces, events dropped as they come, with an eye on the heap.
fn check_memory(chunks: &[&[u8]], options: &Options<'_>) {
    let allowed = TIMES * options.max_event_size + CONSTANT;

    let before = HEAP.live();
    let mut decoder = decode_routes::decoder(options);
    for chunk in chunks {
        let mut input = *chunk;
        while decoder.decode(&mut input).transpose().is_some() {}
        let held = HEAP.live() - before;
        assert!(held <= allowed, "{held} bytes held, {allowed} allowed");
    }
    drop(decoder);
    assert_eq!(HEAP.live(), before, "given back");

    let mut decoder = decode_routes::decoder(options);
    for chunk in chunks {
        let mut input = Bytes::copy_from_slice(chunk);
        while decoder.decode_bytes(&mut input).transpose().is_some() {}
        drop(input);
        // The chunk is gone: what is left of it would be held by the decoder.
        let held = HEAP.live() - before;
        assert!(held <= allowed, "{held} bytes held, {allowed} allowed");
    }
}
