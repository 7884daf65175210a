//! One row of the table: a corpus in chunks of one size.

use crate::{
    contender::Contender,
    part_corpora::{self, BOUNDARY, PartCorpus, Seen},
    rounds,
    turns::per_second,
};
use memchr::memmem;
use std::time::Duration;

/// The entries that are compared with the rivals: one is called, the other is polled like the rivals.
const COMPARED: [&str; 2] = ["decode", "Parts"];

pub(crate) fn print_head(contenders: &[Contender]) {
    let names: Vec<&str> = contenders.iter().map(|contender| contender.name).collect();
    let ratios = COMPARED.map(|name| format!("ratio of {name}"));
    println!("| corpus / cut | {} | memmem | fastest rival | {} |", names.join(" | "), ratios.join(" | "));
    println!("|{}", " --- |".repeat(names.len() + COMPARED.len() + 3));
}

pub(crate) fn run(contenders: &[Contender], corpus: &PartCorpus, size: usize, rounds: usize) {
    let speeds = speeds(contenders, corpus, size, rounds);
    let rivals = contenders.iter().zip(&speeds.of_each).filter(|(contender, _)| !contender.is_ours);
    let (fastest, of_fastest) = rivals
        .filter_map(|(contender, speed)| Some((contender.name, (*speed)?)))
        .max_by(|(_, one), (_, other)| one.total_cmp(other))
        .expect("a correct rival");
    let ratios = COMPARED.map(|name| {
        let at = contenders.iter().position(|contender| contender.name == name).expect("an entry of eventwire's");
        let ratio = speeds.of_each[at].expect("a correct entry") / of_fastest;
        let mark = if ratio < bar(corpus.name) { " (below the bar)" } else { "" };
        format!("{ratio:.2}{mark}")
    });
    let cells = speeds.of_each.iter().map(|speed| speed.map_or("wrong".into(), |speed| format!("{speed:.0}")));
    let cells: Vec<String> = cells.collect();
    println!(
        "| {} / {size} | {} | {:.0} | {fastest} | {} |",
        corpus.name,
        cells.join(" | "),
        speeds.limit,
        ratios.join(" | ")
    );
}

/// The goal for eventwire's throughput, as a multiple of the fastest rival's.
fn bar(corpus: &str) -> f64 {
    match corpus {
        "text" | "text-length" => 2.0,
        "frames" => 1.2,
        _ => 1.0,
    }
}

/// In MB/s.
struct Speeds {
    /// `None` for a rival that returns wrong parts.
    of_each: Vec<Option<f64>>,
    limit: f64,
}

fn speeds(contenders: &[Contender], corpus: &PartCorpus, size: usize, rounds: usize) -> Speeds {
    let chunks = &part_corpora::cut(corpus, size);
    let right = contenders.iter().filter(|contender| {
        let seen = (contender.run)(corpus, chunks);
        let is_right = seen == Ok(Seen::of(corpus));
        assert!(is_right || !contender.is_ours, "{} on {} / {size}: {seen:?}", contender.name, corpus.name);
        is_right
    });
    let right: Vec<&Contender> = right.collect();
    let passes = right.iter().map(|contender| {
        let run = contender.run;
        Box::new(move || run(corpus, chunks).map_or(0, |seen| seen.parts)) as Box<dyn Fn() -> usize>
    });
    let passes: Vec<_> = passes.chain([Box::new(|| delimiters(corpus)) as Box<dyn Fn() -> usize>]).collect();
    let passes: Vec<&dyn Fn() -> usize> = passes.iter().map(|pass| &**pass).collect();
    let mut best = vec![Duration::MAX; passes.len()];
    rounds::race_into(&passes, rounds, &mut best);

    let speeds: Vec<f64> = best.into_iter().map(|best| per_second(corpus.bytes.len(), best) / 1e6).collect();
    let of_each = contenders.iter().map(|contender| {
        let at = right.iter().position(|one| one.name == contender.name)?;
        Some(speeds[at])
    });
    Speeds { of_each: of_each.collect(), limit: speeds[right.len()] }
}

/// The limit for every decoder: finds all delimiters, in the unsplit bytes.
fn delimiters(corpus: &PartCorpus) -> usize {
    let delimiter = format!("\r\n--{BOUNDARY}");
    memmem::find_iter(&corpus.bytes, &delimiter).count()
}
