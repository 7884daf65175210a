//! The work for a stream is linear in its length: each byte is read a bounded number of times and copied at most
//! twice. This is guarantee 4.
//!
//! Time is not measured. For these streams, a decoder that starts again with each chunk, line or event would take
//! minutes or hours instead of seconds. Copies need memory, so the allocated bytes are counted.

use crate::{
    always_ready,
    counting_allocator::{Usage, measure},
};
use bytes::Bytes;
use eventwire::{BlockItemRef, DecodeError, Decoder, Events, Tap};
use futures_util::{StreamExt, stream};
use std::convert::Infallible;

const MIB: usize = 1 << 20;

fn decoder() -> Decoder {
    Decoder::new().with_max_event_size(usize::MAX)
}

/// The number of events or items, and the number of bytes of data and comments in them.
type Found = (usize, usize);

fn chunks(stream: &Bytes, size: usize) -> impl Iterator<Item = Bytes> {
    (0..stream.len()).step_by(size).map(move |at| stream.slice(at..stream.len().min(at.saturating_add(size))))
}

/// Decodes borrowed events.
fn borrow(decoder: &mut Decoder, stream: &Bytes, size: usize) -> Found {
    let (mut events, mut bytes) = (0, 0);
    for chunk in chunks(stream, size) {
        let mut input = &chunk[..];
        while let Some(event) = decoder.decode(&mut input).expect("no limit") {
            events += 1;
            bytes += event.data().len();
        }
    }
    (events, bytes)
}

/// The same with owned events, dropped immediately.
fn own(decoder: &mut Decoder, stream: &Bytes, size: usize) -> Found {
    let (mut events, mut bytes) = (0, 0);
    for mut chunk in chunks(stream, size) {
        while let Some(event) = decoder.decode_bytes(&mut chunk).expect("no limit") {
            events += 1;
            bytes += event.data().len();
        }
    }
    (events, bytes)
}

/// Reads all blocks of a stream, and passes them on.
type Read<'a> = dyn Fn(&mut dyn FnMut(BlockItemRef<'_>)) + 'a;

/// Reads all blocks of a stream in every way.
fn all_blocks(stream: &Bytes, size: usize) -> [(&'static str, Found, Usage); 5] {
    let source = || stream::iter(chunks(stream, size).map(Ok::<_, Infallible>));
    let count = |name, read: &Read<'_>| {
        let mut found = (0, 0);
        let ((), usage) = measure(|| {
            read(&mut |item| {
                found.0 += 1;
                found.1 += match item {
                    BlockItemRef::Block(block) => block.data().unwrap_or_default().len(),
                    BlockItemRef::Comment(text) => text.len(),
                };
            });
        });
        (name, found, usage)
    };
    [
        count("borrowed", &|add| {
            let mut decoder = decoder();
            for chunk in chunks(stream, size) {
                let mut input = &chunk[..];
                while let Some(item) = decoder.decode_block(&mut input).expect("no limit") {
                    add(item);
                }
            }
        }),
        count("owned", &|add| {
            let mut decoder = decoder();
            for mut chunk in chunks(stream, size) {
                while let Some(item) = decoder.decode_block_bytes(&mut chunk).expect("no limit") {
                    add((&item).into());
                }
            }
        }),
        count("iterator", &|add| {
            let events = Events::new(chunks(stream, size).map(Ok::<_, Infallible>)).with_decoder(decoder());
            Iterator::for_each(events.blocks(), |item| add((&item.expect("no failure")).into()));
        }),
        count("stream", &|add| {
            let mut blocks = Events::new(source()).with_decoder(decoder()).blocks();
            while let Some(item) = always_ready::run(StreamExt::next(&mut blocks)) {
                add((&item.expect("no failure")).into());
            }
        }),
        count("tap", &|add| {
            let observer = |item: Result<BlockItemRef<'_>, DecodeError>| add(item.expect("no limit"));
            let mut tap = Tap::new(source(), observer).with_decoder(decoder());
            while always_ready::run(tap.next()).is_some() {}
        }),
    ]
}

