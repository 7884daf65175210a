//! Multipart streams: eventwire and other crates read the same parts.

#[path = "../../../../parts/entries.rs"]
mod part_entries;
mod rivals;

use std::{
    hint::black_box,
    pin::pin,
    process::ExitCode,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use memchr::memmem;

use eventwire_rivals::{
    consume,
    options::{self, Options},
    part_corpora::{self, BOUNDARY, PartCorpus, Seen},
    race::Entry,
    table::{Ratio, Table, at_least, megabytes},
};

const RIVALS: [&str; 4] = ["multer", "multer, chunk by chunk", "mpart-async", "multipart-stream"];

/// `decode` is called; `Parts` is polled, like the rivals.
const RATIOS: [Ratio; 2] = [
    Ratio { name: "decode / fastest", of: "decode", to: &RIVALS, goal: at_least(1.0) },
    Ratio { name: "Parts / fastest", of: "Parts", to: &RIVALS, goal: at_least(1.0) },
];

fn main() -> ExitCode {
    options::run(bench)
}

fn bench(options: &Options) -> Result<(), String> {
    let mut table = Table::new(options, "MB/s", megabytes, &RATIOS);
    for name in part_corpora::NAMES.into_iter().filter(|name| options.wants(name)) {
        let corpus = part_corpora::named(name).expect("a corpus that is built");
        for size in part_corpora::CUTS.into_iter().filter(|size| options.wants_cut(&size.to_string())) {
            let chunks = part_corpora::cut(&corpus, size);
            table.row(name, &size.to_string(), corpus.bytes.len(), corpus.parts, &entries(&corpus, &chunks));
        }
    }
    table.finish().map(drop)
}

fn entries<'a>(corpus: &'a PartCorpus, chunks: &'a [Bytes]) -> Vec<Entry<'a>> {
    let check = move |seen: Result<Seen, String>| {
        seen.and_then(|seen| if seen == Seen::of(corpus) { Ok(seen.parts) } else { Err(format!("{seen:?}")) })
    };
    let chunks = move || black_box(chunks);
    let [multer, multer_one_by_one, mpart_async, multipart_stream] = RIVALS;
    vec![
        Entry::ours("decode", move || check(part_entries::decode(chunks()))),
        Entry::ours("decode_bytes", move || check(part_entries::decode_bytes(chunks()))),
        Entry::ours("Parts", move || check(polled(part_entries::parts(chunks())))),
        Entry::ours("Collected", move || check(part_entries::collected(chunks()))),
        Entry::rival(multer, move || check(polled(rivals::multer(chunks())))),
        Entry::rival(multer_one_by_one, move || check(polled(rivals::multer_one_by_one(chunks())))),
        Entry::rival(mpart_async, move || check(polled(rivals::mpart_async(chunks())))),
        Entry::rival(multipart_stream, move || check(polled(rivals::multipart_stream(corpus, chunks())))),
        // The limit: finds all delimiters, in the unsplit bytes.
        Entry::ours("memmem", || {
            let delimiter = format!("\r\n--{BOUNDARY}");
            black_box(memmem::find_iter(black_box(&corpus.bytes), &delimiter).count());
            Ok(corpus.parts)
        }),
    ]
}

/// Polls to the end without an executor.
fn polled<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
    }
}
