//! The rules of reconnection. Each test passes in calls and times, and checks the resulting actions.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod attempts;
mod backoff;
mod http_date;
mod life_cycle;
mod random_walk;
mod requests;
mod resend;
mod response_verdict;
mod retry_after;
mod waiting;

use eventwire::Decoder;
use eventwire_client::{Action, ReadyState, Reconnect, ResponseHead, StopReason, Verdict};
use std::time::Duration;

const STREAM: ResponseHead<'_> = ResponseHead::new(200, &[("content-type", "text/event-stream")]);
const BUSY: ResponseHead<'_> = ResponseHead::new(429, &[]);
const START: Duration = Duration::ZERO;
/// The date of a response that has one.
const THEN: &str = "Thu, 01 Jan 2026 00:00:00 GMT";

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// Returns a decoder that has read this.
fn decoder(stream: &str) -> Decoder {
    let mut decoder = Decoder::new();
    read(&mut decoder, stream);
    decoder
}

/// Reads a stream to its end, and returns the number of its events.
fn read(decoder: &mut Decoder, stream: &str) -> usize {
    let mut input = stream.as_bytes();
    let mut events = 0;
    while decoder.decode(&mut input).unwrap().is_some() {
        events += 1;
    }
    assert_eq!(decoder.finish(), Ok(None));
    events
}

/// The last event ID that a `Connect` sends.
#[track_caller]
fn sent_id(action: Action<'_>) -> Option<&str> {
    match action {
        Action::Connect { last_event_id, .. } => last_event_id,
        action => panic!("{action:?}"),
    }
}

/// Returns the rules after their first `Connect`.
#[track_caller]
fn connecting(rules: Reconnect) -> Reconnect {
    connected(rules, START, &Decoder::new())
}

/// Returns the rules after a `Connect` that must be due now.
#[track_caller]
fn connected(mut rules: Reconnect, now: Duration, decoder: &Decoder) -> Reconnect {
    let action = rules.poll(now, decoder);
    assert!(matches!(action, Action::Connect { .. }), "{action:?}");
    rules
}

/// Returns the rules with an open connection.
#[track_caller]
fn open(rules: Reconnect) -> Reconnect {
    let mut rules = connecting(rules);
    assert_eq!(rules.handle_response(START, &STREAM), Verdict::Open);
    rules
}

/// Returns the current delay.
#[track_caller]
fn wait(rules: &mut Reconnect, now: Duration, decoder: &Decoder) -> Duration {
    match rules.poll(now, decoder) {
        Action::Wait(delay) => delay,
        action => panic!("{action:?}"),
    }
}

/// Returns the reason for the end, and checks that it does not change.
#[track_caller]
fn stopped(rules: &mut Reconnect) -> StopReason {
    let decoder = Decoder::new();
    let Action::Stop(reason) = rules.poll(START, &decoder) else { panic!("{rules:?}") };
    assert_eq!(rules.poll(Duration::MAX, &decoder), Action::Stop(reason));
    assert_eq!(rules.ready_state(), ReadyState::Closed);
    reason
}

/// Returns the number of connections to a server that behaves like this, up to a thousand, and the reason for the
/// end.
fn connects(mut rules: Reconnect, mut serve: impl FnMut(&mut Reconnect, Duration)) -> (u32, Option<StopReason>) {
    let decoder = Decoder::new();
    let mut now = START;
    let mut connects = 0;
    for _ in 0..3000 {
        match rules.poll(now, &decoder) {
            Action::Connect { .. } => {
                connects += 1;
                serve(&mut rules, now);
            }
            Action::Wait(delay) => now += delay,
            Action::Read => rules.handle_disconnect(now),
            Action::Stop(reason) => return (connects, Some(reason)),
        }
    }
    (connects, None)
}
