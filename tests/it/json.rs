//! Typed streams: both of them, each row asked of both.

use crate::{
    scripted_source::{
        Answer::{self, Chunk, Failure, Pending},
        Script,
    },
    stream_generator::{any_cut, cut},
};
use bytes::Bytes;
use eventwire::{
    DecodeError, Decoder, Eof, Error, Event, EventStream, Events, JsonError, JsonEvents, JsonStream, WithEvents,
};
use futures_util::{FutureExt, StreamExt, stream, stream::FusedStream};
use proptest::{collection::vec, prelude::*, sample::select};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use std::{convert::Infallible, error::Error as StdError, fmt, iter::FusedIterator};

/// Something that any object is, which an error in the stream would be as well.
#[derive(Debug, Deserialize)]
struct Optional {
    #[expect(dead_code, reason = "it is shown, by `Debug`")]
    n: Option<i64>,
}

/// How a stream of numbers is asked for; the same for both.
#[derive(Clone, Copy, Debug)]
enum Setting {
    EndMarker(&'static str),
    EndEventType(&'static str),
    LastEventTypes(&'static [&'static str]),
    WithoutEndMarker,
    RequireEndMarker,
    WithoutErrorReports,
}

use Setting::{EndEventType, EndMarker, LastEventTypes, RequireEndMarker, WithoutEndMarker, WithoutErrorReports};

macro_rules! set {
    ($json:expr, $settings:expr) => {{
        let mut json = $json;
        for setting in $settings {
            json = match *setting {
                EndMarker(marker) => json.with_end_marker(marker),
                EndEventType(event_type) => json.with_end_event_type(event_type),
                LastEventTypes(types) => json.with_last_event_types(types.iter().copied()),
                WithoutEndMarker => json.without_end_marker(),
                RequireEndMarker => json.require_end_marker(),
                WithoutErrorReports => json.without_error_reports(),
            };
        }
        json
    }};
}

/// An item in a word.
fn word<T: fmt::Debug, E: fmt::Display + fmt::Debug>(item: Result<T, JsonError<E>>) -> String {
    match item {
        Ok(value) => format!("{value:?}"),
        Err(JsonError::Stream(Error::Transport(failure))) => format!("failure: {failure}"),
        Err(JsonError::Stream(Error::Decode(DecodeError::EventTooLarge { .. }))) => "too large".to_owned(),
        Err(JsonError::Stream(Error::Decode(DecodeError::UnexpectedEof))) => "cut off".to_owned(),
        Err(JsonError::Truncated) => "truncated".to_owned(),
        Err(JsonError::Reported(event)) => format!("reported: {}", event.data()),
        Err(JsonError::Payload { event, .. }) => format!("payload: {}", event.data()),
        Err(other) => panic!("an error that is not in the contract: {other:?}"),
    }
}

/// Checks both over a source with these answers: the items, and how often the source has been asked when all are out.
#[track_caller]
fn check<T>(answers: &[Answer], decoder: &Decoder, settings: &[Setting], expected: &[&str], asked: usize)
where
    T: DeserializeOwned + fmt::Debug,
{
    let events = Events::with_decoder(Script::new(answers), decoder.clone());
    let mut values = set!(events.json::<T>(), settings);
    let items: Vec<_> = values.by_ref().map(word).collect();
    assert_eq!(items, expected, "JsonEvents, {settings:?}");
    assert_eq!(values.get_ref().get_ref().asked(), asked, "JsonEvents has asked its source");
    assert!(values.next().is_none() && values.next().is_none(), "JsonEvents is fused");
    assert_eq!(values.into_inner().into_inner().asked(), asked, "after the end it is not asked again");

    let hesitant: Vec<_> = answers.iter().flat_map(|answer| [Pending, *answer]).chain([Pending]).collect();
    for answers in [answers, &hesitant] {
        let events = EventStream::with_decoder(Script::new(answers), decoder.clone());
        let mut values = set!(events.json::<T>(), settings);
        let mut items = Vec::new();
        while !values.is_terminated() {
            if let Some(item) = values.next().now_or_never().flatten() {
                items.push(word(item));
            }
        }
        assert_eq!(items, expected, "JsonStream, {settings:?}");
        assert_eq!(values.get_ref().get_ref().asked(), asked, "JsonStream has asked its source");
        assert!(matches!(values.next().now_or_never(), Some(None)), "JsonStream is fused");
        assert_eq!(values.into_inner().into_inner().asked(), asked, "after the end it is not asked again");
    }
}

/// As `check`, of numbers in one chunk that nothing comes after.
#[track_caller]
fn numbers(stream: &'static str, settings: &[Setting], expected: &[&str]) {
    let ends_by_marker = !expected.contains(&"truncated") && stream.contains("END");
    check::<i64>(&[Chunk(stream)], &Decoder::new(), settings, expected, if ends_by_marker { 1 } else { 2 });
}

#[test]
fn values_come_out_one_by_one() {
    numbers("data: 1\n\ndata:  2 \n\ndata: 3\n\n", &[], &["1", "2", "3"]);
    numbers("", &[], &[]);
    numbers("data: [\ndata: 1\ndata: ]\n\n", &[], &["payload: [\n1\n]"]);
    check::<Vec<i64>>(&[Chunk("data: [\ndata: 1\ndata: ]\n\n")], &Decoder::new(), &[], &["[1]"], 2);
}

#[test]
fn done_ends_the_stream_at_once() {
    // The source has more, and is not asked for it.
    let more = [Chunk("data: 1\n\ndata: [DONE]\n\ndata: 2\n\n"), Chunk("data: 3\n\n"), Failure("reset")];
    check::<i64>(&more, &Decoder::new(), &[], &["1"], 1);
    check::<i64>(&more, &Decoder::new(), &[RequireEndMarker], &["1"], 1);
    for marker in
        ["data:[DONE]\n\n", "data:  [DONE] \t\n\n", "data: \ndata: [DONE]\ndata:\n\n", "event: t\rdata: [DONE]\r\r"]
    {
        check::<i64>(&[Chunk(marker), Chunk("data: 1\n\n")], &Decoder::new(), &[RequireEndMarker], &[], 1);
    }
    // Nearly.
    for data in ["[done]", "[DONE", "\"[DONE]\"", "[DONE].", "[ DONE ]", "[DONE][DONE]"] {
        let stream = format!("data: {data}\n\n");
        let item = if data == "\"[DONE]\"" { "String(\"[DONE]\")".to_owned() } else { format!("payload: {data}") };
        check::<Value>(&[Chunk(stream.leak())], &Decoder::new(), &[RequireEndMarker], &[&item, "truncated"], 2);
    }
}

#[test]
fn another_marker_takes_its_place() {
    numbers("data: 1\n\ndata: END\n\ndata: 2\n\n", &[EndMarker("END")], &["1"]);
    numbers("data: 1\n\ndata: END\n\ndata: 2\n\n", &[EndMarker(" END ")], &["1"]);
    numbers("data: [DONE]\n\ndata: END\n\n", &[EndMarker("END")], &["payload: [DONE]"]);
    numbers("data: 1\n\nevent: END\ndata: {}\n\ndata: 2\n\n", &[EndEventType("END")], &["1"]);
    numbers("data: 1\n\nevent: END\ndata\n\ndata: 2\n\n", &[EndEventType("END"), RequireEndMarker], &["1"]);
    numbers("data: END\n\nevent: END\ndata\n\n", &[EndEventType("END")], &["payload: END"]);
    // No type is the default one.
    for event_type in ["", "message"] {
        check::<i64>(&[Chunk("data: 1\n\n")], &Decoder::new(), &[EndEventType(event_type), RequireEndMarker], &[], 1);
        let last = LastEventTypes(if event_type.is_empty() { &[""] } else { &["message"] });
        check::<i64>(&[Chunk("data: 1\n\ndata: 2\n\n")], &Decoder::new(), &[last, RequireEndMarker], &["1"], 1);
    }
    // The last one set counts.
    numbers("event: a\ndata: 1\n\ndata: END\n\n", &[EndEventType("a"), EndMarker("END")], &["1"]);
    // A marker comes before all else that an event may be.
    numbers("event: error\ndata: END\n\ndata: 1\n\n", &[EndMarker("END")], &[]);
    numbers("event: ping\ndata: END\n\ndata: 1\n\n", &[EndEventType("ping")], &[]);
}

#[test]
fn a_last_event_is_an_item() {
    let last = LastEventTypes(&["END", "FAIL-END"]);
    numbers("data: 1\n\nevent: END\ndata: 2\n\ndata: 3\n\n", &[last, RequireEndMarker], &["1", "2"]);
    numbers("event: FAIL-END\ndata: 2\n\ndata: 3\n\n", &[last], &["2"]);
    numbers("event: END\ndata: x\n\ndata: 3\n\n", &[last], &["payload: x"]);
    numbers("event: END\ndata\n\ndata: 3\n\n", &[last], &[]);
    numbers("event: END\ndata: {\"error\":1}\n\ndata: 3\n\n", &[last], &["reported: {\"error\":1}"]);
    numbers("data: 1\n\ndata: [DONE]\n\n", &[last], &["1", "payload: [DONE]"]);
    check::<i64>(&[Chunk("data: 1\n\n")], &Decoder::new(), &[last, RequireEndMarker], &["1", "truncated"], 2);
}

#[test]
fn no_marker_at_all() {
    numbers("data: 1\n\ndata: [DONE]\n\ndata: 2\n\n", &[WithoutEndMarker], &["1", "payload: [DONE]", "2"]);
    // Where there is none, none can be missing.
    numbers("data: 1\n\n", &[RequireEndMarker, WithoutEndMarker], &["1"]);
    numbers("data: 1\n\n", &[WithoutEndMarker, RequireEndMarker], &["1"]);
    numbers("data: 1\n\n", &[WithoutEndMarker, RequireEndMarker, EndMarker("x")], &["1", "truncated"]);
}

#[test]
fn a_cut_stream_does_not_look_like_success() {
    numbers("data: 1\n\n", &[RequireEndMarker], &["1", "truncated"]);
    numbers("", &[RequireEndMarker], &["truncated"]);
    numbers("data: 1\n\ndata: [DONE]", &[RequireEndMarker], &["1", "truncated"]);
    let lenient = Decoder::new().with_eof(Eof::Dispatch);
    check::<i64>(&[Chunk("data: 1\n\ndata: [DONE]")], &lenient, &[RequireEndMarker], &["1"], 2);
    // Whatever else has been said, the last word is that it was cut off.
    let strict = Decoder::new().with_eof(Eof::Error);
    let items = ["1", "cut off", "truncated"];
    check::<i64>(&[Chunk("data: 1\n\ndata: [DO")], &strict, &[RequireEndMarker], &items, 2);
    let reset = [Chunk("data: 1\n\nda"), Failure("reset")];
    check::<i64>(&reset, &strict, &[RequireEndMarker], &["1", "failure: reset", "truncated"], 3);
    check::<i64>(&reset, &strict, &[], &["1", "failure: reset"], 3);
}

#[test]
fn an_error_of_the_source_is_not_the_end() {
    let timeout = [Chunk("data: 1\n\n"), Failure("timeout"), Chunk("data: 2\n\ndata: [DONE]\n\n")];
    check::<i64>(&timeout, &Decoder::new(), &[RequireEndMarker], &["1", "failure: timeout", "2"], 3);
    let small = Decoder::new().with_max_event_size(10);
    let large = [Chunk("data: 1\n\ndata: 23456\n\ndata: 7\n\n")];
    check::<i64>(&large, &small, &[], &["1", "too large", "7"], 2);
}

#[test]
fn a_reported_error_is_not_a_value() {
    let reported = |stream, items: &[&str]| {
        check::<Value>(&[Chunk(stream)], &Decoder::new(), &[], items, 2);
    };
    reported("data: {\"error\":\"e\"}\n\ndata: 1\n\n", &["reported: {\"error\":\"e\"}", "Number(1)"]);
    reported("event: error\ndata: 1\n\ndata: 1\n\n", &["reported: 1", "Number(1)"]);
    reported("event: error\ndata\n\n", &["reported: "]);
    reported("event: error\ndata: not JSON\n\n", &["reported: not JSON"]);
    reported("data: {\"error\":null}\n\n", &["Object {\"error\": Null}"]);
    reported("data: {\"a\":{\"error\":1}}\n\n", &["Object {\"a\": Object {\"error\": Number(1)}}"]);
    reported("event: errors\ndata: 1\n\n", &["Number(1)"]);
    let optional = [Chunk("data: {\"error\":{\"message\":\"overloaded\"}}\n\ndata: {\"n\":1}\n\n")];
    let items = ["reported: {\"error\":{\"message\":\"overloaded\"}}", "Optional { n: Some(1) }"];
    check::<Optional>(&optional, &Decoder::new(), &[], &items, 2);
}

#[test]
fn errors_may_be_values() {
    let stream = [Chunk("data: {\"n\":1,\"error\":false}\n\nevent: error\ndata: {\"n\":2}\n\n")];
    let items = ["Optional { n: Some(1) }", "reported: {\"n\":2}"];
    check::<Optional>(&stream, &Decoder::new(), &[WithoutErrorReports], &items, 2);
}

#[test]
fn a_payload_that_does_not_fit_is_one_error() {
    let items = ["1", "payload: x", "payload: \"2\"", "payload: 3 4", "5"];
    numbers("data: 1\n\ndata: x\n\ndata: \"2\"\n\ndata: 3 4\n\ndata: 5\n\n", &[], &items);
    // A key that is there twice, a number that is too large, nesting that is too deep: whatever serde_json refuses.
    let deep = format!("data: {}\n\ndata: 1\n\n", "[".repeat(100_000));
    let stream = Bytes::from(deep);
    let mut values = Events::new([Ok::<_, Infallible>(stream)].into_iter()).json::<Value>();
    assert!(matches!(values.next(), Some(Err(JsonError::Payload { .. }))));
    assert_eq!(values.next().unwrap().unwrap(), 1);
}

#[test]
fn keep_alives_never_reach_the_deserialiser() {
    for keep_alive in [
        ":\n\n",
        ": keep-alive\n\n",
        "event: ping\ndata: not JSON\n\n",
        "event: ping\ndata: {\"error\":1}\n\n",
        "event: ping\ndata\n\n",
        "data\n\n",
        "data: \n\n",
        "data:  \t \n\n",
        "data\ndata\n\n",
        "event: x\ndata:\n\n",
        "retry: 3\n\n",
        "id: 1\n\n",
        "\n\n",
    ] {
        let stream = format!("{keep_alive}data: 1\n\n{keep_alive}{keep_alive}data: 2\n\n{keep_alive}");
        numbers(stream.leak(), &[], &["1", "2"]);
    }
}

#[test]
fn values_beside_their_events() {
    let stream = "id: 7\nevent: t\ndata: 1\n\ndata: x\n\n: c\n\ndata: 2\n\ndata: [DONE]\n\n";
    fn seen(item: Result<(i64, Event), JsonError<Infallible>>) -> Option<(i64, String, String)> {
        item.ok()
            .map(|(value, event)| (value, format!("{} {}", event.event_type(), event.id()), event.data().to_owned()))
    }
    let text = str::to_owned;
    let expected = vec![Some((1, text("t 7"), text("1"))), None, Some((2, text("message 7"), text("2")))];

    let mut pairs = Events::new([Ok(stream)].into_iter()).json().with_events();
    assert_eq!(pairs.by_ref().map(seen).collect::<Vec<_>>(), expected);
    assert_eq!(pairs.get_ref().get_ref().last_event_id(), "7");
    assert!(pairs.get_mut().next().is_none() && pairs.into_inner().next().is_none());

    let mut pairs = EventStream::new(stream::iter([Ok(stream)])).json().with_events();
    let items = pairs.by_ref().map(seen).collect::<Vec<_>>().now_or_never().expect("the source is always ready");
    assert_eq!(items, expected);
    assert!(pairs.is_terminated());
}

#[test]
fn white_space_is_that_of_ascii_and_what_is_read_is_the_data() {
    let items = ["payload: \u{A0}", "payload: \u{A0}[DONE]", "truncated"];
    numbers("data: \u{A0}\n\ndata: \u{A0}[DONE]\n\n", &[RequireEndMarker], &items);
    numbers("data: \u{C}1\n\n", &[], &["payload: \u{C}1"]);
}

/// What an event of this type with this data is to a stream of numbers, said as slowly as can be.
fn meaning(event_type: &str, data: &str) -> Option<String> {
    let value: Result<Value, _> = serde_json::from_str(data);
    if data.trim_ascii() == "[DONE]" {
        Some("end".to_owned())
    } else if event_type == "error" {
        Some(format!("reported: {data}"))
    } else if event_type == "ping" || data.trim_ascii().is_empty() {
        None
    } else if value.as_ref().is_ok_and(|value| value.get("error").is_some_and(|error| !error.is_null())) {
        Some(format!("reported: {data}"))
    } else {
        Some(
            value.ok().and_then(|value| value.as_i64()).map_or(format!("payload: {data}"), |number| number.to_string()),
        )
    }
}

const PAYLOADS: &[&str] = &[
    "1",
    "2",
    " 3 ",
    "-4",
    "",
    " ",
    "x",
    "null",
    "[1]",
    "{}",
    "{\"error\":1}",
    "{\"error\":null}",
    "{ \"error\" : {} }",
    "{\"a\":{\"error\":1}}",
    "{\"\\u0065rror\":1}",
    "{\"error\":1",
    "\"error\"",
    "\"\\u00e9\"",
    "[DONE]",
    "1.5",
    "99999999999999999999",
];

proptest! {
    #[test]
    fn any_cut_the_same_values(
        script in vec((select(&["message", "message", "ping", "error", "x"][..]), select(PAYLOADS)), 0..12),
        sizes in any_cut(),
        required in any::<bool>(),
    ) {
        let settings = if required { &[RequireEndMarker][..] } else { &[] };
        let mut stream = Vec::new();
        let mut expected: Vec<String> = Vec::new();
        let mut has_ended = false;
        for (event_type, data) in script {
            Event::new(data).with_event_type(event_type).unwrap().encode(&mut stream);
            match meaning(event_type, data) {
                _ if has_ended => {}
                Some(end) if end == "end" => has_ended = true,
                item => expected.extend(item),
            }
        }
        if required && !has_ended {
            expected.push("truncated".to_owned());
        }
        let chunks = cut(&stream, &sizes);
        let chunks = || chunks.iter().map(|chunk| Ok::<_, Infallible>(Bytes::copy_from_slice(chunk)));
        let values = set!(Events::new(chunks()).json::<i64>(), settings);
        prop_assert_eq!(values.map(word).collect::<Vec<_>>(), expected.clone());
        let values = set!(EventStream::new(stream::iter(chunks())).json::<i64>(), settings);
        let items = values.map(word).collect::<Vec<_>>().now_or_never().expect("the source is always ready");
        prop_assert_eq!(items, expected);
    }
}

#[test]
fn errors_say_what_and_where() {
    let error = |stream: &'static str| {
        Events::new([Ok::<_, Infallible>(stream)].into_iter()).json::<i64>().find_map(Result::err).expect("an error")
    };
    let payload = error("event: t\ndata: {\ndata: x\n\n");
    assert_eq!(payload.to_string(), "an event of type \"t\" is not what was expected");
    assert!(payload.source().expect("serde_json's").to_string().ends_with("at line 1 column 0"), "{payload:?}");

