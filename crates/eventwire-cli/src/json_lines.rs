//! Streams of JSON lines. They are shown as events, each with a line as its data.

use bytes::Bytes;
use eventwire::line::Lines;
use eventwire_client::ResponseHead;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Response};
use serde::de::IgnoredAny;

/// The longest line, as for [`Lines`]. A longer one cannot be an event either.
const LIMIT: usize = 16 * 1024 * 1024;

/// Whether a body has lines of JSON, by what comes before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Announced {
    Yes,
    /// Its first line shows it.
    Perhaps,
    No,
}

impl Announced {
    pub(crate) fn by<B>(response: &Response<B>) -> Announced {
        let head = ResponseHead::from(response);
        // An answer that is a single object often has a line end as well, but it also has a length.
        let has_length = response.headers().contains_key(CONTENT_LENGTH);
        match &*head.media_type().unwrap_or_default().to_ascii_lowercase() {
            _ if head.status() != 200 => Announced::No,
            _ if head.is_json_lines() => Announced::Yes,
            "application/json" | "" if !has_length => Announced::Perhaps,
            _ => Announced::No,
        }
    }
}

/// Turns lines of JSON into events. Any other input passes unchanged.
pub(crate) struct Converter(State);

enum State {
    Unknown(FirstLine),
    JsonLines(Lines),
    Other,
}

impl Converter {
    pub(crate) fn new(announced: Announced) -> Converter {
        Converter(match announced {
            Announced::Yes => State::JsonLines(Lines::new()),
            Announced::Perhaps => State::Unknown(FirstLine::default()),
            Announced::No => State::Other,
        })
    }

    /// Returns whether the input has lines of JSON.
    pub(crate) fn is_json_lines(&self) -> bool {
        matches!(self.0, State::JsonLines(_))
    }

    /// Converts the next chunk. The result is empty as long as more is needed.
    pub(crate) fn chunk(&mut self, chunk: Bytes) -> Bytes {
        match &mut self.0 {
            State::Other => chunk,
            State::JsonLines(lines) => events(lines, &chunk),
            State::Unknown(first) => {
                let Some(is_object) = first.is_object(&chunk) else { return Bytes::new() };
                let bytes = std::mem::take(&mut first.bytes);
                self.0 = if is_object { State::JsonLines(Lines::new()) } else { State::Other };
                self.chunk(bytes.into())
            }
        }
    }

    /// Returns what is left at the end: a last line that has no end is complete if it is valid JSON.
    pub(crate) fn end(&mut self) -> Bytes {
        match &mut self.0 {
            State::Other => Bytes::new(),
            State::Unknown(first) => std::mem::take(&mut first.bytes).into(),
            State::JsonLines(lines) => match lines.unfinished() {
                line if line.trim_ascii().is_empty() || line.len() == LIMIT => Bytes::new(),
                line if is_json(line) => [b"data: ", line, b"\n\n"].concat().into(),
                line => [b"data: ", line].concat().into(),
            },
        }
    }
}

/// Returns an event for each line that ends in this chunk.
fn events(lines: &mut Lines, mut chunk: &[u8]) -> Bytes {
    let mut events = Vec::new();
    loop {
        // An event with the beginning of a line that is too long is too large as well, and is reported as such.
        let line = match lines.next(&mut chunk).map(|line| line.map(<[u8]>::to_owned)) {
            Ok(None) => return events.into(),
            Ok(Some(line)) => line,
            Err(_) => lines.unfinished().to_owned(),
        };
        if !line.trim_ascii().is_empty() {
            events.extend_from_slice(&[b"data: ", &*line, b"\n\n"].concat());
        }
    }
}

/// The first line that is not blank, until it has ended.
#[derive(Default)]
struct FirstLine {
    /// All that has arrived, which passes unchanged if the line is no JSON object.
    bytes: Vec<u8>,
    /// The first byte of the line.
    begins_with: Option<u8>,
    lines: Lines,
}

impl FirstLine {
    /// Reads the next chunk, and returns whether the line is a JSON object. `None` if that is not known yet.
    fn is_object(&mut self, mut chunk: &[u8]) -> Option<bool> {
        self.bytes.extend_from_slice(chunk);
        let is_of_line = |byte: &u8| !byte.is_ascii_whitespace() && !"\u{FEFF}".as_bytes().contains(byte);
        self.begins_with = self.begins_with.or_else(|| chunk.iter().copied().find(is_of_line));
        // The end of the line may never come.
        if self.begins_with.is_some_and(|byte| byte != b'{') {
            return Some(false);
        }
        loop {
            match self.lines.next(&mut chunk) {
                Ok(Some(line)) if line.trim_ascii().is_empty() => {}
                Ok(Some(line)) => return Some(is_object(line)),
                Ok(None) if self.bytes.len() <= LIMIT => return None,
                Ok(None) | Err(_) => return Some(false),
            }
        }
    }
}

fn is_object(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"{") && is_json(line)
}

fn is_json(line: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(line).is_ok()
}

