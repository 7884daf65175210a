//! Measures what `Tap` and `Rewrite` add to forwarding a stream of chunks, and prints the figures as Markdown.
//!
//! The same chunks are forwarded and decoded separately with `Decoder::decode`; sent through a `Tap`; through a
//! `Rewrite` that keeps every block; and through one that encodes every event again. Each contender inspects every
//! event.

#[path = "../../../../consume.rs"]
mod consume;
#[path = "../../../../corpora.rs"]
mod corpora;
#[path = "../../head.rs"]
mod head;
#[path = "../../rounds.rs"]
mod rounds;
#[path = "../../turns.rs"]
mod turns;

use crate::{
    consume::{debug, look, poll_each, stream},
    corpora::{Corpus, Cut},
    turns::per_second,
};
use bytes::Bytes;
use eventwire::{BlockRef, Decoder, EventRef, Rewrite, Tap};
use std::{hint::black_box, process::ExitCode};

const USAGE: &str = "usage: cargo run --release --bin tap -- [--rounds N]";

/// The limit of a tap's time, as a multiple of forwarding and decoding separately.
const BAR: f64 = 1.1;

fn main() -> ExitCode {
    let Some(rounds) = rounds::asked() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    println!("{}\n", head::line());
    println!(
        "MB/s, the best of {rounds} rounds, and the time of `Tap` divided by that of forwarding and decoding separately.\n"
    );
    println!("| corpus / cut | passed on and decoded | `Tap` | time | `Rewrite`, all kept | all replaced |");
    println!("| --- | --- | --- | --- | --- | --- |");
    let mut times = Vec::new();
    for corpus in corpora::all() {
        times.extend(Cut::ALL.map(|cut| row(&corpus, cut, rounds)));
    }
    let mean = times.iter().map(|time| time.ln()).sum::<f64>() / times.len() as f64;
    println!("\nGeometric mean: {:.3}", mean.exp());
    ExitCode::SUCCESS
}

fn row(corpus: &Corpus, cut: Cut, rounds: usize) -> f64 {
    let chunks = corpora::cut(corpus, cut);
    let decoded = || decoded(&chunks).expect("no limit");
    let tap = || tap(&chunks).expect("no limit");
    let kept = || rewrite(&chunks, false).expect("no limit");
    let replaced = || rewrite(&chunks, true).expect("no limit");
    let passes = [&decoded as &dyn Fn() -> usize, &tap, &kept, &replaced];
    for pass in passes {
        assert_eq!(pass(), corpus.events, "events");
    }
    let best = rounds::race(passes, rounds);

    let [decoded, tap, kept, replaced] = best.map(|best| per_second(corpus.bytes.len(), best) / 1e6);
    let ratio = best[1].as_secs_f64() / best[0].as_secs_f64();
    let mark = if ratio > BAR { " (over the bar)" } else { "" };
    let name = format!("{} / {}", corpus.name, cut.name());
    println!("| {name} | {decoded:.0} | {tap:.0} | {ratio:.2}{mark} | {kept:.0} | {replaced:.0} |");
    ratio
}

fn decoded(chunks: &[Bytes]) -> Result<usize, String> {
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

fn tap(chunks: &[Bytes]) -> Result<usize, String> {
    let mut events = 0;
    let tap = Tap::new(stream(chunks), |block| {
        if let Ok(BlockRef::Event(event)) = block {
            look_at(&event);
            events += 1;
        }
    });
    poll_each(tap, |chunk| {
        black_box(chunk.map_err(debug)?);
        Ok(())
    })?;
    Ok(events)
}

fn rewrite(chunks: &[Bytes], is_replaced: bool) -> Result<usize, String> {
    let mut events = 0;
    let rewrite = Rewrite::new(stream(chunks), |block, edit| {
        if let BlockRef::Event(event) = block {
            look_at(&event);
            events += 1;
            if is_replaced {
                edit.replace(&event.without_inherited_id());
            }
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
