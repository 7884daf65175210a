//! The ready state from the first request to the end, and the reason for the end, which does not change.

use super::{BUSY, START, STREAM, connected, connecting, open, s, stopped, wait};
use eventwire::Decoder;
use eventwire_client::{Action, ReadyState, Reconnect, ReconnectPolicy, Resend, ResponseHead, StopReason, Verdict};

#[test]
fn ready_state_of_a_whole_life() {
    use ReadyState::{Closed, Connecting, Open};
    assert_eq!([Connecting, Open, Closed].map(|state| state as u8), [0, 1, 2]);
    let mut rules = Reconnect::default();
    assert_eq!(rules.ready_state(), Connecting);
    rules = connecting(rules);
    assert_eq!(rules.ready_state(), Connecting);
    rules.handle_response(START, &BUSY);
    assert_eq!(rules.ready_state(), Connecting);
    wait(&mut rules, START, &Decoder::new());
    assert_eq!(rules.ready_state(), Connecting);
    rules = connected(rules, s(10), &Decoder::new());
    assert_eq!(rules.ready_state(), Connecting);
    rules.handle_response(s(10), &STREAM);
    assert_eq!(rules.ready_state(), Open);
    assert_eq!(rules.poll(s(10), &Decoder::new()), Action::Read);
    rules.handle_progress();
    assert_eq!(rules.ready_state(), Open);
    rules.handle_disconnect(s(20));
    assert_eq!(rules.ready_state(), Connecting);
    wait(&mut rules, s(20), &Decoder::new());
    assert_eq!(rules.ready_state(), Connecting);
    rules = connected(rules, s(30), &Decoder::new());
    assert_eq!(rules.ready_state(), Connecting);
    rules.handle_response(s(30), &ResponseHead::new(204, &[]));
    assert_eq!(rules.ready_state(), Closed);
    assert_eq!(stopped(&mut rules), StopReason::NoContent);
}

#[test]
fn the_first_reason_is_kept() {
    let closed = || {
        let mut rules = open(Reconnect::default());
        rules.handle_close();
        rules
    };
    let refused = |status| {
        let mut rules = connecting(Reconnect::default());
        rules.handle_response(START, &ResponseHead::new(status, &[]));
        rules
    };
    let exhausted = || {
        let mut rules = Reconnect::new(ReconnectPolicy::new().with_max_attempts(0));
        assert_eq!(stopped(&mut rules), StopReason::AttemptsExhausted);
        rules
    };
    let permanent = || {
        let mut rules = connecting(Reconnect::default());
        rules.handle_permanent_error();
        rules
    };
    let finished = || {
        let mut rules = open(Reconnect::default());
        rules.handle_end();
        rules
    };
    for (rules, reason) in [
        (closed(), StopReason::Closed),
        (refused(204), StopReason::NoContent),
        (refused(404), StopReason::Refused),
        (exhausted(), StopReason::AttemptsExhausted),
        (permanent(), StopReason::Permanent),
        (finished(), StopReason::Finished),
    ] {
        let calls: [fn(&mut Reconnect); 16] = [
            |rules| assert_eq!(rules.handle_response(START, &STREAM), Verdict::Open),
            |rules| assert_eq!(rules.handle_response(START, &BUSY), Verdict::TurnedAway),
            |rules| assert_eq!(rules.handle_response(START, &ResponseHead::new(204, &[])), Verdict::Stop),
            |rules| assert_eq!(rules.handle_response(START, &ResponseHead::new(404, &[])), Verdict::Fail),
            |rules| rules.handle_verdict(START, Verdict::RetryIfAllowed, Some(s(1))),
            |rules| rules.handle_disconnect(START),
            |rules| rules.handle_unsent(START),
            |rules| rules.set_delay(START, START),
            Reconnect::handle_undecodable,
            |rules| rules.handle_cursor(Some("7")),
            Reconnect::handle_end,
            Reconnect::handle_progress,
            Reconnect::handle_close,
            Reconnect::handle_permanent_error,
            |rules| rules.handle_resend(Resend::UntilProgress),
            |rules| rules.handle_resend(Resend::Always),
        ];
        let mut all = rules.clone();
        for call in calls {
            let mut one = rules.clone();
            call(&mut one);
            assert_eq!(one.ready_state(), ReadyState::Closed);
            assert_eq!(stopped(&mut one), reason);
            call(&mut all);
            assert_eq!(stopped(&mut all), reason);
        }
    }
}

#[test]
fn it_can_be_closed_at_any_time() {
    let down = || {
        let mut rules = open(Reconnect::default());
        rules.handle_disconnect(START);
        rules
    };
    let waiting = || {
        let mut rules = down();
        wait(&mut rules, START, &Decoder::new());
        rules
    };
    for mut rules in
        [Reconnect::default(), connecting(Reconnect::default()), open(Reconnect::default()), down(), waiting()]
    {
        rules.handle_close();
        assert_eq!(rules.ready_state(), ReadyState::Closed);
        assert_eq!(stopped(&mut rules), StopReason::Closed);
    }
}

#[test]
fn a_restart_after_any_end() {
    let ends: [fn(&mut Reconnect); 5] = [
        Reconnect::handle_close,
        Reconnect::handle_end,
        Reconnect::handle_permanent_error,
        |rules| rules.handle_disconnect(START),
        |_| {},
    ];
    for end in ends {
        let mut rules = open(Reconnect::default());
        end(&mut rules);
        rules.handle_restart();
        assert_eq!((rules.ready_state(), rules.attempts()), (ReadyState::Connecting, 0));
        rules = connected(rules, START, &Decoder::new());
        assert_eq!(rules.attempts(), 1);
    }
}
