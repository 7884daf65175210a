//! A race of all contenders, on one corpus in chunks of one size.

use std::{
    any::Any,
    hint::black_box,
    panic::{self, AssertUnwindSafe},
    time::{Duration, Instant},
};

use bytes::Bytes;

use crate::{
    contender::Contender,
    corpora::{self, Corpus, Cut},
    limit,
    turns::{passes_in_a_turn, per_second, time},
};

pub(crate) struct Row {
    pub(crate) corpus: String,
    pub(crate) cut: String,
    /// One for each contender, in their order.
    pub(crate) results: Vec<Outcome>,
    /// The practical limit on the unsplit bytes, in bytes per second.
    pub(crate) limit: f64,
    /// A bare pass over the unsplit bytes, in bytes per second.
    pub(crate) pass: f64,
}

#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// Bytes per second, the best of the rounds.
    Speed(f64),
    /// Bytes per second of a single trial that took too long to be repeated. If even that was too slow, only the
    /// first part of the bytes was measured.
    Slow(f64),
    /// A description of the wrong output.
    Wrong(String),
}

impl Outcome {
    pub(crate) fn speed(&self) -> Option<f64> {
        match self {
            Outcome::Speed(speed) | Outcome::Slow(speed) => Some(*speed),
            Outcome::Wrong(_) => None,
        }
    }
}

/// A trial that takes longer is not repeated.
const PATIENCE: Duration = Duration::from_millis(500);

impl Row {
    /// Each contender gets a turn in each round, so that a disturbance of the machine affects all of them.
    pub(crate) fn run(contenders: &[Contender], corpus: &Corpus, cut: Cut, rounds: usize) -> Row {
        let chunks = corpora::cut(corpus, cut);
        let mut trials: Vec<Trial> =
            contenders.iter().map(|contender| Trial::run(contender, &chunks, corpus.events)).collect();
        let (mut limit, mut bare_pass) = (Duration::MAX, Duration::MAX);
        for _ in 0..rounds {
            for (trial, contender) in trials.iter_mut().zip(contenders) {
                if let Trial::Fit { best, passes } = trial {
                    let pass = || {
                        let events = (contender.run)(black_box(&chunks));
                        assert_eq!(
                            events,
                            Ok(corpus.events),
                            "different result in another pass of {}",
                            contender.name()
                        );
                    };
                    *best = time(*passes, pass).min(*best);
                }
            }
            limit = limit.min(time(passes_in_a_turn(limit), || {
                let line_ends = limit::scan_and_validate(black_box(&corpus.bytes));
                assert!(black_box(line_ends).is_ok(), "{} is UTF-8", corpus.name);
            }));
            bare_pass = bare_pass.min(time(passes_in_a_turn(bare_pass), || {
                black_box(limit::look_at_each(&corpus.bytes));
            }));
        }
        Row {
            corpus: corpus.name.clone(),
            cut: cut.name(),
            results: trials.into_iter().map(|trial| trial.into_outcome(corpus.bytes.len())).collect(),
            limit: per_second(corpus.bytes.len(), limit),
            pass: per_second(corpus.bytes.len(), bare_pass),
        }
    }

    /// A rival's wrong output is a result, but eventwire's is an error.
    pub(crate) fn assert_right(&self, contenders: &[Contender], of: &str) {
        for (contender, outcome) in contenders.iter().zip(&self.results) {
            let wrong = matches!(outcome, Outcome::Wrong(_)) && contender.of == of;
            let name = contender.name();
            assert!(!wrong, "{name} on {} / {}: {outcome:?}", self.corpus, self.cut);
        }
    }
}

/// The result of the first, untimed run of a contender.
enum Trial {
    Fit { best: Duration, passes: u32 },
    Over(Outcome),
}

impl Trial {
    /// Starts with a few of the chunks, each time four times as many, so that a contender that takes quadratic time
    /// is detected early. The number of events is checked only for all chunks, because the first part may end within
    /// a character.
    fn run(contender: &Contender, chunks: &[Bytes], events: usize) -> Trial {
        for share in [64, 16, 4] {
            let part = &chunks[..chunks.len() / share];
            let (elapsed, _) = timed(contender, part);
            if elapsed > PATIENCE {
                let bytes = part.iter().map(Bytes::len).sum();
                return Trial::Over(Outcome::Slow(per_second(bytes, elapsed)));
            }
        }
        match timed(contender, chunks) {
            (elapsed, Ok(count)) if count == events && elapsed > PATIENCE => {
                let bytes = chunks.iter().map(Bytes::len).sum();
                Trial::Over(Outcome::Slow(per_second(bytes, elapsed)))
            }
            (elapsed, Ok(count)) if count == events => {
                Trial::Fit { best: Duration::MAX, passes: passes_in_a_turn(elapsed) }
            }
            (_, Ok(count)) => Trial::Over(Outcome::Wrong(format!("{count} events instead of {events}"))),
            (_, Err(what)) => Trial::Over(Outcome::Wrong(what)),
        }
    }

    fn into_outcome(self, bytes: usize) -> Outcome {
        match self {
            Trial::Fit { best, .. } => Outcome::Speed(per_second(bytes, best)),
            Trial::Over(outcome) => outcome,
        }
    }
}

fn timed(contender: &Contender, chunks: &[Bytes]) -> (Duration, Result<usize, String>) {
    let start = Instant::now();
    let came_out = panic::catch_unwind(AssertUnwindSafe(|| (contender.run)(chunks)));
    let elapsed = start.elapsed();
    let came_out = came_out
        .unwrap_or_else(|panic| Err(format!("a panic, {}", words_of(&*panic))))
        .map_err(|error| error.chars().take(80).collect());
    (elapsed, came_out)
}

fn words_of(panic: &(dyn Any + Send)) -> &str {
    let constant = panic.downcast_ref::<&str>().copied();
    let built = || panic.downcast_ref::<String>().map(String::as_str);
    constant.or_else(built).unwrap_or("no message")
}
