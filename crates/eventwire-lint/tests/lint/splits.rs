//! The findings do not depend on how a stream is split.

use std::time::Duration;

use eventwire_lint::{Finding, Lint};
use proptest::prelude::*;

use crate::streams;

/// A short stream for each rule, with line ends and characters that a chunk can split.
const STREAMS: [&[u8]; 9] = [
    b"\xEF\xBB\xBFdata: \xE2\x82\xAC\r\n\r\nsecond\r\n\r\n",
    b"data: a\r\rData: b\ndata : c\n\n",
    b"x: y\n\xEF\xBB\xBFdata\n\nid: a\0b\nretry: s\n",
    b"event: a\nevent: message\nid: 1\nid: 2\ndata\n\n",
    b"event: a\r\n\r\ndata: \xF0\x9F\n\n: \xFF\n",
    b"data: a\\nb\n\ndata: {\\n\ndata: \\n\n\ndata: \\\\n\n\n",
    b"\xEF\xBBdata: 1\n\ndata: 2",
    b"retry: 12345678901234567890123456789012345678901234567890123456789012345x\n\n",
    b"id: 123456789012345678901234567890123456789012345678901234567890123456789\0\n\n",
];

fn findings<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<Finding> {
    let mut lint = Lint::new().with_openai();
    chunks.into_iter().for_each(|chunk| lint.chunk(chunk, Duration::ZERO));
    lint.finish(Duration::ZERO)
}

#[track_caller]
fn check(stream: &[u8], cuts: [usize; 2]) {
    let [first, second] = cuts;
    let cut = findings([&stream[..first], &stream[first..second], &stream[second..]]);
    assert_eq!(cut, findings([stream]), "{} cut at {cuts:?}", stream.escape_ascii());
}

#[test]
fn every_cut() {
    for stream in STREAMS {
        for second in 0..=stream.len() {
            (0..=second).for_each(|first| check(stream, [first, second]));
        }
        assert_eq!(findings(stream.chunks(1)), findings([stream]), "{}", stream.escape_ascii());
    }
}

/// Around the length at which a line is cut, and in small pieces.
#[test]
fn a_long_line() {
    for len in 4093..=4102 {
        for end in [&b"\\n"[..], b"\\n\r\nx\n\n", b"\xE2\x82\xAC\r\rx", b"\0\nDATA\n"] {
            let stream = [&b"\xEF\xBB\xBFid: "[..], &vec![b'1'; len - 4], end].concat();
            let whole = findings([&stream[..]]);
            for size in [1, 2, 3, 4095, 4096, 4097, len, len + 1, len + 3, len + 4] {
                assert_eq!(findings(stream.chunks(size)), whole, "{len}, {size}, {}", end.escape_ascii());
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_cut(stream in streams::stream(), cuts: [prop::sample::Index; 2]) {
        let mut cuts = cuts.map(|cut| cut.index(stream.len() + 1));
        cuts.sort_unstable();
        check(&stream, cuts);
        prop_assert_eq!(findings(stream.chunks(1)), findings([&stream[..]]));
    }
}