/// A long line with this beginning and this end.
fn filled(begin: &[u8], fill: u8, end: &[u8]) -> Vec<u8> {
    [begin, &vec![fill; 4 * MIB], end].concat()
}

#[test]
fn all_blocks_of_a_stream() {
    let many = MIB / 8;
    // The stream, its blocks, their bytes, and the maximum allocation as a multiple of its length.
    for (stream, blocks, bytes, times) in [
        (filled(b"data:", b'x', b"\n\n"), 1, 4 * MIB, 5),
        (filled(b":", b'x', b"\n\n"), 1, 4 * MIB, 5),
        (filled(b"data: 1\n:", b'x', b"\n\n"), 2, 4 * MIB + 1, 5),
        ([&b"data: 1\n".repeat(many)[..], b"\n"].concat(), 1, 2 * many - 1, 4),
        ([&b"data: 1\n:c\n".repeat(many)[..], b"\n"].concat(), 1 + many, 3 * many - 1, 4),
        (b": c\n".repeat(many), many, many, 1),
        (b"data: 1\n\n: c\n\n".repeat(many), 2 * many, 2 * many, 1),
        (b"id: 1\nretry: 1\nevent: t\n\n".repeat(many), many, 0, 0),
        // The last line does not end. The decoder must not start it again for each block before it.
        ([&b"data: 1\n\n:c\n".repeat(many)[..], &filled(b"data:", b'x', b"")].concat(), 2 * many, 2 * many, 4),
    ] {
        let stream = Bytes::from(stream);
        for size in [7, 1000, usize::MAX] {
            for (name, found, usage) in all_blocks(&stream, size) {
                let what = format!("{}… in chunks of {size}, {name}", stream[..12].escape_ascii());
                assert_eq!(found, (blocks, bytes), "{what}");
                let allowed = times * stream.len() as u64 + 10_000;
                assert!(usage.allocated <= allowed, "{what}: {usage:?}");
            }
        }
    }
}

/// Decodes the beginning, and then the stream in chunks of several sizes. What is allocated for the stream is at most
/// this multiple of its length.
#[track_caller]
fn check(beginning: Vec<u8>, stream: Vec<u8>, expected: Found, times: u64) {
    let [beginning, stream] = [beginning, stream].map(Bytes::from);
    for size in [1, 1000, usize::MAX] {
        for (name, decode) in [("borrowed", borrow as fn(&mut Decoder, &Bytes, usize) -> Found), ("owned", own)] {
            let mut decoder = decoder();
            assert_eq!(borrow(&mut decoder, &beginning, MIB), (0, 0));
            let (found, usage) = measure(|| decode(&mut decoder, &stream, size));
            let what = format!("{}… in chunks of {size}, {name}", stream[..stream.len().min(12)].escape_ascii());
            assert_eq!(found, expected, "{what}");
            assert!(usage.allocated <= times * stream.len() as u64 + 10_000, "{what}: {usage:?}");
        }
    }
}

#[test]
fn one_event() {
    check(Vec::new(), filled(b"data:", b'x', b"\n\n"), (1, 4 * MIB), 5);
    check(Vec::new(), [&b"data: 123456\n".repeat(MIB / 8)[..], b"\n"].concat(), (1, 7 * MIB / 8 - 1), 5);
    // It is repaired once.
    check(Vec::new(), filled(b"data: ", 0xFF, b"\n\n"), (1, 3 * 4 * MIB), 7);
}

#[test]
fn many_events_in_one_chunk_are_not_copied() {
    for (stream, expected) in
        [(b"data: 1\n\n".repeat(MIB), (MIB, MIB)), (filled(b"data:", b'x', b"\n\n"), (1, 4 * MIB))]
    {
        let stream = Bytes::from(stream);
        // The first one allocates a counter.
        let _shared = stream.clone();
        for decode in [borrow, own] {
            let (found, usage) = measure(|| decode(&mut decoder(), &stream, usize::MAX));
            assert_eq!((found, usage.allocated), (expected, 0));
        }
    }
}

