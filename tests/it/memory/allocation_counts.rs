//! How many allocations decoding makes: none in the steady state, and one for what is new. This is guarantee 6.

use super::{decode_all, next};
use crate::counting_allocator::measure;
use bytes::Bytes;
use eventwire::{Decoder, Event, Utf8Policy};
use std::time::Duration;

/// Returns the next event, and the number of allocations for it.
#[track_caller]
fn counted(decoder: &mut Decoder, input: &mut Bytes) -> (Event, u64) {
    let (event, usage) = measure(|| next(decoder, input));
    (event, usage.allocations)
}

/// A stream with every field: short and long, intact and broken text, and types and IDs that change. A decoder with
/// this policy reads all of it.
fn every_field(policy: Utf8Policy) -> Vec<u8> {
    let mut stream = b"\xEF\xBB\xBF: comment\nretry: 10\n\n".to_vec();
    for number in [7, 42, 1_000_000] {
        let long = "a rather long value, with \u{E9} and \u{20AC} in it; ".repeat(number % 11);
        let lines = [
            format!("id: {number}\nevent: type {number}\ndata: {long}\ndata: {long}\r\n\r\n"),
            format!("id: {long}\nevent: {long}\ndata: {number}\n: comment\n\n"),
            format!("data\rid\revent\rfoo: {long}\r\r"),
            format!("retry: {number}\nid: \0\ndata:{long}\n\n"),
        ];
        stream.extend(lines.iter().flat_map(|lines| lines.bytes()));
        if policy == Utf8Policy::Replace {
            stream.extend(
                b"data: \xFF\xE2\x82 broken \xF0\x9F\nevent: \xC3\n\nid: \x80\ndata: more\xED\xA0\x80\n\n"
                    .repeat(number % 4),
            );
        }
    }
    stream
}

#[test]
fn decode_allocates_nothing_in_the_steady_state() {
    let sizes = (1..70).chain([127, 128, 129, 1000, usize::MAX]);
    // Checking UTF-8 keeps an incomplete character, for which it needs memory once.
    for (size, policy) in sizes.flat_map(|size| [(size, Utf8Policy::Replace), (size, Utf8Policy::Stop)]) {
        let stream = every_field(policy);
        let mut decoder = Decoder::new().with_utf8_policy(policy);
        let events = decode_all(&mut decoder, stream.chunks(size));
        assert_eq!(events, if policy == Utf8Policy::Replace { 22 } else { 12 });
        let (again, usage) = measure(|| {
            for _ in 0..3 {
                assert_eq!(decoder.finish(), Ok(None));
                assert_eq!(decode_all(&mut decoder, stream.chunks(size)), events);
            }
        });
        assert_eq!(((), 0), (again, usage.allocations), "chunks of {size}, {policy:?}");
    }
}

#[test]
fn large_data_beside_a_short_id_allocates_nothing_in_the_steady_state() {
    // The data's buffer doubles up to the whole limit.
    let event = [b"event: t\nid: 1\ndata: ", &[b'x'; 600_000][..], b"\n\n"].concat();
    let mut decoder = Decoder::new().with_max_event_size(700_000);
    let mut round = || assert_eq!(decode_all(&mut decoder, event.chunks(1460)), 1);
    round();
    assert_eq!(measure(|| [(); 5].map(|()| round())).1.allocations, 0);
}

#[test]
fn a_long_line_and_its_end_are_added_in_one_growth() {
    for letter in ["x", "\u{E9}", "\u{65E5}"] {
        let line = format!("data: {}\n", letter.repeat(50_000));
        let stream = [&*line, &*line, "\n"].concat();
        let mut decoder = Decoder::new();
        let (events, usage) = measure(|| decode_all(&mut decoder, [stream.as_bytes()]));
        assert_eq!((events, usage.allocations), (1, 2), "{letter}");
    }
}

#[test]
fn decode_allocates_nothing_for_a_line_in_one_chunk() {
    let stream = b"data: 1\n\n: c\ndata: 2\n\ndata\n\n";
    for utf8_policy in [Utf8Policy::Replace, Utf8Policy::Stop] {
        let mut decoder = Decoder::new().with_utf8_policy(utf8_policy);
        let (events, usage) = measure(|| decode_all(&mut decoder, [&stream[..]]));
        assert_eq!((events, usage.allocations), (3, 0), "{utf8_policy:?}");
    }
}