    let indented = error("data:   x\n\n").source().expect("serde_json's").to_string();
    assert!(indented.ends_with("at line 1 column 3"), "{indented}");

    let reported = error("data: {\"error\":{\"message\":\"overloaded\"}}\n\n");
    assert_eq!(reported.to_string(), "the server reported an error: {\"error\":{\"message\":\"overloaded\"}}");
    let long = format!("event: error\ndata: {}\n\n", "e".repeat(1000));
    assert_eq!(error(long.leak()).to_string().len(), "the server reported an error: ".len() + 200);

    let cut = JsonError::<Infallible>::Truncated;
    assert_eq!(cut.to_string(), "the stream was cut off: it ended without its end marker");
    let stream = JsonError::<std::io::Error>::from(Error::Transport(std::io::Error::other("reset")));
    assert_eq!(stream.to_string(), "the event stream's source failed");
    assert_eq!(stream.source().expect("the cause").to_string(), "reset");
}

#[test]
fn what_they_are_to_the_compiler() {
    fn sendable<T: Send + Sync + Unpin + 'static>() {}
    // Values are made and given away, and so need not be able to cross threads.
    type NotSend = std::rc::Rc<std::cell::Cell<i64>>;
    sendable::<JsonStream<stream::Empty<Result<Bytes, Infallible>>, NotSend>>();
    sendable::<WithEvents<JsonEvents<std::vec::IntoIter<Result<Bytes, Infallible>>, NotSend>>>();
    sendable::<JsonError<std::io::Error>>();
    fn fused<T: FusedIterator + fmt::Debug>(_: &T) {}
    let values = Events::new(std::iter::empty::<Result<Bytes, Infallible>>()).json::<i64>();
    fused(&values);
    fused(&values.with_events());
    assert!(size_of::<JsonError<std::io::Error>>() <= 96, "{}", size_of::<JsonError<std::io::Error>>());
}
