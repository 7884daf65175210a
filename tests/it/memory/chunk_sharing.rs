//! When an owned event shares the memory of its chunk, and when it has its own, of exactly its size: guarantee 7.

use super::next;
use crate::counting_allocator::live;
use bytes::Bytes;
use eventwire::{Decoder, Event, EventRef, Events, Utf8Policy};
use futures_util::{FutureExt, StreamExt, stream};
use std::{convert::Infallible, iter};

#[test]
fn an_event_keeps_its_chunk_and_a_copy_does_not() {
    let chunk = Bytes::from(b"event: t\nid: 7\ndata: twenty-four bytes of it!\n\n".to_vec());
    for utf8_policy in [Utf8Policy::Replace, Utf8Policy::Stop] {
        let mut decoder = Decoder::new().with_utf8_policy(utf8_policy);
        let event = next(&mut decoder, &mut chunk.clone());
        assert!(!chunk.is_unique(), "the data is a slice of the chunk");
        let copy = EventRef::from(&event).to_event();
        drop(event);
        // Neither the event's type and ID nor the decoder's copies of them share the chunk.
        assert!(chunk.is_unique());
        assert_eq!((copy.event_type(), copy.data(), copy.last_event_id()), ("t", "twenty-four bytes of it!", "7"));
    }
}

#[test]
fn short_data_is_in_the_event_itself() {
    for (data, is_shared) in
        [("", false), ("1", false), ("twenty-three bytes, oh!", false), ("twenty-four bytes of it!", true)]
    {
        let chunk = Bytes::from(format!("data: {data}\n\n").into_bytes());
        let event = next(&mut Decoder::new(), &mut chunk.clone());
        assert_eq!((event.data(), chunk.is_unique()), (data, !is_shared));
    }
}

#[test]
fn an_assembled_event_keeps_no_chunk() {
    for stream in ["data: 1\ndata: 2\n\n", "id: \u{E9}\ndata: \u{E9}\n\n"] {
        for place in 1..stream.len() - 1 {
            let head = Bytes::copy_from_slice(&stream.as_bytes()[..place]);
            let tail = Bytes::copy_from_slice(&stream.as_bytes()[place..]);
            let mut decoder = Decoder::new();
            assert_eq!(decoder.decode_bytes(&mut head.clone()), Ok(None));
            assert!(head.is_unique(), "the decoder keeps no chunk");
            let event = next(&mut decoder, &mut tail.clone());
            assert!(head.is_unique(), "the event keeps no chunk");
            drop((event, decoder));
            assert!(tail.is_unique());
        }
    }
}

#[test]
fn the_adapters_keep_no_consumed_chunk() {
    // With the LF of a CRLF left, which need not share the chunk, and without.
    let ends =
        ["data: 1\n\n", "data: 1\r\n\r\n", "data: 1\ndata: 2\n\n", "event: t\ndata: 1\r\n\r\n", ": c\n\n", "data: 1"];
    // The last event of a chunk, and one that is not the first.
    for stream in ends.iter().flat_map(|end| [String::from(*end), format!("data: 0\n\n{end}")]) {
        let chunk = Bytes::from(stream.as_bytes().to_vec());
        let mut polled = Events::new(stream::iter([Ok::<_, Infallible>(chunk.clone())]).chain(stream::pending()));
        while polled.next().now_or_never().is_some() {}
        assert!(chunk.is_unique(), "Events keeps {stream:?}");
        // The next chunk is polled for when this one is consumed.
        let next = || {
            assert!(chunk.is_unique(), "Events keeps {stream:?}");
            None
        };
        let mut events = Events::new(iter::once(Ok::<_, Infallible>(chunk.clone())).chain(iter::from_fn(next)));
        events.by_ref().for_each(drop);
        assert!(chunk.is_unique(), "Events keeps {stream:?}");
    }
}

/// Returns an event of two data lines in two chunks, so that the decoder has to store it.
#[track_caller]
fn held_event(decoder: &mut Decoder, length: usize) -> Event {
    let line = vec![b'x'; length / 2];
    let stream = [b"data: ", &line[..], b"\ndata: ", &vec![b'x'; length - length / 2 - 1], b"\n\n"].concat();
    let (head, tail) = stream.split_at(stream.len() / 3);
    assert_eq!(decoder.decode_bytes(&mut Bytes::copy_from_slice(head)), Ok(None));
    let event = next(decoder, &mut Bytes::copy_from_slice(tail));
    assert_eq!(event.data().len(), length);
    event
}

#[test]
fn stored_data_is_returned_without_slack() {
    for length in [2, 100, 1000, 16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1, 100_000, 1 << 20, (1 << 20) + 1] {
        let before = live();
        let mut decoder = Decoder::new();
        let event = held_event(&mut decoder, length);
        let both = live() - before;
        drop(decoder);
        let size = live() - before;
        let least = if length <= 23 { 0 } else { length };
        assert!((least..least + 64).contains(&size), "{length} bytes of data in {size}");
        // The decoder keeps its buffer for the next event, unless it is so large that the event has it.
        let kept = both - size;
        let expected = if length <= 64 * 1024 { length..2 * length + 64 } else { 0..64 };
        assert!(expected.contains(&kept), "the decoder keeps {kept} bytes beside an event of {length}");
        drop(event);
        assert_eq!(live(), before);
    }
}

#[test]
fn large_data_takes_its_buffer_with_it_whatever_the_text_is() {
    for letter in ["x", "\u{E9}", "\u{65E5}"] {
        let stream = format!("data: {}\n\n", letter.repeat(100_000));
        let mut decoder = Decoder::new();
        let before = live();
        let mut events = stream.as_bytes().chunks(1460).filter_map(|chunk| next_in(&mut decoder, chunk));
        let event = events.next().unwrap();
        assert!(live() - before < event.data().len() + 4096, "{letter}: {} bytes", live() - before);
    }
}

fn next_in(decoder: &mut Decoder, chunk: &[u8]) -> Option<eventwire::Event> {
    decoder.decode_bytes(&mut Bytes::copy_from_slice(chunk)).unwrap()
}

#[test]
fn the_lf_after_the_last_event_does_not_keep_the_chunk() {
    let before = live();
    let mut input = Bytes::from([&b"data: "[..], &[b'x'; 10_000], b"\r\n\r\n"].concat());
    let mut decoder = Decoder::new();
    drop(next(&mut decoder, &mut input));
    assert_eq!(input, "\n");
    assert!(live() - before < 10_000, "{} bytes", live() - before);
}