#[test]
fn decode_bytes_allocates_nothing_for_a_line_in_one_chunk() {
    let stream = "event: t\nid: 1\ndata: a\n\nevent: t\nid: 1\ndata: b\n\ndata: c\n\n\
        event: t\r\ndata: d\r\n\r\n: c\ndata: e\n\n";
    let of_a_vec = Bytes::from(stream.as_bytes().to_vec());
    let shared = of_a_vec.clone();
    for mut input in [Bytes::from_static(stream.as_bytes()), shared] {
        let mut decoder = Decoder::new();
        assert_eq!(next(&mut decoder, &mut input).data(), "a");
        for (data, event_type) in [("b", "t"), ("c", "message"), ("d", "t"), ("e", "message")] {
            let (event, allocations) = counted(&mut decoder, &mut input);
            assert_eq!((event.data(), event.event_type(), event.last_event_id()), (data, event_type, "1"));
            assert_eq!(allocations, 0, "{data}");
        }
    }
}

/// Few events have one, so it is only read in the second loop.
#[test]
fn an_event_with_a_reconnection_time_is_stored_in_one_buffer() {
    let stream = Bytes::from_static(b"retry: 5\ndata: a\n\n");
    let mut decoder = Decoder::new();
    assert_eq!(counted(&mut decoder, &mut stream.clone()).1, 1);
    let (event, allocations) = counted(&mut decoder, &mut stream.clone());
    assert_eq!((event.data(), event.retry(), allocations), ("a", Some(Duration::from_millis(5)), 0));
}

#[test]
fn a_chunk_that_is_a_vec_is_shared_at_the_cost_of_one_counter() {
    let mut decoder = Decoder::new();
    for _ in 0..3 {
        // `into_boxed_slice`, because with spare capacity `Bytes` would allocate its counter at once.
        let mut input = Bytes::from(b"data: twenty-four bytes of it!\n\n".repeat(5).into_boxed_slice());
        assert_eq!(counted(&mut decoder, &mut input).1, 1);
        for _ in 1..5 {
            assert_eq!(counted(&mut decoder, &mut input).1, 0);
        }
    }
}

#[test]
fn a_long_type_costs_one_allocation_and_so_does_a_new_long_id() {
    let mut decoder = Decoder::new();
    // The first ones are long, so that the decoder's own buffers have room for the others. Those with `t` and `i`
    // before their number have 24 bytes, the others at most 23.
    let [t, i] = ["a type of many letters ", "an ID of many letters: "];
    let stream = format!(
        "event: a type that is longer than those below\nid: an ID that is longer than those below\ndata\n\n\
        event: {t}1\ndata\n\nevent: {t}2\ndata\n\nevent: {t}2\ndata\n\ndata\n\nevent: {t}2\ndata\n\nevent: {t}1\ndata\n\n\
        event: {t}\ndata\n\nevent: message\ndata\n\n\
        id: {i}1\ndata\n\nid: {i}1\ndata\n\nid: {i}2\ndata\n\ndata\n\nid\ndata\n\nid: {i}\ndata\n\nid: {i}2\ndata\n\n\
        id: {i}3\nevent: {t}3\ndata\n\n"
    );
    let mut input = Bytes::from(stream.into_bytes().leak() as &[u8]);
    next(&mut decoder, &mut input);
    for (number, expected) in [1, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1, 2].into_iter().enumerate() {
        let (event, allocations) = counted(&mut decoder, &mut input);
        assert_eq!(allocations, expected, "event {number}: {event:?}");
    }
    assert!(input.is_empty());
}

#[test]
fn a_broken_type_or_id_is_repaired_and_still_shared() {
    let stream = Bytes::from_static(b"event: \xFF\nid: \xE2\x82\ndata: 1\n\n");
    let mut decoder = Decoder::new();
    next(&mut decoder, &mut stream.clone());
    let (event, allocations) = counted(&mut decoder, &mut stream.clone());
    assert_eq!((event.event_type(), event.last_event_id(), allocations), ("\u{FFFD}", "\u{FFFD}", 0));
}

/// A line is carried if it crosses chunks.
#[test]
fn a_carried_line_of_one_kibibyte_allocates_nothing_in_the_steady_state() {
    let line = [&b"event: "[..], &[b'x'; 1017]].concat();
    let mut decoder = Decoder::new();
    let mut round = || assert_eq!(decode_all(&mut decoder, [&line[..7], &line[7..], b"\ndata\n\n"]), 1);
    round();
    assert_eq!(measure(|| [(); 5].map(|()| round())).1.allocations, 0);
}

#[test]
fn decode_block_allocates_nothing_for_what_is_in_one_chunk() {
    let stream = [&b": "[..], &[b'x'; 2000], b"\ndata: 1\n\n"].concat();
    let mut decoder = Decoder::new();
    let (_, usage) = measure(|| {
        let mut input = &stream[..];
        while decoder.decode_block(&mut input).unwrap().is_some() {}
    });
    assert_eq!(usage.allocations, 0);
}
