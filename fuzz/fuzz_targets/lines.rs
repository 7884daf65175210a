//! The line splitter alone: it yields the same lines however the bytes are split, and each line has the field that
//! the standard defines.
#![no_main]

#[expect(dead_code, reason = "a splitter has no settings")]
mod case;

use case::Case;
use eventwire::line::{Field, LineSplitter, Piece};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(case) = Case::of(input) else { return };
    let expected = naive(case.stream);
    for line in &expected.done {
        check_field(line);
    }
    assert_eq!(split(&[case.stream], usize::MAX), expected);
    assert_eq!(split(&case.chunks(), usize::MAX), expected);
    // Each walk stops after this many pieces, and the next one continues at `rest`.
    assert_eq!(split(&case.chunks(), case.number.max(1)), expected);
});

/// The byte order mark.
const BOM: &[u8] = b"\xEF\xBB\xBF";

#[derive(Debug, Default, PartialEq, Eq)]
struct Lines {
    done: Vec<Vec<u8>>,
    /// The last line, if the stream ends inside it.
    open: Option<Vec<u8>>,
}

/// Splits line by line, as in the standard's grammar: slow and obvious.
fn naive(stream: &[u8]) -> Lines {
    let mut rest = stream.strip_prefix(BOM).unwrap_or(stream);
    let mut done = Vec::new();
    while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
        done.push(rest[..end].to_vec());
        let length = if rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
        rest = &rest[end + length..];
    }
    Lines { done, open: (!rest.is_empty()).then(|| rest.to_vec()) }
}

/// Assembles the lines from their pieces, with at most `at_once` pieces from each walk.
fn split(chunks: &[&[u8]], at_once: usize) -> Lines {
    let mut splitter = LineSplitter::new();
    let mut lines = Lines::default();
    for chunk in chunks {
        let mut input = *chunk;
        while !input.is_empty() {
            let mut walk = splitter.lines(input);
            for piece in walk.by_ref().take(at_once) {
                lines.take_in(piece);
            }
            let rest = walk.rest();
            // These bytes looked like a byte order mark in an earlier chunk and are returned only now.
            let given_late = lines.done.is_empty() && lines.open.as_ref().is_some_and(|open| BOM.starts_with(open));
            assert!(input.ends_with(rest) && (rest.len() < input.len() || given_late), "each walk makes progress");
            input = rest;
        }
        // It is not known yet whether these bytes belong to the line or to a byte order mark.
        let in_a_mark = lines == Lines::default() && splitter.is_within_line();
        assert!(in_a_mark || splitter.is_within_line() == lines.open.is_some());
    }
    if splitter.is_within_line() && lines.open.is_none() {
        lines.open = Some(chunks.concat());
        assert!(BOM.starts_with(&chunks.concat()), "bytes were held back without need");
    }
    lines
}

impl Lines {
    fn take_in(&mut self, piece: Piece<'_>) {
        match (piece, self.open.as_mut()) {
            (Piece::Whole(line), None) => self.done.push(line.to_vec()),
            (Piece::Head(head), None) if !head.is_empty() => self.open = Some(head.to_vec()),
            (Piece::Middle(middle), Some(line)) if !middle.is_empty() => line.extend_from_slice(middle),
            (Piece::Tail(tail), Some(line)) => {
                line.extend_from_slice(tail);
                self.done.extend(self.open.take());
            }
            (piece, open) => panic!("{piece:?} after {open:?}"),
        }
    }
}

/// `Field::parse` of the line agrees with the name before the first colon.
fn check_field(line: &[u8]) {
    let expected = match line.iter().position(|byte| *byte == b':') {
        _ if line.is_empty() => (Field::Other, &[][..]),
        None => (named(line), &[][..]),
        Some(colon) => {
            let value = &line[colon + 1..];
            (named(&line[..colon]), value.strip_prefix(b" ").unwrap_or(value))
        }
    };
    assert_eq!(Field::parse(line), expected);
}

/// The names of the standard.
fn named(name: &[u8]) -> Field {
    match name {
        b"data" => Field::Data,
        b"event" => Field::EventType,
        b"id" => Field::Id,
        b"retry" => Field::Retry,
        b"" => Field::Comment,
        _ => Field::Other,
    }
}
