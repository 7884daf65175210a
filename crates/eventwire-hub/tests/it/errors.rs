//! What is refused, and what the errors say.

use bytes::Bytes;
use eventwire::{Block, Comment, Encoded, Event, Outgoing};
use eventwire_hub::{AppendError, Channel, History, MergeError, Merged, Resume, SendError, StreamPosition, UpToDate};
use http::StatusCode;
use std::time::Duration;

fn encoded(bytes: &'static str) -> Encoded {
    Encoded::from_bytes(Bytes::from_static(bytes.as_bytes())).unwrap()
}

fn channel() -> Channel {
    let channel = Channel::new(History::new().with_max_bytes(100));
    channel.restart(StreamPosition::new(1, 5)).unwrap();
    channel
}

#[test]
fn an_event_with_an_id_is_not_sent() {
    let channel = channel();
    for id in ["7", ""] {
        let event = Event::new("a").with_id(id).unwrap();
        assert_eq!(channel.send(&event), Err(SendError::HasId));
        assert_eq!(channel.send_transient(event), Err(SendError::HasId));
    }
    assert_eq!(channel.send_transient(Block::default().with_id(7)), Err(SendError::HasId));
    assert_eq!(channel.send_transient(encoded("data: a\n\nid: 7\rdata: b\r\r")), Err(SendError::HasId));
    assert_eq!(channel.send_transient(Outgoing::from_id(7.into(), encoded("data: a\n\n"))), Err(SendError::HasId));
    assert_eq!(channel.position(), StreamPosition::new(1, 5));
}

#[test]
fn transient_items_can_be_anything_without_an_id() {
    let channel = channel();
    for item in [
        Outgoing::from(Event::new("id: 7")),
        Comment::new("id: 7").into(),
        Block::default().with_retry(Duration::from_secs(1)).into(),
        encoded("data: a\r\rdata: b\n\n").into(),
        // A NUL makes an ID no ID: https://html.spec.whatwg.org/multipage/server-sent-events.html
        encoded("id: 7\0\n\n").into(),
    ] {
        assert_eq!(channel.send_transient(item), Ok(()));
    }
}

#[test]
fn a_transient_item_that_needs_more_than_a_quarter_of_the_history_is_not_sent() {
    let channel = channel();
    let of = |len: usize| Event::new("x".repeat(len - "data: \n\n".len()));
    assert_eq!(channel.send_transient(of(25)), Ok(()));
    assert_eq!(channel.send_transient(of(26)), Err(SendError::TooLarge));
    assert!(channel.send(&of(101)).is_ok(), "an event is always kept");
}

#[test]
fn nothing_is_sent_after_the_end() {
    let channel = channel();
    channel.finish();
    assert_eq!(channel.send(&Event::new("a")), Err(SendError::Finished));
    assert_eq!(channel.send_transient(Event::new("a")), Err(SendError::Finished));
    let event = Event::new("a").encoded();
    assert_eq!(channel.append(StreamPosition::new(1, 6), &event), Err(AppendError::Finished));
    assert_eq!(channel.position(), StreamPosition::new(1, 5));
}

#[test]
fn nothing_is_sent_after_the_last_number() {
    let channel = channel();
    channel.restart(StreamPosition::new(1, u64::MAX - 1)).unwrap();
    assert_eq!(channel.send(&Event::new("a")), Ok(StreamPosition::new(1, u64::MAX)));
    assert_eq!(channel.send(&Event::new("a")), Err(SendError::Finished));
}

#[test]
fn appended_events_follow_each_other() {
    let channel = channel();
    let event = Event::new("a").encoded();
    let out_of_order = Err(AppendError::OutOfOrder { expected: StreamPosition::new(1, 6) });
    for at in
        [StreamPosition::new(1, 5), StreamPosition::new(1, 7), StreamPosition::new(2, 6), StreamPosition::new(1, 0)]
    {
        assert_eq!(channel.append(at, &event), out_of_order);
    }
    assert_eq!(channel.append(StreamPosition::new(1, 6), &event), Ok(()));
    assert_eq!(channel.position(), StreamPosition::new(1, 6));
}

