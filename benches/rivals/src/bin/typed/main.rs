//! Measures the cost of a typed stream compared with parsing its JSON alone, and the cost of writing JSON into a
//! stream, and prints the figures as Markdown.
//!
//! The same payloads are parsed twice: as slices, each with `serde_json::from_slice`, and as an event stream in
//! chunks, with `EventStream::json`.

#[expect(dead_code, reason = "values are inspected, not events")]
#[path = "../../../../consume.rs"]
mod consume;
#[expect(dead_code, reason = "only two corpora are used")]
#[path = "../../../../corpora.rs"]
mod corpora;
#[path = "../../head.rs"]
mod head;
#[path = "../../rounds.rs"]
mod rounds;
#[path = "../../turns.rs"]
mod turns;

mod payload;
mod writing;

use crate::{
    corpora::{Corpus, Cut},
    payload::{AnthropicEvent, OpenAiChunk},
    turns::per_second,
};
use bytes::Bytes;
use eventwire::{Decoder, EventStream};
use futures_util::stream::Stream;
use serde::de::DeserializeOwned;
use std::{fmt::Debug, hint::black_box, process::ExitCode};

const USAGE: &str = "usage: cargo run --release --bin typed -- [--rounds N]";

/// The limit of a typed stream's time, as a multiple of the JSON's alone.
const BAR: f64 = 1.15;

fn main() -> ExitCode {
    let Some(rounds) = rounds::asked() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    println!("{}\n", head::line());
    println!(
        "MB/s of the stream, the best of {rounds} rounds, and the time of the typed stream divided by that of the JSON alone.\n"
    );
    println!("| corpus / cut | into | JSON alone | typed stream | time |\n| --- | --- | --- | --- | --- |");
    for cut in Cut::ALL {
        row::<OpenAiChunk>("openai", cut, rounds);
        row::<AnthropicEvent>("anthropic", cut, rounds);
        row::<serde_json::Value>("openai", cut, rounds);
    }
    println!();
    writing::run(rounds);
    ExitCode::SUCCESS
}

fn row<T: DeserializeOwned + 'static>(name: &str, cut: Cut, rounds: usize) {
    let corpus = corpora::named(name).expect("a corpus that is built");
    let payloads = payloads(&corpus);
    let chunks = corpora::cut(&corpus, cut);

    let alone = || payloads.iter().map(|payload| look(serde_json::from_slice::<T>(payload))).sum();
    let typed = || count(EventStream::new(consume::stream(&chunks)).json::<T>());
    for pass in [&alone as &dyn Fn() -> usize, &typed] {
        assert_eq!(pass(), corpus.events, "values");
    }
    let best = rounds::race([&alone, &typed], rounds);

    let [alone, typed] = best.map(|best| per_second(corpus.bytes.len(), best) / 1e6);
    let ratio = best[1].as_secs_f64() / best[0].as_secs_f64();
    let into = std::any::type_name::<T>().rsplit("::").next().unwrap_or_default();
    let mark = if ratio > BAR { " (over the bar)" } else { "" };
    println!("| {name} / {} | {into} | {alone:.0} | {typed:.0} | {ratio:.2}{mark} |", cut.name());
}

fn payloads(corpus: &Corpus) -> Vec<Bytes> {
    let (mut decoder, mut payloads) = (Decoder::new(), Vec::new());
    let mut input = Bytes::copy_from_slice(&corpus.bytes);
    while let Some(event) = decoder.decode_bytes(&mut input).expect("within the limit") {
        payloads.push(event.into_data().into_bytes());
    }
    payloads
}

fn count<T, E: Debug>(values: impl Stream<Item = Result<T, E>>) -> usize {
    let mut count = 0;
    let done = consume::poll_each(values, |value| {
        count += look(value);
        Ok(())
    });
    assert_eq!(done, Ok(()));
    count
}

fn look<T, E: Debug>(value: Result<T, E>) -> usize {
    black_box(value.expect("JSON of this type"));
    1
}
