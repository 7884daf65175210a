//! Runs eventwire and its rivals over the fixtures and says how many of them each gets right, as Markdown.
//!
//! # What counts
//!
//! The events: their order, type, data and last event ID. Not `retry`, nor what is left when the stream has ended, nor
//! when an event comes out, as the rivals show these in too many ways or not at all. Where a rival says a thing otherwise, it
//! is taken as it is meant:
//!
//! * No type, or an empty one, is `message`.
//! * No ID, or an empty one, is none.
//! * Of a rival whose events carry the ID of their own block only, and which says so, the ID is carried over from block to
//!   block here, as its user would do it; the same with blocks without data, which are no events.
//! * An error is not wrong in itself. Polling goes on after it, and what counts is the events that come out. How many
//!   fixtures raise an error stands in a column of its own; the standard knows none.
//! * A rival has its own settings, the defaults. No fixture comes near any limit of theirs.
//! * Empty chunks are left out.
//!
//! Where a rival has several entries, a fixture is passed if one of them passes it; by eventwire, if all do.

mod entry;
mod fixture;
mod trial;

use crate::{
    entry::{Entry, OURS},
    fixture::Fixture,
    trial::{Feeding, Trial, Verdict},
};
use std::{env, process::ExitCode};

const USAGE: &str = "\
usage: cargo run --release --bin conformance
       cargo run --release --bin conformance -- --list CRATE";

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let crates = entry::crates();
    // A panic is a result, and no news for the terminal.
    std::panic::set_hook(Box::new(|_| {}));
    match words[..] {
        [] => judge_all(&crates),
        ["--list", of] if crates.contains(&of) => {
            let report = Report::of(of, fixture::all());
            report.list();
            report.exit_code()
        }
        _ => {
            eprintln!("{USAGE}\n\ncrates: {}", crates.join(", "));
            ExitCode::from(2)
        }
    }
}

fn judge_all(crates: &[&str]) -> ExitCode {
    let fixtures = fixture::all();
    let short = fixtures.iter().filter(|fixture| Feeding::EveryCut.takes(fixture)).count();
    let total = fixtures.len();
    let utf8 = fixtures.iter().filter(|fixture| fixture.is_utf8()).count();
    println!(
        "| | whole, of {total} | byte by byte, of {total} | every cut, of {short} | valid UTF-8, of {utf8} | panics | errors |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut code = ExitCode::SUCCESS;
    for of in crates {
        let report = Report::of(of, fixtures);
        let [whole, byte_by_byte, every_cut] = Feeding::ALL.map(|feeding| report.passed(feeding));
        let wrong_in_utf8 = report.count(|fixture, trial| fixture.is_utf8() && trial.verdict != Verdict::Passed);
        let right_in_utf8 = utf8 - wrong_in_utf8;
        let panics = report.count(|_, trial| matches!(trial.verdict, Verdict::Panicked(_)));
        let errors = report.count(|_, trial| trial.error.is_some());
        println!("| {of} | {whole} | {byte_by_byte} | {every_cut} | {right_in_utf8} | {panics} | {errors} |");
        if *of == OURS {
            code = report.exit_code();
        }
    }
    code
}

/// What one crate makes of the fixtures.
struct Report {
    of: String,
    results: Vec<(&'static Fixture, Vec<(Feeding, Trial)>)>,
}

impl Report {
    fn of(of: &str, fixtures: &'static [Fixture]) -> Report {
        let entries: Vec<Entry> = entry::all().into_iter().filter(|entry| entry.of == of).collect();
        let judge = |fixture, feeding| {
            let trials = entries.iter().map(|&entry| Trial::run(entry, fixture, feeding));
            let trial = if of == OURS { trials.max() } else { trials.min() };
            (feeding, trial.expect("a crate has an entry"))
        };
        let results = fixtures.iter().map(|fixture| {
            let feedings = Feeding::ALL.into_iter().filter(|feeding| feeding.takes(fixture));
            (fixture, feedings.map(|feeding| judge(fixture, feeding)).collect())
        });
        Report { of: of.to_owned(), results: results.collect() }
    }

    fn passed(&self, feeding: Feeding) -> usize {
        let trials = self.results.iter().flat_map(|(_, trials)| trials);
        trials.filter(|(fed, trial)| *fed == feeding && trial.verdict == Verdict::Passed).count()
    }

    /// How many fixtures are such in at least one feeding.
    fn count(&self, is_such: impl Fn(&Fixture, &Trial) -> bool) -> usize {
        let is_such = |fixture, trials: &[(Feeding, Trial)]| trials.iter().any(|(_, trial)| is_such(fixture, trial));
        self.results.iter().filter(|(fixture, trials)| is_such(fixture, trials)).count()
    }

    fn list(&self) {
        for (fixture, trials) in &self.results {
            for (feeding, trial) in trials {
                if trial.verdict != Verdict::Passed || trial.error.is_some() {
                    println!("{} / {}: {trial}", fixture.name, feeding.name());
                }
            }
        }
    }

    /// A rival that is wrong is a result; eventwire being wrong is a failure.
    fn exit_code(&self) -> ExitCode {
        let is_wrong = self.count(|_, trial| trial.verdict != Verdict::Passed) > 0;
        if self.of == OURS && is_wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}
