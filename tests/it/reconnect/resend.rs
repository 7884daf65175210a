//! Whether a request may be sent again.

use super::{BUSY, START, STREAM, connected, connecting, connects, decoder, open, stopped, wait};
use eventwire::{
    Decoder,
    client::{Action, Reconnect, ReconnectPolicy, Resend, ResponseHead, StopReason, Verdict},
};

const BAD_GATEWAY: ResponseHead<'static> = ResponseHead::new(502, &[]);
const UNAVAILABLE: ResponseHead<'static> = ResponseHead::new(503, &[("retry-after", "1")]);

/// What happened to a request.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Unsent,
    Busy,
    BadGateway,
    /// The server may still be working on the request.
    Unavailable,
    Lost,
    /// A response was received, and its body ended.
    Opened,
    Undecodable,
    Progressed,
}

impl Fate {
    const ALL: [Fate; 8] = [
        Fate::Unsent,
        Fate::Busy,
        Fate::BadGateway,
        Fate::Unavailable,
        Fate::Lost,
        Fate::Opened,
        Fate::Undecodable,
        Fate::Progressed,
    ];

    fn befall(self, rules: &mut Reconnect) {
        match self {
            Fate::Unsent => rules.handle_unsent(START),
            Fate::Busy => _ = rules.handle_response(START, &BUSY),
            Fate::BadGateway => _ = rules.handle_response(START, &BAD_GATEWAY),
            Fate::Unavailable => _ = rules.handle_response(START, &UNAVAILABLE),
            Fate::Lost => {}
            Fate::Opened | Fate::Undecodable | Fate::Progressed => _ = rules.handle_response(START, &STREAM),
        }
        match self {
            Fate::Undecodable => rules.handle_undecodable(),
            Fate::Progressed => rules.handle_progress(),
            _ => {}
        }
        rules.handle_disconnect(START);
    }
}

/// Returns whether the request is sent again after this fate, without a last event ID and with one.
const fn is_resent(resend: Resend, fate: Fate) -> [bool; 2] {
    use Fate::{Busy, Progressed, Undecodable, Unsent};
    match (resend, fate) {
        (Resend::Always, _) => [true, true],
        (Resend::UnlessSent, Unsent | Busy) => [true, true],
        (Resend::UntilProgress, Undecodable | Progressed) => [false, false],
        (Resend::UntilProgress, _) => [true, true],
        (Resend::WithCursor, Unsent | Busy) => [true, true],
        (Resend::WithCursor, _) => [false, true],
        _ => [false, false],
    }
}

#[test]
fn which_requests_are_sent_again() {
    use Resend::{Always, Never, UnlessSent, UntilProgress, WithCursor};
    for resend in [Always, UnlessSent, UntilProgress, WithCursor, Never] {
        for fate in Fate::ALL {
            let [without, with] = is_resent(resend, fate);
            let check = |mut rules: Reconnect, decoder: &Decoder, expected: bool, what: &str| {
                let is_resent = matches!(rules.poll(START, decoder), Action::Wait(_));
                assert_eq!(is_resent, expected, "{resend:?}, {fate:?}, {what}");
                let reason = (!expected).then_some(StopReason::NotResent);
                assert_eq!(rules.stop_reason(), reason, "{resend:?}, {fate:?}, {what}");
            };
            let new = || connecting(Reconnect::new(ReconnectPolicy::new().with_resend(resend)));
            let mut rules = new();
            fate.befall(&mut rules);
            check(rules.clone(), &Decoder::new(), without, "no cursor");
            check(rules, &decoder("id: 1\ndata\n\n"), with, "an ID");
            let mut rules = new();
            rules.handle_cursor(Some("7"));
            fate.befall(&mut rules);
            check(rules.clone(), &Decoder::new(), with, "a cursor");
            rules.handle_cursor(None);
            check(rules, &Decoder::new(), without, "a cursor that was removed");
        }
    }
}

