//! The places where one rule is broken.

use crate::rule::Rule;
use crate::{Finding, Place};

/// How many places are kept for each rule.
const PLACES: usize = 10;
/// How many characters of a line are quoted.
const QUOTED: usize = 50;

/// The places where one rule is broken, and the first of these lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    count: u64,
    places: Vec<Place>,
    line: String,
}

impl Tally {
    /// Adds a place. `start` is the beginning of its line, or empty if it is not known.
    pub(crate) fn add(&mut self, place: Place, start: &[u8]) {
        if self.count == 0 {
            self.line = quoted(start);
        }
        self.count += 1;
        if self.places.len() < PLACES {
            self.places.push(place);
        }
    }

    pub(crate) fn finding(self, rule: Rule) -> Option<Finding> {
        let (code, what) = rule.texts();
        let Tally { count, places, line } = self;
        let finding = Finding { places, count, ..Finding::new(code, format!("{line}{what}")) };
        (count > 0).then_some(finding)
    }
}

/// Returns the beginning of a line in quotes and a space, without characters that a terminal could obey.
fn quoted(start: &[u8]) -> String {
    if start.is_empty() {
        return String::new();
    }
    let text = String::from_utf8_lossy(start);
    let mut cut = String::new();
    for char in text.chars().take(QUOTED) {
        // What is printed reads as it was sent, so a backslash is not escaped.
        if char.is_control() || char.escape_debug().len() > 2 {
            cut.extend(char.escape_unicode());
        } else {
            cut.push(char);
        }
    }
    let dots = if text.chars().nth(QUOTED).is_some() { "…" } else { "" };
    format!("\"{cut}{dots}\" ")
}
