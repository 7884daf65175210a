//! What is allocated, by whom it is held, and when it is given back: laws 6 and 7.

mod peak_usage;

use crate::counting_allocator::{live, measure};
use bytes::Bytes;
use eventwire::{Decoder, Event};

/// Lends the events of these chunks; how many there are.
fn lend<'c>(decoder: &mut Decoder, chunks: impl IntoIterator<Item = &'c [u8]>) -> usize {
    let mut events = 0;
    for mut chunk in chunks {
        while !chunk.is_empty() {
            events += usize::from(decoder.decode(&mut chunk).is_ok_and(|event| event.is_some()));
        }
    }
    events
}

#[track_caller]
fn next(decoder: &mut Decoder, input: &mut Bytes) -> Event {
    decoder.decode_bytes(input).expect("within the limit").expect("an event")
}

/// The next event, and how many allocations it took.
#[track_caller]
fn counted(decoder: &mut Decoder, input: &mut Bytes) -> (Event, u64) {
    let (event, usage) = measure(|| next(decoder, input));
    (event, usage.allocations)
}

/// Every field, short and long, whole text and broken, with types and IDs that come and go.
fn every_field() -> Vec<u8> {
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
        stream.extend(
            b"data: \xFF\xE2\x82 broken \xF0\x9F\nevent: \xC3\n\nid: \x80\ndata: more\xED\xA0\x80\n\n"
                .repeat(number % 4),
        );
    }
    stream
}

#[test]
fn decode_allocates_nothing_in_the_steady_state() {
    let stream = every_field();
    for size in (1..70).chain([127, 128, 129, 1000, usize::MAX]) {
        let mut decoder = Decoder::new();
        let events = lend(&mut decoder, stream.chunks(size));
        assert!(events > 12);
        let (again, usage) = measure(|| {
            for _ in 0..3 {
                assert_eq!(decoder.finish(), Ok(None));
                assert_eq!(lend(&mut decoder, stream.chunks(size)), events);
            }
        });
        assert_eq!(((), 0), (again, usage.allocations), "chunks of {size}");
    }
}

#[test]
fn decode_allocates_nothing_at_all_for_a_line_whole_in_its_chunk() {
    let stream = b"data: 1\n\n: c\nretry: 5\ndata: 2\n\ndata\n\n";
    let (events, usage) = measure(|| lend(&mut Decoder::new(), [&stream[..]]));
    assert_eq!((events, usage.allocations), (3, 0));
}

#[test]
fn decode_bytes_allocates_nothing_for_a_line_whole_in_its_chunk() {
    let stream = "event: t\nid: 1\ndata: a\n\nevent: t\nid: 1\ndata: b\n\ndata: c\n\n\
        event: t\r\ndata: d\r\n\r\n: c\nretry: 5\ndata: e\n\n";
    let of_a_vec = Bytes::from(stream.as_bytes().to_vec());
    let shared = of_a_vec.clone();
    for mut input in [Bytes::from_static(stream.as_bytes()), shared] {
        let mut decoder = Decoder::new();
        assert_eq!(next(&mut decoder, &mut input).data(), "a");
        for (data, event_type) in [("b", "t"), ("c", "message"), ("d", "t"), ("e", "message")] {
            let (event, allocations) = counted(&mut decoder, &mut input);
            assert_eq!((event.data(), event.event_type(), event.id()), (data, event_type, "1"));
            assert_eq!(allocations, 0, "{data}");
        }
    }
}

#[test]
fn a_chunk_that_is_a_vec_is_shared_at_the_cost_of_one_counter() {
    let mut decoder = Decoder::new();
    for _ in 0..3 {
        // `into_boxed_slice`, because room to spare would make `Bytes` allocate its counter at once.
        let mut input = Bytes::from(b"data: 1\n\n".repeat(5).into_boxed_slice());
        assert_eq!(counted(&mut decoder, &mut input).1, 1);
        for _ in 1..5 {
            assert_eq!(counted(&mut decoder, &mut input).1, 0);
        }
    }
}