/// The decoder must neither search again for the end of the last line with every event before it, nor start that line
/// again with each chunk that continues it.
#[test]
fn many_events_before_a_line_that_does_not_end() {
    let stream = [&b"data: 1\n\n".repeat(MIB / 4)[..], b"data: ", &vec![b'x'; MIB]].concat();
    check(Vec::new(), stream, (MIB / 4, MIB / 4), 4);
}

#[test]
fn many_ids_and_types_in_one_block() {
    for line in [&b"id: 1\n"[..], b"id: 1\nid: 2\n", b"id\n", b"id: \0\n", b"id:\xFF\n", b"event: t\nevent\n"] {
        let stream = [&line.repeat(MIB / 8 / line.len())[..], b"data: 1\n\n"].concat();
        check(Vec::new(), stream.clone(), (1, 1), 0);
        // After a large one in the same block, which the first line replaces, or which stays in the buffer.
        check(filled(b"id: ", b'x', b"\n"), stream.clone(), (1, 1), 4 * 32);
        check(filled(b"event: ", b'x', b"\n"), stream, (1, 1), 4 * 32);
    }
}

#[test]
fn an_id_or_a_type_of_a_mebibyte() {
    let large = "x".repeat(MIB);
    let stream = Bytes::from(b"data: 1\n\n".repeat(100_000));
    for size in [7, usize::MAX] {
        let mut decoder = decoder().with_last_event_id(&large).expect("letters");
        let (found, usage) = measure(|| borrow(&mut decoder, &stream, size));
        assert_eq!(found, (100_000, 100_000));
        assert!(usage.allocated <= 10_000, "{usage:?}");
    }
    // Owned events share one copy of the ID.
    let mut with_id = decoder().with_last_event_id(&large).expect("letters");
    let (found, usage) = measure(|| own(&mut with_id, &stream, usize::MAX));
    assert_eq!(found, (100_000, 100_000));
    assert!(usage.allocated <= MIB as u64 + 1000, "{usage:?}");
    // A type costs no more than its own event.
    let stream = Bytes::from([b"event: ", large.as_bytes(), b"\ndata\n\n", &stream].concat());
    let (found, usage) = measure(|| own(&mut decoder(), &stream, usize::MAX));
    assert_eq!(found, (100_001, 100_000));
    assert!(usage.allocated <= 3 * MIB as u64, "{usage:?}");
}

/// The buffer has grown and is kept for a while, or is still full. The decoder must not search it for each line.
#[test]
fn blank_lines_and_comments_beside_a_large_buffer() {
    for small in [&b"\n"[..], b"\r\n", b":\n", b": c\r", b"retry: 1\n", b"x\n", b"\ndata\n\n"] {
        let mut decoder = decoder();
        assert_eq!(borrow(&mut decoder, &filled(b"data: ", b'x', b"\n").into(), MIB), (0, 0));
        let stream = Bytes::from(small.repeat(MIB / small.len()));
        let (_, usage) = measure(|| borrow(&mut decoder, &stream, 1));
        assert!(usage.allocated <= 10_000, "{usage:?}");
        assert!(borrow(&mut decoder, &Bytes::from("\n\ndata\n\n"), 1).0 >= 1);
    }
}

#[test]
fn many_events_too_large_in_one_chunk() {
    let stream = b"data: 123456\ndata: 1\n\n".repeat(MIB / 22);
    let mut decoder = Decoder::new().with_max_event_size(8);
    let mut input = &stream[..];
    let mut errors = 0;
    while !input.is_empty() {
        errors += usize::from(decoder.decode(&mut input).is_err());
    }
    assert_eq!(errors, MIB / 22);
}
