//! Which events of a stream of JSON are values, and which are skipped.

use super::{events, lenient, numbers};
use eventwire::{Dialect, Events, JsonError, WithEvent};
use futures_util::{FutureExt, StreamExt, stream, stream::FusedStream};
use std::convert::Infallible;

/// `any_cut` has events that are skipped.
#[test]
fn blocks_that_are_no_events_are_skipped() {
    for block in [":\n\n", ": keep-alive\n\n", "event: x\ndata:\n\n", "retry: 3\n\n", "id: 1\n\n", "\n\n"] {
        let stream = format!("{block}data: 1\n\n{block}{block}data: 2\n\n{block}");
        numbers(stream.leak(), &lenient(), &["1", "2"]);
    }
}

#[test]
fn keep_alives_of_other_types() {
    let stream = "event: beat\ndata: 1\n\nevent: ping\ndata: 2\n\nevent: hum\ndata: 3\n\ndata: 5\n\n";
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

    let mut pairs = events(stream).json_with(Dialect::OPENAI);
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
    let values = events(stream).json::<serde_json::Value>();
    let values: Vec<_> = values.map(|value| value.unwrap().to_string()).collect();
    assert_eq!(values, ["1", "2", "3", "{\"error\":4,\"type\":\"response.failed\"}", "5"]);
}

/// The error names what is missing, and the stream continues.
#[test]
fn without_a_dialect_done_is_an_error() {
    let mut values = events("data: [DONE] \n\ndata: 1\n\n").json::<i64>();
    let error = values.next().unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read the data of a `message` event as JSON: it is the end of a language model's stream, which \
         `.json_with::<T>(..)` recognises with the service's `Dialect`; the data is `[DONE]`"
    );
    assert!(matches!(error, JsonError::Payload { event, .. } if event.data() == "[DONE] "));
    assert_eq!(values.next().unwrap().unwrap(), 1);
}