#[test]
fn a_new_type_costs_one_allocation_and_so_does_a_new_id() {
    let mut decoder = Decoder::new();
    // The first are rather long, so that there is room in the decoder's own buffers for those that follow.
    let stream = b"event: a rather long type\nid: a rather long ID\ndata\n\n\
        event: t\ndata\n\nevent: u\ndata\n\nevent: u\ndata\n\ndata\n\nevent: u\ndata\n\nevent: t\ndata\n\n\
        id: 1\ndata\n\nid: 1\ndata\n\nid: 2\ndata\n\ndata\n\nid\ndata\n\nid: 2\ndata\n\n\
        event: v\nid: 3\ndata\n\nevent: message\ndata\n\n";
    let mut input = Bytes::from_static(stream);
    next(&mut decoder, &mut input);
    for (number, expected) in [1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 2, 1].into_iter().enumerate() {
        let (event, allocations) = counted(&mut decoder, &mut input);
        assert_eq!(allocations, expected, "event {number}: {event:?}");
    }
    assert!(input.is_empty());
}

#[test]
fn a_type_or_an_id_that_is_broken_is_repaired_but_shared_all_the_same() {
    let stream = Bytes::from_static(b"event: \xFF\nid: \xE2\x82\ndata: 1\n\n");
    let mut decoder = Decoder::new();
    next(&mut decoder, &mut stream.clone());
    let (event, allocations) = counted(&mut decoder, &mut stream.clone());
    assert_eq!((event.event_type(), event.id(), allocations), ("\u{FFFD}", "\u{FFFD}", 0));
}

#[test]
fn an_event_keeps_its_chunk_until_it_is_compact() {
    let chunk = Bytes::from(b"event: t\nid: 7\ndata: 1\n\n".to_vec());
    let mut decoder = Decoder::new();
    let event = next(&mut decoder, &mut chunk.clone());
    assert!(!chunk.is_unique(), "the data is a slice of it");
    let event = event.compact();
    // Neither the event's type and ID nor the decoder's share in them keep the chunk.
    assert!(chunk.is_unique());
    assert_eq!((event.event_type(), event.data(), event.id()), ("t", "1", "7"));
}

#[test]
fn an_event_put_together_keeps_no_chunk() {
    for stream in ["data: 1\ndata: 2\n\n", "id: \u{E9}\ndata: \u{E9}\n\n"] {
        for place in 1..stream.len() - 1 {
            let head = Bytes::copy_from_slice(&stream.as_bytes()[..place]);
            let tail = Bytes::copy_from_slice(&stream.as_bytes()[place..]);
            let mut decoder = Decoder::new();
            assert_eq!(decoder.decode_bytes(&mut head.clone()), Ok(None));
            assert!(head.is_unique(), "the decoder holds no chunk");
            let event = next(&mut decoder, &mut tail.clone());
            assert!(head.is_unique(), "nor does the event");
            drop((event, decoder));
            assert!(tail.is_unique());
        }
    }
}

/// Memory beyond this, in bytes, is given back.
const KEPT: usize = 64 * 1024;

