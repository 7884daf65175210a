//! `LineBuffer`: the same lines however the bytes are split, in linear time and bounded memory.

use crate::{
    counting_allocator::{live, measure},
    stream_generator::{any_cut, any_stream, cut},
};
use eventwire::line::{LineBuffer, LineTooLong};
use proptest::prelude::*;

/// The lines, with an error for each one that is too long, and the unfinished last line.
type Found<E> = (Vec<Result<Vec<u8>, E>>, Option<Vec<u8>>);

/// Returns the lines of these chunks, and the unfinished line.
fn read(lines: &mut LineBuffer, chunks: &[&[u8]]) -> Found<LineTooLong> {
    let mut found = Vec::new();
    for chunk in chunks {
        let mut input = *chunk;
        loop {
            match lines.next_line(&mut input) {
                Ok(Some(line)) => found.push(Ok(line.to_vec())),
                Ok(None) => break,
                Err(error) => found.push(Err(error)),
            }
        }
        assert!(input.is_empty());
    }
    (found, lines.finish().map(<[u8]>::to_vec))
}

/// The same for the unsplit stream, byte by byte.
fn naive(stream: &[u8], limit: usize) -> Found<usize> {
    // Until its third byte, or the end, this may be a byte order mark, which is not part of a line.
    if b"\xEF\xBB".starts_with(stream) && stream.len() > limit {
        return (Vec::new(), None);
    }
    let text = stream.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(stream);
    let (mut found, mut line) = (Vec::new(), Vec::new());
    let mut push = |line: Vec<u8>| found.push(if line.len() > limit { Err(limit) } else { Ok(line) });
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'\n' if at > 0 && text[at - 1] == b'\r' => {}
            b'\n' | b'\r' => push(std::mem::take(&mut line)),
            _ => line.push(*byte),
        }
    }
    // A line that is too long is reported even if it does not end.
    let open = !line.is_empty() && line.len() <= limit;
    if line.len() > limit {
        push(std::mem::take(&mut line));
    }
    (found, open.then_some(line))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_split_yields_the_same_lines(
        stream in any_stream(),
        sizes in any_cut(),
        limit in prop_oneof![0..20_usize, Just(usize::MAX)],
    ) {
        let chunks = cut(&stream, &sizes);
        let mut lines = LineBuffer::new().with_max_line_len(limit);
        // Twice, because the end of one stream must not affect the next one.
        for _ in 0..2 {
            let (found, open) = read(&mut lines, &chunks);
            let found: Vec<_> = found.into_iter().map(|line| line.map_err(|error| error.limit)).collect();
            prop_assert_eq!((found, open), naive(&stream, limit));
        }
    }
}

#[test]
fn a_line_in_one_chunk_is_borrowed_from_it() {
    let chunk = b"one\r\n\ntwo\rthree";
    let mut input = &chunk[..];
    let mut lines = LineBuffer::new();
    for place in [0..3, 5..5, 6..9] {
        let line = lines.next_line(&mut input).unwrap().unwrap();
        assert_eq!(line.as_ptr_range(), chunk[place].as_ptr_range());
    }
    assert_eq!(lines.next_line(&mut input), Ok(None));
    assert_eq!(lines.next_line(&mut &b"\n"[..]), Ok(Some(&b"three"[..])));
}

#[test]
fn a_line_is_returned_at_its_cr() {
    let mut lines = LineBuffer::new();
    let mut input = &b"a\r"[..];
    assert_eq!(lines.next_line(&mut input), Ok(Some(&b"a"[..])));
    assert_eq!(lines.next_line(&mut &b"\nb\n"[..]), Ok(Some(&b"b"[..])));
}

