//! Whether a request may be sent again.

use super::{BUSY, START, STREAM, connected, connecting, connects, decoder, open, stopped, wait};
use eventwire::Decoder;
use eventwire_client::{Action, Reconnect, ReconnectPolicy, Resend, ResponseHead, StopReason, Verdict};

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
        (Resend::UnlessSent | Resend::Unknown, Unsent | Busy) => [true, true],
        (Resend::UntilProgress, Undecodable | Progressed) => [false, false],
        (Resend::UntilProgress, _) => [true, true],
        (Resend::WithCursor, Unsent | Busy) => [true, true],
        (Resend::WithCursor, _) => [false, true],
        _ => [false, false],
    }
}

#[test]
fn which_requests_are_sent_again() {
    use Resend::{Always, Never, Unknown, UnlessSent, UntilProgress, WithCursor};
    for resend in [Always, UnlessSent, UntilProgress, WithCursor, Never, Unknown] {
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

/// The [registry] of methods, as of 2026: the names, and whether each method is safe and idempotent.
///
/// [registry]: https://www.iana.org/assignments/http-methods/http-methods.xhtml
const METHODS: &[(&str, bool, bool)] = &[
    ("ACL", false, true),
    ("BASELINE-CONTROL", false, true),
    ("BIND", false, true),
    ("CHECKIN", false, true),
    ("CHECKOUT", false, true),
    ("CONNECT", false, false),
    ("COPY", false, true),
    ("DELETE", false, true),
    ("GET", true, true),
    ("HEAD", true, true),
    ("LABEL", false, true),
    ("LINK", false, true),
    ("LOCK", false, false),
    ("MERGE", false, true),
    ("MKACTIVITY", false, true),
    ("MKCALENDAR", false, true),
    ("MKCOL", false, true),
    ("MKREDIRECTREF", false, true),
    ("MKWORKSPACE", false, true),
    ("MOVE", false, true),
    ("OPTIONS", true, true),
    ("ORDERPATCH", false, true),
    ("PATCH", false, false),
    ("POST", false, false),
    ("PRI", true, true),
    ("PROPFIND", true, true),
    ("PROPPATCH", false, true),
    ("PUT", false, true),
    ("QUERY", true, true),
    ("REBIND", false, true),
    ("REPORT", true, true),
    ("SEARCH", true, true),
    ("TRACE", true, true),
    ("UNBIND", false, true),
    ("UNCHECKOUT", false, true),
    ("UNLINK", false, true),
    ("UNLOCK", false, true),
    ("UPDATE", false, true),
    ("UPDATEREDIRECTREF", false, true),
    ("VERSION-CONTROL", false, true),
];

#[test]
fn the_registered_methods() {
    for (method, is_safe, is_idempotent) in METHODS {
        let expected = match (is_idempotent, *method) {
            (true, _) => Resend::Always,
            (false, "POST") => Resend::UnlessSent,
            (false, _) => Resend::Unknown,
        };
        assert_eq!(Resend::for_method(method), expected, "{method}");
        assert!(*is_idempotent || !is_safe, "each safe method is idempotent");
        // Neither in another case nor with more or fewer characters.
        for other in [method.to_lowercase(), format!("{method}S"), method[1..].to_owned(), format!("{method} GET")] {
            assert_eq!(Resend::for_method(&other), Resend::Unknown, "{other}");
        }
    }
    assert_eq!(METHODS.len(), 40);
    for method in ["", " ", "*", "WATCH"] {
        assert_eq!(Resend::for_method(method), Resend::Unknown, "{method:?}");
    }
}
