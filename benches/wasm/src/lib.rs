//! Passes over a corpus, for JavaScript. It has the numbers of the corpus and of the cut.

#[path = "../../corpora.rs"]
#[expect(dead_code, reason = "as in the other benches")]
mod corpora;

use std::hint::black_box;

use bytes::Bytes;
use eventwire::Decoder;

use crate::corpora::Cut;

/// What a pass reads, and the number of events in it.
pub struct Prepared {
    chunks: Vec<Bytes>,
    events: usize,
}

/// Builds a corpus. It is never freed.
#[unsafe(no_mangle)]
pub extern "C" fn prepare(corpus: usize, cut: usize) -> *const Prepared {
    let corpus = corpora::named(corpora::NAMES[corpus]).expect("the recordings are not used");
    let chunks = corpora::cut(&corpus, Cut::ALL[cut]);
    Box::into_raw(Box::new(Prepared { chunks, events: corpus.events }))
}

/// Decodes all chunks. Returns whether all events came out.
///
/// # Safety
///
/// The pointer must come from [`prepare`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pass(prepared: *const Prepared) -> bool {
    // SAFETY: the caller guarantees it, as documented above.
    let prepared = unsafe { &*prepared };
    let mut decoder = Decoder::new();
    let mut events = 0;
    for chunk in &prepared.chunks {
        let mut input = &chunk[..];
        while let Ok(Some(event)) = decoder.decode(&mut input) {
            black_box((event.event_type(), event.data(), event.id()));
            events += 1;
        }
    }
    events == prepared.events
}
