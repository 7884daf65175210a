//! When the decoder releases a large buffer, and when it keeps one because it is in use: guarantee 7.

use super::{decode_all, next};
use crate::counting_allocator::{live, measure};
use bytes::Bytes;
use eventwire::Decoder;

/// Memory beyond this many bytes is released.
const KEPT: usize = 64 * 1024;

/// Decodes a value of 1 MiB and then small blocks, and checks when the memory is released.
#[track_caller]
fn check_given_back(begin: &[u8], fill: u8, end: &[u8]) {
    let row = format!("{} and {fill:02x} and {}", begin.escape_ascii(), end[..end.len().min(20)].escape_ascii());
    let small = &b"event: t\nid: 1\ndata: \xFF\n\n"[..];
    let value = [begin, &vec![fill; 1 << 20]].concat();
    let before = live();
    let mut decoder = Decoder::new();
    // In two chunks, so that the decoder has to store it.
    decode_all(&mut decoder, [&value[..], end]);
    // A block ends when the next one begins, and a comment begins one.
    let settle = |decoder: &mut Decoder| assert_eq!(decoder.decode(&mut &b":\n"[..]), Ok(None));
    settle(&mut decoder);
    let held = live() - before;
    assert!(held >= 1 << 20, "{row}: {held} bytes");

    for _ in 0..30 {
        decode_all(&mut decoder, [small]);
    }
    settle(&mut decoder);
    assert!(live() - before >= 1 << 20, "{row}: released too early for a stream that needs it now and then");
    decode_all(&mut decoder, [small, small, small]);
    settle(&mut decoder);
    let held = live() - before;
    assert!(held <= KEPT, "{row}: {held} bytes after 33 small blocks");
    drop(decoder);
    assert_eq!(live(), before);
}

#[test]
fn large_buffers_are_given_back() {
    check_given_back(b"data: ", b'x', b"\n\n");
    check_given_back(b"data: ", 0xFF, b"\n\n");
    check_given_back(b"event: ", b'x', b"\ndata\n\n");
    check_given_back(b"event: ", 0xFF, b"\ndata\n\n");
    check_given_back(b"id: ", b'x', b"\ndata\n\n");
    check_given_back(b"id: ", 0xFF, b"\n\n");
    // A block without data, and one that turned out to be too large, leave buffers as well.
    check_given_back(b"event: ", b'x', b"\n\n");
    check_given_back(b"data: ", b'x', &[&[b'x'; 16 << 20], &b"\n\n"[..]].concat());
}

/// The text is borrowed from its chunk except for the repair, or the ID. The events after it are borrowed entirely and
/// use no buffer, so only the large one requires a check.
#[test]
fn each_buffer_is_watched_by_itself() {
    for (name, fill) in [("data:", 0xFF), ("event:", 0xFF), ("id:", 0xFF), ("id:", b'x')] {
        for small in [&b"data: 1\n\n"[..], b"id: 1\ndata: 1\n\n", b"id: 1\n\n", b"data: \xFF\n\n", b"id: \xFF\n\n"] {
            let row = format!("{name}{fill:02x} and {}", small.escape_ascii());
            let stream = [name.as_bytes(), &[fill; 1 << 20], b"\ndata\n\n", b"id: 0\n\n", &small.repeat(35)].concat();
            let before = live();
            let mut decoder = Decoder::new();
            let mut input = &stream[..];
            assert!(decoder.decode(&mut input).unwrap().is_some(), "{row}");
            assert!(live() - before >= 1 << 20, "{row}: {} bytes", live() - before);
            decode_all(&mut decoder, [input]);
            assert!(live() - before <= KEPT, "{row}: {} bytes", live() - before);
        }
    }
}

