//! Passes over a corpus, for JavaScript. It knows each corpus and cut by the number of its row.

#[path = "../../corpora.rs"]
#[expect(dead_code, reason = "only some of the corpora are measured")]
mod corpora;

use std::hint::black_box;

use bytes::Bytes;
use eventwire::Decoder;

use crate::corpora::Cut;

const CORPORA: [&str; 9] =
    ["openai", "anthropic", "named", "ticks", "ids", "tiny", "lines24", "cjk-emoji", "keep-alive"];

/// The corpus and the cut of a row.
fn row(number: usize) -> Option<(&'static str, Cut)> {
    let cuts = Cut::ALL.len();
    CORPORA.get(number / cuts).map(|corpus| (*corpus, Cut::ALL[number % cuts]))
}

/// A byte of the name of a row. 0: the name ends before it, or there is no such row.
#[unsafe(no_mangle)]
pub extern "C" fn letter(number: usize, at: usize) -> u8 {
    let name = row(number).map(|(corpus, cut)| format!("`{corpus}`/{}", cut.name())).unwrap_or_default();
    name.as_bytes().get(at).copied().unwrap_or(0)
}

/// What a pass reads, and the number of events in it.
pub struct Prepared {
    chunks: Vec<Bytes>,
    events: usize,
}

/// Builds the chunks of a row. They are never freed.
#[unsafe(no_mangle)]
pub extern "C" fn prepare(number: usize) -> *const Prepared {
    let (corpus, cut) = row(number).expect("a row that has a name");
    let corpus = corpora::named(corpus).expect("the corpus is in the list");
    Box::into_raw(Box::new(Prepared { chunks: corpora::cut(&corpus, cut), events: corpus.events }))
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
            black_box((event.event_type(), event.data(), event.last_event_id()));
            events += 1;
        }
    }
    events == prepared.events
}
