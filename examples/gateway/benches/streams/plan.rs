//! The number of streams and their length.

use std::{error::Error, time::Duration};

const USAGE: &str = "the options are --streams COUNT, --words COUNT and --delay MILLISECONDS, each a number above 0";

pub(crate) struct Plan {
    pub(crate) streams: usize,
    /// The number of words of each stream's text.
    pub(crate) words: usize,
    /// The pause between two words.
    pub(crate) delay: Duration,
    /// The time after which the run fails.
    pub(crate) patience: Duration,
}

impl Plan {
    /// `cargo bench` passes `--bench`. `cargo test` passes nothing and gets a short run.
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

    /// Returns the text of a stream, which differs from stream to stream.
    pub(crate) fn text(&self, stream: usize) -> String {
        (0..self.words).map(|word| format!("{stream}/{word} ")).collect()
    }

    /// Returns the number of events of a stream: the role, each word, the finish reason, the end marker.
    pub(crate) fn events(&self) -> usize {
        1 + self.words + 1 + 1
    }
}
