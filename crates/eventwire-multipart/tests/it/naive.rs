//! The naive twin of the decoder of multipart streams: its rules, transcribed as plainly as possible.
//!
//! It has the complete stream, searches for delimiters from the beginning again and again, and copies everything it
//! returns. It shares no code with the crate: a mistake in shared code would affect both sides of a comparison, and
//! no test would see it.

use std::fmt;

#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The boundary parameter's value.
    pub(crate) boundary: Vec<u8>,
    pub(crate) requires_close: bool,
    pub(crate) max_preamble_size: usize,
    pub(crate) max_headers_size: usize,
    pub(crate) max_headers: usize,
}

impl Options {
    pub(crate) fn new(boundary: &[u8]) -> Options {
        Options {
            boundary: boundary.to_vec(),
            requires_close: false,
            max_preamble_size: 65_536,
            max_headers_size: 16_384,
            max_headers: 64,
        }
    }
}

/// How a part has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Delimiter,
    Length,
    DelimiterBeforeLength,
    EndOfStream,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    PreambleTooLarge,
    NoDelimiter,
    HeadersTooLarge,
    TooManyHeaders,
    Truncated,
}

/// An item of a stream, in order. All data of a part is one item; a part without data has none.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Item {
    /// The beginning of a part: its header lines with their line ends, without the blank line. Lines that continue
    /// the one before them are joined with it.
    Begin(Vec<u8>),
    Data(Vec<u8>),
    End(Ending),
    Close,
    Error {
        kind: Kind,
        /// The number of the part, counted from 1; 0 before the first.
        part: u64,
    },
}

/// Readable output for failed tests.
impl fmt::Debug for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Item::Begin(head) => write!(f, "Begin(\"{}\")", head.escape_ascii()),
            Item::Data(data) => write!(f, "Data(\"{}\")", data.escape_ascii()),
            Item::End(end) => write!(f, "End({end:?})"),
            Item::Close => f.write_str("Close"),
            Item::Error { kind, part } => write!(f, "Error({kind:?}, part {part})"),
        }
    }
}

/// Interprets an entire stream, from its first byte to its end.
pub(crate) fn interpret(stream: &[u8], options: &Options) -> Vec<Item> {
    let mut twin = Twin { stream, options, dash_boundary: Vec::new(), part: 0, items: Vec::new() };
    let mut next = twin.preamble();
    while let Some(delimiter) = next {
        if delimiter.is_close {
            twin.items.push(Item::Close);
            break;
        }
        next = twin.part(delimiter.end);
    }
    twin.items
}

/// Returns the name and the value of each line that is a header, without white space around them.
pub(crate) fn header_pairs(head: &[u8]) -> Vec<(&[u8], &[u8])> {
    let mut pairs = Vec::new();
    for line in head.split_inclusive(|&byte| byte == b'\n') {
        let line = without_line_end(line);
        let Some(colon) = line.iter().position(|&byte| byte == b':') else { continue };
        let (name, value) = (trim_end(&line[..colon]), trim_end(trim_start(&line[colon + 1..])));
        let is_token = |&byte: &u8| byte.is_ascii_graphic() && !b"\"(),/:;<=>?@[\\]{}".contains(&byte);
        if !name.is_empty() && name.iter().all(is_token) && !value.contains(&b'\r') && !value.contains(&0) {
            pairs.push((name, value));
        }
    }
    pairs
}

/// Joins each line that begins with white space with the line before it, if that has a colon. Spaces take the place of
/// the line end.
fn unfold(head: &[u8]) -> Vec<u8> {
    let mut lines = Vec::<Vec<u8>>::new();
    for line in head.split_inclusive(|&byte| byte == b'\n') {
        match lines.last_mut() {
            Some(before) if is_blank(line[0]) && before.contains(&b':') => {
                let text = without_line_end(before);
                *before = [text, &vec![b' '; before.len() - text.len()], line].concat();
            }
            _ => lines.push(line.to_vec()),
        }
    }
    lines.concat()
}

fn without_line_end(line: &[u8]) -> &[u8] {
    match line {
        [line @ .., b'\r', b'\n'] | [line @ .., b'\n'] => line,
        _ => line,
    }
}

