//! The memory of a `Rewrite`, and how often it copies: guarantees 4, 5 and 7.

use crate::counting_allocator::{Usage, live, measure};
use bytes::Bytes;
use eventwire::{BlockItemRef, Decoder, Edit, EventRef, Oversize, Rewrite};
use futures_util::{FutureExt, StreamExt, stream};
use std::convert::Infallible;

const MIB: usize = 1 << 20;

/// Rewrites the chunks and drops the output immediately. Returns the number of bytes passed on, and of errors.
fn run(
    chunks: impl Iterator<Item = Bytes>,
    decoder: Decoder,
    oversize: Oversize,
    function: impl FnMut(BlockItemRef<'_>, &mut Edit<'_>),
) -> ((usize, usize), Usage) {
    let mut rewrite = Rewrite::new(stream::iter(chunks.map(Ok::<_, Infallible>)), function)
        .with_decoder(decoder)
        .with_oversize(oversize);
    measure(|| {
        let (mut bytes, mut errors) = (0, 0);
        while let Some(item) = rewrite.next().now_or_never().expect("always ready") {
            match item {
                Ok(output) => bytes += output.len(),
                Err(_) => errors += 1,
            }
        }
        (bytes, errors)
    })
}

/// Chunks of this size that need no memory of their own.
fn cut(stream: Vec<u8>, size: usize) -> impl Iterator<Item = Bytes> {
    let stream = Bytes::from_static(stream.leak());
    (0..stream.len()).step_by(size).map(move |at| stream.slice(at..stream.len().min(at + size)))
}

fn unlimited() -> Decoder {
    Decoder::new().with_max_event_size(usize::MAX)
}

#[test]
fn an_event_of_4_mib_is_copied_a_bounded_number_of_times() {
    let stream = || [&b"data:"[..], &vec![b'x'; 4 * MIB], b"\n\n"].concat();
    // Once by the decoder and once by the `Rewrite`, in buffers that double.
    for (size, times) in [(1, 8), (1000, 8), (usize::MAX, 0)] {
        let ((bytes, _), usage) = run(cut(stream(), size), unlimited(), Oversize::Error, |_, _| {});
        assert_eq!(bytes, 4 * MIB + 7);
        // And a counter for the output.
        assert!(usage.allocated <= times * 4 * MIB as u64 + 1000, "chunks of {size}: {usage:?}");
    }
}

#[test]
fn many_comments_in_one_event() {
    // Each comment is removed, and the stored bytes before it are not moved.
    let stream = || [&b"data: 1\n: c\n"[..], &b"data: 1\n: c\n".repeat(MIB / 12), b"\n"].concat();
    for size in [1, 7, 1000, usize::MAX] {
        let len = stream().len();
        let ((bytes, _), usage) = run(cut(stream(), size), unlimited(), Oversize::Error, |_, _| {});
        assert_eq!(bytes, len);
        assert!(usage.peak <= 8 * MIB, "chunks of {size}: {usage:?}");
    }
}

#[test]
fn many_small_blocks_of_which_every_other_is_removed() {
    let mut number = 0;
    let stream = b"data: 1\n\n".repeat(MIB);
    let ((bytes, _), usage) = run(cut(stream, usize::MAX), unlimited(), Oversize::Error, |_, edit| {
        number += 1;
        if number % 2 == 0 {
            edit.remove();
        }
    });
    assert_eq!(bytes, 9 * MIB / 2);
    assert!(usage.allocated <= 3 * 9 * MIB as u64, "{usage:?}");
}

#[test]
fn many_small_blocks_that_are_replaced_by_larger_ones() {
    let stream = b"data: 1\n\n".repeat(MIB / 9);
    let larger = EventRef::new("123456789");
    let ((bytes, _), usage) =
        run(cut(stream, usize::MAX), unlimited(), Oversize::Error, |_, edit| edit.replace(larger));
    assert_eq!(bytes, MIB / 9 * 17);
    assert!(usage.allocated <= 8 * MIB as u64, "{usage:?}");
}

