//! JSON that is encoded directly into a stream.

use crate::counting_allocator::measure;
use eventwire::{Decoder, Encoded, Event, Events, WithEvent};
use proptest::prelude::*;
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::{Value, value::RawValue};
use std::{
    convert::Infallible,
    panic::{AssertUnwindSafe, catch_unwind},
    time::Duration,
};

/// Any JSON, with all kinds of text.
fn any_json() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a\\r\\n\"\\\\ :]{0,200}".prop_map(Value::from),
    ];
    scalar.prop_recursive(3, 20, 5, |inner| {
        let objects = prop::collection::btree_map("[a-z\\n]{0,9}", inner.clone(), 0..5);
        prop_oneof![
            prop::collection::vec(inner, 0..5).prop_map(Value::from),
            objects.prop_map(|members| members.into_iter().collect::<Value>()),
        ]
    })
}

/// An event without data.
fn any_head() -> impl Strategy<Value = Event> {
    let label = || prop::option::of("[a-z:é ]{0,150}");
    (label(), label(), prop::option::of(any::<u32>())).prop_map(|(event_type, id, retry)| {
        let mut event = Event::new("not written");
        if let Some(event_type) = event_type {
            event = event.with_event_type(event_type).unwrap();
        }
        if let Some(id) = id {
            event = event.with_id(id).unwrap();
        }
        match retry {
            Some(millis) => event.with_retry(Duration::from_millis(millis.into())),
            None => event,
        }
    })
}

/// Encodes the value in both ways: into a buffer, and as `Encoded`.
#[track_caller]
fn check(head: &Event, value: &(impl Serialize + ?Sized), expected: &[u8]) {
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

proptest! {
    #[test]
    fn the_same_bytes_as_through_an_event(head in any_head(), value in any_json()) {
        check(&head, &value, &head.clone().with_json(&value).unwrap().to_bytes());
    }

    #[test]
    fn raw_json_is_read_as_the_same_json(
        head in any_head(),
        value in any_json(),
        ends in prop::collection::vec(prop::sample::select(&["\n", "\r", "\r\n", "\n\n", "\r\r", "\n\r"][..]), 1..4),
    ) {
        let mut ends = ends.iter().cycle();
        let pretty = serde_json::to_string_pretty(&value).unwrap();
        let lines: String = pretty.lines().flat_map(|line| [line, *ends.next().unwrap()]).collect();
        let raw: &RawValue = serde_json::from_str(&lines).unwrap();
        check(&head, raw, &head.clone().with_data(raw.get()).to_bytes());

        let mut stream = Vec::new();
        Event::default().encode_json(raw, &mut stream).unwrap();
        let mut read = Events::new([Ok::<_, Infallible>(stream)].into_iter()).json::<WithEvent<Value>>();
        prop_assert_eq!(read.next().unwrap().unwrap().value, value);
        prop_assert!(read.next().is_none());
    }
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
