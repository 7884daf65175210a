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
use crate::failure;
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

    /// Prints a line for each finding, the worst first, and one for what could not be judged. Returns the exit code.
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
        if !self.not_judged.is_empty() {
            let list: Vec<String> = self.not_judged.iter().map(|(what, why)| format!("{what} ({why})")).collect();
            writeln!(out, "{faint}---- not judged: {}{reset}", OneLine(&list.join("; ")))?;
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
        let Seen { head, bytes, elapsed, ended, .. } = &self.seen;
        let counts = [Severity::Fail, Severity::Warn, Severity::Note].map(|severity| (self.count(severity), severity));
        let mut found: Vec<String> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, severity)| {
                let s = if *severity == Severity::Note && *count > 1 { "s" } else { "" };
                format!("{count} {severity}{s}")
            })
            .collect();
        match self.seen.events {
            0 => {
                found.push("no events seen".to_owned());
                f.write_str(&found.join(", "))?;
            }
            count if found.is_empty() => write!(f, "nothing found in {}", events(count))?,
            count => write!(f, "{} in {}", found.join(", "), events(count))?,
        }
        write!(f, ", {bytes} {}", if *bytes == 1 { "byte" } else { "bytes" })?;
        if let Some(head) = head {
            write!(f, ", {:?} {}", head.version(), failure::status(head.status()))?;
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
