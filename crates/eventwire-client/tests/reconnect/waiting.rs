//! When a delay begins, and how much of it is left.

use super::{START, connected, connecting, open, s, sent_id, wait};
use eventwire::Decoder;
use eventwire_client::{Action, Reconnect, ReconnectPolicy, ResponseHead};
use std::time::Duration;

#[test]
fn a_delay_begins_with_the_disconnect_and_ends_on_time() {
    let decoder = Decoder::new();
    let mut rules = open(Reconnect::new(ReconnectPolicy::new().with_jitter_seed(9)));
    rules.handle_disconnect(s(100));
    let delay = wait(&mut rules.clone(), s(100), &decoder);
    let nanosecond = Duration::from_nanos(1);

    // A late call waits only for the rest.
    assert_eq!(wait(&mut rules, s(101), &decoder), delay - s(1));
    assert_eq!(wait(&mut rules, s(102), &decoder), delay - s(2));
    assert_eq!(wait(&mut rules, s(102), &decoder), delay - s(2));
    assert_eq!(wait(&mut rules, s(100) + delay - nanosecond, &decoder), nanosecond);
    // If the clock goes back, the delay is longer.
    assert_eq!(wait(&mut rules, s(40), &decoder), s(60) + delay);
    assert_eq!(wait(&mut rules, START, &decoder), s(100) + delay);
    for now in [s(100) + delay, s(100) + delay + nanosecond, Duration::MAX] {
        connected(rules.clone(), now, &decoder);
    }
    let mut much_too_late = open(Reconnect::default());
    much_too_late.handle_disconnect(s(100));
    connected(much_too_late, s(200), &decoder);
}

#[test]
fn a_delay_begins_with_the_refusal() {
    for headers in [&[][..], &[("retry-after", "20")]] {
        let mut rules = connecting(Reconnect::default());
        rules.handle_response(s(100), &ResponseHead::new(503, headers));
        let delay = wait(&mut rules.clone(), s(100), &Decoder::new());
        assert_eq!(wait(&mut rules, s(102), &Decoder::new()), delay - s(2));
        connected(rules, s(100) + delay, &Decoder::new());
    }
}

#[test]
fn a_disconnect_without_a_connection_has_no_effect() {
    let decoder = Decoder::new();
    let mut before = Reconnect::default();
    before.handle_disconnect(START);
    assert_eq!(sent_id(before.poll(START, &decoder)), None);

    let mut rules = open(Reconnect::default());
    rules.handle_disconnect(s(1));
    let expected = wait(&mut rules.clone(), s(1), &decoder);
    rules.handle_disconnect(s(2));
    assert_eq!(wait(&mut rules, s(1), &decoder), expected);
    rules.handle_disconnect(s(3));
    assert_eq!(wait(&mut rules, s(1), &decoder), expected);

    // The end of a rejected response's body does not drop its Retry-After.
    let mut refused = connecting(Reconnect::default());
    refused.handle_response(START, &ResponseHead::new(503, &[("retry-after", "20")]));
    refused.handle_disconnect(s(1));
    let delay = wait(&mut refused, START, &decoder);
    assert!((s(20)..=s(25)).contains(&delay), "{delay:?}");
}

#[test]
fn a_connection_that_is_open_was_made() {
    let mut rules = open(Reconnect::default());
    rules.handle_unsent(START);
    assert_eq!(rules.poll(START, &Decoder::new()), Action::Read);
}
