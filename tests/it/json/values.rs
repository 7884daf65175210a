//! Which events of a stream of JSON are values, and which are skipped.

use super::{check, lenient, numbers, strict};
use crate::scripted_source::Answer::Chunk;
use eventwire::{Decoder, Dialect, Events, JsonError, WithEvent};
use futures_util::{FutureExt, StreamExt, stream, stream::FusedStream};
use std::convert::Infallible;

#[test]
fn values_are_returned_one_by_one() {
    numbers("data: 1\n\ndata:  2 \n\ndata: 3\n\n", &lenient(), &["1", "2", "3"]);
    numbers("", &lenient(), &[]);
    numbers("data: [\ndata: 1\ndata: ]\n\n", &lenient(), &["payload: [\n1\n]"]);
    check::<Vec<i64>>(&[Chunk("data: [\ndata: 1\ndata: ]\n\n")], &Decoder::new(), &lenient(), &["[1]"], 2);
}

#[test]
fn keep_alives_never_reach_the_deserialiser() {
    for keep_alive in [
        ":\n\n",
        ": keep-alive\n\n",
        "event: ping\ndata: not JSON\n\n",
        "event: ping\ndata: {\"error\":1}\n\n",
        "event: ping\ndata\n\n",
        "event: keepalive\ndata: {\"type\":\"keepalive\",\"sequence_number\":3}\n\n",
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
        numbers(stream.leak(), &lenient(), &["1", "2"]);
    }
}

#[test]
fn white_space_is_ascii_white_space() {
    let items = ["payload: \u{A0}", "payload: \u{A0}[DONE]", "truncated"];
    numbers("data: \u{A0}\n\ndata: \u{A0}[DONE]\n\n", &strict(), &items);
    numbers("data: \u{C}1\n\n", &lenient(), &["payload: \u{C}1"]);
}

#[test]
fn keep_alives_of_other_types() {
    let stream = "event: beat\ndata: 1\n\nevent: ping\ndata: 2\n\nevent: hum\ndata: 3\n\ndata: {\"type\":\"beat\"}\n\ndata: 5\n\n";
    numbers(stream, &lenient(), &["1", "3", "payload: {\"type\":\"beat\"}", "5"]);
    numbers(stream, &lenient().with_keep_alive_type("beat"), &["3", "5"]);
    numbers(stream, &lenient().with_keep_alive_type("beat").with_keep_alive_type("hum"), &["5"]);
    // No type is the default type.
    for name in ["", "message"] {
        numbers("data: 1\n\nevent: x\ndata: 2\n\n", &lenient().with_keep_alive_type(name), &["2"]);
    }
}

#[test]
fn values_beside_their_events() {
    let stream = "id: 7\nevent: t\ndata: 1\n\ndata: x\n\n: c\n\ndata: 2\n\ndata: [DONE]\n\n";
    fn seen(item: Result<WithEvent<i64>, JsonError<Infallible>>) -> Option<(i64, String, String)> {
        let WithEvent { value, event } = item.ok()?;
        Some((value, format!("{} {}", event.event_type(), event.last_event_id()), event.data().to_owned()))
    }
    let text = str::to_owned;
    let expected = vec![Some((1, text("t 7"), text("1"))), None, Some((2, text("message 7"), text("2")))];

    let mut pairs = Events::new([Ok(stream)].into_iter()).json_with(Dialect::OPENAI);
    assert_eq!(pairs.by_ref().map(seen).collect::<Vec<_>>(), expected);
    assert_eq!(pairs.get_ref().decoder().last_event_id(), "7");
    assert!(pairs.next().is_none() && pairs.into_inner().next().is_none());

    let mut pairs = Events::new(stream::iter([Ok(stream)])).json_with(Dialect::OPENAI);
    let items = pairs.by_ref().map(seen).collect::<Vec<_>>().now_or_never().expect("the source is always ready");
    assert_eq!(items, expected);
    assert!(pairs.is_terminated());
}

/// On a feed that is no model's, everything is a value.
#[test]
fn without_a_dialect_each_event_is_a_value() {
    let stream = "event: ping\ndata: 1\n\nevent: error\ndata: 2\n\nevent: message_stop\ndata: 3\n\n\
                  data: {\"error\":4,\"type\":\"response.failed\"}\n\n: c\n\ndata\n\ndata: 5\n\n";
    let values = Events::new([Ok::<_, Infallible>(stream)].into_iter()).json::<serde_json::Value>();
    let values: Vec<_> = values.map(|value| value.unwrap().to_string()).collect();
    assert_eq!(values, ["1", "2", "3", "{\"error\":4,\"type\":\"response.failed\"}", "5"]);
}

/// The error names what is missing, and the stream continues.
#[test]
fn without_a_dialect_done_is_an_error() {
    let mut values = Events::new([Ok::<_, Infallible>("data: [DONE] \n\ndata: 1\n\n")].into_iter()).json::<u32>();
    let error = values.next().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read the data of a `message` event as JSON: it is the end of a language model's stream, which \
         `.json_with::<T>(..)` recognises with the service's `Dialect`; the data is `[DONE]`"
    );
    assert!(matches!(error, JsonError::Payload { event, .. } if event.data() == "[DONE] "));
    assert_eq!(values.next().unwrap().unwrap(), 1);
}
