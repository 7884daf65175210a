//! Measures eventwire against the other crates that read multipart streams, on the same bytes, in interleaved rounds,
//! and prints the figures as Markdown.

#[expect(dead_code, reason = "these streams contain no events")]
#[path = "../../../../consume.rs"]
mod consume;
#[path = "../../head.rs"]
mod head;
#[path = "../../../../part_corpora.rs"]
mod part_corpora;
#[path = "../../../../part_entries.rs"]
mod part_entries;
#[expect(dead_code, reason = "not every contender can read every corpus, so their number differs")]
#[path = "../../rounds.rs"]
mod rounds;
#[path = "../../turns.rs"]
mod turns;

mod contender;
mod one_by_one;
mod rivals;
mod row;

use crate::{
    contender::Contender,
    part_corpora::{CUTS, PartCorpus, Seen},
};
use bytes::Bytes;
use std::{env, hint::black_box, process::ExitCode};

const USAGE: &str = "\
usage: cargo run --release --bin multipart -- [--rounds N]
       cargo run --release --bin multipart -- --profile CORPUS CUT CONTENDER";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    if let [profile, corpus, cut, contender] = &words[..]
        && profile == "--profile"
    {
        return alone(corpus, cut, contender);
    }
    let Some(rounds) = rounds::asked() else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let contenders = contender::all();
    println!("{}\n", head::line());
    println!("MB/s, the best of {rounds} rounds.\n");
    row::print_head(&contenders);
    for name in part_corpora::NAMES {
        let corpus = part_corpora::named(name).expect("a corpus that is built");
        for size in CUTS {
            row::run(&contenders, &corpus, size, rounds);
        }
    }
    ExitCode::SUCCESS
}

/// Runs one contender once, for a profiler.
fn alone(corpus: &str, cut: &str, contender: &str) -> ExitCode {
    let contenders = contender::all();
    let contender = contenders.iter().find(|one| one.name == contender);
    let (Some(corpus), Ok(size), Some(contender)) = (part_corpora::named(corpus), cut.parse(), contender) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let seen = counted_pass(contender, &corpus, &part_corpora::cut(&corpus, size));
    assert_eq!(seen, Ok(Seen::of(&corpus)));
    println!("{} parts, {} bytes", corpus.parts, corpus.bytes.len());
    ExitCode::SUCCESS
}

/// A separate function, which callgrind finds by its name.
#[inline(never)]
fn counted_pass(contender: &Contender, corpus: &PartCorpus, chunks: &[Bytes]) -> Result<Seen, String> {
    black_box((contender.run)(corpus, black_box(chunks)))
}