/// The decoder stores nothing of an unknown line, so these are the stored bytes alone.
#[test]
fn a_buffer_that_grows_needs_no_more_than_its_largest_size() {
    const LIMIT: usize = 270_000;
    let line = line("x", b'x', LIMIT);
    let chunks = [&line[..LIMIT * 9 / 10], &line[LIMIT * 9 / 10..], b"\n"].map(|chunk| cut(chunk.to_vec(), LIMIT));
    let decoder = Decoder::new().with_max_event_size(LIMIT);
    let ((bytes, errors), usage) = run(chunks.into_iter().flatten(), decoder, Oversize::Error, |_, _| {});
    assert_eq!((bytes, errors), (LIMIT + 1, 0));
    assert!(usage.peak <= 2 * LIMIT, "{usage:?}");
}

#[test]
fn a_large_chunk_is_copied_at_most_once() {
    type Rule = fn(BlockItemRef<'_>, &mut Edit<'_>);
    const LIMIT: usize = 1_000;
    // Events are kept, a few comments are kept, and everything is kept but not in its order.
    let rules: [(&str, Rule); 3] = [
        ("data: 1\n\n: c\n", |block, edit| {
            if let BlockItemRef::Comment(_) = block {
                edit.remove();
            }
        }),
        (": removed\n: removed\n: removed\n: removed\n: removed\n: c\n", |block, edit| {
            if block == BlockItemRef::Comment("removed") {
                edit.remove();
            }
        }),
        ("data: 1\n: c\ndata: 2\n\n", |_, _| {}),
    ];
    for (repeated, rule) in rules {
        let stream = repeated.repeat(1_000_000 / repeated.len()).into_bytes();
        let len = stream.len();
        let decoder = Decoder::new().with_max_event_size(LIMIT);
        let ((bytes, errors), usage) = run(cut(stream, usize::MAX), decoder, Oversize::Error, rule);
        assert!(bytes > 0 && errors == 0);
        assert!(usage.peak <= len + 13 * LIMIT, "{repeated:?}: {usage:?}");
    }
}

#[test]
fn stored_bytes_are_bounded_by_the_limit() {
    const LIMIT: usize = 270_000;
    let blocks: [(&str, &str); 7] = [
        ("data:", "x"),
        (":", "x"),
        ("x", "x"),
        ("", "data: 1\n"),
        ("", "x\r\n"),
        // A comment inside an event, each with a size just below the limit, and then more.
        ("data: 1\n:", "x"),
        ("", "data: 1\n: c\n"),
    ];
    for (begin, repeated) in blocks {
        for oversize in [Oversize::Error, Oversize::Pass] {
            for size in [1000, 4096] {
                let endless = std::iter::repeat_n(
                    Bytes::from(repeated.repeat(size / repeated.len()).into_bytes()),
                    40 * LIMIT / size,
                );
                let first = Bytes::from_static(begin.as_bytes());
                let decoder = Decoder::new().with_max_event_size(LIMIT);
                let ((bytes, errors), usage) = run(std::iter::once(first).chain(endless), decoder, oversize, |_, _| {});
                assert_eq!(errors, usize::from(oversize == Oversize::Error), "{repeated:?}");
                assert!(oversize == Oversize::Error || bytes >= 39 * LIMIT, "{repeated:?}: {bytes}");
                assert!(usage.peak <= 5 * LIMIT, "{repeated:?} after {begin:?}, {oversize:?}: {usage:?}");
            }
        }
    }
}

#[test]
fn an_event_and_a_comment_inside_it_of_just_the_limit() {
    const LIMIT: usize = 270_000;
    let block = [line("data:", b'x', LIMIT), line(":", b'x', LIMIT), b"\n".to_vec()].concat();
    let decoder = || Decoder::new().with_max_event_size(LIMIT);
    for size in [1000, 100_000] {
        let ((bytes, errors), usage) = run(cut(block.repeat(3), size), decoder(), Oversize::Error, |_, _| {});
        assert_eq!((bytes, errors), (3 * block.len(), 0));
        assert!(usage.peak <= 7 * LIMIT, "chunks of {size}: {usage:?}");
    }
}

