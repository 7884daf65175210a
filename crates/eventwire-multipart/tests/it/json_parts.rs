//! Parts read as JSON.

use eventwire_multipart::{Boundary, Collected, Error, JsonPartError, JsonParts, PartDecodeErrorKind, PartDecoder};
use futures_util::{
    FutureExt, StreamExt,
    stream::{self, FusedStream},
};
use serde::{Deserialize, Deserializer};
use std::{
    convert::Infallible,
    panic::{self, AssertUnwindSafe},
};

#[derive(Debug, PartialEq, Deserialize)]
struct Number {
    n: u32,
}

fn json(body: &'static str) -> JsonParts<Collected<impl Iterator<Item = Result<&'static str, Infallible>>>, Number> {
    let decoder = PartDecoder::new(Boundary::new("b").unwrap()).require_close();
    Collected::new([Ok(body)].into_iter(), decoder).json()
}

#[test]
fn parts_are_values_if_they_are_json() {
    let body = "--b\r\nContent-Type: application/json; charset=utf-8\r\n\r\n{\"n\":1}\r\n--b\r\n\
        Content-Type: application/graphql-response+JSON\r\n\r\n{\"n\":2}\r\n--b\r\n\r\n {\"n\":3} \r\n--b--";
    let numbers: Vec<u32> = json(body).map(|number| number.unwrap().n).collect();
    assert_eq!(numbers, [1, 2, 3]);
}

#[test]
fn another_type_is_an_error_with_the_part_and_the_next_part_follows() {
    let mut values = json("--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b\r\n\r\n{\"n\":1}\r\n--b--");
    let error = values.next().unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the part is not JSON: its content type is `text/plain`");
    let JsonPartError::NotJson(part) = error else { panic!("{error:?}") };
    assert_eq!(part.body(), "Hello");
    assert_eq!(values.next().unwrap().unwrap(), Number { n: 1 });
}

#[test]
fn json_of_the_wrong_type_is_an_error_with_its_path_and_the_next_part_follows() {
    let mut values = json("--b\r\n\r\n{\"n\":\"one\"}\r\n--b\r\n\r\n\u{fffd}{\r\n--b\r\n\r\n{\"n\":1}\r\n--b--");
    let error = values.next().unwrap().unwrap_err();
    assert!(error.to_string().starts_with("cannot read the body of a part as JSON: n: invalid type"), "{error}");
    let JsonPartError::Payload { path, part, .. } = error else { panic!("{error:?}") };
    assert_eq!((&*path, &part.body()[..]), ("n", &b"{\"n\":\"one\"}"[..]));
    assert!(matches!(values.next(), Some(Err(JsonPartError::Payload { path, .. })) if path.is_empty()));
    assert_eq!(values.next().unwrap().unwrap(), Number { n: 1 });
}

#[test]
fn heartbeats_are_skipped_unless_they_are_wanted() {
    let body = "--b\r\n\r\n{}\r\n--b\r\n\r\n \r\n--b\r\n\r\n{\"n\":1}\r\n--b\r\n\r\n{ }\r\n--b--";
    let values: Vec<_> = json(body).map(|value| value.is_ok()).collect();
    assert_eq!(values, [true, false], "`{{ }}` is an object that lacks a field");
    let values: Vec<_> = json(body).with_empty_objects().map(|value| value.is_ok()).collect();
    assert_eq!(values, [false, true, false]);
}

#[test]
fn errors_of_the_stream_are_passed_on() {
    let mut values = json("--b\r\n\r\n{\"n\":1}\r\n--b\r\n\r\n{\"n\":");
    assert_eq!(values.next().unwrap().unwrap(), Number { n: 1 });
    let Some(Err(JsonPartError::Stream(Error::Decode(error)))) = values.next() else {
        panic!("expected an error of the stream")
    };
    assert_eq!(error.kind(), PartDecodeErrorKind::Truncated);
    assert!(values.next().is_none());
}

#[test]
fn a_truncated_value_is_an_error_even_if_it_can_be_parsed() {
    let decoder = PartDecoder::new(Boundary::new("b").unwrap());
    let chunks = [Ok::<_, Infallible>("--b\r\nContent-Length: 3\r\n\r\n12")];
    let mut values = Collected::new(chunks.into_iter(), decoder).json::<u32>();
    assert!(matches!(values.next(), Some(Err(JsonPartError::Stream(Error::Truncated { part: 1, .. })))));
    assert!(values.next().is_none());
}

#[test]
fn it_is_a_stream_over_a_stream() {
    let chunks = stream::iter(["--b\r\n\r\n{\"n\"", ":1}\r\n--b--"].map(Ok::<_, Infallible>));
    let values = Collected::new(chunks, PartDecoder::new(Boundary::new("b").unwrap())).json::<Number>();
    let values: Vec<_> = values.map(Result::unwrap).collect().now_or_never().unwrap();
    assert_eq!(values, [Number { n: 1 }]);
}

#[derive(Debug)]
struct Fuse;

impl<'de> Deserialize<'de> for Fuse {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fuse, D::Error> {
        assert_ne!(u32::deserialize(deserializer)?, 2, "a value that panics");
        Ok(Fuse)
    }
}

/// A lost value is not a hole between two others.
#[test]
fn a_panic_of_a_value_ends_the_stream() {
    let body = || [Ok::<_, Infallible>("--b\r\n\r\n1\r\n--b\r\n\r\n2\r\n--b\r\n\r\n3\r\n--b--")].into_iter();
    let decoder = || PartDecoder::new(Boundary::new("b").unwrap());
    let mut values = Collected::new(body(), decoder()).json::<Fuse>();
    assert!(matches!(values.next(), Some(Ok(Fuse))));
    panic::catch_unwind(AssertUnwindSafe(|| values.next())).unwrap_err();
    assert!(values.next().is_none() && values.next().is_none());

    let mut values = Collected::new(stream::iter(body()).fuse(), decoder()).json::<Fuse>();
    assert!(matches!(values.next().now_or_never().unwrap(), Some(Ok(Fuse))));
    assert!(!values.is_terminated());
    panic::catch_unwind(AssertUnwindSafe(|| values.next().now_or_never())).unwrap_err();
    assert!(values.is_terminated() && values.next().now_or_never().unwrap().is_none());
}
