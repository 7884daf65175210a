//! What the `with_` methods of `Event` and `EventRef` accept, refuse and set.

use crate::event_generator::any_text;
use eventwire::{ByteString, Event, EventRef};
use proptest::prelude::*;
use std::time::Duration;

#[test]
fn a_builder_takes_text_of_any_kind() {
    let by_str = Event::new("a").with_event_type("t").unwrap().with_id("7").unwrap();
    let by_string =
        Event::new("a".to_owned()).with_event_type("t".to_owned()).unwrap().with_id("7".to_owned()).unwrap();
    let text = ByteString::from_static;
    let by_bytes = Event::new(text("a")).with_event_type(text("t")).unwrap().with_id(text("7")).unwrap();
    assert_eq!(by_str, by_string);
    assert_eq!(by_str, by_bytes);
}

#[test]
fn the_last_one_set_counts() {
    let event = Event::new("a").with_event_type("t").unwrap().with_event_type("message").unwrap();
    assert_eq!(event, Event::new("a"));
    let event = Event::new("a").with_id("1").unwrap().with_id("").unwrap();
    assert_eq!((event.id(), event.has_id()), ("", true));
    assert_ne!(event, Event::new("a"));
    let event = Event::new("a").with_id("1").unwrap().with_data("b");
    assert_eq!((event.data(), event.id()), ("b", "1"));
    let seconds = Duration::from_secs;
    assert_eq!(Event::new("a").with_retry(seconds(1)).with_retry(seconds(2)).retry(), Some(seconds(2)));
}

#[test]
fn lent_is_as_owned() {
    let lent = EventRef::new("a");
    assert_eq!(lent.with_retry(Duration::from_micros(2500)).retry(), Some(Duration::from_millis(2)));
    assert_eq!(lent.with_retry(Duration::MAX).retry(), Some(Duration::from_millis(u64::MAX)));
    assert_eq!((lent.has_id(), lent.with_id("").unwrap().has_id()), (false, true));
}

#[cfg(feature = "json")]
#[test]
fn json_is_written_on_one_line() {
    let event = Event::default().with_json(&serde_json::json!({ "a": [1, 2] })).unwrap();
    assert_eq!(event.data(), r#"{"a":[1,2]}"#);
}

proptest! {
    #[test]
    fn a_type_or_an_id_is_one_line_or_none(text in any_text()) {
        let (event, lent) = (Event::new("d"), EventRef::new("d"));
        let first = |forbidden: &[char]| text.find(forbidden);
        match first(&['\r', '\n']) {
            Some(offset) => {
                let error = event.clone().with_event_type(text.as_str()).unwrap_err();
                prop_assert_eq!((error.field(), error.offset()), ("event", offset));
                prop_assert_eq!(lent.with_event_type(&text).unwrap_err(), error);
            }
            None => {
                let expected = if text.is_empty() { "message" } else { &text };
                let event = event.clone().with_event_type(text.as_str()).unwrap();
                prop_assert_eq!(event.event_type(), expected);
            }
        }
        match first(&['\r', '\n', '\0']) {
            Some(offset) => {
                let error = event.with_id(text.as_str()).unwrap_err();
                prop_assert_eq!((error.field(), error.offset()), ("id", offset));
                prop_assert_eq!(lent.with_id(&text).unwrap_err(), error);
            }
            None => {
                let event = event.with_id(text.as_str()).unwrap();
                prop_assert_eq!(event.id(), text.as_str());
            }
        }
    }
}
