//! How many attempts without progress, and how many first attempts, are made before the client stops.

use super::{BUSY, START, STREAM, connected, connects, open, s, stopped, wait};
use eventwire::Decoder;
use eventwire_client::{Action, Reconnect, ReconnectPolicy, Resend, ResponseHead, StopReason};
use std::time::Duration;

#[test]
fn attempts_without_an_event_are_limited() {
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
        (3, &[4], 3), // the last one is not reached
    ] {
        let mut connect = 0;
        let mut serve = |rules: &mut Reconnect, now| {
            connect += 1;
            rules.handle_response(now, &STREAM);
            if with_event.contains(&connect) {
                rules.handle_progress();
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
fn only_an_event_resets_the_attempts() {
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
    rules.handle_progress();
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

#[test]
fn an_event_that_cannot_be_decoded_does_not_reset_the_attempts() {
    let rules = Reconnect::new(ReconnectPolicy::new().with_max_attempts(3));
    let serve = |rules: &mut Reconnect, now| {
        rules.handle_response(now, &STREAM);
        rules.handle_undecodable();
    };
    assert_eq!(connects(rules, serve), (3, Some(StopReason::AttemptsExhausted)));
}

#[test]
fn first_attempts_are_those_before_a_connection_is_open() {
    let policy = || ReconnectPolicy::new().with_max_first_attempts(3);
    let fail = |rules: &mut Reconnect, now| rules.handle_disconnect(now);
    assert_eq!(connects(Reconnect::new(policy()), fail), (3, Some(StopReason::NeverOpened)));
    let busy = |rules: &mut Reconnect, now| {
        rules.handle_response(now, &BUSY);
    };
    assert_eq!(connects(Reconnect::new(policy()), busy), (3, Some(StopReason::NeverOpened)));

    // After a connection was open, this limit no longer applies, even after a restart.
    let mut connect = 0;
    let serve = |rules: &mut Reconnect, now| {
        connect += 1;
        match connect {
            3 => _ = rules.handle_response(now, &STREAM),
            _ => rules.handle_unsent(now),
        }
    };
    assert!(matches!(connects(Reconnect::new(policy()), serve), (1000.., None)));
    let mut restarted = open(Reconnect::new(policy()));
    restarted.handle_restart();
    assert!(matches!(connects(restarted, fail), (1000.., None)));

    // The other limit applies as well.
    assert_eq!(connects(Reconnect::new(policy().with_max_attempts(2)), fail), (2, Some(StopReason::AttemptsExhausted)));
}
