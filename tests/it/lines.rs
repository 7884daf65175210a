//! `Lines`: whole lines, however the stream is split.

use crate::{law, stream_generator::cut};
use eventwire::line::{LineTooLong, Lines};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line, or the beginning of a line that is too long.
type Found = Result<Vec<u8>, Vec<u8>>;

/// The lines in order, and what is unfinished. Slow and obvious.
fn naive(stream: &[u8], limit: usize) -> (Vec<Found>, Vec<u8>) {
    let (mut found, mut rest, mut is_first) = (Vec::new(), stream, true);
    loop {
        let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let line = &rest[..end.unwrap_or(rest.len())];
        let beginning = &line[..line.len().min(limit)];
        let text = beginning.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(beginning);
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

fn split<'c>(chunks: impl IntoIterator<Item = &'c [u8]>, limit: usize) -> (Vec<Found>, Vec<u8>) {
    let (mut lines, mut found) = (Lines::new().with_max_line_len(limit), Vec::new());
    for chunk in chunks {
        let mut input = chunk;
        loop {
            match lines.next(&mut input) {
                Ok(Some(line)) => found.push(Ok(line.to_vec())),
                Ok(None) => break,
                Err(error) => {
                    assert_eq!(error.limit, limit);
                    found.push(Err(lines.unfinished().to_vec()));
                }
            }
        }
        assert!(input.is_empty());
    }
    (found, lines.unfinished().to_vec())
}

#[track_caller]
fn check(stream: &[u8], limit: usize) {
    let expected = naive(stream, limit);
    for second in 0..=stream.len() {
        for first in 0..=second {
            let chunks = [&stream[..first], &stream[first..second], &stream[second..]];
            assert_eq!(split(chunks, limit), expected, "{chunks:?}, {limit}");
        }
    }
    assert_eq!(split(stream.chunks(1), limit), expected, "{}", stream.escape_ascii());
}

#[test]
fn every_cut() {
    for stream in [
        &b"\xEF\xBB\xBFa\r\n\r\nbc\n\r\rd\xE2\x82\xACe\nf"[..],
        b"\xEF\xBB\xBF\xEF\xBB\xBFa\n\xEF\xBB\xBFb\r\n",
        b"\n\xEF\xBB\xBFa\r",
        b"\xEF\xBBdata\r\n\0",
        b"\xEF\xBB\xBF\n\n",
        b"\xEF\xBB\xBF",
        b"\xEF\xBB",
    ] {
        (0..8).chain([usize::MAX]).for_each(|limit| check(stream, limit));
    }
}

#[test]
fn the_default_is_16_mib() {
    let line = vec![b'x'; (16 << 20) + 1];
    let longest = &line[1..];
    let found = Lines::new().next(&mut &[longest, b"\n"].concat()[..]).map(|line| line.map(<[u8]>::len));
    assert_eq!(found, Ok(Some(longest.len())));
    assert!(matches!(Lines::new().next(&mut &line[..]), Err(LineTooLong { limit: 16_777_216, .. })));
}

#[test]
fn a_lowered_limit_applies_to_the_open_line() {
    let mut lines = Lines::new();
    assert_eq!(lines.next(&mut &b"12345"[..]), Ok(None));
    let mut lines = lines.with_max_line_len(2);
    let mut input = &b"6\n78\n"[..];
    assert_eq!(lines.next(&mut input).unwrap_err().to_string(), "the line is longer than the limit of 2 bytes");
    assert_eq!(lines.next(&mut input), Ok(Some(&b"78"[..])));
}

/// Whole lines of a chunk are slices of it.
#[test]
fn lines_are_borrowed_from_the_chunk() {
    let chunk = b"one\ntwo\n";
    let (mut lines, mut input) = (Lines::new(), &chunk[..]);
    for expected in [&chunk[..3], &chunk[4..7]] {
        let line = lines.next(&mut input).unwrap().unwrap();
        assert!(std::ptr::eq(line, expected));
    }
}

#[test]
fn any_cut() {
    law::check(500, |random| {
        let mark = if random.coin() { BYTE_ORDER_MARK } else { &[] };
        let rest = random.list(60, |random| random.one_of(b"\n\n\r\r:a\0\xEF\xBB\xBF"));
        let (stream, sizes) = ([mark, &rest].concat(), random.cut());
        let limit = if random.coin() { random.below(12) } else { usize::MAX };
        assert_eq!(split(cut(&stream, &sizes), limit), naive(&stream, limit));
    });
}
