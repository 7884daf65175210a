//! JSON that is encoded directly into a stream.

use super::events;
use crate::{
    counting_allocator::measure,
    event_generator::{any_char, any_event},
    law,
    stream_generator::Random,
};
use eventwire::{Decoder, Encoded, Event, WithEvent};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::{Value, value::RawValue};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Returns any JSON, with all kinds of text, nested this deeply at most.
fn any_json(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 5 } else { 7 }) {
        0 => Value::Null,
        1 => random.coin().into(),
        2 => (i64::from(random.number()) - i64::from(random.number())).into(),
        3 => random.list(40, any_char).into_iter().collect::<String>().into(),
        4 => random.list(200, |random| random.one_of(&["a", "\r", "\n", "\"", "\\", " ", ":"])).concat().into(),
        5 => random.list(5, |random| any_json(random, depth - 1)).into(),
        _ => {
            let key = |random: &mut Random| random.list(9, |random| random.one_of(&["a", "b", "c", "\n"])).concat();
            let member = |random: &mut Random| (key(random), any_json(random, depth - 1));
            random.list(5, member).into_iter().collect()
        }
    }
}

/// Encodes the value in both ways: into a buffer, and as `Encoded`.
#[track_caller]
fn check<T: Serialize + ?Sized>(head: &Event, value: &T, expected: &[u8]) {
    fn written(encode: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
        let mut buffer = b": before\n\n".to_vec();
        encode(&mut buffer);
        buffer.extend(b": after\n\n");
        buffer
    }
    let expected = [b": before\n\n", expected, b": after\n\n"].concat();
    assert_eq!(written(|buffer| head.encode_json(value, buffer).unwrap()), expected);
    let encoded = head.encoded_json(value).unwrap();
    assert_eq!(written(|buffer| buffer.extend_from_slice(encoded.as_ref())), expected);
    // `Encoded` is not checked here, but would pass the check.
    assert_eq!(Encoded::from_bytes(encoded.clone().into_bytes()).as_ref(), Ok(&encoded));
}

#[test]
fn the_same_bytes_as_through_an_event() {
    law::check(256, |random| {
        let (head, value) = (any_event(random), any_json(random, 3));
        check(&head, &value, &head.clone().with_json(&value).unwrap().to_bytes());
    });
}

#[test]
fn raw_json_is_read_as_the_same_json() {
    law::check(256, |random| {
        let (head, value) = (any_event(random), any_json(random, 3));
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let ends = ["\n", "\r", "\r\n", "\n\n", "\r\r", "\n\r"];
        let lines: String = pretty.lines().flat_map(|line| [line, random.one_of(&ends)]).collect();
        let raw: &RawValue = serde_json::from_str(&lines).unwrap();
        check(&head, raw, &head.clone().with_data(raw.get()).to_bytes());

        let mut stream = Vec::new();
        Event::default().encode_json(raw, &mut stream).unwrap();
        let mut read = events(stream).json::<WithEvent<Value>>();
        assert_eq!(read.next().unwrap().unwrap().value, value);
        assert!(read.next().is_none());
    });
}

/// A value whose `Serialize` fails after most of it has been written.
struct Failing;

impl Serialize for Failing {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(S::Error::custom("no value"))
    }
}

#[test]
fn a_value_that_fails_half_way_leaves_nothing() {
    let mut buffer = Vec::new();
    let long = "x".repeat(10_000);
    let head = Event::default().with_event_type("t").unwrap().with_numeric_id(7);
    let error = head.encode_json(&(&long, [Failing]), &mut buffer).unwrap_err();
    assert_eq!((error.to_string(), &*buffer), ("no value".to_owned(), &b""[..]));
    head.encode_json(&1, &mut buffer).unwrap();
    assert!(head.encode_json(&(&long, Failing), &mut buffer).is_err());
    assert!(Event::default().encode_json(&Failing, &mut buffer).is_err());
    Event::default().encode_json(&2, &mut buffer).unwrap();
    assert_eq!(buffer, b"event: t\nid: 7\ndata: 1\n\ndata: 2\n\n");
    // The decoder reads what was written.
    let mut decoder = Decoder::new();
    let mut input = &*buffer;
    assert_eq!(decoder.decode(&mut input).unwrap().unwrap().data(), "1");
    assert_eq!(decoder.decode(&mut input).unwrap().unwrap().data(), "2");
}

/// A value whose `Serialize` panics after most of it has been written.
struct Panicking;

impl Serialize for Panicking {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("no value")
    }
}

#[test]
fn a_value_that_panics_half_way_leaves_nothing() {
    let mut buffer = Vec::new();
    let head = Event::default().with_event_type("t").unwrap();
    head.encode_json(&1, &mut buffer).unwrap();
    let panicking = AssertUnwindSafe(|| head.encode_json(&("x".repeat(10_000), Panicking), &mut buffer));
    assert!(catch_unwind(panicking).is_err());
    Event::default().encode_json(&2, &mut buffer).unwrap();
    assert_eq!(buffer, b"event: t\ndata: 1\n\ndata: 2\n\n");
}

#[test]
fn encoding_fails_if_the_value_does() {
    let head = Event::default().with_numeric_id(7);
    assert_eq!(head.encoded_json(&[Failing]).unwrap_err().to_string(), "no value");
}

#[test]
fn no_allocation_if_there_is_room() {
    let value = ["a rather long text, of which there are several"; 20];
    let head = Event::default().with_event_type("a type that is too long for the event").unwrap();
    let mut buffer = Vec::with_capacity(10_000);
    let ((), usage) = measure(|| (0..5).for_each(|_| head.encode_json(&value, &mut buffer).unwrap()));
    assert_eq!(usage.allocations, 0);
}
