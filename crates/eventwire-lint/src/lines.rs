//! What is wrong with the lines of a stream.

use eventwire::line::Field;

use crate::finding::{Finding, Place, Severity};
use crate::line_reader::{Line, LineReader};
use crate::rule::Rule;
use crate::tally::Tally;

/// Checks the lines of a stream. Its memory does not grow with the stream.
#[derive(Debug)]
pub(crate) struct Lines {
    reader: LineReader,
    checks: Checks,
}

/// What the lines that have ended contain, and what is wrong with them.
#[derive(Debug, Default)]
struct Checks {
    has_blank_line: bool,
    /// How many events have ended.
    events: u64,
    block: Block,
    /// The rules that have been broken.
    tallies: Vec<Tally>,
}

/// The block that is being read.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// Its first line that is lost if the block does not end.
    first: Option<Place>,
    /// The line that sets the type.
    event_type: Option<Place>,
    has_id: bool,
    has_retry: bool,
    has_data: bool,
    /// Whether the line before is data, or was probably meant as data.
    is_after_data: bool,
}

impl Lines {
    pub(crate) fn new() -> Lines {
        Lines { reader: LineReader::new(), checks: Checks::default() }
    }

    /// Reads the next chunk.
    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.reader.push(chunk, |line| self.checks.end_line(line));
    }

    /// Returns how many events have ended.
    pub(crate) fn events(&self) -> u64 {
        self.checks.events
    }

    /// Returns whether a block has begun and not ended.
    pub(crate) fn is_within_block(&self) -> bool {
        self.checks.block.first.is_some() || self.reader.unfinished().is_some()
    }

    /// Returns what has been found so far, in the order of the lines.
    pub(crate) fn findings(self) -> Vec<Finding> {
        let Checks { has_blank_line, events, tallies, .. } = self.checks;
        let findings = tallies.into_iter().map(|tally| {
            // Where each line has the fault, nothing is left of the stream.
            let is_lost = match tally.rule() {
                Rule::LiteralLineBreak => !has_blank_line,
                Rule::UnknownField => events == 0,
                _ => false,
            };
            let finding = tally.finding();
            if is_lost { Finding { severity: Severity::Fail, ..finding } } else { finding }
        });
        let mut findings: Vec<Finding> = findings.collect();
        findings.sort_by_key(|finding| finding.places.first().copied());
        findings
    }

    /// The stream has ended: an event that is not finished is lost.
    pub(crate) fn finish(&mut self) {
        let mut lost = None;
        if let Some(line) = self.reader.unfinished() {
            self.checks.check_line(line);
            // A comment is not lost, because nobody reads it.
            let is_read = !matches!(line.field().0, Field::Comment | Field::Other);
            lost = Some(line.place).filter(|_| is_read);
        }
        if let Some(place) = self.checks.block.first.or(lost) {
            self.checks.report_at(place, Rule::Unfinished);
        }
    }

    /// The reader has left. Without an end of a line, or of an event, in the whole stream, it can be seen why.
    pub(crate) fn stop(&mut self) {
        let ended = self.reader.ended();
        if let Some(place) = self.checks.block.first.filter(|first| !self.checks.has_blank_line && ended > first.line) {
            self.checks.report_at(place, Rule::Unfinished);
        }
        let only = self.reader.unfinished().filter(|line| ended == 0 && line.ends_with_literal_line_break());
        if let Some(line) = only {
            self.checks.report(line, Rule::LiteralLineBreak);
        }
    }
}

impl Checks {
    fn end_line(&mut self, line: Line<'_>) {
        if !line.text.is_empty() {
            self.check_line(line);
            return;
        }
        self.has_blank_line = true;
        let block = std::mem::take(&mut self.block);
        if let (false, Some(place)) = (block.has_data, block.event_type) {
            self.report_at(place, Rule::NoData);
        }
        self.events += u64::from(block.has_data);
    }

    fn check_line(&mut self, line: Line<'_>) {
        let is_after_data = std::mem::take(&mut self.block.is_after_data);
        if !line.is_utf8() {
            self.report(line, Rule::NotUtf8);
        }
        if line.ends_with_literal_line_break() {
            self.report(line, Rule::LiteralLineBreak);
        }
        let (field, value) = line.field();
        match field {
            Field::Comment => {
                self.block.is_after_data = is_after_data;
                return;
            }
            Field::Other => {
                let rule = unknown_line(line.text, is_after_data);
                // The lines of a text follow each other.
                self.block.is_after_data = is_after_data && rule == Rule::MissingPrefix;
                self.report(line, rule);
                return;
            }
            Field::Data => {
                self.block.is_after_data = true;
                self.block.has_data = true;
            }
            Field::EventType => {
                if self.block.event_type.replace(line.place).is_some() {
                    self.report(line, Rule::RepeatedField);
                }
                if matches!(value, b"message" | b"") {
                    self.report(line, Rule::DefaultType);
                }
            }
            Field::Id if memchr::memchr(0, value).is_some() => self.report(line, Rule::IdWithNul),
            Field::Id => {
                if std::mem::replace(&mut self.block.has_id, true) {
                    self.report(line, Rule::RepeatedField);
                }
            }
            Field::Retry => {
                if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
                    self.report(line, Rule::RetryNotDigits);
                } else if std::mem::replace(&mut self.block.has_retry, true) {
                    self.report(line, Rule::RepeatedField);
                }
                // It has its effect at once, and not with the event.
                return;
            }
        }
        self.block.first.get_or_insert(line.place);
    }

    fn report(&mut self, line: Line<'_>, rule: Rule) {
        Tally::of(&mut self.tallies, rule).add(line.place, line.text);
    }

    /// Reports an earlier line, whose text is gone.
    fn report_at(&mut self, place: Place, rule: Rule) {
        Tally::of(&mut self.tallies, rule).add(place, &[]);
    }
}

/// Returns the rule that is broken by a line without a field of the standard.
fn unknown_line(text: &[u8], is_after_data: bool) -> Rule {
    if text.starts_with("\u{FEFF}".as_bytes()) {
        return Rule::ByteOrderMark;
    }
    let Some(colon) = text.iter().position(|byte| *byte == b':') else { return Rule::MissingPrefix };
    let name = &text[..colon];
    let known = Field::parse(name.trim_ascii().to_ascii_lowercase().as_slice()).0;
    match known {
        Field::Other if is_after_data || !is_name(name) => Rule::MissingPrefix,
        Field::Other => Rule::UnknownField,
        // A line of spaces before a colon is text.
        Field::Comment => Rule::MissingPrefix,
        _ if name.trim_ascii().len() < name.len() => Rule::FieldSpace,
        _ => Rule::FieldCase,
    }
}

/// Returns whether these bytes could be the name of a field, rather than the beginning of a text.
fn is_name(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}
