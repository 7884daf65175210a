//! The memory of a lint does not grow with the stream.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../../../tests/it/counting_allocator.rs"]
#[allow(dead_code, reason = "each program that includes this file uses a part of it")]
mod counting_allocator;

use std::time::Duration;

use counting_allocator::measure;
use eventwire_lint::Lint;

/// Passes this piece to a lint again and again, up to this length, and returns how many bytes were in use at most.
fn peak(lint: fn() -> Lint, piece: &[u8], length: usize) -> usize {
    let chunk: Vec<u8> = piece.iter().copied().cycle().take((16 * 1024 / piece.len()).max(1) * piece.len()).collect();
    let (findings, usage) = measure(|| {
        let mut lint = lint();
        for number in 0..(length / chunk.len()) as u64 {
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
        let peak = peak(Lint::new, piece, 100 << 20);
        assert!(peak < 16 * 1024, "{peak} bytes for {}", piece.escape_ascii());
    }
}

/// With the largest events that it reads, and with larger ones.
#[test]
fn with_a_chat_they_need_some_hundred() {
    let openai = || Lint::new().with_openai();
    let chunk = |json: &str| format!("data: {json}\n\n").into_bytes();
    let of = |length: usize, text: &str| text.repeat(length / text.len());
    let mut most = 0;
    for length in [1, 30, 60, 63, 65, 100, 1_000].map(|kilobytes| kilobytes * 1024) {
        for piece in [
            chunk(&format!("{{\"choices\":[{{}}{}]}}", of(length, ",{}"))),
            chunk(&format!("{{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}", of(length, "\\u0001"))),
            chunk(&format!("{{\"error\":{{\"message\":\"{}\"}}}}", of(length, "\\u0001"))),
            chunk(&format!("{{\"error\":[0{}]}}", of(length, ",0"))),
            chunk(&format!("{{\"error\":[{{}}{}]}}", of(length, ",{\"a\":{}}"))),
            [&b"data: "[..], &vec![0xFF; length], b"\n\n"].concat(),
            of(length, "data\n").into_bytes(),
            of(length, "data: x\nevent: a\nid: b\n").into_bytes(),
            [b"id: ", &vec![b'x'; length][..], b"\nevent: ", &vec![b'x'; length], b"\ndata\n\n"].concat(),
        ] {
            let peak = peak(openai, &piece, 3 << 20);
            most = most.max(peak);
            assert!(peak < 400 * 1024, "{peak} bytes for {length} bytes of {}", piece[..20].escape_ascii());
        }
    }
    // The largest events that are read were among them.
    assert!(most > 128 * 1024, "{most}");
}
