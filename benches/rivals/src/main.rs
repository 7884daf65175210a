//! Reading: eventwire and its rivals decode the same chunks.

#[path = "../../entries.rs"]
#[expect(dead_code, reason = "`Tap` is measured by a program of its own")]
mod entries;
mod rivals;

use std::{
    hint::black_box,
    process::ExitCode,
    time::{Duration, Instant},
};

use bytes::Bytes;
use eventwire_rivals::{
    consume,
    corpora::{self, Corpus, Cut},
    options::{self, Options},
    race::Entry,
    table::{Ratio, Row, Table, at_least, mean, megabytes, speed_of},
};

type Contender = (&'static str, fn(&[Bytes]) -> Result<usize, String>);

const OURS: [Contender; 4] = [
    ("decode", entries::decode),
    ("decode_bytes", entries::decode_bytes),
    ("events", entries::events),
    ("stream", entries::stream),
];

const RIVALS: [Contender; 7] = [
    ("sse-core decoder", rivals::sse_core_decoder),
    ("sse-core", rivals::sse_core_stream),
    ("sse-parse parser", rivals::sse_parse_parser),
    ("sse-parse", rivals::sse_parse_stream),
    ("sse-stream", rivals::sse_stream_stream),
    ("sseer", rivals::sseer_stream),
    ("eventsource-stream", rivals::eventsource_stream_stream),
];

/// `decode` is called, and compared with the fastest API of each rival. A stream is compared with streams.
const RATIOS: [Ratio; 3] = [
    Ratio {
        name: "decode / fastest",
        of: "decode",
        to: &[
            "sse-core decoder",
            "sse-core",
            "sse-parse parser",
            "sse-parse",
            "sse-stream",
            "sseer",
            "eventsource-stream",
        ],
        goal: at_least(1.4),
    },
    Ratio {
        name: "stream / fastest stream",
        of: "stream",
        to: &["sse-core", "sse-stream", "sseer", "sse-parse", "eventsource-stream"],
        goal: at_least(1.2),
    },
    Ratio { name: "decode / limit", of: "decode", to: &["limit"], goal: at_least(0.5) },
];

fn main() -> ExitCode {
    options::run(bench)
}

fn bench(options: &Options) -> Result<(), String> {
    let mut table = Table::new(options, "MB/s", megabytes, &RATIOS);
    for corpus in options.corpora() {
        for cut in options.cuts() {
            let chunks = corpora::cut(&corpus, cut);
            let entries = entries(&corpus, &chunks, options.profile.is_some());
            table.row(&corpus.name, &cut.name(), corpus.bytes.len(), corpus.events, &entries);
        }
    }
    let rows = table.finish()?;
    if options.profile.is_none() && options.cuts().count() == Cut::ALL.len() {
        print_summary(&rows);
    }
    Ok(())
}

fn entries<'a>(corpus: &'a Corpus, chunks: &'a [Bytes], is_alone: bool) -> Vec<Entry<'a>> {
    let ours = OURS.map(|(name, run)| Entry::ours(name, move || run(black_box(chunks))));
    let rivals = RIVALS.map(|(name, run)| {
        if !is_alone && is_too_slow(run, chunks) {
            return Entry::rival(name, || Err("it takes too long".to_owned()));
        }
        Entry::rival(name, move || run(black_box(chunks)))
    });
    let limit = Entry::ours("limit", || scan_and_validate(corpus));
    ours.into_iter().chain(rivals).chain([limit]).collect()
}

/// Tries a part of the chunks: a rival that takes quadratic time for an event would take minutes for all of them.
fn is_too_slow(run: fn(&[Bytes]) -> Result<usize, String>, chunks: &[Bytes]) -> bool {
    let start = Instant::now();
    let _ = run(&chunks[..chunks.len() / 16]);
    start.elapsed() > Duration::from_millis(if cfg!(debug_assertions) { 1000 } else { 50 })
}

/// A limit that a decoder can hardly exceed: finds every line end and validates every byte of the unsplit stream.
fn scan_and_validate(corpus: &Corpus) -> Result<usize, String> {
    let bytes = black_box(&corpus.bytes[..]);
    black_box(memchr::memchr2_iter(b'\r', b'\n', bytes).map(black_box).count());
    simdutf8::basic::from_utf8(bytes).map_err(|error| error.to_string())?;
    Ok(corpus.events)
}

/// The ratios alone, with a row for each corpus, and how the rivals' streams compare, as in `results.md`.
fn print_summary(rows: &[Row]) {
    let cuts = Cut::ALL.map(Cut::name).join(" | ");
    println!("| | decode: {cuts} | stream: {cuts} |\n|{}", "---|".repeat(1 + 2 * Cut::ALL.len()));
    for of_corpus in rows.chunk_by(|one, other| one.corpus == other.corpus) {
        let column = |index: usize| of_corpus.iter().map(move |row| row.ratios.get(index).copied().flatten());
        let cells = column(0).chain(column(1)).map(|ratio| ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}")));
        println!("| {} | {} |", of_corpus[0].corpus, cells.collect::<Vec<_>>().join(" | "));
    }
    println!();
    let streams = RATIOS[1].to;
    println!("| | {} |\n|{}", streams.join(" | "), "---|".repeat(1 + streams.len()));
    let shares = streams.iter().map(|name| {
        let shares = rows.iter().filter_map(|row| {
            let fastest = streams.iter().filter_map(|name| speed_of(&row.speeds, name)).reduce(f64::max)?;
            Some(speed_of(&row.speeds, name)? / fastest)
        });
        format!("{:.2}", mean(&shares.collect::<Vec<_>>()))
    });
    println!("| stream | {} |\n", shares.collect::<Vec<_>>().join(" | "));
}
