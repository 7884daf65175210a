//! What the `with_` methods of `Event` and `EventRef` accept, refuse and set.

use crate::{counting_allocator::measure, event_generator::any_text, law};
use eventwire::{Block, BlockItemRef, BlockRef, ByteString, Comment, Event, EventId, EventRef, EventType, IntoText};
use std::{borrow::Cow, sync::Arc, time::Duration};

#[test]
fn the_last_call_counts() {
    let event = Event::new("a").with_event_type("t").unwrap().with_event_type("message").unwrap();
    assert_eq!(event, Event::new("a"));
    let event = Event::new("a").with_id("1").unwrap().with_id("").unwrap();
    assert_eq!((event.last_event_id(), event.has_id()), ("", true));
    assert_ne!(event, Event::new("a"));
    let event = Event::new("a").with_id("1").unwrap().with_data("b");
    assert_eq!((event.data(), event.last_event_id()), ("b", "1"));
    let seconds = Duration::from_secs;
    assert_eq!(Event::new("a").with_retry(seconds(1)).with_retry(seconds(2)).retry(), Some(seconds(2)));
}

#[test]
fn borrowed_and_owned_behave_alike() {
    let borrowed = EventRef::new("a");
    assert_eq!(borrowed.with_retry(Duration::from_micros(2500)).retry(), Some(Duration::from_millis(2)));
    assert_eq!(borrowed.with_retry(Duration::MAX).retry(), Some(Duration::from_millis(u64::MAX)));
    assert_eq!((borrowed.has_id(), borrowed.with_id("").unwrap().has_id()), (false, true));
}

#[cfg(feature = "json")]
#[test]
fn json_is_written_on_one_line() {
    let event = Event::default().with_json(&serde_json::json!({ "a": [1, 2] })).unwrap();
    assert_eq!(event.data(), r#"{"a":[1,2]}"#);
}

#[test]
fn a_type_or_an_id_is_one_line_or_none() {
    law::check(500, |random| {
        let text = any_text(random);
        let (event, borrowed) = (Event::new("d"), EventRef::new("d"));
        match text.find(['\r', '\n']) {
            Some(offset) => {
                let error = event.clone().with_event_type(text.as_str()).unwrap_err();
                assert_eq!((error.field(), error.offset()), ("event", offset));
                assert_eq!(borrowed.with_event_type(&text).unwrap_err(), error);
            }
            None => {
                let expected = if text.is_empty() { "message" } else { &text };
                let event = event.clone().with_event_type(text.as_str()).unwrap();
                assert_eq!(event.event_type(), expected);
            }
        }
        match text.find(['\r', '\n', '\0']) {
            Some(offset) => {
                let error = event.with_id(text.as_str()).unwrap_err();
                assert_eq!((error.field(), error.offset()), ("id", offset));
                assert_eq!(borrowed.with_id(&text).unwrap_err(), error);
            }
            None => assert_eq!(event.with_id(text.as_str()).unwrap().last_event_id(), text),
        }
    });
}

/// Each kind of text yields the same event, as data, as a type and as an ID.
#[test]
fn every_kind_of_text_is_accepted() {
    #[track_caller]
    fn check(text: impl IntoText + Clone) {
        let event = Event::new(text.clone()).with_event_type(text.clone()).unwrap().with_id(text.clone()).unwrap();
        check_texts(&event, &Event::default().with_data(text.clone()), &Comment::new(text));
    }
    #[track_caller]
    fn check_texts(event: &Event, data: &Event, comment: &Comment) {
        let texts = [event.data(), event.event_type(), event.last_event_id(), data.data(), comment.text()];
        assert_eq!(texts, ["t\u{E9}xt"; 5]);
    }
    let text = String::from("t\u{E9}xt");
    check("t\u{E9}xt");
    check(&"t\u{E9}xt");
    check(&text);
    check(&Arc::<str>::from(&*text));
    check(&Cow::Borrowed("t\u{E9}xt"));
    check(&ByteString::from_static("t\u{E9}xt"));
    check(Box::<str>::from(&*text));
    check(Arc::<str>::from(&*text));
    check(Cow::Borrowed("t\u{E9}xt"));
    check(Cow::<str>::Owned(text.clone()));
    check(ByteString::from_static("t\u{E9}xt"));
    check(text);
}

/// Text that many events share is not copied for each of them, and owned data is never copied.
#[test]
fn text_that_need_not_be_copied_is_moved() {
    let shared = Arc::<str>::from("room");
    let template = Event::default();
    let (event, usage) = measure(|| {
        let event = template.with_event_type(Arc::clone(&shared)).unwrap().with_id(Arc::clone(&shared)).unwrap();
        event.with_data(ByteString::from_static("static"))
    });
    assert_eq!((usage.allocations, event.event_type(), event.last_event_id()), (0, "room", "room"));
}

#[test]
fn a_number_is_an_id() {
    for (number, id) in [(0, "0"), (42, "42"), (u64::MAX, "18446744073709551615")] {
        assert_eq!(Event::new("a").with_numeric_id(number).last_event_id(), id);
        assert_eq!(Event::new("a").with_numeric_id(number), Event::new("a").with_id(id).unwrap());
    }
}

#[test]
fn a_block_has_what_was_set() {
    let second = Duration::from_secs(1);
    let empty = Block::default();
    let named = |text: &str| empty.clone().with_event_type(text.parse().unwrap());
    let rows = [
        (empty.clone(), (None, None, None, None), "\n"),
        (named("t"), (Some("t"), None, None, None), "event: t\n\n"),
        (named(""), (Some("message"), None, None, None), "event: message\n\n"),
        (empty.clone().with_data("a\nb"), (None, Some("a\nb"), None, None), "data: a\ndata: b\n\n"),
        (empty.clone().with_id(7), (None, None, Some("7"), None), "id: 7\n\n"),
        (empty.with_retry(second), (None, None, None, Some(second)), "retry: 1000\n\n"),
    ];
    for (block, fields, bytes) in rows {
        let borrowed = BlockRef::from(&block);
        assert_eq!((block.event_type(), block.data(), block.id(), block.retry()), fields);
        assert_eq!((borrowed.event_type(), borrowed.data(), borrowed.id(), borrowed.retry()), fields);
        let mut written = b"before ".to_vec();
        BlockItemRef::Block(borrowed).encode(&mut written);
        assert_eq!(&written[7..], bytes.as_bytes());
        assert_eq!(block.to_bytes(), bytes);
    }
}

#[test]
fn checked_text_is_shown_as_it_is() {
    for text in ["room", "a longer text, which is stored elsewhere"] {
        let (event_type, id): (EventType, EventId) = (text.parse().unwrap(), text.parse().unwrap());
        assert_eq!((event_type.as_str(), id.as_str()), (text, text));
        assert_eq!(
            (format!("{event_type:?}"), format!("{id:?}")),
            (format!("EventType(Some({text:?}))"), format!("EventId({text:?})"))
        );
    }
    let none: EventType = "".parse().unwrap();
    assert_eq!((none.as_str(), &none), ("message", &EventType::new("message").unwrap()));
}
