//! Runs one entry on one fixture.

use crate::{
    entry::{Entry, Told},
    fixture::Fixture,
};
use bytes::Bytes;
use std::{
    any::Any,
    fmt,
    panic::{self, AssertUnwindSafe},
    sync::mpsc,
    thread,
    time::Duration,
};

/// How a stream is split into chunks.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feeding {
    Whole,
    ByteByByte,
    /// In two chunks, split at each place in turn.
    EveryCut,
}

impl Feeding {
    pub(crate) const ALL: [Feeding; 3] = [Feeding::Whole, Feeding::ByteByByte, Feeding::EveryCut];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Feeding::Whole => "unsplit",
            Feeding::ByteByByte => "byte by byte",
            Feeding::EveryCut => "every split",
        }
    }

    /// Splitting at every place takes quadratic time.
    pub(crate) fn takes(self, fixture: &Fixture) -> bool {
        self != Feeding::EveryCut || fixture.stream.len() <= 4096
    }

    fn chunkings(self, stream: &Bytes) -> Vec<Vec<Bytes>> {
        let length = stream.len();
        let two = |place| [stream.slice(..place), stream.slice(place..)];
        let with_bytes = |chunk: &Bytes| !chunk.is_empty();
        match self {
            Feeding::Whole => vec![vec![stream.clone()]],
            Feeding::ByteByByte => vec![(0..length).map(|place| stream.slice(place..=place)).collect()],
            Feeding::EveryCut => {
                (0..=length).map(|place| two(place).into_iter().filter(with_bytes).collect()).collect()
            }
        }
    }
}

/// The result of a run. A smaller one is better.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Trial {
    pub(crate) verdict: Verdict,
    /// The first error, for any verdict.
    pub(crate) error: Option<String>,
    entry: &'static str,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Passed,
    Failed(String),
    Panicked(String),
    /// It did not return in time.
    Endless,
}

/// About ten times as long as the slowest entry takes for the longest fixture on a busy machine.
const PATIENCE: Duration = Duration::from_secs(300);

impl Trial {
    /// Runs in a separate thread, which is abandoned if it does not return in time.
    pub(crate) fn run(entry: Entry, fixture: &'static Fixture, feeding: Feeding) -> Trial {
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(Trial::of_chunkings(entry, fixture, feeding)));
        receiver.recv_timeout(PATIENCE).unwrap_or(Trial { verdict: Verdict::Endless, error: None, entry: entry.name })
    }

    /// Returns the worst result of all splits.
    fn of_chunkings(entry: Entry, fixture: &Fixture, feeding: Feeding) -> Trial {
        let mut trial = Trial { verdict: Verdict::Passed, error: None, entry: entry.name };
        for chunks in feeding.chunkings(&fixture.stream) {
            let verdict = match panic::catch_unwind(AssertUnwindSafe(|| (entry.run)(&chunks))) {
                Ok(told) => {
                    let verdict = judge(&told, fixture);
                    trial.error = trial.error.or(told.errors.into_iter().next());
                    verdict
                }
                Err(panic) => Verdict::Panicked(words_of(&*panic).to_owned()),
            };
            trial.verdict = trial.verdict.max(verdict);
        }
        trial
    }
}

fn judge(told: &Told, fixture: &Fixture) -> Verdict {
    let (got, expected) = (&told.events, &fixture.events);
    if let Some((got, expected)) = got.iter().zip(expected).find(|(got, expected)| got != expected) {
        let [got, expected] = [got, expected].map(|event| format!("{event:?}").chars().take(160).collect::<String>());
        return Verdict::Failed(format!("{got} instead of {expected}"));
    }
    if got.len() != expected.len() {
        return Verdict::Failed(format!("{} events instead of {}", got.len(), expected.len()));
    }
    Verdict::Passed
}

fn words_of(panic: &(dyn Any + Send)) -> &str {
    let constant = panic.downcast_ref::<&str>().copied();
    let built = || panic.downcast_ref::<String>().map(String::as_str);
    constant.or_else(built).unwrap_or("no message")
}

impl fmt::Display for Trial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verdict {
            Verdict::Passed => f.write_str("passed")?,
            Verdict::Failed(what) => write!(f, "{what}")?,
            Verdict::Panicked(words) => write!(f, "a panic: {words}")?,
            Verdict::Endless => f.write_str("timed out")?,
        }
        if let Some(error) = &self.error {
            write!(f, "; an error: {error}")?;
        }
        write!(f, " ({})", self.entry)
    }
}
