//! All that was found, and how it is printed.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt::{self, Display};
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::Context;
use eventwire_lint::{Finding, Severity};
use http::header::CONTENT_TYPE;
use serde_json::json;

use super::events;
use super::seen::{Ended, Seen};
use crate::print::{CANNOT_WRITE, Colours, Format, Printable};
use crate::printable::OneLine;

/// What was found, and what could not be judged.
pub(crate) struct Judgement {
    pub(crate) seen: Seen,
    not_judged: Vec<(&'static str, Cow<'static, str>)>,
}

impl Judgement {
    pub(crate) fn new(seen: Seen) -> Judgement {
        Judgement { seen, not_judged: Vec::new() }
    }

    pub(crate) fn add(&mut self, finding: Finding) {
        self.seen.add(finding);
    }

    /// Says that this could not be judged, and why.
    pub(crate) fn not_judged(&mut self, what: &'static str, why: impl Into<Cow<'static, str>>) {
        self.not_judged.push((what, why.into()));
    }

    /// Prints a line for each finding, the worst first, and returns the exit code.
    pub(crate) fn print(mut self, out: impl Write, format: Format) -> anyhow::Result<ExitCode> {
        self.seen.findings.sort_by_key(|finding| Reverse(finding.severity));
        match format {
            Format::Text(colours) => self.print_text(out, colours),
            Format::Json => self.print_json(out),
        }
        .context(CANNOT_WRITE)?;
        let fails = self.count(Severity::Fail) > 0;
        Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    fn print_text(&self, mut out: impl Write, colours: &Colours) -> io::Result<()> {
        let Colours { faint, strong, fail, warn, reset, .. } = colours;
        for finding in &self.seen.findings {
            let colour = match finding.severity {
                Severity::Fail => fail,
                Severity::Warn => warn,
                Severity::Note => faint,
            };
            let (severity, code) = (finding.severity, finding.code);
            let line = finding.to_string();
            let rest = line.split_once(": ").map_or("", |(_, rest)| rest);
            writeln!(out, "{colour}{severity}{reset} {strong}{code}{reset}: {}", OneLine(rest))?;
        }
        for (what, why) in &self.not_judged {
            writeln!(out, "{faint}---- {what}: not judged, {}{reset}", OneLine(why))?;
        }
        writeln!(out, "{}", OneLine(&self.to_string()))
    }

    fn print_json(&self, mut out: impl Write) -> io::Result<()> {
        for finding in &self.seen.findings {
            let lines: Vec<u64> = finding.places.iter().map(|place| place.line).collect();
            let bytes: Vec<u64> = finding.places.iter().map(|place| place.byte).collect();
            let severity = finding.severity.to_string().to_ascii_lowercase();
            let object = json!({
                "severity": severity, "code": finding.code, "lines": lines, "bytes": bytes, "count": finding.count,
                "what": finding.what, "effect": finding.effect, "cure": finding.cure,
            });
            Printable::write_line(&mut out, &object)?;
        }
        for (what, why) in &self.not_judged {
            Printable::write_line(&mut out, &json!({"not_judged": what, "why": why}))?;
        }
        let summary = json!({
            "fail": self.count(Severity::Fail), "warn": self.count(Severity::Warn), "note": self.count(Severity::Note),
            "events": self.seen.events, "bytes": self.seen.bytes, "seconds": self.seen.elapsed.as_secs_f64(),
        });
        Printable::write_line(&mut out, &summary)
    }

    fn count(&self, severity: Severity) -> usize {
        self.seen.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// What was seen and found, in one line.
impl Display for Judgement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for severity in [Severity::Fail, Severity::Warn, Severity::Note] {
            let count = self.count(severity);
            if count > 0 {
                write!(f, "{separator}{count} {severity}")?;
                separator = ", ";
            }
        }
        if separator.is_empty() {
            f.write_str("nothing found")?;
        }
        let Seen { head, bytes, elapsed, ended, .. } = &self.seen;
        write!(f, " in {}, {bytes} bytes", events(self.seen.events))?;
        if let Some(head) = head {
            write!(f, ", {:?} {}", head.version(), head.status())?;
            if let Some(value) = head.headers().get(CONTENT_TYPE) {
                write!(f, ", {}", String::from_utf8_lossy(value.as_bytes()))?;
            }
        }
        let how = match ended {
            Ended::No => "watched for",
            Ended::Complete => "ended after",
            Ended::Broken(_) => "broke after",
        };
        write!(f, ", {how} {:.1} s", elapsed.as_secs_f64())
    }
}
