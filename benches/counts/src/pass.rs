//! The pass that is counted.

use std::hint::black_box;

use bytes::Bytes;

use crate::row::Entry;

/// Callgrind counts while this function runs and finds it by its name (`callgrind::COLLECTED`), so it must stay a
/// separate function. The entry must, too: when two entries were inlined here, one corpus took 9 % more instructions.
/// The `black_box` around the result keeps the call from becoming a jump, which callgrind might not recognise as a
/// call.
#[inline(never)]
pub(crate) fn counted_pass(entry: Entry, chunks: &[Bytes]) -> Result<usize, String> {
    let run = black_box(entry.function());
    black_box(run(black_box(chunks)))
}
