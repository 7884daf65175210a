//! Events as values of serde.

use crate::{event_generator::any_event, law};
use eventwire::Event;
use std::time::Duration;

fn full() -> Event {
    let event = Event::new("a\nb").with_event_type("t").unwrap().with_id("").unwrap();
    event.with_retry(Duration::from_millis(1500))
}

#[test]
fn what_is_written() {
    for (event, expected) in [
        (Event::new("a"), r#"{"data":"a"}"#),
        (Event::new("").with_event_type("message").unwrap(), r#"{"data":""}"#),
        (full(), r#"{"event":"t","data":"a\nb","id":"","retry":1500}"#),
    ] {
        assert_eq!(serde_json::to_string(&event).unwrap(), expected);
        assert_eq!(serde_json::from_str::<Event>(expected).unwrap(), event);
    }
}

#[test]
fn what_is_read() {
    let event: Event =
        serde_json::from_str(r#"{"at":7,"retry":null,"id":null,"data":"\u0061","event":"message"}"#).unwrap();
    assert_eq!(event, Event::new("a"));
    // As other formats do: a sequence.
    let event: Event = serde_json::from_str(r#"["t","a\nb","",1500]"#).unwrap();
    assert_eq!(event, full());
}

#[test]
fn what_no_event_can_have_is_an_error() {
    for (json, words) in [
        ("{}", "missing field `data`"),
        (r#"{"data":"a","data":"b"}"#, "duplicate field `data`"),
        (r#"{"data":"a","event":"b\nc"}"#, "line"),
        (r#"{"data":"a","id":"\u0000"}"#, "`id` cannot contain a NUL"),
        (r#"{"data":1}"#, "invalid type: integer `1`, expected a string"),
        (r#"["t","a"]"#, "invalid length 2, expected an event"),
        ("7", "invalid type: integer `7`, expected an event"),
    ] {
        let error = serde_json::from_str::<Event>(json).unwrap_err().to_string();
        assert!(error.contains(words), "{json}: {error}");
    }
}

#[test]
fn each_event_is_read_as_it_was_written() {
    law::check(256, |random| {
        let event = any_event(random);
        let line = serde_json::to_string(&event).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&line).unwrap(), event);
    });
}