/// Counts the lines of an input that may be lines of JSON.
pub(crate) struct Tally {
    lines: Lines,
    /// How many lines are not blank.
    pub(crate) count: u64,
    begins_with_object: bool,
}

impl Tally {
    pub(crate) fn new() -> Tally {
        Tally { lines: Lines::new().with_max_line_len(LIMIT), count: 0, begins_with_object: false }
    }

    pub(crate) fn chunk(&mut self, mut chunk: &[u8]) {
        // The lines of anything else are not counted.
        while self.count == 0 || self.begins_with_object {
            let line = match self.lines.next(&mut chunk) {
                Ok(None) => return,
                Ok(Some(line)) => line,
                Err(_) => b"too long",
            };
            if line.trim_ascii().is_empty() {
                continue;
            }
            if self.count == 0 {
                self.begins_with_object = is_object(line);
            }
            self.count += 1;
        }
    }

    /// Returns whether the first line is a JSON object.
    pub(crate) fn are_json(&self) -> bool {
        self.begins_with_object
    }

    /// Returns how many lines an input has that has ended, and whether the last one is complete.
    pub(crate) fn at_end(&self) -> (u64, bool) {
        match self.lines.unfinished() {
            line if line.trim_ascii().is_empty() => (self.count, true),
            line => (self.count + 1, is_json(line)),
        }
    }
}

/// The content type of a response whose lines are read as events.
#[derive(Clone)]
struct ContentType(Option<HeaderValue>);

/// Lets the client read the lines as events.
pub(crate) fn declare_events<B>(response: &mut Response<B>) {
    let events = HeaderValue::from_static("text/event-stream");
    let content_type = response.headers_mut().insert(CONTENT_TYPE, events);
    response.extensions_mut().insert(ContentType(content_type));
}

/// Returns the headers as the server has sent them.
pub(crate) fn headers<B>(head: &Response<B>) -> HeaderMap {
    let mut headers = head.headers().clone();
    match head.extensions().get() {
        Some(ContentType(Some(content_type))) => drop(headers.insert(CONTENT_TYPE, content_type.clone())),
        Some(ContentType(None)) => drop(headers.remove(CONTENT_TYPE)),
        None => {}
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::{Announced, Bytes, Converter, LIMIT};

    /// Converts an input in chunks of one byte, in two chunks, and in one.
    #[track_caller]
    fn check(announced: Announced, input: &str, expected: &str) {
        let bytes = input.as_bytes();
        for size in [1, bytes.len() / 2 + 1, bytes.len() + 1] {
            let mut converter = Converter::new(announced);
            let mut found: Vec<u8> = Vec::new();
            for chunk in bytes.chunks(size) {
                found.extend_from_slice(&converter.chunk(Bytes::copy_from_slice(chunk)));
            }
            found.extend_from_slice(&converter.end());
            assert_eq!(String::from_utf8_lossy(&found), expected, "{input:?}, {size}");
        }
    }

    #[test]
    fn lines_of_json_become_events() {
        for announced in [Announced::Yes, Announced::Perhaps] {
            check(announced, "{\"a\":1}\r\n\n{}\r[2]", "data: {\"a\":1}\n\ndata: {}\n\ndata: [2]\n\n");
            check(announced, "\u{FEFF}\n {\"é\":1}\nx\n{", "data:  {\"é\":1}\n\ndata: x\n\ndata: {");
        }
        check(Announced::Yes, "1\n", "data: 1\n\n");
    }

    #[test]
    fn other_input_passes() {
        for input in ["data: 1\n\n", "{\n}\n", "{\"a\":1}", "{}x\n{}\n", "[]\n[]\n", "", "\u{FEFF}", " \n", ": {}\n"] {
            check(Announced::Perhaps, input, input);
        }
        check(Announced::No, "{}\n{}\n", "{}\n{}\n");
    }

    /// No chunk is searched again with the next ones, which would take hours.
    #[test]
    fn the_work_before_the_first_line_end_is_linear() {
        const LEN: usize = 8 << 20;
        let object = format!("{{\"a\":\"{}\"}}", "x".repeat(LEN));
        for (input, is_json_lines) in [(object, true), (" ".repeat(LEN), false), ("\n".repeat(LEN), false)] {
            for size in [64, 8 * 1024] {
                let mut converter = Converter::new(Announced::Perhaps);
                for chunk in input.as_bytes().chunks(size) {
                    assert!(converter.chunk(Bytes::copy_from_slice(chunk)).is_empty());
                }
                let found = converter.chunk("\n".into());
                assert_eq!((converter.is_json_lines(), found.is_empty()), (is_json_lines, !is_json_lines));
            }
        }
    }

    #[test]
    fn what_is_held_has_a_limit() {
        for (input, passes) in [("{".repeat(LIMIT), false), ("\n".repeat(LIMIT), false), ("[".to_owned(), true)] {
            let mut converter = Converter::new(Announced::Perhaps);
            assert_eq!(!converter.chunk(input.clone().into()).is_empty(), passes);
            assert_eq!(converter.chunk(" ".into()).len(), if passes { 1 } else { LIMIT + 1 });
        }
    }
}
