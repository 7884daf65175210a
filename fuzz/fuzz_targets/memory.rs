//! A check of the decoder's memory.

use crate::{decode_routes, heap::Heap, naive::Options};
use eventwire::Decoder;

/// The bytes that a decoder may use in addition to the multiple of its limit: small ones, 1 KiB of ignored text, and a
/// carried line of up to 1 KiB.
const CONSTANT: usize = 512 + 1024 + 1024;

/// Decodes the chunks, drops each item at once, and watches the heap. For any stream, the decoder must not use more
/// than `times` its limit and a constant.
pub fn check(heap: &Heap, chunks: &[&[u8]], options: &Options<'_>, times: usize, decode: impl Fn(&mut Decoder, &[u8])) {
    let allowed = times * options.max_event_size + CONSTANT;
    let before = heap.live();
    let mut decoder = decode_routes::decoder(options);
    for chunk in chunks {
        decode(&mut decoder, chunk);
        let held = heap.live() - before;
        assert!(held <= allowed, "{held} bytes in use, {allowed} allowed");
    }
    drop(decoder);
    assert_eq!(heap.live(), before, "memory was not released");
}