#[test]
fn the_policy_takes_precedence_over_the_request() {
    use Resend::{Always, Never, UnlessSent, UntilProgress};
    for (of_policy, of_request, is_resent) in [
        (None, None, true),
        (None, Some(Always), true),
        (None, Some(UnlessSent), false),
        (None, Some(UntilProgress), false),
        (None, Some(Never), false),
        (Some(Always), Some(UnlessSent), true),
        (Some(UnlessSent), Some(Always), false),
        (Some(Never), None, false),
    ] {
        let policy = ReconnectPolicy::new();
        let policy = of_policy.map_or(policy.clone(), |resend| policy.with_resend(resend));
        let mut rules = connecting(Reconnect::new(policy));
        of_request.into_iter().for_each(|resend| rules.handle_resend(resend));
        Fate::Progressed.befall(&mut rules);
        let waits = matches!(rules.poll(START, &Decoder::new()), Action::Wait(_));
        assert_eq!(waits, is_resent, "{of_policy:?}, {of_request:?}");
    }
}

/// The fate of one request does not affect the next one.
#[test]
fn each_request_has_its_own_fate() {
    let mut connect = 0;
    let serve = |rules: &mut Reconnect, now| {
        connect += 1;
        match connect {
            1 | 3 => rules.handle_unsent(now),
            2 | 4 => _ = rules.handle_response(now, &BUSY),
            _ => _ = rules.handle_response(now, &BAD_GATEWAY),
        }
    };
    let rules = Reconnect::new(ReconnectPolicy::new().with_resend(Resend::UnlessSent));
    assert_eq!(connects(rules, serve), (5, Some(StopReason::NotResent)));
}

#[test]
fn progress_counts_for_all_requests_after_it() {
    let mut rules = connecting(Reconnect::default());
    Fate::Progressed.befall(&mut rules);
    rules.handle_resend(Resend::UntilProgress);
    Fate::Unsent.befall(&mut rules);
    assert_eq!(stopped(&mut rules), StopReason::NotResent);
}

#[test]
fn a_custom_verdict_tells_whether_the_request_was_processed() {
    for (verdict, is_resent) in [(Verdict::TurnedAway, true), (Verdict::RetryIfAllowed, false)] {
        let mut rules = connecting(Reconnect::new(ReconnectPolicy::new().with_resend(Resend::UnlessSent)));
        rules.handle_verdict(START, verdict, None);
        assert_eq!(matches!(rules.poll(START, &Decoder::new()), Action::Wait(_)), is_resent, "{verdict:?}");
    }
}

#[test]
fn the_last_request_determines_whether_it_is_sent_again() {
    let mut rules = connecting(Reconnect::default());
    rules.handle_resend(Resend::UntilProgress);
    rules.handle_resend(Resend::Always);
    rules.handle_response(START, &STREAM);
    rules.handle_progress();
    assert_eq!(rules.poll(START, &Decoder::new()), Action::Read);
    rules.handle_disconnect(START);
    wait(&mut rules.clone(), START, &Decoder::new());

    // This reason takes precedence over the others, and there is no delay.
    rules.set_policy(ReconnectPolicy::new().with_max_attempts(0));
    rules.handle_resend(Resend::UntilProgress);
    assert_eq!(stopped(&mut rules.clone()), StopReason::NotResent);
    rules.handle_resend(Resend::Always);
    assert_eq!(stopped(&mut rules), StopReason::AttemptsExhausted);
}

#[test]
fn a_restart_sends_any_request_again() {
    for resend in [Resend::UnlessSent, Resend::UntilProgress, Resend::WithCursor, Resend::Never] {
        let mut rules = open(Reconnect::new(ReconnectPolicy::new().with_resend(resend).with_max_attempts(3)));
        rules.handle_progress();
        rules.handle_disconnect(START);
        assert_eq!(stopped(&mut rules), StopReason::NotResent);
        rules.handle_restart();
        assert_eq!((rules.stop_reason(), rules.attempts()), (None, 0));
        rules = connected(rules, START, &Decoder::new());
        assert_eq!(rules.attempts(), 1);
        Fate::Progressed.befall(&mut rules);
        assert_eq!(stopped(&mut rules), StopReason::NotResent, "{resend:?}");
    }
}