#[test]
fn what_is_appended_is_one_event_without_an_id() {
    let channel = channel();
    for blocks in [
        "data: a\n\ndata: b\n\n",
        "id: 7\ndata: a\n\n",
        "retry: 1\n\n",
        ": a\n\n",
        "\n",
        "data: a\n\n: b\n\n",
        // A connection that is lost after the first blank line would leave the ID without the event.
        "\ndata: a\n\n",
        "unknown: field\n\ndata: a\n\n",
        "data: a\n\nunknown: field\n\n",
    ] {
        assert_eq!(channel.append(StreamPosition::new(1, 6), &encoded(blocks)), Err(AppendError::NotOneEvent));
    }
    assert_eq!(channel.append(StreamPosition::new(1, 6), &encoded("event: b\r\ndata: a\r\ndata: b\r\n\r\n")), Ok(()));
}

#[test]
fn an_epoch_does_not_go_back() {
    let channel = channel();
    let out_of_order = Err(AppendError::OutOfOrder { expected: StreamPosition::new(1, 5) });
    for number in [0, 4] {
        assert_eq!(channel.restart(StreamPosition::new(1, number)), out_of_order);
    }
    for after in [StreamPosition::new(1, 5), StreamPosition::new(1, 9), StreamPosition::new(0, 3)] {
        assert_eq!((channel.restart(after), channel.position()), (Ok(()), after));
    }
}

#[test]
fn topics_have_names() {
    let channel = channel();
    let merge = |names: &[&str]| Merged::subscribe(names.iter().map(|name| (*name, &channel)), Resume::Live).map(drop);
    let longest = "x".repeat(64);
    assert_eq!(merge(&["a", "B.1_2-3", &longest]), Ok(()));
    for name in ["", "a=b", "a,b", "a b", "\u{E9}", "a\n", &"x".repeat(65)] {
        assert_eq!(merge(&["a", name]), Err(MergeError::InvalidName(name.to_owned())));
    }
    assert_eq!(merge(&["a", "b", "a"]), Err(MergeError::RepeatedName("a".to_owned())));
    assert_eq!(merge(&[]), Err(MergeError::NoTopics));
    let names: Vec<String> = (0..17).map(|number| number.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(merge(&names[..16]), Ok(()));
    assert_eq!(merge(&names), Err(MergeError::TooManyTopics));
    assert_eq!(channel.stats().readers, 0);
}

#[test]
fn errors_are_statuses_of_http() {
    assert_eq!(StatusCode::from(UpToDate), StatusCode::NO_CONTENT);
    assert_eq!(StatusCode::from(MergeError::UpToDate), StatusCode::NO_CONTENT);
    assert_eq!(StatusCode::from(MergeError::NoTopics), StatusCode::BAD_REQUEST);
}

#[test]
fn what_is_printed_for_a_program_contains_no_event() {
    let channel = channel();
    channel.send(&Event::new("secret")).unwrap();
    let subscription = channel.subscribe(Resume::Earliest).unwrap();
    let text = format!("{channel:?} {subscription:?}");
    assert!(text.contains("readers: 1") && !text.contains("secret"), "{text}");
}

#[test]
fn errors_say_what_is_wrong() {
    #[track_caller]
    fn check(error: impl std::error::Error, text: &str) {
        assert_eq!(error.to_string(), text);
    }
    check(SendError::HasId, "the item has an ID, but the channel sets the IDs");
    check(SendError::Finished, "the channel is finished");
    check(SendError::TooLarge, "the item has more than a quarter of the bytes that the history may have");
    let expected = StreamPosition::new(1, 6);
    check(AppendError::OutOfOrder { expected }, "the position is out of order: 0000000000000001-6 was expected");
    check(AppendError::NotOneEvent, "the blocks are not exactly one event without an ID");
    check(UpToDate, "the reader has every event, and the channel is finished");
    check(MergeError::UpToDate, "the reader has every event, and the channels are finished");
    let name = MergeError::InvalidName("a b".to_owned());
    check(name, "invalid topic name \"a b\": use 1 to 64 of the characters A-Z a-z 0-9 _ . -");
    check(MergeError::RepeatedName("a".to_owned()), "two topics have the name \"a\"");
}
