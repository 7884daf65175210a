//! The line splitter alone: it returns the same lines however the bytes are split, also under a limit, and each line
//! has the field that the standard defines.
#![no_main]

#[expect(dead_code, reason = "a splitter has no settings but its limit")]
mod case;

use case::Case;
use eventwire::line::{Field, Lines};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(case) = Case::of(input) else { return };
    for limit in [case.number, usize::MAX] {
        let expected = naive(case.stream, limit);
        for line in expected.0.iter().flatten() {
            check_field(line);
        }
        assert_eq!(split(&[case.stream], limit), expected);
        assert_eq!(split(&case.chunks(), limit), expected);
    }
});

/// The byte order mark.
const BOM: &[u8] = b"\xEF\xBB\xBF";

/// A line, or the beginning of a line that is too long.
type Found = Result<Vec<u8>, Vec<u8>>;

/// Splits line by line, as in the standard's grammar: slow and obvious. Returns what was found, and what is
/// unfinished.
fn naive(stream: &[u8], limit: usize) -> (Vec<Found>, Vec<u8>) {
    let (mut found, mut rest, mut is_first) = (Vec::new(), stream, true);
    loop {
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let line = &rest[..end.unwrap_or(rest.len())];
        let beginning = &line[..line.len().min(limit)];
        let text = beginning.strip_prefix(BOM).filter(|_| is_first).unwrap_or(beginning);
        if beginning.len() < line.len() {
            found.push(Err(text.to_vec()));
        }
        let Some(end) = end else { return (found, text.to_vec()) };
        if beginning.len() == line.len() {
            found.push(Ok(text.to_vec()));
        }
        rest = &rest[end + if rest[end..].starts_with(b"\r\n") { 2 } else { 1 }..];
        is_first = false;
    }
}

fn split(chunks: &[&[u8]], limit: usize) -> (Vec<Found>, Vec<u8>) {
    let (mut lines, mut found) = (Lines::new().with_max_line_len(limit), Vec::new());
    for chunk in chunks {
        let mut input = *chunk;
        loop {
            match lines.next(&mut input) {
                Ok(Some(line)) => found.push(Ok(line.to_vec())),
                Ok(None) => break,
                Err(_) => found.push(Err(lines.unfinished().to_vec())),
            }
        }
        assert!(input.is_empty());
    }
    (found, lines.unfinished().to_vec())
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
