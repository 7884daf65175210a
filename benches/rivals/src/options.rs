//! The command line, which is the same for all benchmarks.

use std::{env, process::ExitCode};

use crate::corpora::{self, Corpus, Cut};

const USAGE: &str = "\
usage: cargo run --release [--bin BENCHMARK] -- [OPTION...]

  --rounds N       how many turns each entry gets: 7
  --only CORPUS    the rows of this corpus
  --cut CUT        the rows with chunks of this size; `events` for one event in each chunk
  --profile ENTRY  runs this entry alone, N times, for a profiler";

#[derive(Default)]
pub struct Options {
    /// The number of rounds, in which each entry gets one turn; with `profile`, the number of passes.
    pub rounds: usize,
    pub profile: Option<String>,
    only: Option<String>,
    cut: Option<String>,
}

/// Runs a benchmark with the options of the command line. Its error says what to do instead.
pub fn run(bench: fn(&Options) -> Result<(), String>) -> ExitCode {
    match Options::parse(env::args().skip(1)).and_then(|options| bench(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(what_to_do) => {
            eprintln!("{what_to_do}\n\n{USAGE}");
            ExitCode::from(2)
        }
    }
}

impl Options {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options { rounds: 7, ..Options::default() };
        while let Some(word) = words.next() {
            let value = words.next().ok_or(format!("{word} needs a value, or is unknown"))?;
            match word.as_str() {
                "--rounds" => {
                    let rounds = value.parse().ok().filter(|&rounds| rounds > 0);
                    options.rounds = rounds.ok_or("--rounds needs a number above 0")?;
                }
                "--only" => options.only = Some(value),
                "--cut" => options.cut = Some(value),
                "--profile" => options.profile = Some(value),
                _ => return Err(format!("leave out {word}")),
            }
        }
        Ok(options)
    }

    /// Whether the rows of this corpus are wanted.
    pub fn wants(&self, corpus: &str) -> bool {
        self.only.as_deref().is_none_or(|only| only == corpus)
    }

    /// Each wanted corpus is generated when it is requested.
    pub fn corpora(&self) -> impl Iterator<Item = Corpus> {
        corpora::NAMES.into_iter().filter(|name| self.wants(name)).filter_map(corpora::named)
    }

    pub fn cuts(&self) -> impl Iterator<Item = Cut> {
        Cut::ALL.into_iter().filter(|cut| self.wants_cut(&cut.name()))
    }

    pub fn wants_cut(&self, cut: &str) -> bool {
        self.cut.as_deref().is_none_or(|only| only == cut)
    }
}