#[test]
fn a_line_too_long_is_one_error_as_soon_as_it_is_too_long() {
    let mut lines = LineBuffer::new().with_max_line_len(3);
    assert_eq!(lines.next_line(&mut &b"abc"[..]), Ok(None));
    let error = lines.next_line(&mut &b"d"[..]).unwrap_err();
    assert_eq!((error.limit, &*error.to_string()), (3, "the line is longer than the limit of 3 bytes"));
    for skipped in [&b"efg"[..], b"hij", b""] {
        assert_eq!(lines.next_line(&mut &*skipped), Ok(None));
    }
    let mut input = &b"k\r\nabc\n"[..];
    assert_eq!(lines.next_line(&mut input), Ok(Some(&b"abc"[..])));
    // The end of the stream does not report the line again, and nothing more of it is returned.
    assert!(lines.next_line(&mut &b"abcd"[..]).is_err());
    assert_eq!(lines.finish(), None);
    assert_eq!(lines.next_line(&mut &b"ab\n"[..]), Ok(Some(&b"ab"[..])));
}

#[test]
fn a_part_of_a_byte_order_mark_is_an_unfinished_line() {
    for stream in [&b"\xEF"[..], b"\xEF\xBB"] {
        for limit in 0..3 {
            let mut lines = LineBuffer::new().with_max_line_len(limit);
            assert_eq!(lines.next_line(&mut &*stream), Ok(None));
            assert_eq!(lines.finish(), Some(stream).filter(|line| line.len() <= limit), "limit {limit}");
            // Nothing of it is left.
            assert_eq!(lines.next_line(&mut &b"\n"[..]), Ok(Some(&b""[..])));
        }
    }
    let mut lines = LineBuffer::new();
    assert_eq!(lines.next_line(&mut &b"\xEF\xBB\xBF"[..]), Ok(None));
    assert_eq!(lines.finish(), None);
}

#[test]
fn a_line_of_16_mib_in_one_byte_chunks() {
    const LEN: usize = 16 << 20;
    let (len, usage) = measure(|| {
        let mut lines = LineBuffer::new();
        for _ in 0..LEN {
            assert_eq!(lines.next_line(&mut &b"x"[..]), Ok(None));
        }
        lines.next_line(&mut &b"\n"[..]).unwrap().map(<[u8]>::len)
    });
    assert_eq!(len, Some(LEN));
    assert!(usage.allocated <= 32 << 20, "{usage:?}");
}

#[test]
fn memory_is_twice_the_limit_at_most() {
    const LIMIT: usize = 270_000;
    for piece in [1, 1000, LIMIT - 1, 2 * LIMIT] {
        let piece = vec![b'x'; piece];
        let ((), usage) = measure(|| {
            let mut lines = LineBuffer::new().with_max_line_len(LIMIT);
            for _ in 0..10 * LIMIT / piece.len() {
                let _ = lines.next_line(&mut &piece[..]);
            }
        });
        assert!(usage.peak <= 2 * LIMIT, "pieces of {} bytes: {usage:?}", piece.len());
    }
}

#[test]
fn a_large_buffer_is_given_back() {
    // After short lines that are contained in a chunk, that are split, and that are too long.
    for small in [&[&b"a\n"[..]][..], &[b"a", b"\n"], &[b"0123456789", b"\n"]] {
        let before = live();
        let mut lines = LineBuffer::new();
        assert_eq!(lines.next_line(&mut &vec![b'x'; 1 << 20][..]), Ok(None));
        assert!(lines.next_line(&mut &b"\n"[..]).unwrap().is_some());
        let mut lines = lines.with_max_line_len(9);
        let mut round = |count| {
            for mut input in std::iter::repeat_n(small, count).flatten().copied() {
                let _ = lines.next_line(&mut input);
            }
            live() - before
        };
        assert!(round(30) >= 1 << 20, "released too early");
        assert!(round(4) < 1000, "{} bytes", live() - before);
    }
}

#[test]
fn a_large_buffer_that_is_used_is_kept() {
    let large = vec![b'x'; 1 << 20];
    let mut lines = LineBuffer::new();
    let mut round = || {
        for mut input in [&large[..], b"\na\nb", b"\n"] {
            while lines.next_line(&mut input).unwrap().is_some() {}
        }
    };
    round();
    assert_eq!(measure(|| (0..100).for_each(|_| round())).1.allocations, 0);
}
