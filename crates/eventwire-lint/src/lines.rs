//! What is wrong with the lines of a stream.

use eventwire::line::{Field, LineSplitter, Piece};

use crate::open_line::OpenLine;
use crate::rule::Rule;
use crate::tally::Tally;
use crate::{Finding, Place, Severity};

/// Checks the lines of a stream. Its memory does not grow with the stream.
#[derive(Debug)]
pub(crate) struct Lines {
    splitter: LineSplitter,
    /// How many bytes have been read.
    bytes: u64,
    line: OpenLine,
    /// How many lines have ended.
    lines: u64,
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
        Lines {
            splitter: LineSplitter::new(),
            bytes: 0,
            line: OpenLine::new(Place { line: 1, byte: 0 }),
            lines: 0,
            has_blank_line: false,
            events: 0,
            block: Block::default(),
            tallies: Vec::new(),
        }
    }

    /// Reads the next chunk.
    pub(crate) fn push(&mut self, mut chunk: &[u8]) {
        loop {
            let mut lines = self.splitter.lines(chunk);
            let piece = lines.next();
            let rest = lines.rest();
            self.bytes += (chunk.len() - rest.len()) as u64;
            chunk = rest;
            match piece {
                None => return,
                Some(Piece::Head(text)) => self.begin_line(text, 0),
                Some(Piece::Middle(text)) => self.line.push(text),
                Some(Piece::Tail(text)) => {
                    self.line.push(text);
                    self.end_line();
                }
                Some(Piece::Whole(text)) => {
                    self.begin_line(text, 1);
                    self.end_line();
                }
            }
        }
    }

    /// Returns how many events have ended.
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// Returns whether a block has begun and not ended.
    pub(crate) fn is_within_block(&self) -> bool {
        self.block.first.is_some() || self.splitter.is_within_line()
    }

    /// Returns what has been found so far, in the order of the lines.
    pub(crate) fn findings(self) -> Vec<Finding> {
        let (has_blank_line, has_event) = (self.has_blank_line, self.events > 0);
        let findings = self.tallies.into_iter().map(|tally| {
            // Where each line has the fault, nothing is left of the stream.
            let is_lost = match tally.rule() {
                Rule::LiteralLineBreak => !has_blank_line,
                Rule::UnknownField => !has_event,
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
        if self.splitter.is_within_line() {
            self.check_line();
            // A comment is not lost, because nobody reads it.
            let is_read = !matches!(self.line.field().0, Field::Comment | Field::Other);
            lost = Some(self.line.place()).filter(|_| is_read);
        }
        if let Some(place) = self.block.first.or(lost) {
            self.report_at(place, Rule::Unfinished);
        }
    }

    /// The reader has left. Without an end of a line, or of an event, in the whole stream, it can be seen why.
    pub(crate) fn stop(&mut self) {
        if let Some(place) = self.block.first.filter(|first| !self.has_blank_line && self.lines > first.line) {
            self.report_at(place, Rule::Unfinished);
        }
        if self.lines == 0 && self.splitter.is_within_line() && self.line.ends_with_literal_line_break() {
            self.report(Rule::LiteralLineBreak);
        }
    }

    /// Begins a line whose text ends this number of bytes before the next unread one.
    fn begin_line(&mut self, text: &[u8], line_end: u64) {
        let byte = self.bytes - line_end - text.len() as u64;
        self.line.begin(Place { line: self.lines + 1, byte });
        self.line.push(text);
    }

    fn end_line(&mut self) {
        self.lines += 1;
        if !self.line.is_blank() {
            self.check_line();
            return;
        }
        self.has_blank_line = true;
        let block = std::mem::take(&mut self.block);
        if let (false, Some(place)) = (block.has_data, block.event_type) {
            self.report_at(place, Rule::NoData);
        }
        self.events += u64::from(block.has_data);
    }

    fn check_line(&mut self) {
        let is_after_data = std::mem::take(&mut self.block.is_after_data);
        let place = self.line.place();
        if !self.line.is_utf8() {
            self.report(Rule::NotUtf8);
        }
        if self.line.ends_with_literal_line_break() {
            self.report(Rule::LiteralLineBreak);
        }
        let (field, _) = self.line.field();
        match field {
            Field::Comment => {
                self.block.is_after_data = is_after_data;
                return;
            }
            Field::Other => {
                let rule = self.unknown_line(is_after_data);
                // The lines of a text follow each other.
                self.block.is_after_data = is_after_data && rule == Rule::MissingPrefix;
                self.report(rule);
                return;
            }
            Field::Data => {
                self.block.is_after_data = true;
                self.block.has_data = true;
            }
            Field::EventType => {
                if self.block.event_type.replace(place).is_some() {
                    self.report(Rule::RepeatedField);
                }
                if self.line.is_value(b"message") || self.line.is_value(b"") {
                    self.report(Rule::DefaultType);
                }
            }
            Field::Id if self.line.has_nul() => self.report(Rule::IdWithNul),
            Field::Id => {
                if std::mem::replace(&mut self.block.has_id, true) {
                    self.report(Rule::RepeatedField);
                }
            }
            Field::Retry => {
                if !self.line.is_number() {
                    self.report(Rule::RetryNotDigits);
                } else if std::mem::replace(&mut self.block.has_retry, true) {
                    self.report(Rule::RepeatedField);
                }
                // It has its effect at once, and not with the event.
                return;
            }
        }
        self.block.first.get_or_insert(place);
    }

    /// Returns the rule that is broken by a line without a field of the standard.
    fn unknown_line(&self, is_after_data: bool) -> Rule {
        let start = self.line.start();
        if start.starts_with("\u{FEFF}".as_bytes()) {
            return Rule::ByteOrderMark;
        }
        let Some(colon) = start.iter().position(|byte| *byte == b':') else { return Rule::MissingPrefix };
        let name = &start[..colon];
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

    fn report(&mut self, rule: Rule) {
        Tally::of(&mut self.tallies, rule).add(self.line.place(), self.line.start());
    }

    /// Reports an earlier line, whose text is gone.
    fn report_at(&mut self, place: Place, rule: Rule) {
        Tally::of(&mut self.tallies, rule).add(place, &[]);
    }
}

/// Returns whether these bytes could be the name of a field, rather than the beginning of a text.
fn is_name(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}