#[test]
fn owned_types_and_ids_are_given_back() {
    for (begins, small) in
        [(&["event: ", "id: "][..], &b"id: 1\nevent: t\ndata\n\n"[..]), (&["event: "], b"data: 1\n\n")]
    {
        let before = live();
        let mut decoder = Decoder::new();
        for begin in begins {
            let large = [begin.as_bytes(), &vec![b'x'; 1 << 20], b"\ndata\n\n"].concat();
            drop(next(&mut decoder, &mut Bytes::from(large)));
        }
        for _ in 0..34 {
            drop(next(&mut decoder, &mut Bytes::from_static(small)));
        }
        assert!(live() - before <= KEPT, "{} bytes", live() - before);
    }
}

#[test]
fn a_buffer_that_is_used_is_kept() {
    let large = [&b"data: "[..], &vec![b'x'; 1 << 20]].concat();
    let mut decoder = Decoder::new();
    let mut round = || {
        decode_all(&mut decoder, [&large[..], b"\n\n"]);
        for _ in 0..30 {
            decode_all(&mut decoder, [&b"data: 1\n\n"[..]]);
        }
    };
    round();
    assert_eq!(measure(|| [(); 5].map(|()| round())).1.allocations, 0);
}

#[test]
fn a_buffer_is_used_by_a_line_that_another_replaces() {
    // The large type is stored for a while in every block, although the block ends with a short one.
    let large = [b"event: ", &vec![b'x'; 1 << 18][..], b"\n"].concat();
    let mut decoder = Decoder::new();
    let mut round = || decode_all(&mut decoder, [&large[..], b"event: t\n", b"data\n\n"]);
    round();
    assert_eq!(measure(|| [(); 100].map(|()| round())).1.allocations, 0);
}

#[test]
fn a_label_that_is_repaired_in_every_block_keeps_its_buffer() {
    for name in ["id: ", "event: "] {
        let stream = [name.as_bytes(), &[0xFF; 100_000], b"\ndata: \xFF\n\n"].concat();
        let mut decoder = Decoder::new();
        // The first block is borrowed from its chunk. The others are stored, because a buffer is large.
        decode_all(&mut decoder, [&stream[..], &stream[..]]);
        assert_eq!(measure(|| [(); 50].map(|()| decode_all(&mut decoder, [&stream[..]]))).1.allocations, 0, "{name}");
    }
}

#[test]
fn a_block_that_is_too_large_is_one_block() {
    // After thirty-one of them the large buffer is still there; after one more block it is not.
    let too_large = [&b"data: "[..], &[b'x'; 1 << 20], b"\n\n"].concat();
    let mut decoder = Decoder::new().with_max_event_size(1 << 20);
    let before = live();
    assert_eq!(decoder.decode(&mut &[&b"data: "[..], &vec![b'x'; 1 << 19]].concat()[..]), Ok(None));
    decode_all(&mut decoder, [&b"\n\n"[..]]);
    for _ in 0..31 {
        let mut input = &too_large[..];
        assert!(decoder.decode(&mut input).is_err());
        assert_eq!(decoder.decode(&mut input), Ok(None));
    }
    assert!(live() - before >= 1 << 19);
    decode_all(&mut decoder, [&b"data\n\n"[..], b"\n"]);
    assert!(live() - before < 1 << 17, "{}", live() - before);
}

#[test]
fn a_label_that_is_moved_stays() {
    let mut decoder = Decoder::new();
    decode_all(&mut decoder, [&[&b"id: "[..], &[b'x'; 1 << 20], b"\ndata\n\nid: 7\n\n"].concat()[..]]);
    for number in 0..40 {
        let event = next(&mut decoder, &mut Bytes::from_static(b"data: 1\n\n"));
        assert_eq!((event.last_event_id(), decoder.last_event_id()), ("7", "7"), "{number}");
    }
}

#[test]
fn the_buffer_of_a_large_comment_is_given_back_before_the_next_slow_call() {
    // The blocks after it never need the second loop.
    for small in [&b"data: 1\n\n"[..], b": c\n\n"] {
        let before = live();
        let mut decoder = Decoder::new();
        let mut show = |mut chunk: &[u8]| while decoder.decode_block(&mut chunk).unwrap().is_some() {};
        show(b":");
        show(&vec![b'x'; 1 << 20]);
        show(b"\n");
        show(small);
        assert!(live() - before <= KEPT, "{} bytes after {}", live() - before, small.escape_ascii());
    }
}

