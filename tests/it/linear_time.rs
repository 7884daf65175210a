//! The work for a stream is linear in its length: each byte is read a bounded number of times and copied at most
//! twice. This is guarantee 4.
//!
//! Time is not measured. For these streams, a decoder that starts again with each chunk, line or event would take
//! hours instead of seconds. Copies need memory, so the allocated bytes are counted.

use crate::{
    always_ready,
    counting_allocator::{Usage, measure},
};
use bytes::Bytes;
use eventwire::{BlockItem, BlockItemRef, DecodeError, Decoder, Events, Tap};
use futures_util::{StreamExt, stream};
use std::convert::Infallible;

const MIB: usize = 1 << 20;

fn decoder() -> Decoder {
    Decoder::new().with_max_event_size(usize::MAX)
}

/// Decodes borrowed events. Returns their number, and the number of bytes of data in them.
fn decode_all<'c>(decoder: &mut Decoder, chunks: impl IntoIterator<Item = &'c [u8]>) -> (usize, usize) {
    let (mut events, mut bytes) = (0, 0);
    for mut chunk in chunks {
        while let Some(event) = decoder.decode(&mut chunk).expect("no limit") {
            events += 1;
            bytes += event.data().len();
        }
    }
    (events, bytes)
}

/// The same with owned events, dropped immediately.
fn own(decoder: &mut Decoder, chunks: impl IntoIterator<Item = Bytes>) -> (usize, usize) {
    let (mut events, mut bytes) = (0, 0);
    for mut chunk in chunks {
        while let Some(event) = decoder.decode_bytes(&mut chunk).expect("no limit") {
            events += 1;
            bytes += event.data().len();
        }
    }
    (events, bytes)
}

/// The number of blocks, and the number of bytes of data and comments in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Found {
    blocks: usize,
    bytes: usize,
}

impl Found {
    fn add(&mut self, item: &BlockItemRef<'_>) {
        self.blocks += 1;
        self.bytes += match item {
            BlockItemRef::Block(block) => block.data().unwrap_or_default().len(),
            BlockItemRef::Comment(text) => text.len(),
        };
    }

    fn add_owned(&mut self, item: &BlockItem) {
        self.add(&item.into());
    }
}

