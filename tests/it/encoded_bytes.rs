//! The encoded bytes of events and comments, and the buffers that they are written to.

use crate::counting_allocator::measure;
use bytes::{BufMut, BytesMut};
use eventwire::{ByteString, Event, EventRef};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

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
    #[track_caller]
    fn count(what: &str, expected: u64, write: &mut dyn FnMut()) {
        let ((), usage) = measure(write);
        assert_eq!(usage.allocations, expected, "{what}");
    }
    let label = "0123456789".repeat(30);
    for data in ["", "word", "two\nlines", "\r\n\r\n", &"0123456789".repeat(1000), &"line\r\n".repeat(1000)] {
        let plain = Event::new(data);
        let full = plain.clone().with_event_type("t").unwrap().with_id("7").unwrap().with_retry(Duration::from_secs(3));
        let labelled = full.clone().with_event_type(&*label).unwrap().with_id(&*label).unwrap();
        for event in [plain, full, labelled] {
            let (bytes, usage) = measure(|| event.to_bytes());
            assert_eq!((usage.allocations, usage.allocated), (1, bytes.len() as u64), "{data}");
            count("into an empty Vec", 1, &mut || event.encode(&mut Vec::new()));
            count("into an empty BytesMut", 1, &mut || event.encode(&mut BytesMut::new()));
            let mut out = b"some before".to_vec();
            count("into a full Vec", 1, &mut || event.encode(&mut out));
            let mut out = BytesMut::from(&b"some before"[..]);
            count("into a full BytesMut", 1, &mut || event.encode(&mut out));
            let mut out = b"some before".to_vec();
            out.reserve_exact(bytes.len() - 1);
            count("where a byte is missing", 1, &mut || event.encode(&mut out));
            let mut out = Vec::with_capacity(bytes.len());
            count("with room", 0, &mut || event.encode(&mut out));
            let mut out = BytesMut::with_capacity(bytes.len());
            count("in a BytesMut with room", 0, &mut || event.encode(&mut out));
            let mut room = vec![0; bytes.len()];
            count("into a slice", 0, &mut || event.encode(&mut &mut room[..]));
            assert_eq!(room, bytes);
        }
    }
    count("static data", 1, &mut || drop(Event::new(ByteString::from_static("[DONE]")).to_bytes()));
    let borrowed = EventRef::new("a").with_event_type("t").unwrap().with_id("7").unwrap();
    count("borrowed", 1, &mut || drop(borrowed.to_bytes()));
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
    }
}

/// As `BufMut` requires, a buffer without enough room causes a panic, and does so before any byte is written.
#[test]
fn a_buffer_that_is_too_small_is_not_begun() {
    fn panics(write: &mut dyn FnMut()) -> bool {
        catch_unwind(AssertUnwindSafe(write)).is_err()
    }
    for event in of_every_kind() {
        let len = event.to_bytes().len();
        let mut room = vec![b'.'; len - 1];
        assert!(panics(&mut || event.encode(&mut &mut room[..])));
        let (head, tail) = room.split_at_mut(len / 2);
        let mut both = head.chain_mut(tail);
        assert!(panics(&mut || event.encode(&mut both)));
        assert!(room.iter().all(|byte| *byte == b'.'));
        let mut limited = Vec::new().limit(len - 1);
        assert!(panics(&mut || event.encode(&mut limited)));
        assert!(limited.get_ref().is_empty());
    }
}

#[test]
fn a_limit_that_is_just_enough() {
    for event in of_every_kind() {
        let mut vec = b"some before".to_vec();
        event.encode(&mut (&mut vec).limit(event.to_bytes().len()));
        assert_eq!(vec, [&b"some before"[..], &event.to_bytes()].concat());
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
