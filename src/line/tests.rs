use super::{LineSplitter, Piece};
use std::{vec, vec::Vec};

/// The lines of `stream` if it arrives in these chunks, and the last line if it has not ended.
fn lines(chunks: &[&[u8]]) -> (Vec<Vec<u8>>, Option<Vec<u8>>) {
    let mut splitter = LineSplitter::new();
    let (mut done, mut open) = (Vec::new(), None::<Vec<u8>>);
    for chunk in chunks {
        for piece in splitter.lines(chunk) {
            match piece {
                Piece::Whole(line) => {
                    assert_eq!(open, None);
                    done.push(line.to_vec());
                }
                Piece::Head(head) => {
                    assert_eq!(open, None);
                    assert!(!head.is_empty());
                    open = Some(head.to_vec());
                }
                Piece::Middle(middle) => {
                    assert!(!middle.is_empty());
                    open.as_mut().expect("a line is open").extend_from_slice(middle);
                }
                Piece::Tail(tail) => {
                    let mut line = open.take().expect("a line is open");
                    line.extend_from_slice(tail);
                    done.push(line);
                }
            }
        }
    }
    assert_eq!(splitter.is_within_line(), open.is_some() || matches!(chunks.concat()[..], [0xEF] | [0xEF, 0xBB]));
    (done, open)
}

/// Checks the stream in one chunk, byte by byte, and split into three chunks at every pair of positions.
#[track_caller]
fn check(stream: &[u8], done: &[&[u8]], open: Option<&[u8]>) {
    let expected = (done.iter().map(|line| line.to_vec()).collect::<Vec<_>>(), open.map(<[u8]>::to_vec));
    assert_eq!(lines(&[stream]), expected);
    assert_eq!(lines(&stream.chunks(1).collect::<Vec<_>>()), expected);
    for i in 0..=stream.len() {
        for j in i..=stream.len() {
            assert_eq!(lines(&[&stream[..i], &stream[i..j], b"", &stream[j..]]), expected, "cut at {i} and {j}");
        }
    }
}

#[test]
fn line_ends() {
    check(b"a\nb\rc\r\nd", &[b"a", b"b", b"c"], Some(b"d"));
    check(b"\n\r\r\n\n", &[b"", b"", b"", b""], None);
    check(b"a\r\rb\n\rc\r\n\r\n", &[b"a", b"", b"b", b"", b"c", b""], None);
    check(b"a\x0Bb\x0Cc\xC2\x85d\xE2\x80\xA8e\n", &[b"a\x0Bb\x0Cc\xC2\x85d\xE2\x80\xA8e"], None);
    check(b"", &[], None);
}

#[test]
fn byte_order_mark() {
    check(b"\xEF\xBB\xBFa\n", &[b"a"], None);
    check(b"\xEF\xBB\xBF\n", &[b""], None);
    check(b"\xEF\xBB\xBF\r\na", &[b""], Some(b"a"));
    check(b"\xEF\xBB\xBF\xEF\xBB\xBFa\n", &[b"\xEF\xBB\xBFa"], None);
    check(b"\n\xEF\xBB\xBFa\n", &[b"", b"\xEF\xBB\xBFa"], None);
    check(b"\xEF\xBB\n\xEF\n", &[b"\xEF\xBB", b"\xEF"], None);
    check(b"\xEF\xBB\xBEa", &[], Some(b"\xEF\xBB\xBEa"));
    check(b"\xEF\xEF\xBB\xBF\r", &[b"\xEF\xEF\xBB\xBF"], None);
    check(b"\xEF\xBB\xBF", &[], None);
}

/// Lines of every length around the 64 bytes of a mask, with each kind of line end.
#[test]
fn lengths_around_the_mask() {
    for end in [&b"\n"[..], b"\r", b"\r\n"] {
        for first in (0..140).step_by(if cfg!(miri) { 31 } else { 1 }) {
            for second in [0, 1, 2, 62, 63, 64, 65, 130] {
                let (first, second) = (vec![b'x'; first], vec![b'y'; second]);
                let stream = [&first[..], end, &second, end, b"z", end].concat();
                let expected = (vec![first, second, b"z".to_vec()], None);
                for cut in 0..=stream.len().min(if cfg!(miri) { 3 } else { 300 }) {
                    assert_eq!(lines(&[&stream[..cut], &stream[cut..]]), expected);
                }
            }
        }
    }
}

#[test]
fn rest_returns_the_unread_bytes() {
    let mut splitter = LineSplitter::new();
    let mut lines = splitter.lines(b"a\r\nb\n");
    assert_eq!(lines.next(), Some(Piece::Whole(b"a")));
    let rest = lines.rest();
    assert_eq!(rest, b"\nb\n");
    assert!(splitter.lines(rest).eq([Piece::Whole(b"b")]));
}