/// A value of a mebibyte, and then small blocks: when is its memory given back?
#[track_caller]
fn check_given_back(begin: &[u8], fill: u8, end: &[u8]) {
    let row = format!("{} and {fill:02x} and {}", begin.escape_ascii(), end[..end.len().min(20)].escape_ascii());
    let small = &b"event: t\nid: 1\ndata: \xFF\n\n"[..];
    let value = [begin, &vec![fill; 1 << 20]].concat();
    let before = live();
    let mut decoder = Decoder::new();
    // In two chunks, so that it has to be held.
    lend(&mut decoder, [&value[..], end]);
    // A block ends when the next one begins, and a comment begins one.
    let settle = |decoder: &mut Decoder| assert_eq!(decoder.decode(&mut &b":\n"[..]), Ok(None));
    settle(&mut decoder);
    let held = live() - before;
    assert!(held >= 1 << 20, "{row}: {held} bytes");

    for _ in 0..30 {
        lend(&mut decoder, [small]);
    }
    settle(&mut decoder);
    assert!(live() - before >= 1 << 20, "{row}: given back too early for a stream that needs it now and then");
    lend(&mut decoder, [small, small, small]);
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
    check_given_back(b"id: ", 0, b"\n\n");
    // A block without data, and one that was too large in the end, leave buffers too.
    check_given_back(b"event: ", b'x', b"\n\n");
    check_given_back(b"data: ", b'x', &[&[b'x'; 16 << 20], &b"\n\n"[..]].concat());
}

#[test]
fn repaired_text_is_given_back() {
    // Lent from its chunk but for the repair; and then events that are lent altogether, and touch no buffer.
    for name in [&b"data:"[..], b"event:", b"id:"] {
        for small in [&b"data: 1\n\n"[..], b"id: 1\ndata: 1\n\n", b"id: 1\n\n", b"data: \xFF\n\n", b"id: \xFF\n\n"] {
            let row = format!("{} and {}", name.escape_ascii(), small.escape_ascii());
            let stream = [name, &[0xFF; 1 << 20], b"\ndata\n\n", b"id: 0\n\n", &small.repeat(35)].concat();
            let before = live();
            let mut decoder = Decoder::new();
            let mut input = &stream[..];
            assert!(decoder.decode(&mut input).unwrap().is_some(), "{row}");
            assert!(live() - before >= 3 << 20, "{row}: {} bytes", live() - before);
            lend(&mut decoder, [input]);
            assert!(live() - before <= KEPT, "{row}: {} bytes", live() - before);
        }
    }
}

#[test]
fn owned_types_and_ids_are_given_back() {
    let before = live();
    let mut decoder = Decoder::new();
    for begin in ["event: ", "id: "] {
        let large = [begin.as_bytes(), &vec![b'x'; 1 << 20], b"\ndata\n\n"].concat();
        drop(next(&mut decoder, &mut Bytes::from(large)));
    }
    for _ in 0..34 {
        drop(next(&mut decoder, &mut Bytes::from_static(b"id: 1\nevent: t\ndata\n\n")));
    }
    assert!(live() - before <= KEPT, "{} bytes", live() - before);
}

#[test]
fn a_buffer_that_is_used_is_kept() {
    let large = [&b"data: "[..], &vec![b'x'; 1 << 20]].concat();
    let mut decoder = Decoder::new();
    let mut round = || {
        lend(&mut decoder, [&large[..], b"\n\n"]);
        for _ in 0..30 {
            lend(&mut decoder, [&b"data: 1\n\n"[..]]);
        }
    };
    round();
    assert_eq!(measure(|| [(); 5].map(|()| round())).1.allocations, 0);
}

#[test]
fn a_buffer_is_used_by_a_line_that_another_replaces() {
    // Held for a while in every block, though the block ends with a short type, and with no ID.
    let large = |name: &str, fill| [name.as_bytes(), b": ", &vec![fill; 1 << 18]].concat();
    let (event_type, id) = (large("event", b'x'), large("id", 0));
    let mut decoder = Decoder::new();
    let mut round = || lend(&mut decoder, [&event_type[..], b"\nevent: t\n", &id, b"\ndata\n\n"]);
    round();
    assert_eq!(measure(|| [(); 100].map(|()| round())).1.allocations, 0);
}

