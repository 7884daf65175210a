//! What `Tap` adds to forwarding a stream of chunks.
//!
//! The same chunks are forwarded and decoded separately with `Decoder::decode`; sent through a `Tap`; and through one
//! whose decoder skips comments, as `decode` does. Each entry inspects every event.

#[path = "../../../entries.rs"]
#[expect(dead_code, reason = "the others are measured by the main program")]
mod entries;

use std::{hint::black_box, process::ExitCode};

use bytes::Bytes;
use eventwire::Decoder;
use eventwire_rivals::{
    consume::{self, debug, look, poll_each, stream},
    corpora,
    options::{self, Options},
    race::Entry,
    table::{Ratio, Table, at_most, megabytes},
};

const RATIOS: [Ratio; 2] = [
    Ratio { name: "time: `Tap`", of: "separately", to: &["Tap"], goal: at_most(1.1) },
    Ratio { name: "without comments", of: "separately", to: &["Tap without comments"], goal: at_most(1.1) },
];

const ABOUT: &str = "MB/s, and the time of two of them divided by that of forwarding and decoding separately";

fn main() -> ExitCode {
    options::run(bench)
}

fn bench(options: &Options) -> Result<(), String> {
    let mut table = Table::new(options, ABOUT, megabytes, &RATIOS);
    for corpus in options.corpora() {
        for cut in options.cuts() {
            let chunks = &*corpora::cut(&corpus, cut);
            let entries = [
                Entry::ours("separately", || separately(chunks)),
                Entry::ours("Tap", || entries::tap(chunks)),
                Entry::ours("Tap without comments", || entries::tap_with(chunks, Decoder::new().without_comments())),
            ];
            table.row(&corpus.name, &cut.name(), corpus.bytes.len(), corpus.events, &entries);
        }
    }
    table.finish().map(drop)
}

fn separately(chunks: &[Bytes]) -> Result<usize, String> {
    let mut decoder = Decoder::new();
    let mut events = 0;
    poll_each(stream(chunks), |chunk| {
        let chunk = chunk.map_err(debug)?;
        let mut input = &chunk[..];
        while let Some(event) = decoder.decode(&mut input).map_err(debug)? {
            look(event.event_type(), event.data(), event.last_event_id());
            events += 1;
        }
        black_box(chunk);
        Ok(())
    })?;
    Ok(events)
}
