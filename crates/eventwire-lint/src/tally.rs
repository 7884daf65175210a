//! The places where one rule is broken.

use crate::finding::{Finding, Place};
use crate::rule::Rule;

/// How many places are kept for each rule.
const PLACES: usize = 10;
/// How many characters of a line are quoted.
const QUOTED: usize = 50;

/// The places where one rule is broken, and the first of these lines.
#[derive(Debug)]
pub(crate) struct Tally {
    rule: Rule,
    count: u64,
    places: Vec<Place>,
    line: String,
}

impl Tally {
    /// Returns the tally of this rule.
    pub(crate) fn of(tallies: &mut Vec<Tally>, rule: Rule) -> &mut Tally {
        let place = tallies.iter().position(|tally| tally.rule == rule).unwrap_or_else(|| {
            tallies.push(Tally { rule, count: 0, places: Vec::new(), line: String::new() });
            tallies.len() - 1
        });
        &mut tallies[place]
    }

    /// Adds a place. `line` is its line, or empty if it is not known.
    pub(crate) fn add(&mut self, place: Place, line: &[u8]) {
        if self.count == 0 {
            self.line = quoted(line);
        }
        self.count += 1;
        if self.places.len() < PLACES {
            self.places.push(place);
        }
    }

    pub(crate) fn rule(&self) -> Rule {
        self.rule
    }

    pub(crate) fn finding(self) -> Finding {
        let Tally { rule, count, places, line } = self;
        let (code, what) = rule.texts();
        Finding { places, count, ..Finding::new(code, format!("{line}{what}")) }
    }
}

/// Returns the beginning of a line in quotes and a space, without characters that a terminal could obey.
fn quoted(line: &[u8]) -> String {
    // A character has at most four bytes.
    let start = &line[..line.len().min(4 * (QUOTED + 1))];
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