/// Reads all blocks of these chunks in every way.
fn all_blocks(stream: &Bytes, size: usize) -> [(&'static str, Found, Usage); 5] {
    let chunks =
        || (0..stream.len()).step_by(size).map(|at| stream.slice(at..stream.len().min(at.saturating_add(size))));
    let source = || stream::iter(chunks().map(Ok::<_, Infallible>));
    let count = |name, read: &dyn Fn(&mut Found)| {
        let mut found = Found::default();
        let ((), usage) = measure(|| read(&mut found));
        (name, found, usage)
    };
    [
        count("borrowed", &|found| {
            let mut decoder = decoder();
            for chunk in chunks() {
                let mut input = &chunk[..];
                while let Some(block) = decoder.decode_block(&mut input).expect("no limit") {
                    found.add(&block);
                }
            }
        }),
        count("owned", &|found| {
            let mut decoder = decoder();
            for mut chunk in chunks() {
                while let Some(block) = decoder.decode_block_bytes(&mut chunk).expect("no limit") {
                    found.add_owned(&block);
                }
            }
        }),
        count("iterator", &|found| {
            let events = Events::new(chunks().map(Ok::<_, Infallible>)).with_decoder(decoder());
            Iterator::for_each(events.blocks(), |block| found.add_owned(&block.expect("no failure")));
        }),
        count("stream", &|found| {
            let mut blocks = Events::new(source()).with_decoder(decoder()).blocks();
            while let Some(block) = always_ready::run(StreamExt::next(&mut blocks)) {
                found.add_owned(&block.expect("no failure"));
            }
        }),
        count("tap", &|found| {
            let observer = |block: Result<BlockItemRef<'_>, DecodeError>| found.add(&block.expect("no limit"));
            let mut tap = Tap::new(source(), observer).with_decoder(decoder());
            while always_ready::run(tap.next()).is_some() {}
        }),
    ]
}

#[test]
fn all_blocks_of_a_stream() {
    let filled = |begin: &[u8], end: &[u8]| [begin, &vec![b'x'; 8 * MIB], end].concat();
    let a_third = MIB / 3;
    // The stream, its blocks, their bytes, and the maximum allocation as a multiple of its length.
    for (stream, blocks, bytes, times) in [
        (filled(b"data:", b"\n\n"), 1, 8 * MIB, 5),
        (filled(b":", b"\n\n"), 1, 8 * MIB, 5),
        (filled(b"data: 1\n:", b"\n\n"), 2, 8 * MIB + 1, 5),
        ([&b"data: 1\n".repeat(a_third)[..], b"\n"].concat(), 1, 2 * a_third - 1, 4),
        ([&b"data: 1\n:c\n".repeat(a_third)[..], b"\n"].concat(), 1 + a_third, 3 * a_third - 1, 4),
        (b": c\n".repeat(a_third), a_third, a_third, 1),
        (b"data: 1\n\n: c\n\n".repeat(a_third), 2 * a_third, 2 * a_third, 1),
        (b"id: 1\nretry: 1\nevent: t\n\n".repeat(a_third), a_third, 0, 0),
        // The last line does not end. The decoder must not start it again for each block before it.
        ([&b"data: 1\n\n:c\n".repeat(a_third)[..], &filled(b"data:", b"")].concat(), 2 * a_third, 2 * a_third, 4),
    ] {
        let stream = Bytes::from(stream);
        for size in [7, 1000, usize::MAX] {
            for (name, found, usage) in all_blocks(&stream, size) {
                let what = format!("{}… in chunks of {size}, {name}", stream[..12].escape_ascii());
                assert_eq!(found, Found { blocks, bytes }, "{what}");
                let allowed = times * stream.len() as u64 + 10_000;
                assert!(usage.allocated <= allowed, "{what}: {usage:?}");
            }
        }
    }
}

#[track_caller]
fn check(usage: Usage, times: u64, bytes: usize) {
    assert!(usage.allocated <= times * u64::try_from(bytes).expect("64 bits"), "{usage:?}");
}

#[test]
fn one_event_of_64_mib_in_one_byte_chunks() {
    let (found, usage) = measure(|| {
        let mut decoder = decoder();
        let begin = decode_all(&mut decoder, b"data:".chunks(1));
        assert_eq!(begin, (0, 0));
        assert_eq!(decode_all(&mut decoder, std::iter::repeat_n(&b"x"[..], 64 * MIB)), (0, 0));
        decode_all(&mut decoder, b"\n\n".chunks(1))
    });
    assert_eq!(found, (1, 64 * MIB));
    check(usage, 4, 64 * MIB);
}

#[test]
fn one_event_of_64_mib_in_one_chunk() {
    let stream = [&b"data:"[..], &vec![b'x'; 64 * MIB], b"\n\n"].concat();
    let (found, usage) = measure(|| decode_all(&mut decoder(), [&stream[..]]));
    assert_eq!((found, usage.allocated), ((1, 64 * MIB), 0), "a line in one chunk is never copied");
    let (found, usage) = measure(|| decode_all(&mut decoder(), stream.chunks(1000)));
    assert_eq!(found, (1, 64 * MIB));
    check(usage, 4, 64 * MIB);

    let stream = Bytes::from(stream);
    let shared = stream.clone();
    let (found, usage) = measure(|| own(&mut decoder(), [shared]));
    assert_eq!((found, usage.allocated), ((1, 64 * MIB), 0));
    let (found, usage) = measure(|| {
        own(&mut decoder(), (0..stream.len()).step_by(1000).map(|at| stream.slice(at..stream.len().min(at + 1000))))
    });
    assert_eq!(found, (1, 64 * MIB));
    check(usage, 5, 64 * MIB);
}

#[test]
fn one_event_of_a_million_lines() {
    let stream = [&b"data: 123456\n".repeat(MIB)[..], b"\n"].concat();
    for size in [1, 1000, usize::MAX] {
        let (found, usage) = measure(|| decode_all(&mut decoder(), stream.chunks(size)));
        assert_eq!(found, (1, 7 * MIB - 1), "chunks of {size}");
        check(usage, 4, stream.len());
    }
}

#[test]
fn a_million_events_in_one_chunk() {
    let stream = b"data: 1\n\n".repeat(MIB);
    let (found, usage) = measure(|| decode_all(&mut decoder(), [&stream[..]]));
    assert_eq!((found, usage.allocated), ((MIB, MIB), 0));
    let stream = Bytes::from(stream);
    let shared = stream.clone();
    let (found, usage) = measure(|| own(&mut decoder(), [shared]));
    assert_eq!((found, usage.allocated), ((MIB, MIB), 0));
}

#[test]
fn a_million_events_before_a_line_that_does_not_end() {
    // The decoder must not search again for the end of the last line with every event before it.
    let stream = [&b"data: 1\n\n".repeat(MIB)[..], b"data: ", &vec![b'x'; MIB]].concat();
    assert_eq!(decode_all(&mut decoder(), [&stream[..]]), (MIB, MIB));
    // Nor may it start the last line again with each chunk that continues it.
    assert_eq!(decode_all(&mut decoder(), stream.chunks(7)), (MIB, MIB));
}

#[test]
fn many_ids_in_one_block() {
    for id in [&b"id: 1\n"[..], b"id: 1\nid: 2\n", b"id\n", b"id: \0\n", b"id:\xFF\n"] {
        let stream = [&id.repeat(MIB / id.len())[..], b"data: 1\n\n"].concat();
        for size in [1, 3, 1000, usize::MAX] {
            let (found, usage) = measure(|| decode_all(&mut decoder(), stream.chunks(size)));
            assert_eq!(found, (1, 1));
            check(usage, 1, 10_000);
        }
    }
}

#[test]
fn many_ids_after_a_large_one_in_the_same_block() {
    // An ID with effect replaces the large one; an ID without effect leaves it in the buffer.
    for id in [&b"id: 1\n"[..], b"id:\0\n", b"id: \0\nid: \xFF\0\n"] {
        let mut decoder = decoder();
        assert_eq!(decode_all(&mut decoder, [&b"id: "[..], &vec![b'x'; 8 * MIB], b"\n"]), (0, 0));
        let stream = [&id.repeat(MIB / id.len())[..], b"data: 1\n\n"].concat();
        assert_eq!(decode_all(&mut decoder, stream.chunks(1)), (1, 1));
    }
}

#[test]
fn many_types_in_one_block() {
    for size in [1, 3, 1000, usize::MAX] {
        let mut decoder = decoder();
        assert_eq!(decode_all(&mut decoder, [&b"event: "[..], &vec![b'x'; 8 * MIB], b"\n"]), (0, 0));
        let stream = [&b"event: t\nevent\n".repeat(MIB / 15)[..], b"data: 1\n\n"].concat();
        assert_eq!(decode_all(&mut decoder, stream.chunks(size)), (1, 1));
    }
}

#[test]
fn an_id_of_a_mebibyte_that_stays() {
    let id = "x".repeat(MIB);
    let stream = b"data: 1\n\n".repeat(100_000);
    let chunks = Bytes::from(stream.clone());
    for size in [7, stream.len()] {
        let mut decoder = decoder().with_last_event_id(&id).expect("letters");
        let (found, usage) = measure(|| decode_all(&mut decoder, stream.chunks(size)));
        assert_eq!(found, (100_000, 100_000));
        check(usage, 1, 10_000);
    }
    // Owned events share one copy of it.
    let mut decoder = decoder().with_last_event_id(&id).expect("letters");
    let (found, usage) = measure(|| own(&mut decoder, [chunks.clone()]));
    assert_eq!(found, (100_000, 100_000));
    check(usage, 1, MIB + 1000);
}

#[test]
fn a_type_of_a_mebibyte_costs_no_more_than_its_own_events() {
    let large = [&b"event: "[..], &vec![b'x'; MIB], b"\ndata\n\n"].concat();
    let stream = Bytes::from([&large[..], &b"data: 1\n\n".repeat(100_000)].concat());
    let mut decoder = decoder();
    let (found, usage) = measure(|| own(&mut decoder, [stream.clone()]));
    assert_eq!(found, (100_001, 100_000));
    check(usage, 3, MIB);
}

#[test]
fn blank_lines_and_comments_beside_a_large_buffer() {
    // The buffer has grown and is kept for a while, or is still full. The decoder must not search it for each line.
    let stream = [&b"data: "[..], &vec![b'x'; 16 * MIB], b"\n"].concat();
    for small in [&b"\n"[..], b"\r\n", b":\n", b": c\r", b"retry: 1\n", b"x\n", b"\ndata\n\n"] {
        let mut decoder = decoder();
        assert_eq!(decode_all(&mut decoder, stream.chunks(MIB)), (0, 0));
        let stream = small.repeat(MIB / small.len());
        let (_, usage) = measure(|| decode_all(&mut decoder, stream.chunks(1)));
        check(usage, 1, 10_000);
        assert!(decode_all(&mut decoder, [&b"\n\ndata\n\n"[..]]).0 >= 1);
    }
}

#[test]
fn broken_text_is_repaired_once() {
    let stream = [&b"data: "[..], &vec![0xFF; 8 * MIB], b"\n\n"].concat();
    for size in [1, 1000, usize::MAX] {
        let (found, usage) = measure(|| decode_all(&mut decoder(), stream.chunks(size)));
        assert_eq!(found, (1, 3 * 8 * MIB));
        check(usage, 3 + 4, 8 * MIB);
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
