//! How much a decoder may hold.

use crate::{decode_routes, heap::Heap, naive::Options};
use eventwire::Decoder;

/// Besides so many times the limit.
const CONSTANT: usize = 512;

/// Decodes the chunks, what comes out dropped at once, with an eye on the heap: whatever the stream, the decoder holds no more than so
/// many `times` its limit, and a constant.
pub fn check(heap: &Heap, chunks: &[&[u8]], options: &Options<'_>, times: usize, decode: impl Fn(&mut Decoder, &[u8])) {
    let allowed = times * options.max_event_size + CONSTANT;
    let before = heap.live();
    let mut decoder = decode_routes::decoder(options);
    for chunk in chunks {
        decode(&mut decoder, chunk);
        let held = heap.live() - before;
        assert!(held <= allowed, "{held} bytes held, {allowed} allowed");
    }
    drop(decoder);
    assert_eq!(heap.live(), before, "given back");
}