#[test]
fn a_long_id_that_was_set_is_given_back_when_the_stream_sets_a_short_one() {
    let before = live();
    let mut decoder = Decoder::new().with_max_event_size(100);
    decoder.set_last_event_id(&"x".repeat(60_000)).unwrap();
    assert!(live() - before >= 60_000);
    decode_all(&mut decoder, [&b"id: 1\ndata\n\n"[..]]);
    assert!(live() - before <= 4096, "{} bytes", live() - before);
}

#[test]
fn a_lower_limit_releases_what_exceeds_it() {
    let large = [b"data: ", &[b'x'; 60_000][..]].concat();
    let comment = [b": ", &[b'x'; 60_000][..]].concat();
    for (large, is_open) in [(&large, false), (&large, true), (&comment, true)] {
        let before = live();
        let mut decoder = Decoder::new();
        let blocks = |decoder: &mut Decoder, mut chunk: &[u8]| {
            while decoder.decode_block(&mut chunk).transpose().is_some() {}
        };
        blocks(&mut decoder, large);
        if !is_open {
            blocks(&mut decoder, b"\n\n");
        }
        assert!(live() - before >= 60_000);
        decoder = decoder.with_max_event_size(100);
        assert!(is_open || live() - before <= 1_000, "not at once: {} bytes", live() - before);
        blocks(&mut decoder, b"\n\ndata: 1\n\n");
        // These blocks never need the second loop.
        blocks(&mut decoder, b"data: 1\n\n");
        assert!(live() - before <= 1_000, "open: {is_open}, {} bytes", live() - before);
    }
}

/// However many small blocks follow. Each of them is stored, so that it could release the buffer.
#[test]
fn memory_of_at_most_64_kib_is_kept() {
    for size in [4_096, 60_000, 64 * 1024] {
        let large = [&b"data: "[..], &vec![b'x'; size]].concat();
        let mut decoder = Decoder::new();
        let mut round = || {
            decode_all(&mut decoder, [&large[..], b"\n\n"]);
            for _ in 0..40 {
                decode_all(&mut decoder, [&b"data: 1\n"[..], b"\n"]);
            }
        };
        round();
        assert_eq!(measure(|| [(); 5].map(|()| round())).1.allocations, 0, "{size} bytes");
    }
}

/// A block of which the memory is four times as large uses it.
#[test]
fn a_buffer_is_used_by_blocks_of_a_quarter() {
    let block = |size: usize| [&b"data: "[..], &vec![b'x'; size], b"\n"].concat();
    let (large, quarter) = (block(1 << 20), block((1 << 18) - 7));
    for (less, is_kept) in [(0, true), (1, false)] {
        let before = live();
        let mut decoder = Decoder::new();
        decode_all(&mut decoder, [&large[..7], &large[7..], b"\n"]);
        for _ in 0..40 {
            decode_all(&mut decoder, [&quarter[..7], &quarter[7 + less..], b"\n"]);
        }
        assert_eq!(live() - before >= 1 << 20, is_kept, "{less}");
    }
}

/// Up to 256 bytes are allowed beside the limit.
#[test]
fn a_type_beside_data_of_the_limit() {
    for (beside, is_kept) in [(266, true), (267, false)] {
        let data = [&b"data: "[..], &[b'x'; 99_990]].concat();
        let event_type = [&b"event: "[..], &vec![b'x'; beside]].concat();
        let mut decoder = Decoder::new().with_max_event_size(100_000);
        let mut round = || {
            decode_all(&mut decoder, [&data[..], b"\n\n", &event_type[..], b"\n\n"]);
        };
        round();
        assert_eq!(measure(|| [(); 5].map(|()| round())).1.allocations == 0, is_kept, "{beside} bytes");
    }
}
