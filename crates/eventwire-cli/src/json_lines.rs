//! Streams of JSON lines. They are shown as events, each with a line as its data.

use bytes::Bytes;
use eventwire::line::{Field, Lines};
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

/// Turns lines of JSON into events. Any other input passes unchanged, and so does what follows the first line of an event
/// stream.
pub(crate) struct Converter(State);

enum State {
    Unknown(FirstLine),
    JsonLines(Lines),
    /// The last of the lines is too long, and has been reported. Its end has not arrived.
    TooLong(Lines),
    /// An event stream has followed the lines of JSON.
    Events,
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

    /// Returns whether the input had lines of JSON so far, and no event stream after them.
    pub(crate) fn is_json_lines(&self) -> bool {
        matches!(self.0, State::JsonLines(_) | State::TooLong(_))
    }

    /// Returns whether the input begins with lines of JSON.
    pub(crate) fn begins_with_json_lines(&self) -> bool {
        matches!(self.0, State::JsonLines(_) | State::TooLong(_) | State::Events)
    }

    /// Converts the next chunk. The result is empty as long as more is needed.
    pub(crate) fn chunk(&mut self, chunk: Bytes) -> Bytes {
        match &mut self.0 {
            State::Events | State::Other => chunk,
            State::JsonLines(_) | State::TooLong(_) => self.events(&chunk),
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
            State::TooLong(_) | State::Events | State::Other => Bytes::new(),
            State::Unknown(first) => std::mem::take(&mut first.bytes).into(),
            State::JsonLines(lines) => match lines.unfinished() {
                line if line.trim_ascii().is_empty() => Bytes::new(),
                line if is_of_event_stream(line) => {
                    let line = Bytes::copy_from_slice(line);
                    self.0 = State::Events;
                    line
                }
                line if is_json(line) => [b"data: ", line, b"\n\n"].concat().into(),
                line => [b"data: ", line].concat().into(),
            },
        }
    }

