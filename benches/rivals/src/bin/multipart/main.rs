//! Measures eventwire against the other crates that read multipart streams, on the same bytes, in interleaved rounds, and prints
//! the figures as Markdown.

#[expect(dead_code, reason = "there are no events here")]
#[path = "../../../../consume.rs"]
mod consume;
#[path = "../../head.rs"]
mod head;
#[path = "../../../../part_corpora.rs"]
mod part_corpora;
#[path = "../../../../part_entries.rs"]
mod part_entries;
#[expect(dead_code, reason = "not all of them can read everything, so their number differs")]
#[path = "../../rounds.rs"]
mod rounds;
#[path = "../../turns.rs"]
mod turns;

mod contender;
mod one_by_one;
mod rivals;

use crate::{
    contender::Contender,
    part_corpora::{BOUNDARY, CUTS, PartCorpus, Seen},
    turns::per_second,
};
use memchr::memmem;
use std::{env, process::ExitCode, time::Duration};

const USAGE: &str = "\
usage: cargo run --release --bin multipart -- [--rounds N]
       cargo run --release --bin multipart -- --profile CORPUS CUT CONTENDER";

/// So many times as fast as the fastest rival: text parts, and frames.
const BARS: [(&str, f64); 2] = [("text", 2.0), ("frames", 1.2)];

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
    let names: Vec<&str> = contenders.iter().map(|contender| contender.name).collect();
    println!("| corpus / cut | {} | memmem | fastest rival | ratios |", names.join(" | "));
    println!("|{}", " --- |".repeat(names.len() + 4));
    for name in part_corpora::NAMES {
        let corpus = part_corpora::named(name).expect("a corpus that is built");
        for size in CUTS {
            row(&contenders, &corpus, size, rounds);
        }
    }
    ExitCode::SUCCESS
}

fn row(contenders: &[Contender], corpus: &PartCorpus, size: usize, rounds: usize) {
    let chunks = part_corpora::cut(corpus, size);
    // One that gives something else is out of the race, and eventwire has to be right.
    let is_right = contenders.iter().map(|contender| {
        let seen = (contender.run)(corpus, &chunks);
        let is_right = seen == Ok(Seen::of(corpus));
        assert!(is_right || !contender.is_ours, "{} on {} / {size}: {seen:?}", contender.name, corpus.name);
        is_right
    });
    let is_right: Vec<bool> = is_right.collect();
    let passes: Vec<Box<dyn Fn() -> usize>> = contenders
        .iter()
        .zip(&is_right)
        .filter(|(_, is_right)| **is_right)
        .map(|(contender, _)| {
            let (run, chunks) = (contender.run, &chunks);
            Box::new(move || run(corpus, chunks).map_or(0, |seen| seen.parts)) as Box<dyn Fn() -> usize>
        })
        .chain([Box::new(|| delimiters(corpus)) as Box<dyn Fn() -> usize>])
        .collect();
    let passes: Vec<&dyn Fn() -> usize> = passes.iter().map(|pass| &**pass).collect();
    let mut best = vec![Duration::MAX; passes.len()];
    rounds::race_into(&passes, rounds, &mut best);

    let mut speeds = best.into_iter().map(|best| per_second(corpus.bytes.len(), best) / 1e6);
    let speeds_of: Vec<Option<f64>> =
        is_right.iter().map(|is_right| is_right.then(|| speeds.next()).flatten()).collect();
    let limit = speeds.next().expect("the last one");
    let fastest = contenders
        .iter()
        .zip(&speeds_of)
        .filter(|(contender, _)| !contender.is_ours)
        .filter_map(|(contender, speed)| Some((contender.name, (*speed)?)))
        .max_by(|(_, one), (_, other)| one.total_cmp(other));
    let (fastest, of_fastest) = fastest.expect("a rival that is right");
    let bar = BARS.iter().find(|(name, _)| corpus.name.starts_with(name)).map_or(0.0, |(_, bar)| *bar);
    let ratios: Vec<String> = contenders
        .iter()
        .zip(&speeds_of)
        .filter(|(contender, _)| contender.is_ours)
        .filter_map(|(_, speed)| {
            let ratio = (*speed)? / of_fastest;
            let mark = if ratio < bar { " (below the bar)" } else { "" };
            Some(format!("{ratio:.2}{mark}"))
        })
        .collect();
    let cells: Vec<String> =
        speeds_of.iter().map(|speed| speed.map_or("wrong".into(), |speed| format!("{speed:.0}"))).collect();
    let name = format!("{} / {size}", corpus.name);
    println!("| {name} | {} | {limit:.0} | {fastest} | {} |", cells.join(" | "), ratios.join(", "));
}

/// The limit: all delimiters found, in bytes that are not cut.
fn delimiters(corpus: &PartCorpus) -> usize {
    let delimiter = format!("\r\n--{BOUNDARY}");
    memmem::find_iter(&corpus.bytes, &delimiter).count()
}

/// One contender, once, for a profiler to watch.
fn alone(corpus: &str, cut: &str, contender: &str) -> ExitCode {
    let contenders = contender::all();
    let contender = contenders.iter().find(|one| one.name == contender);
    let (Some(corpus), Ok(size), Some(contender)) = (part_corpora::named(corpus), cut.parse(), contender) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let seen = (contender.run)(&corpus, &part_corpora::cut(&corpus, size));
    assert_eq!(seen, Ok(Seen::of(&corpus)));
    ExitCode::SUCCESS
}