/// An event of two data lines in two chunks, so that it has to be held.
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
fn held_data_leaves_without_slack() {
    for length in [2, 100, 1000, 16 * 1024 - 1, 16 * 1024, 16 * 1024 + 1, 100_000, 1 << 20, (1 << 20) + 1] {
        let before = live();
        let mut decoder = Decoder::new();
        let event = held_event(&mut decoder, length);
        let both = live() - before;
        drop(decoder);
        let size = live() - before;
        assert!((length..length + 64).contains(&size), "{length} bytes of data in {size}");
        // Up to 16 KiB the buffer stays with the decoder; a larger one is given away.
        let kept = both - size;
        assert_eq!(kept >= length, length <= 16 * 1024, "the decoder keeps {kept} bytes beside an event of {length}");
        drop(event);
        assert_eq!(live(), before);
    }
}

#[test]
fn a_label_that_is_repaired_in_every_block_keeps_its_scratch() {
    for name in ["id: ", "event: "] {
        let stream = [name.as_bytes(), &[0xFF; 100_000], b"\ndata: \xFF\n\n"].concat();
        let mut decoder = Decoder::new();
        lend(&mut decoder, [&stream[..]]);
        assert_eq!(measure(|| [(); 200].map(|()| lend(&mut decoder, [&stream[..]]))).1.allocations, 0, "{name}");
    }
}

#[test]
fn a_block_that_is_too_large_is_one_block() {
    // Thirty-one of them, and the large buffer is still there; with one more block it is not.
    let mut decoder = Decoder::new().with_max_event_size(1 << 20);
    let before = live();
    assert_eq!(decoder.decode(&mut &[&b"data: "[..], &vec![b'x'; 1 << 19]].concat()[..]), Ok(None));
    lend(&mut decoder, [&b"\n\n"[..]]);
    let mut decoder = decoder.with_max_event_size(10);
    for _ in 0..31 {
        let mut input = &b"data: 0123456789\n\n"[..];
        assert!(decoder.decode(&mut input).is_err());
        assert_eq!(decoder.decode(&mut input), Ok(None));
    }
    assert!(live() - before > 1 << 19);
    lend(&mut decoder, [&b"data\n\n"[..], b"\n"]);
    assert!(live() - before < 1 << 17, "{}", live() - before);
}

#[test]
fn each_buffer_is_watched_by_itself() {
    // Whole in its chunk, and no other buffer is large: nothing else has the decoder look at this one.
    for (begin, fill, end) in
        [("data: ", 0xFF, &b"\n\n"[..]), ("event: ", b'x', b"\ndata\n\n"), ("id: ", b'x', b"\ndata\n\nid: 0\n\n")]
    {
        let stream = [begin.as_bytes(), &[fill; 1 << 20], end, &b"data: 1\n\n".repeat(35)].concat();
        let before = live();
        let mut decoder = Decoder::new();
        let mut input = &stream[..];
        assert!(decoder.decode(&mut input).unwrap().is_some(), "{begin}");
        assert!(live() - before >= 1 << 20, "{begin}");
        lend(&mut decoder, [input]);
        assert!(live() - before <= KEPT, "{begin}: {} bytes", live() - before);
    }
}

#[test]
fn a_large_type_that_was_owned_is_given_back_where_none_comes_after_it() {
    let large = Bytes::from([&b"event: "[..], &[b'x'; 1 << 20], b"\ndata\n\n"].concat());
    let before = live();
    let mut decoder = Decoder::new();
    drop(next(&mut decoder, &mut large.clone()));
    assert!(live() - before >= 1 << 20);
    for _ in 0..35 {
        next(&mut decoder, &mut Bytes::from_static(b"data: 1\n\n"));
    }
    assert!(live() - before <= KEPT, "{} bytes", live() - before);
}

#[test]
fn a_label_that_is_moved_stays() {
    let mut decoder = Decoder::new();
    lend(&mut decoder, [&[&b"id: "[..], &[b'x'; 1 << 20], b"\ndata\n\nid: 7\n\n"].concat()[..]]);
    for number in 0..40 {
        let event = next(&mut decoder, &mut Bytes::from_static(b"data: 1\n\n"));
        assert_eq!((event.id(), decoder.last_event_id()), ("7", "7"), "{number}");
    }
}