    /// Returns an event for each line of JSON that ends in this chunk.
    fn events(&mut self, chunk: &[u8]) -> Bytes {
        let mut events = Vec::new();
        let mut rest = chunk;
        loop {
            let lines = match &mut self.0 {
                State::JsonLines(lines) => lines,
                // Its end is the next one.
                State::TooLong(lines) if rest.iter().any(|byte| matches!(byte, b'\r' | b'\n')) => {
                    self.0 = State::JsonLines(std::mem::take(lines));
                    continue;
                }
                _ => break,
            };
            let (line, has_ended) = match lines.next(&mut rest) {
                Ok(None) => break,
                Ok(Some(line)) => (line, true),
                // An event with the beginning of a line that is too long is too large as well, and is reported as such.
                Err(_) => (lines.unfinished(), false),
            };
            if is_of_event_stream(line) {
                // The end of a line is a single byte: an LF after a CR belongs to the rest.
                let end = chunk.len() - rest.len() - usize::from(has_ended);
                events.extend_from_slice(line);
                events.extend_from_slice(&chunk[end..]);
                self.0 = State::Events;
                break;
            }
            if !line.trim_ascii().is_empty() {
                events.extend_from_slice(&[b"data: ", line, b"\n\n"].concat());
            }
            if !has_ended {
                self.0 = State::TooLong(std::mem::take(lines));
            }
        }
        events.into()
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

/// Returns whether a line is one of an event stream. JSON never begins like this.
fn is_of_event_stream(line: &[u8]) -> bool {
    // The colon is at most the sixth byte. A long line is not searched for one.
    Field::parse(&line[..line.len().min(6)]).0 != Field::Other
}

/// Counts the lines of an input that may be lines of JSON.
pub(crate) struct Tally {
    lines: Lines,
    /// How many lines are JSON.
    pub(crate) count: u64,
    /// Whether the first line that is not blank is a JSON object, and none is one of an event stream. `None` if there is
    /// no line yet.
    are_json: Option<bool>,
}

impl Tally {
    pub(crate) fn new() -> Tally {
        Tally { lines: Lines::new().with_max_line_len(LIMIT), count: 0, are_json: None }
    }

    pub(crate) fn chunk(&mut self, mut chunk: &[u8]) {
        // The lines of anything else are not counted.
        while self.are_json != Some(false) {
            let line = match self.lines.next(&mut chunk) {
                Ok(None) => return,
                Ok(Some(line)) => line,
                Err(_) => self.lines.unfinished(),
            };
            if is_of_event_stream(line) {
                self.are_json = Some(false);
            } else if !line.trim_ascii().is_empty() {
                self.are_json.get_or_insert(is_object(line));
                self.count += u64::from(is_json(line));
            }
        }
    }

    /// Returns whether the first line is a JSON object, and no line is one of an event stream.
    pub(crate) fn are_json(&self) -> bool {
        self.are_json == Some(true) && !is_of_event_stream(self.lines.unfinished())
    }

    /// Returns how many lines of JSON an input has that has ended, and whether the last one is complete.
    pub(crate) fn at_end(&self) -> (u64, bool) {
        let line = self.lines.unfinished().trim_ascii();
        match serde_json::from_slice::<IgnoredAny>(line) {
            Ok(_) => (self.count + 1, true),
            Err(error) if error.is_eof() && !line.is_empty() => (self.count + 1, false),
            Err(_) => (self.count, true),
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
    use super::{Announced, Bytes, Converter, LIMIT, Tally};

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
    fn an_event_stream_after_them_passes() {
        for announced in [Announced::Yes, Announced::Perhaps] {
            for first in [":", "data:", "event:", "id:", "retry:", "data"] {
                for end in ["\n", "\r", "\r\n"] {
                    let events = format!("{first}{end}data: 1{end}{{}}{end}{end}data: 2");
                    check(announced, &format!("{{}}{end}{end}{events}"), &format!("data: {{}}\n\n{events}"));
                }
                check(announced, &format!("{{}}\n{first}"), &format!("data: {{}}\n\n{first}"));
            }
            check(announced, "{}\ndatab\nevents:\n", "data: {}\n\ndata: datab\n\ndata: events:\n\n");
        }
        check(Announced::Yes, "data: 1\n\n", "data: 1\n\n");
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
        let object = format!("{{\"{}\":1}}", "x".repeat(LEN));
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

    /// At the end, a line that is as long as the limit differs from one that is too long and has been reported.
    #[test]
    fn a_line_that_is_too_long_becomes_an_event_once() {
        let line = |len| format!("\"{}\"", "x".repeat(len - 2));
        let event = format!("data: {}\n\n", line(LIMIT));
        let cut = format!("data: {}\n\n", &line(LIMIT + 1)[..LIMIT]);
        let long = line(LIMIT + 1);
        for (input, expected) in [
            (line(LIMIT), event.clone()),
            (long.clone(), cut.clone()),
            (format!("{long}\r\n"), cut.clone()),
            (format!("{long}xx\n{{}}\n[1]"), format!("{cut}data: {{}}\n\ndata: [1]\n\n")),
            (format!("{long}\n{}", line(LIMIT)), format!("{cut}{event}")),
            (format!("data:{long}\n\ndata: 1"), format!("data:{long}\n\ndata: 1")),
        ] {
            for size in [64 * 1024, LIMIT + 1, input.len()] {
                let mut converter = Converter::new(Announced::Yes);
                let mut found: Vec<u8> = Vec::new();
                for chunk in input.as_bytes().chunks(size) {
                    found.extend_from_slice(&converter.chunk(Bytes::copy_from_slice(chunk)));
                }
                found.extend_from_slice(&converter.end());
                assert!(found == expected.as_bytes(), "{} bytes in chunks of {size}: {}", input.len(), found.len());
            }
        }
    }

    #[test]
    fn the_work_of_counting_is_linear() {
        let mut tally = Tally::new();
        tally.chunk(b"{}\n");
        for _ in 0..8 << 14 {
            tally.chunk(&[b' '; 64]);
            assert!(tally.are_json());
        }
        assert_eq!(tally.at_end(), (1, true));
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
