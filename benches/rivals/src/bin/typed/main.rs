//! A typed stream, compared with parsing its JSON alone; and two ways to write JSON into a stream.
//!
//! The same payloads are parsed twice: as slices, each with `serde_json::from_slice`, and as an event stream in
//! chunks, with `Events::json`.

mod payload;

use std::{cell::RefCell, fmt::Debug, hint::black_box, process::ExitCode};

use bytes::Bytes;
use eventwire::{Decoder, Dialect, Event, Events};
use serde::de::DeserializeOwned;

use crate::payload::{AnthropicEvent, OpenAiChunk};
use eventwire_rivals::{
    consume::{self, debug},
    corpora::{self, Corpus},
    options::{self, Options},
    race::Entry,
    table::{Ratio, Table, at_least, at_most, megabytes},
};

const READING: [Ratio; 1] = [Ratio { name: "time", of: "JSON alone", to: &["typed stream"], goal: at_most(1.15) }];
const WRITING: [Ratio; 1] =
    [Ratio { name: "speed", of: "encode_json", to: &["with_json, encode"], goal: at_least(1.2) }];

/// The corpora have no end marker.
const DIALECT: Dialect = Dialect::OPENAI.with_optional_end();

const ABOUT: &str = "MB/s of the stream, and the time of the typed stream divided by that of the JSON alone";

fn main() -> ExitCode {
    options::run(bench)
}

fn bench(options: &Options) -> Result<(), String> {
    let mut table = Table::new(options, ABOUT, megabytes, &READING);
    for corpus in options.corpora() {
        match &*corpus.name {
            "openai" => {
                read::<OpenAiChunk>(&mut table, options, &corpus);
                read::<serde_json::Value>(&mut table, options, &corpus);
            }
            "anthropic" => read::<AnthropicEvent>(&mut table, options, &corpus),
            _ => {}
        }
    }
    let read = table.finish();
    let mut table = Table::new(options, "MB/s of JSON written into a stream", megabytes, &WRITING);
    if options.wants("openai") {
        write(&mut table);
    }
    // An entry under a profiler is in one of the two tables.
    read.or(table.finish()).map(drop)
}

fn read<T: DeserializeOwned>(table: &mut Table<'_>, options: &Options, corpus: &Corpus) {
    let into = std::any::type_name::<T>().rsplit("::").next().unwrap_or_default();
    let payloads = &payloads(corpus);
    for cut in options.cuts() {
        let chunks = &*corpora::cut(corpus, cut);
        let entries = [
            Entry::ours("JSON alone", || {
                payloads.iter().try_for_each(|payload| look(serde_json::from_slice::<T>(payload)))?;
                Ok(payloads.len())
            }),
            Entry::ours("typed stream", || {
                let mut count = 0;
                consume::poll_each(Events::new(consume::stream(chunks)).json_with::<T>(DIALECT), |value| {
                    count += 1;
                    look(value)
                })?;
                Ok(count)
            }),
        ];
        table.row(&corpus.name, &format!("{}, {into}", cut.name()), corpus.bytes.len(), corpus.events, &entries);
    }
}

fn payloads(corpus: &Corpus) -> Vec<Bytes> {
    let (mut decoder, mut payloads) = (Decoder::new(), Vec::new());
    let mut input = Bytes::copy_from_slice(&corpus.bytes);
    while let Some(event) = decoder.decode_bytes(&mut input).expect("within the limit") {
        payloads.push(event.into_data().into_bytes());
    }
    payloads
}

fn look<T>(value: Result<T, impl Debug>) -> Result<(), String> {
    black_box(value.map_err(debug)?);
    Ok(())
}

/// Writes directly into the buffer, and through an event.
fn write(table: &mut Table<'_>) {
    let payloads = payloads(&corpora::named("openai").expect("a corpus that is built"));
    let chunks = payloads.iter().map(|payload| serde_json::from_slice(payload).expect("JSON of this type"));
    let chunks: &Vec<OpenAiChunk> = &chunks.collect();
    let buffer = &RefCell::new(Vec::with_capacity(4096));
    let pass = |write: fn(&OpenAiChunk, &mut Vec<u8>)| {
        move || {
            let mut buffer = buffer.borrow_mut();
            let written = chunks.iter().map(|chunk| {
                buffer.clear();
                write(chunk, &mut buffer);
                black_box(&*buffer).len()
            });
            Ok(written.sum())
        }
    };
    let through_event = pass(|chunk, buffer| Event::default().with_json(chunk).expect("JSON").encode(buffer));
    let directly = pass(|chunk, buffer| Event::default().encode_json(chunk, buffer).expect("JSON"));
    let bytes = through_event().unwrap_or_default();
    let entries = [Entry::ours("with_json, encode", through_event), Entry::ours("encode_json", directly)];
    table.row("openai", "", bytes, bytes, &entries);
}
