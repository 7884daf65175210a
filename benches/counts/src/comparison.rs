//! Compares the count of a row with the table's.

use std::fmt;

use crate::row::{Entry, Row};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    pub(crate) row: Row,
    pub(crate) expected: u64,
    pub(crate) found: u64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    Same,
    Improved,
    /// Too many instructions in a row that cannot fail.
    Alarm,
    Failed,
}

impl Comparison {
    /// The heading above the comparisons.
    pub(crate) const HEAD: &str = "row                           expected       found  difference";

    /// `decode`, of events and of parts, is judged by its instructions. A stream also moves events and counts
    /// references, whose cost the number of instructions does not show, so it is judged by timed benchmarks.
    pub(crate) fn verdict(&self) -> Verdict {
        let (tolerance, beyond) = match self.row.entry {
            Entry::Decode | Entry::Tap | Entry::Parts => (3.0, Verdict::Failed),
            Entry::Stream => (5.0, Verdict::Alarm),
        };
        match self.percent() {
            percent if percent > tolerance => beyond,
            percent if percent < -tolerance => Verdict::Improved,
            _ => Verdict::Same,
        }
    }

    /// The percentage by which the count is above the expected one.
    fn percent(&self) -> f64 {
        (self.found as f64 / self.expected as f64 - 1.0) * 100.0
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Comparison { row, expected, found } = self;
        write!(f, "{row:<26}{expected:>12}{found:>12}{:>+10.2} %", self.percent())?;
        f.write_str(match self.verdict() {
            Verdict::Same => "",
            Verdict::Improved => "  improved: renew the table",
            Verdict::Alarm => "  ALARM: over 5 %",
            Verdict::Failed => "  FAILED: over 3 %",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Verdict};
    use crate::{
        corpora::Cut,
        row::{Entry, Row},
    };

    #[track_caller]
    fn check(entry: Entry, found: u64, verdict: Verdict) {
        let row = Row { entry, corpus: "tiny", cut: Cut::Events };
        assert_eq!(Comparison { row, expected: 1000, found }.verdict(), verdict);
    }

    #[test]
    fn decode_fails_beyond_three_percent() {
        check(Entry::Decode, 1000, Verdict::Same);
        check(Entry::Decode, 1029, Verdict::Same);
        check(Entry::Decode, 1031, Verdict::Failed);
        check(Entry::Decode, 971, Verdict::Same);
        check(Entry::Decode, 969, Verdict::Improved);
    }

    #[test]
    fn a_stream_alarms_beyond_five_percent() {
        check(Entry::Stream, 1049, Verdict::Same);
        check(Entry::Stream, 1051, Verdict::Alarm);
        check(Entry::Stream, 2000, Verdict::Alarm);
        check(Entry::Stream, 951, Verdict::Same);
        check(Entry::Stream, 949, Verdict::Improved);
    }

    #[test]
    fn a_line_names_the_row_the_counts_and_the_difference() {
        let row = Row { entry: Entry::Decode, corpus: "tiny", cut: Cut::Bytes(64) };
        let line = Comparison { row, expected: 2000, found: 2280 }.to_string();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words, ["decode", "tiny/64", "2000", "2280", "+14.00", "%", "FAILED:", "over", "3", "%"]);
    }
}
