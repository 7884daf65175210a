//! The memory of a lint does not grow with the stream.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../../tests/it/counting_allocator.rs"]
#[allow(dead_code, reason = "each program that includes this file uses a part of it")]
mod counting_allocator;

use std::time::Duration;

use counting_allocator::measure;
use eventwire_lint::Lint;

/// Passes this piece again and again, up to 100 MiB, and returns how many bytes were in use at most.
fn peak(piece: &[u8]) -> usize {
    let chunk: Vec<u8> = piece.iter().copied().cycle().take((16 * 1024 / piece.len()).max(1) * piece.len()).collect();
    let (findings, usage) = measure(|| {
        let mut lint = Lint::new();
        for number in 0..100 * 1024 * 1024 / chunk.len() as u64 {
            lint.chunk(&chunk, Duration::from_millis(number));
        }
        lint.finish(Duration::from_secs(10))
    });
    assert!(findings.len() < 14);
    usage.peak
}

#[test]
fn a_hundred_mebibytes_need_some_kilobytes() {
    for piece in [
        &b"data: 0123456789\n\n"[..],
        b"a line without a field\n",
        b"data: a block without end\n",
        b"a line without end ",
        b"event: a\nevent: message\nid: \0\nretry: x\ndata : \xFF\n\xEF\xBB\xBFdata\nb\n\ndata: \\n\n\n",
    ] {
        let peak = peak(piece);
        assert!(peak < 16 * 1024, "{peak} bytes for {}", piece.escape_ascii());
    }
}
