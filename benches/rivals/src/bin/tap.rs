//! What `Tap` and `Rewrite` add to forwarding a stream of chunks.
//!
//! The same chunks are forwarded and decoded separately with `Decoder::decode`; sent through a `Tap`; through one whose
//! decoder skips comments, as `decode` does; through a `Rewrite` that keeps every block; and through one that encodes
//! every event again. Each entry inspects every event.

#[path = "../../../entries.rs"]
#[expect(dead_code, reason = "the others are measured by the main program")]
mod entries;

use std::{hint::black_box, process::ExitCode};

use bytes::Bytes;
use eventwire::{BlockRef, Decoder, Edit, EventRef, Rewrite};
use eventwire_rivals::{
    consume::{self, debug, look, poll_each, stream},
    corpora,
    options::{self, Options},
    race::Entry,
    table::{Ratio, Table, at_most, megabytes},
};

const RATIOS: [Ratio; 3] = [
    Ratio { name: "time: `Tap`", of: "separately", to: &["Tap"], goal: at_most(1.1) },
    Ratio { name: "without comments", of: "separately", to: &["Tap without comments"], goal: at_most(1.1) },
    Ratio { name: "`Rewrite`", of: "separately", to: &["Rewrite, all kept"], goal: at_most(1.5) },
];

const ABOUT: &str = "MB/s, and the time of three of them divided by that of forwarding and decoding separately";

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
                Entry::ours("Rewrite, all kept", || rewrite(chunks, |_, _| {})),
                Entry::ours("Rewrite, all replaced", || rewrite(chunks, |block, edit| edit.replace(block))),
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
            look_at(&event);
            events += 1;
        }
        black_box(chunk);
        Ok(())
    })?;
    Ok(events)
}

fn rewrite(chunks: &[Bytes], change: impl Fn(BlockRef<'_>, &mut Edit<'_>)) -> Result<usize, String> {
    let mut events = 0;
    let rewrite = Rewrite::new(stream(chunks), |item, edit| {
        if let Some(block) = item.block()
            && let Some(event) = block.event()
        {
            look_at(&event);
            events += 1;
            change(block, edit);
        }
    });
    poll_each(rewrite, |chunk| {
        black_box(chunk.map_err(debug)?);
        Ok(())
    })?;
    Ok(events)
}

fn look_at(event: &EventRef<'_>) {
    look(event.event_type(), event.data(), event.id());
}
