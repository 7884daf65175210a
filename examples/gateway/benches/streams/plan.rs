//! How many streams, and how long.

use std::{error::Error, time::Duration};

const USAGE: &str = "give --streams COUNT, --words COUNT or --delay MILLISECONDS, each a number above 0";

pub(crate) struct Plan {
    pub(crate) streams: usize,
    /// Of each stream's text.
    pub(crate) words: usize,
    /// Between two of its events.
    pub(crate) delay: Duration,
    /// It is given up after this.
    pub(crate) patience: Duration,
}

impl Plan {
    /// `cargo bench` says `--bench`; `cargo test` says nothing, and wants to know only whether it works.
    pub(crate) fn parse(words: &[String]) -> Result<Plan, Box<dyn Error>> {
        let mut plan = if words.iter().any(|word| word == "--bench") {
            Plan { streams: 8000, words: 40, delay: Duration::from_millis(500), patience: Duration::from_secs(120) }
        } else {
            Plan { streams: 200, words: 10, delay: Duration::from_millis(150), patience: Duration::from_secs(60) }
        };
        let mut words = words.iter().filter(|word| *word != "--bench");
        while let Some(word) = words.next() {
            let number: usize = words.next().and_then(|number| number.parse().ok()).filter(|n| *n > 0).ok_or(USAGE)?;
            match word.as_str() {
                "--streams" => plan.streams = number,
                "--words" => plan.words = number,
                "--delay" => plan.delay = Duration::from_millis(number.try_into()?),
                _ => return Err(USAGE.into()),
            }
        }
        Ok(plan)
    }

    /// A text that no other stream has.
    pub(crate) fn text(&self, stream: usize) -> String {
        (0..self.words).map(|word| format!("{stream}/{word} ")).collect()
    }

    /// How many events a stream has: who speaks, each word, that it is over, and the end marker.
    pub(crate) fn events(&self) -> usize {
        1 + self.words + 1 + 1
    }
}
