//! Runs eventwire and its rivals over the fixtures and prints, as Markdown, how many of them each crate passes.
//!
//! # What is compared
//!
//! The events: their order, type, data and last event ID. Not compared are `retry`, what is left when the stream has
//! ended, and when an event is returned: the rivals report these in too many ways or not at all. Different
//! representations of the same fact are treated as equal:
//!
//! * A missing or empty type is `message`.
//! * A missing or empty ID is no ID.
//! * If a rival documents that its events have only the ID of their own block, the ID is carried over from block to
//!   block here, as a user would do. Likewise, its blocks without data are not counted as events.
//! * An error alone does not fail a fixture. Polling continues after it, and the events are compared. The number of
//!   fixtures that cause an error is in a separate column; in the standard there are no errors.
//! * Each rival runs with its default settings. No fixture comes near any of its limits.
//! * Empty chunks are left out.
//!
//! If a rival has several entries, it passes a fixture if one of them does. eventwire passes if all of them do.

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
    // A panic is a result, so nothing is printed for it.
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
        "| | unsplit, of {total} | byte by byte, of {total} | every split, of {short} | valid UTF-8, of {utf8} | panics | errors |"
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

/// The results of one crate for all fixtures.
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

    /// Counts the fixtures to which this applies in at least one feeding.
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

    /// A rival's failure is a result, but eventwire's is an error.
    fn exit_code(&self) -> ExitCode {
        let is_wrong = self.count(|_, trial| trial.verdict != Verdict::Passed) > 0;
        if self.of == OURS && is_wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}
