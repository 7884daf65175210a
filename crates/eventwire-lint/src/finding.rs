//! What is wrong, where, and what to do about it.

use std::fmt;

/// The only place where these texts stand, apart from what to do about some statuses.
const CODES: &str = include_str!("../codes.md");

/// One thing that is wrong with a stream. [`Lint`](crate::Lint) reports each kind once, with the places where it
/// occurs.
///
/// A finding is printed as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The kind, such as `missing-prefix`. The [front page](crate#what-is-found) lists all of them.
    pub code: &'static str,
    /// Where it is, in the order of the stream. At most ten places, and none for what is not in a line, such as a
    /// header.
    pub places: Vec<Place>,
    /// On how many lines it is, which may be more than there are places. 1 for what is not in a line.
    pub count: u64,
    /// What was found.
    pub what: String,
    /// What a browser or another client does with it.
    pub effect: &'static str,
    /// What to change.
    pub cure: &'static str,
}

/// How bad a finding is. The worst comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Not wrong, but probably not what was meant.
    Note,
    /// Wrong for some clients, or at some times.
    Warn,
    /// Clients lose something, or cannot read the stream.
    Fail,
}

/// A place in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The number of the line. The first is 1.
    pub line: u64,
    /// How many bytes of the stream precede the line.
    pub byte: u64,
}

impl Finding {
    /// Returns a finding with the severity and the texts of this code, and without a place. A code that the
    /// [list](crate#what-is-found) does not have is a note without texts.
    pub fn new(code: &'static str, what: impl Into<String>) -> Finding {
        let name = format!("| `{code}` |");
        let row = CODES.lines().find(|line| line.starts_with(&name)).unwrap_or_default();
        let mut cells = row.split(" | ").skip(1);
        let severity = match cells.next() {
            Some("FAIL") => Severity::Fail,
            Some("WARN") => Severity::Warn,
            _ => Severity::Note,
        };
        let effect = cells.nth(1).unwrap_or_default();
        let cure = cells.next().unwrap_or_default().trim_end_matches(" |");
        Finding { severity, code, places: Vec::new(), count: 1, what: what.into(), effect, cure }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: ", self.severity, self.code)?;
        match &self.places[..] {
            [] => {}
            [place] => write!(f, "line {} (byte {}): ", place.line, place.byte)?,
            [first, rest @ ..] => {
                write!(f, "lines {}", first.line)?;
                rest.iter().try_for_each(|place| write!(f, ", {}", place.line))?;
                let more = self.count.saturating_sub(self.places.len() as u64);
                if more > 0 {
                    write!(f, " and {more} more")?;
                }
                write!(f, " (the first at byte {}): ", first.byte)?;
            }
        }
        write!(f, "{}. {}. {}.", self.what, self.effect, self.cure)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warn => "WARN",
            Severity::Fail => "FAIL",
        })
    }
}
