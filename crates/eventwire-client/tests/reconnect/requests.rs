//! When a request is sent, and with which last event ID.

use super::{START, STREAM, connected, connecting, decoder, open, read, s, sent_id, wait};
use eventwire::Decoder;
use eventwire_client::{Action, Reconnect, ReconnectPolicy, StopReason};
use std::time::Duration;

#[test]
fn the_first_request_is_sent_at_once_and_once() {
    for now in [START, s(5), Duration::MAX] {
        let decoder = Decoder::new();
        let mut rules = Reconnect::default();
        assert_eq!(rules.attempts(), 0);
        assert_eq!(sent_id(rules.poll(now, &decoder)), None);
        assert_eq!(rules.attempts(), 1);
        for later in [now, Duration::MAX, START] {
            assert_eq!(rules.poll(later, &decoder), Action::Read);
        }
        assert_eq!(rules.attempts(), 1);
    }
}

#[test]
fn the_last_event_id_is_sent_unchanged() {
    for id in
        ["1", "0", " ", "a b", " padded ", "\t", "\"quoted\", and more", "~", "\u{E9}", "\u{80}", "\u{FEFF}\u{1F600}"]
    {
        let seeded = Decoder::new().with_last_event_id(id).unwrap();
        let read = decoder(&format!("id: {id}\ndata\n\n"));
        for decoder in [seeded, read] {
            assert_eq!(sent_id(Reconnect::default().poll(START, &decoder)), Some(id));
        }
    }
    let empty = Decoder::new().with_last_event_id("").unwrap();
    assert_eq!(sent_id(Reconnect::default().poll(START, &empty)), None);
}

#[test]
fn each_request_has_the_current_id() {
    let mut decoder = Decoder::new().with_last_event_id("seed").unwrap();
    let mut rules = Reconnect::default();
    let mut now = START;
    for (stream, next) in [
        ("", Some("seed")),
        ("data\n\n", Some("seed")),
        ("id: 1\ndata\n\n", Some("1")),
        ("id: 2\n\n", Some("2")), // a block without data is not an event, but sets the ID
        ("id: 3\ndata: cut off", Some("2")),
        ("id: 4\0\ndata\n\n", Some("2")),
        ("id\ndata\n\n", None), // the server clears it
        ("data\n\n", None),
        ("id: \u{E9}\ndata\n\n", Some("\u{E9}")),
    ] {
        rules = connected(rules, now, &decoder);
        rules.handle_response(now, &STREAM);
        (0..read(&mut decoder, stream)).for_each(|_| rules.handle_progress());
        rules.handle_disconnect(now);
        now += wait(&mut rules, now, &decoder);
        assert_eq!(sent_id(rules.clone().poll(now, &decoder)), next, "{stream:?}");
    }
}

/// Any Unicode text without U+0000, LF and CR can be an ID, but a header's value allows fewer characters.
#[test]
fn an_id_with_a_control_character_ends_the_client() {
    for character in (0..0x100).filter_map(char::from_u32).filter(|character| !"\0\n\r".contains(*character)) {
        let id = format!("a{character}b");
        let decoder = decoder(&format!("id: {id}\ndata\n\n"));
        let is_sendable = character == '\t' || !character.is_ascii_control();
        let refused = Action::Stop(StopReason::InvalidLastEventId);
        let expected = |otherwise| if is_sendable { otherwise } else { refused };
        let check_connect = |action: Action<'_>, when: &str| match action {
            Action::Connect { last_event_id, .. } if is_sendable => assert_eq!(last_event_id, Some(&*id)),
            action => assert!(!is_sendable && action == refused, "{action:?}: {} {when}", character.escape_unicode()),
        };
        let shown = character.escape_unicode();

        let mut at_the_start = Reconnect::default();
        check_connect(at_the_start.poll(START, &decoder), "at the start");
        assert_eq!(at_the_start.attempts(), u32::from(is_sendable), "{shown}");

        // At once, not at the end of the delay.
        let mut at_the_end = open(Reconnect::default());
        at_the_end.handle_progress();
        at_the_end.handle_disconnect(START);
        let action = at_the_end.poll(START, &decoder);
        let action = if let Action::Wait(_) = action { Action::Read } else { action };
        assert_eq!(action, expected(Action::Read), "{shown} after a disconnect");

        let mut meanwhile = connecting(Reconnect::default());
        meanwhile.handle_disconnect(START);
        let delay = wait(&mut meanwhile, START, &Decoder::new());
        check_connect(meanwhile.poll(delay, &decoder), "during a delay");
    }
}

#[test]
fn an_id_that_cannot_be_sent_again_does_not_end_an_open_connection() {
    let decoder = decoder("id: \u{1}\ndata\n\n");
    assert_eq!(open(Reconnect::default()).poll(START, &decoder), Action::Read);
}

/// Servers answer a header that is too large with 431, or close the connection.
#[test]
fn an_id_that_is_too_long_ends_the_client() {
    let decoder = |length: usize| Decoder::new().with_last_event_id(&"x".repeat(length)).unwrap();
    let long = |max: Option<usize>| {
        let policy = ReconnectPolicy::new();
        Reconnect::new(max.map_or(policy.clone(), |max| policy.with_max_last_event_id(max)))
    };
    for (max, at) in [(None, 8192), (Some(0), 0), (Some(10), 10), (Some(100_000), 100_000)] {
        assert!(matches!(long(max).poll(START, &decoder(at)), Action::Connect { .. }), "{max:?}");
        let too_long = Action::Stop(StopReason::LastEventIdTooLong);
        assert_eq!(long(max).poll(START, &decoder(at + 1)), too_long, "{max:?}");
        let mut rules = open(long(max));
        assert_eq!(rules.poll(START, &decoder(at + 1)), Action::Read, "an open connection stays open");
        rules.handle_disconnect(START);
        assert_eq!(rules.poll(START, &decoder(at + 1)), too_long, "{max:?}");
    }
}