fn is_blank(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

fn trim_start(mut bytes: &[u8]) -> &[u8] {
    while bytes.first().is_some_and(|&byte| is_blank(byte)) {
        bytes = &bytes[1..];
    }
    bytes
}

fn trim_end(mut bytes: &[u8]) -> &[u8] {
    while bytes.last().is_some_and(|&byte| is_blank(byte)) {
        bytes = &bytes[..bytes.len() - 1];
    }
    bytes
}

/// A delimiter line, or a close delimiter.
#[derive(Clone, Copy)]
struct Delimiter {
    /// Where its dash-boundary begins.
    start: usize,
    /// Where the bytes after it begin.
    end: usize,
    is_close: bool,
}

struct Twin<'a> {
    stream: &'a [u8],
    options: &'a Options,
    /// The dash-boundary that the first delimiter line has determined.
    dash_boundary: Vec<u8>,
    /// The number of parts that have begun.
    part: u64,
    items: Vec<Item>,
}

impl Twin<'_> {
    /// Rule 1: returns the first delimiter, if there is one and the preamble before it is not too long.
    fn preamble(&mut self) -> Option<Delimiter> {
        for start in self.line_starts(0) {
            for candidate in self.candidates() {
                let Some(delimiter) = self.delimiter_at(start, &candidate) else { continue };
                if start > self.options.max_preamble_size {
                    return self.fail(Kind::PreambleTooLarge);
                }
                self.dash_boundary = candidate;
                return Some(delimiter);
            }
        }
        if self.stream.len() > self.options.max_preamble_size {
            self.fail(Kind::PreambleTooLarge)
        } else if self.stream.iter().all(|byte| b"\r\n".contains(byte)) {
            self.end_without_close()
        } else {
            self.fail(Kind::NoDelimiter)
        }
    }

    /// Returns the places where lines start: here, and after each LF.
    fn line_starts(&self, from: usize) -> Vec<usize> {
        let after_line_feeds = (from..self.stream.len()).filter(|&at| self.stream[at] == b'\n').map(|at| at + 1);
        std::iter::once(from).chain(after_line_feeds).collect()
    }

    /// Returns the dash-boundaries with which the first delimiter line may begin; the longest first.
    fn candidates(&self) -> Vec<Vec<u8>> {
        let boundary = &self.options.boundary;
        let mut candidates = vec![[b"--", &boundary[..]].concat()];
        if boundary.starts_with(b"--") {
            candidates.push(boundary.clone());
        }
        candidates
    }

    /// Returns where the line after this one starts, or the end of the stream.
    fn end_of_line(&self, start: usize) -> usize {
        let line_feed = self.stream[start..].iter().position(|&byte| byte == b'\n');
        line_feed.map_or(self.stream.len(), |at| start + at + 1)
    }

    /// The rule of the trail: returns whether a line that starts here is a delimiter line, or a close delimiter, with
    /// this dash-boundary.
    fn delimiter_at(&self, start: usize, dash_boundary: &[u8]) -> Option<Delimiter> {
        let trail = self.stream[start..].strip_prefix(dash_boundary)?;
        let after = start + dash_boundary.len();
        if let Some(length) = rest_of_line(trail) {
            return Some(Delimiter { start, end: after + length, is_close: false });
        }
        let after_dashes = trail.strip_prefix(b"--")?;
        let is_all_dashes = dash_boundary.iter().all(|&byte| byte == b'-');
        let is_close = !is_all_dashes || rest_of_line(after_dashes).is_some();
        is_close.then_some(Delimiter { start, end: after + 2, is_close })
    }

    /// Returns the first delimiter whose line starts here or after a later LF.
    fn next_delimiter(&self, from: usize) -> Option<Delimiter> {
        self.line_starts(from).into_iter().find_map(|start| self.delimiter_at(start, &self.dash_boundary))
    }

    /// Rule 2: reads the header block that starts here and its part, up to the next delimiter.
    fn part(&mut self, head: usize) -> Option<Delimiter> {
        let (mut line, mut count) = (head, 0);
        while line < self.stream.len() {
            if let Some(delimiter) = self.delimiter_at(line, &self.dash_boundary) {
                if line > head {
                    self.begin(head, line);
                    let length = self.length(head, line);
                    let is_before_length = length.is_some_and(|length| length > 0);
                    self.end_by_delimiter(is_before_length);
                }
                return Some(delimiter);
            }
            let next = self.end_of_line(line);
            if without_line_end(&self.stream[line..next]).is_empty() {
                self.begin(head, line);
                return self.body(next, self.length(head, line));
            }
            count += 1;
            if next - head > self.options.max_headers_size {
                return self.skip_part(Kind::HeadersTooLarge, next);
            }
            if count > self.options.max_headers {
                return self.skip_part(Kind::TooManyHeaders, next);
            }
            line = next;
        }

        if line == head {
            return self.end_without_close();
        }
        if self.options.requires_close {
            self.part += 1;
            return self.fail(Kind::Truncated);
        }
        // The last line is not over. If it continues a header, that header is not over either.
        let starts: Vec<usize> = self.line_starts(head);
        let complete = starts.into_iter().rfind(|&start| !self.stream.get(start).is_some_and(|&byte| is_blank(byte)));
        self.begin(head, complete.unwrap_or(head));
        self.end_by_end_of_stream()
    }

    fn begin(&mut self, head: usize, end: usize) {
        self.part += 1;
        self.items.push(Item::Begin(unfold(&self.stream[head..end])));
    }

    fn skip_part(&mut self, kind: Kind, from: usize) -> Option<Delimiter> {
        self.part += 1;
        self.error(kind);
        self.next_delimiter(from).or_else(|| self.end_without_close())
    }

    /// Returns the length in the header block.
    fn length(&self, head: usize, end: usize) -> Option<usize> {
        let mut length = None;
        for (name, value) in header_pairs(&unfold(&self.stream[head..end])) {
            if !name.eq_ignore_ascii_case(b"content-length") {
                continue;
            }
            let is_number = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
            let number: u64 = std::str::from_utf8(value).ok().filter(|_| is_number)?.parse().ok()?;
            if length.is_some_and(|length| length != number) {
                return None;
            }
            length = Some(number);
        }
        length.map(|length| usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// Rule 3.
    fn body(&mut self, body: usize, length: Option<usize>) -> Option<Delimiter> {
        let delimiter = self.next_delimiter(body);
        let end_by_length = body.saturating_add(length.unwrap_or(usize::MAX));
        if let Some(delimiter) = delimiter
            && delimiter.start < end_by_length
        {
            self.data(body, self.before_line_end(body, delimiter.start));
            self.end_by_delimiter(length.is_some());
            return Some(delimiter);
        }
        if length.is_some() && end_by_length <= self.stream.len() {
            self.data(body, end_by_length);
            self.items.push(Item::End(Ending::Length));
            // Rule 4.
            return self.next_delimiter(end_by_length).or_else(|| self.end_without_close());
        }
        self.data(body, self.stream.len());
        self.end_by_end_of_stream()
    }

    fn data(&mut self, from: usize, to: usize) {
        if from < to {
            self.items.push(Item::Data(self.stream[from..to].to_vec()));
        }
    }

    /// Returns where the line end begins that belongs to the delimiter that starts here.
    fn before_line_end(&self, from: usize, start: usize) -> usize {
        from + without_line_end(&self.stream[from..start]).len()
    }

    fn end_by_delimiter(&mut self, is_before_length: bool) {
        self.items.push(Item::End(if is_before_length { Ending::DelimiterBeforeLength } else { Ending::Delimiter }));
    }

    /// Rule 6, within a part.
    fn end_by_end_of_stream(&mut self) -> Option<Delimiter> {
        if self.options.requires_close {
            return self.fail(Kind::Truncated);
        }
        self.items.push(Item::End(Ending::EndOfStream));
        None
    }

    /// Rule 6, between parts.
    fn end_without_close(&mut self) -> Option<Delimiter> {
        if self.options.requires_close {
            return self.fail(Kind::Truncated);
        }
        None
    }

    /// Adds an error that ends the stream.
    fn fail(&mut self, kind: Kind) -> Option<Delimiter> {
        self.error(kind);
        None
    }

    fn error(&mut self, kind: Kind) {
        self.items.push(Item::Error { kind, part: self.part });
    }
}

/// Returns the length of the rest of a delimiter line: at most 64 spaces or tabs, and a line end or the end of the
/// stream.
fn rest_of_line(trail: &[u8]) -> Option<usize> {
    let blanks = trail.iter().take_while(|&&byte| is_blank(byte)).count();
    match &trail[blanks..] {
        _ if blanks > 64 => None,
        [] => Some(blanks),
        [b'\n', ..] => Some(blanks + 1),
        [b'\r', b'\n', ..] => Some(blanks + 2),
        _ => None,
    }
}
