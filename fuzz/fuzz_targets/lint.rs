//! The lint alone: it finds the same however the bytes are split, each place is the start of a line, and a stream
//! without findings consists of lines that the standard defines.
#![no_main]

#[expect(dead_code, reason = "a lint has no settings")]
mod case;

use case::Case;
use eventwire::line::Field;
use eventwire_lint::{Finding, Lint, Place};
use libfuzzer_sys::fuzz_target;
use std::time::Duration;

fuzz_target!(|input: &[u8]| {
    let Some(case) = Case::of(input) else { return };
    let expected = findings(&[case.stream]);
    assert_eq!(findings(&case.chunks()), expected);
    let lines = lines(case.stream);
    for finding in &expected {
        assert!(finding.places.is_sorted() && finding.places.len() as u64 <= finding.count.min(10), "{finding:?}");
        for place in &finding.places {
            assert!(lines.iter().any(|(start, line)| start == place && !line.is_empty()), "{finding:?}");
        }
        assert!(!finding.to_string().contains(char::is_control), "{finding}");
    }
    let lost = lines.iter().find(|(_, line)| !line.is_empty() && Field::parse(line).0 == Field::Other);
    if let Some((place, _)) = lost {
        assert!(expected.iter().any(|finding| finding.places.contains(place)), "{place:?} in {expected:?}");
    }
});

fn findings(chunks: &[&[u8]]) -> Vec<Finding> {
    let mut lint = Lint::new().with_openai();
    chunks.iter().for_each(|chunk| lint.chunk(chunk, Duration::ZERO));
    lint.finish(Duration::ZERO)
}

/// Splits line by line, as in the standard's grammar: slow and obvious.
fn lines(stream: &[u8]) -> Vec<(Place, &[u8])> {
    let mut byte = if stream.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut lines = Vec::new();
    while byte < stream.len() {
        let rest = &stream[byte..];
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        lines.push((Place { line: lines.len() as u64 + 1, byte: byte as u64 }, &rest[..length]));
        byte += length + if rest[length..].starts_with(b"\r\n") { 2 } else { 1 };
    }
    lines
}
