//! The encoded bytes of events and comments, and the buffers that they are written to.

use crate::counting_allocator::measure;
use bytes::{BufMut, BytesMut};
use eventwire::{ByteString, Event, EventRef};
use std::time::Duration;

#[test]
fn what_others_get_wrong() {
    #[track_caller]
    fn check(data: &str, written: &str) {
        assert_eq!(Event::new(data).to_bytes(), written);
    }
    // Empty data is an event, and a trailing line end begins another line.
    check("", "data: \n\n");
    check("a\n", "data: a\ndata: \n\n");
    check("\na", "data: \ndata: a\n\n");
    // CRLF is one line end, and so is a lone CR.
    check("a\r\nb\rc", "data: a\ndata: b\ndata: c\n\n");
    // A leading space is not lost.
    check(" a", "data:  a\n\n");
    check("a\n\nevent: forged\ndata: b\n\n", "data: a\ndata: \ndata: event: forged\ndata: data: b\ndata: \ndata: \n\n");
    assert!(Event::new("").with_event_type("t\ndata: forged").is_err());
    assert!(Event::new("").with_id("7\rdata: forged").is_err());
}

/// Short and long texts are searched in different ways.
#[test]
fn no_length_of_text_hides_a_line_end() {
    for before in 0..140 {
        for behind in [0, 1, 64, 130] {
            let (a, b) = ("a".repeat(before), "b".repeat(behind));
            for end in ["\n", "\r", "\r\n"] {
                let event = Event::new(format!("{a}{end}{b}"));
                assert_eq!(event.to_bytes(), format!("data: {a}\ndata: {b}\n\n"), "{before} and {behind}");
            }
        }
    }
}

/// Short and long events are built in different ways.
#[test]
fn every_length_is_written() {
    for length in 0..300 {
        let event = Event::new("x".repeat(length));
        let mut out = Vec::new();
        event.encode(&mut out);
        assert_eq!(out, event.to_bytes(), "{length}");
        // A type of the same length makes the part before the data long as well.
        let typed = event.with_event_type("t".repeat(length)).unwrap();
        let mut out = Vec::new();
        typed.encode(&mut out);
        assert_eq!(out, typed.to_bytes(), "{length}, typed");
    }
}

#[test]
fn one_allocation_at_most() {
    let label = "0123456789".repeat(30);
    for data in ["", "word", "two\nlines", "\r\n\r\n", &"0123456789".repeat(1000), &"line\r\n".repeat(1000)] {
        let plain = Event::new(data);
        let full = plain.clone().with_event_type("t").unwrap().with_id("7").unwrap().with_retry(Duration::from_secs(3));
        let labelled = full.clone().with_event_type(&*label).unwrap().with_id(&*label).unwrap();
        for event in [plain, full, labelled] {
            let (bytes, usage) = measure(|| event.to_bytes());
            assert_eq!(
                (usage.allocations, usage.allocated),
                (1, u64::try_from(bytes.len()).unwrap()),
                "to_bytes: {data}"
            );
            let (_, usage) = measure(|| {
                let mut out = Vec::new();
                event.encode(&mut out);
                out
            });
            assert_eq!(usage.allocations, 1, "into an empty Vec: {data}");
            let (_, usage) = measure(|| {
                let mut out = BytesMut::new();
                event.encode(&mut out);
                out
            });
            assert_eq!(usage.allocations, 1, "into an empty BytesMut: {data}");
            let mut out = b"some before".to_vec();
            assert_eq!(measure(|| event.encode(&mut out)).1.allocations, 1, "into a full Vec: {data}");
            let mut out = BytesMut::from(&b"some before"[..]);
            assert_eq!(measure(|| event.encode(&mut out)).1.allocations, 1, "into a full BytesMut: {data}");
            let mut out = b"some before".to_vec();
            out.reserve_exact(bytes.len() - 1);
            assert_eq!(measure(|| event.encode(&mut out)).1.allocations, 1, "where a byte is missing: {data}");
            let mut out = Vec::with_capacity(bytes.len());
            assert_eq!(measure(|| event.encode(&mut out)).1.allocations, 0, "with room: {data}");
            let mut out = BytesMut::with_capacity(bytes.len());
            assert_eq!(measure(|| event.encode(&mut out)).1.allocations, 0, "in a BytesMut with room: {data}");
            let mut room = vec![0; bytes.len()];
            let mut out = &mut room[..];
            assert_eq!(measure(|| event.encode(&mut out)).1.allocations, 0, "into a slice: {data}");
            assert_eq!(room, bytes);
        }
    }
    assert_eq!(measure(|| Event::new(ByteString::from_static("[DONE]")).to_bytes()).1.allocations, 1);
    let (_, usage) = measure(|| EventRef::new("a").with_event_type("t").unwrap().with_id("7").unwrap().to_bytes());
    assert_eq!(usage.allocations, 1);
}

/// As `BufMut` requires, a buffer without enough room causes a panic, before any byte is written, for small and large
/// events.
#[test]
fn a_buffer_of_a_fixed_size_is_not_begun_if_it_is_too_small() {
    for data in ["a", &"0123456789".repeat(30), &"line\n".repeat(100)] {
        let event = Event::new(data);
        let mut room = vec![b'.'; event.to_bytes().len() - 1];
        let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| event.encode(&mut &mut room[..])));
        assert!(refused.is_err(), "{data}");
        assert!(room.iter().all(|byte| *byte == b'.'), "{data}");
    }
}

/// A short block, one long line, several lines, and a long type: each is written by different code.
fn of_every_kind() -> [Event; 4] {
    let event = Event::new("0123456789\r\n".repeat(20)).with_id("7").unwrap();
    [
        Event::new("a\nb"),
        Event::new("0123456789".repeat(30)).with_event_type("t").unwrap(),
        event.clone(),
        event.with_event_type("0123456789".repeat(30)).unwrap(),
    ]
}

#[test]
fn a_buffer_in_two_parts_is_filled_across_them() {
    for event in of_every_kind() {
        let len = event.to_bytes().len();
        for place in 0..=len {
            let mut room = vec![b'.'; len + 1];
            let (head, tail) = room.split_at_mut(place);
            event.encode(&mut head.chain_mut(tail));
            assert_eq!(room, [&event.to_bytes()[..], b"."].concat(), "split at {place}");
        }
        let mut room = vec![b'.'; len - 1];
        let (head, tail) = room.split_at_mut(len / 2);
        let mut out = head.chain_mut(tail);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| event.encode(&mut out))).is_err());
        assert!(room.iter().all(|byte| *byte == b'.'));
    }
}

#[test]
fn a_limit_is_kept() {
    for event in of_every_kind() {
        let mut vec = b"some before".to_vec();
        event.encode(&mut (&mut vec).limit(event.to_bytes().len()));
        assert_eq!(vec, [&b"some before"[..], &event.to_bytes()].concat());

        let mut out = Vec::new().limit(event.to_bytes().len() - 1);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| event.encode(&mut out))).is_err());
        assert!(out.get_ref().is_empty());
    }
}

#[test]
fn through_another_reference_it_is_the_same() {
    for event in of_every_kind() {
        let mut vec = Vec::new();
        event.encode(&mut &mut vec);
        assert_eq!(vec, event.to_bytes());
    }
}
