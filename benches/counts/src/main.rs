//! Counts the instructions of a pass over a corpus with callgrind, and compares the counts with those in `table.md`, or
//! with those of AArch64 under QEMU.

mod callgrind;
mod comparison;
#[path = "../../consume.rs"]
mod consume;
#[path = "../../corpora.rs"]
#[expect(dead_code, reason = "the rows name their corpora; the other benches use all of them")]
mod corpora;
#[path = "../../entries.rs"]
#[expect(dead_code, reason = "only some of the entries are counted")]
mod entries;
mod key;
#[path = "../../parts/corpora.rs"]
#[expect(dead_code, reason = "as with the corpora of events")]
mod part_corpora;
#[path = "../../parts/entries.rs"]
#[expect(dead_code, reason = "only one of the entries is counted")]
mod part_entries;
mod pass;
mod qemu;
mod row;
mod stop;
mod table;

use std::{env, process::ExitCode, thread};

use bytes::Bytes;

use crate::{
    comparison::{Comparison, Verdict},
    key::Key,
    qemu::Qemu,
    row::{Entry, Row},
    stop::Stop,
    table::Table,
};

const USAGE: &str = "\
usage: cargo run --release --locked                           # compare with the table
       cargo run --release --locked -- renew                  # write the table
       cargo run --release --locked -- run ENTRY CORPUS CUT   # one pass, for a profiler
       cargo run --release --locked -- aarch64 PROGRAM PLUGIN # compare with AArch64: see .ci/long";

/// The command that writes the table, for the root of the repository.
const RENEW: &str = "cargo run --release --locked --manifest-path benches/counts/Cargo.toml -- renew";

/// The largest ratio of the instructions on AArch64 to those on x86-64. With rustc 1.95, the rows have 0.82 to 1.19.
/// They had up to 1.46 while only x86-64 had masks by vectors.
const LARGEST_RATIO: f64 = 1.25;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] | ["check"] => check(),
        ["renew"] => renew(),
        ["aarch64", program, plugin] => aarch64(&Qemu { program, plugin }),
        ["run", entry, corpus, cut] => in_a_new_heap(|| run(entry, corpus, cut)),
        // What precedes the pass, which `Qemu` subtracts.
        ["prepare", entry, corpus, cut] => in_a_new_heap(|| prepare(entry, corpus, cut).map(drop)),
        // The features that `Key` queries under valgrind.
        ["features"] => {
            println!("{}", key::processor_features());
            Ok(())
        }
        _ => Err(Stop::Usage),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stop::Failed(why)) => {
            println!("FAILED: instruction counts: {why}");
            ExitCode::FAILURE
        }
        Err(Stop::Usage) => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
        Err(Stop::NotRun(why)) => {
            println!("NOT RUN: instruction counts: {why}");
            ExitCode::from(3)
        }
    }
}

/// Counts every row and prints one line for each. Fails if a `decode` row has too many instructions.
fn check() -> Result<(), Stop> {
    let table = Table::read()?;
    table.require_key(&Key::of_this_machine()?)?;
    let rows = Row::all();
    let counts = table.counts_of(&rows)?;

    println!("{}", Comparison::HEAD);
    let mut failed = Vec::new();
    for (row, expected) in rows.into_iter().zip(counts) {
        let comparison = Comparison { row, expected, found: callgrind::count(&row)? };
        println!("{comparison}");
        if comparison.verdict() == Verdict::Failed {
            failed.push(row.to_string());
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Stop::Failed(format!(
        "more instructions than the table allows: {}; if this is intended, renew the table with `{RENEW}`",
        failed.join(", ")
    )))
}

/// Counts every row and writes the table.
fn renew() -> Result<(), Stop> {
    let key = Key::of_this_machine()?;
    let mut counts = Vec::new();
    for row in Row::all() {
        let count = callgrind::count(&row)?;
        println!("{row}: {count}");
        counts.push((row.to_string(), count));
    }
    Table { key, counts }.write()
}

/// Counts every row on both architectures, so that a path which is good on one of them only is visible.
fn aarch64(qemu: &Qemu<'_>) -> Result<(), Stop> {
    println!("row                             x86-64     AArch64  ratio");
    let mut failed = Vec::new();
    for row in Row::all() {
        let (x86_64, aarch64) = (callgrind::count(&row)?, qemu.count(&row)?);
        let ratio = aarch64 as f64 / x86_64 as f64;
        println!("{row:<26}{x86_64:>12}{aarch64:>12}{ratio:>7.2}");
        if ratio > LARGEST_RATIO {
            failed.push(row.to_string());
        }
    }
    if failed.is_empty() {
        return Ok(());
    }
    Err(Stop::Failed(format!("AArch64 takes over {LARGEST_RATIO} times as many as x86-64: {}", failed.join(", "))))
}

/// Runs `job` in a separate thread, because glibc gives each thread a new heap. The main thread's heap depends on the
/// length of the program's path, which glibc reads from `/proc/self/maps` before `main`. The resulting addresses
/// changed counts by 0.8 %.
fn in_a_new_heap(job: impl FnOnce() -> Result<(), Stop> + Send) -> Result<(), Stop> {
    let joined = thread::scope(|scope| scope.spawn(job).join());
    joined.unwrap_or_else(|_| Err(Stop::Failed(String::from("the pass panicked"))))
}

/// Builds what a pass reads.
fn prepare(entry: &str, corpus: &str, cut: &str) -> Result<(Entry, Vec<Bytes>, usize), Stop> {
    let entry = Entry::named(entry).ok_or(Stop::Usage)?;
    let cut = row::cut_named(cut).ok_or(Stop::Usage)?;
    let (chunks, expected) = entry.chunks(corpus, cut).ok_or(Stop::Usage)?;
    Ok((entry, chunks, expected))
}

/// Runs one pass, which callgrind observes.
fn run(entry: &str, corpus: &str, cut: &str) -> Result<(), Stop> {
    let (entry, chunks, expected) = prepare(entry, corpus, cut)?;
    let events = pass::counted_pass(entry, &chunks).map_err(Stop::Failed)?;
    if events == expected { Ok(()) } else { Err(Stop::Failed(format!("{events} events instead of {expected}"))) }
}