/// Returns a line of this many bytes, including its name and its end.
fn line(begin: &str, byte: u8, size: usize) -> Vec<u8> {
    [begin.as_bytes(), &vec![byte; size - begin.len() - 1], b"\n"].concat()
}

/// Blocks that make every buffer, including the decoder's, as large as possible at the same time. The figures are
/// those in the documentation, which are proved at `Rewriter` and include the output.
#[test]
fn the_worst_known_sequences() {
    /// A little more than a power of two, so that buffers that double have the most slack.
    const LIMIT: usize = 270_000;
    for (byte, most) in [(b'x', 13), (0xFF, 18)] {
        let block = |lines: &[Vec<u8>]| [&lines.concat()[..], b"\n"].concat();
        let data = block(&[line("data:", byte, LIMIT)]);
        let comment = line(":", byte, LIMIT);
        // The text of an ID that is a little longer makes the buffer double.
        let id = block(&[line("id:", byte, LIMIT - 401)]);
        let longer_id = block(&[line("id:", byte, LIMIT - 1)]);
        let event_type = block(&[line("event:", byte, LIMIT - 1)]);
        let typed = block(&[line("event:", byte, LIMIT - 5), b"data\n".to_vec()]);
        let mut worst = 0;
        for blocks in [
            &[&data, &id, &event_type, &typed, &comment, &id, &longer_id][..],
            &[&id, &event_type, &comment],
            &[&data, &event_type, &longer_id, &comment],
        ] {
            let stream = blocks.iter().flat_map(|block| block.iter().copied()).collect::<Vec<u8>>();
            for size in [4096, 100_000] {
                let decoder = Decoder::new().with_max_event_size(LIMIT);
                let (_, usage) = run(cut(stream.clone(), size), decoder, Oversize::Error, |_, _| {});
                worst = worst.max(usage.peak);
            }
        }
        eprintln!("byte {byte:x}: {worst} bytes, {:.2} times the limit", worst as f64 / LIMIT as f64);
        assert!(worst <= most * LIMIT, "byte {byte:x}: {worst} bytes");
    }
}

#[test]
fn large_buffers_are_given_back() {
    let large = |begin: &str| [begin.as_bytes(), &vec![b'x'; MIB], b"\n\n"].concat();
    for begin in ["data: ", ": ", "data: 1\n: "] {
        for is_removed in [false, true] {
            // After 32 of them, the decoder releases its buffers as well.
            let small = b"data: 1\n\n: c\n\n".repeat(40);
            let chunks = cut(large(begin), 1000).chain(cut(small, 5));
            let before = live();
            let source = stream::iter(chunks.map(Ok::<_, Infallible>)).chain(stream::pending());
            let mut rewrite = Rewrite::new(source, |block, edit| {
                if is_removed {
                    edit.remove();
                } else {
                    edit.replace(block);
                }
            });
            while rewrite.next().now_or_never().is_some() {}
            assert!(live() - before <= 100_000, "{begin:?}: {} bytes", live() - before);
        }
    }
}

#[test]
fn nothing_is_kept_of_a_consumed_chunk() {
    for stream in ["data: 1\n\n", ": c\r\n\r\n", "data: 1\n\ndata", "data: 1\n: c", "\u{FEFF}", "\n"] {
        let chunk = Bytes::from(stream.as_bytes().to_vec());
        let source = stream::iter([Ok::<_, Infallible>(chunk.clone())]).chain(stream::pending());
        let mut rewrite = Rewrite::new(source, |_, _| {});
        while rewrite.next().now_or_never().is_some() {}
        assert!(chunk.is_unique(), "{stream:?}");
    }
}
