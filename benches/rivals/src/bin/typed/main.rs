//! Measures what a typed stream costs beyond the JSON in it, and prints the figures as Markdown.
//!
//! The same payloads, once as slices that are at hand, each through `serde_json::from_slice`, and once in an event stream, cut
//! into chunks, through `EventStream::json`.

#[expect(dead_code, reason = "two of the corpora, by their names")]
#[path = "../../../../corpora.rs"]
mod corpora;
#[path = "../../head.rs"]
mod head;
#[path = "../../turns.rs"]
mod turns;

mod payload;

use crate::{
    corpora::{Corpus, Cut},
    payload::{AnthropicEvent, OpenAiChunk},
    turns::{passes_in_a_turn, per_second, time},
};
use bytes::Bytes;
use eventwire::{Decoder, EventStream};
use futures_util::stream::{self, Stream};
use serde::de::DeserializeOwned;
use std::{
    convert::Infallible,
    env,
    hint::black_box,
    pin::pin,
    process::ExitCode,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

const USAGE: &str = "usage: cargo run --release --bin typed -- [--rounds N]";

/// A typed stream may take so much longer than the JSON alone.
const BAR: f64 = 1.15;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let rounds = match words[..] {
        [] => Some(7),
        ["--rounds", rounds] => rounds.parse().ok().filter(|&rounds| rounds > 0),
        _ => None,
    };
    let Some(rounds) = rounds else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    println!("{}\n", head::line());
    println!(
        "MB/s of the stream, the best of {rounds} rounds; the time of the typed stream over that of the JSON alone.\n"
    );
    println!("| corpus / cut | into | JSON alone | typed stream | time |\n| --- | --- | --- | --- | --- |");
    for cut in Cut::ALL {
        row::<OpenAiChunk>("openai", cut, rounds);
        row::<AnthropicEvent>("anthropic", cut, rounds);
        row::<serde_json::Value>("openai", cut, rounds);
    }
    ExitCode::SUCCESS
}

fn row<T: DeserializeOwned + 'static>(name: &str, cut: Cut, rounds: usize) {
    let corpus = corpora::named(name).expect("a corpus that is built");
    let payloads = payloads(&corpus);
    let chunks = corpora::cut(&corpus, cut);

    let alone = || payloads.iter().map(|payload| look(serde_json::from_slice::<T>(payload))).sum();
    let typed = || count(EventStream::new(stream::iter(chunks.iter().cloned().map(Ok::<_, Infallible>))).json::<T>());
    let best = race([&alone, &typed], corpus.events, rounds);

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

fn race(passes: [&dyn Fn() -> usize; 2], values: usize, rounds: usize) -> [Duration; 2] {
    let in_a_turn = passes.map(|pass| {
        let start = Instant::now();
        assert_eq!(pass(), values, "values");
        passes_in_a_turn(start.elapsed())
    });
    let mut best = [Duration::MAX; 2];
    for _ in 0..rounds {
        for ((pass, in_a_turn), best) in passes.iter().zip(in_a_turn).zip(&mut best) {
            *best = time(in_a_turn, || {
                black_box(pass());
            })
            .min(*best);
        }
    }
    best
}

fn count<T, E: std::fmt::Debug>(values: impl Stream<Item = Result<T, E>>) -> usize {
    let mut values = pin!(values);
    let mut context = Context::from_waker(Waker::noop());
    let mut count = 0;
    while let Poll::Ready(Some(value)) = values.as_mut().poll_next(&mut context) {
        count += look(value);
    }
    count
}

fn look<T, E: std::fmt::Debug>(value: Result<T, E>) -> usize {
    black_box(value.expect("JSON that fits"));
    1
}
