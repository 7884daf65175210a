//! How many attempts without an event are made before the client stops.

use super::{BUSY, START, STREAM, connected, connects, open, s, stopped, wait};
use eventwire::{
    Decoder,
    client::{Action, Reconnect, ReconnectPolicy, Resend, ResponseHead, StopReason},
};
use std::time::Duration;

#[test]
fn attempts_that_bring_no_event_are_so_many() {
    let servers: [fn(&mut Reconnect, Duration); 4] = [
        |rules, now| rules.handle_disconnect(now),
        |rules, now| {
            rules.handle_response(now, &BUSY);
        },
        |rules, now| {
            rules.handle_response(now, &ResponseHead::new(429, &[("retry-after", "5")]));
        },
        |rules, now| {
            rules.handle_response(now, &STREAM);
        },
    ];
    for serve in servers {
        for max in [0, 1, 2, 3, 10, 100] {
            let expected = (max, Some(StopReason::AttemptsExhausted));
            assert_eq!(connects(Reconnect::new(ReconnectPolicy::new().with_max_attempts(max)), serve), expected);
        }
        for unlimited in [Reconnect::default(), Reconnect::new(ReconnectPolicy::new().with_max_attempts(u32::MAX))] {
            let outcome = connects(unlimited, serve);
            assert!(matches!(outcome, (1000.., None)), "{outcome:?}");
        }
    }
}

#[test]
fn attempts_are_counted_from_the_last_event() {
    for (max, with_event, expected) in [
        (1, &[][..], 1),
        (1, &[1], 2),
        (1, &[1, 2, 3], 4),
        (3, &[3], 6),
        (3, &[1, 2], 5),
        (3, &[2, 5, 8], 11),
        (3, &[4], 3), // which it does not live to see
    ] {
        let mut connect = 0;
        let mut serve = |rules: &mut Reconnect, now| {
            connect += 1;
            rules.handle_response(now, &STREAM);
            if with_event.contains(&connect) {
                rules.handle_event();
                assert_eq!(rules.attempts(), 0);
            }
        };
        let rules = Reconnect::new(ReconnectPolicy::new().with_max_attempts(max));
        assert_eq!(
            connects(rules, &mut serve),
            (expected, Some(StopReason::AttemptsExhausted)),
            "{max}, {with_event:?}"
        );
    }
}

#[test]
fn attempts_are_set_back_by_an_event_alone() {
    let mut rules = Reconnect::default();
    for attempt in 1..=5 {
        rules = connected(rules, s(100) * attempt, &Decoder::new());
        assert_eq!(rules.attempts(), attempt);
        rules.handle_response(s(100) * attempt, &STREAM);
        rules.handle_resend(Resend::Always);
        assert_eq!(rules.attempts(), attempt);
        rules.handle_disconnect(s(100) * attempt);
        wait(&mut rules, s(100) * attempt, &Decoder::new());
        assert_eq!(rules.attempts(), attempt);
    }
    rules = connected(rules, s(600), &Decoder::new());
    rules.handle_response(s(600), &STREAM);
    rules.handle_event();
    assert_eq!(rules.attempts(), 0);
}

#[test]
fn after_the_last_attempt_nothing_is_waited_for() {
    let mut rules = open(Reconnect::new(ReconnectPolicy::new().with_max_attempts(1)));
    assert_eq!(rules.poll(START, &Decoder::new()), Action::Read);
    rules.handle_disconnect(START);
    assert_eq!(stopped(&mut rules), StopReason::AttemptsExhausted);
    assert_eq!(
        stopped(&mut Reconnect::new(ReconnectPolicy::new().with_max_attempts(0))),
        StopReason::AttemptsExhausted
    );
}
