//! The delay that a `Retry-After` header requests, and the delay that follows.

use super::{START, THEN, connected, connecting, ms, s, stopped, wait};
use eventwire::Decoder;
use eventwire_client::{Reconnect, ReconnectPolicy, ResponseHead, StopReason, Verdict};
use std::time::Duration;

#[track_caller]
fn check_retry_after(expected: Option<Duration>, headers: &[(&str, &str)]) {
    assert_eq!(ResponseHead::new(503, headers).retry_after(), expected, "{headers:?}");
}

#[test]
fn retry_after_is_a_number_of_seconds() {
    let max = s(u64::MAX);
    for (value, expected) in [
        ("0", s(0)),
        ("5", s(5)),
        (" 5 ", s(5)),
        ("\t5\t", s(5)),
        ("007", s(7)),
        ("3600", s(3600)),
        ("18446744073709551615", max),
        ("18446744073709551616", max),
        ("99999999999999999999999999999999999999999", max),
    ] {
        check_retry_after(Some(expected), &[("retry-after", value)]);
        check_retry_after(Some(expected), &[("Retry-After", value), ("Date", THEN), ("Retry-After", "1")]);
    }
    for value in [
        "", " ", "+5", "-5", "5.0", "5 5", "5,5", "0x5", "5s", "1e3", "\u{661}", "\u{FF15}", "\u{A0}5", "soon", "GMT",
        ",", ":::",
    ] {
        check_retry_after(None, &[("retry-after", value)]);
        check_retry_after(None, &[("retry-after", value), ("date", THEN)]);
    }
    check_retry_after(None, &[]);
    check_retry_after(None, &[("date", THEN), ("x-retry-after", "5")]);
}

#[test]
fn retry_after_is_a_date_relative_to_that_of_the_response() {
    // 2026-01-01 was a Thursday.
    for then in
        [THEN, "\t Thu, 01 Jan 2026 00:00:00 GMT\t", "Thursday, 01-Jan-26 00:00:00 GMT", "Thu Jan  1 00:00:00 2026"]
    {
        for (date, expected) in [
            ("Thu, 01 Jan 2026 00:02:03 GMT", 123),
            ("Thursday, 01-Jan-26 00:02:03 GMT", 123),
            ("Thu Jan  1 00:02:03 2026", 123),
            ("Thu Jan 01 00:02:03 2026", 123),
            (" Fri, 02 Jan 2026 01:00:00 GMT\t", 90_000),
            (THEN, 0),
            // A time in the past means no delay.
            ("Wed, 31 Dec 2025 23:59:59 GMT", 0),
            ("Sunday, 06-Nov-94 08:49:37 GMT", 0),
        ] {
            check_retry_after(Some(s(expected)), &[("retry-after", date), ("date", then)]);
            check_retry_after(None, &[("retry-after", date)]);
            check_retry_after(None, &[("retry-after", date), ("date", "")]);
            check_retry_after(None, &[("retry-after", date), ("date", "5")]);
            check_retry_after(None, &[("retry-after", date), ("date", &format!("{then}\u{A0}"))]);
        }
    }
}

/// Returns the delay after a response with these headers.
#[track_caller]
fn wait_after(policy: ReconnectPolicy, status: u16, headers: &[(&str, &str)]) -> Duration {
    let mut rules = connecting(Reconnect::new(policy));
    let verdict = rules.handle_response(s(9), &ResponseHead::new(status, headers));
    assert!(matches!(verdict, Verdict::TurnedAway | Verdict::RetryIfAllowed), "{verdict:?}");
    wait(&mut rules, s(9), &Decoder::new())
}

#[test]
fn retry_after_is_the_delay_within_limits() {
    for status in [429, 500, 502, 503, 504] {
        let policy = || ReconnectPolicy::new().with_jitter_seed(3);
        // The delay is up to a quarter longer, because the server sends the same value to all clients.
        let check = |expected: Duration, policy: ReconnectPolicy, headers: &[(&str, &str)]| {
            let delay = wait_after(policy, status, headers);
            assert!(expected < delay && delay <= expected + expected / 4, "{headers:?}: {delay:?}, not {expected:?}");
        };
        for (value, expected) in [
            ("1", s(1)), // less than the reconnection time, more than the longest backoff
            ("7", s(7)),
            ("31", s(31)),
            ("3600", s(3600)),
            ("3601", s(3600)),
            ("18446744073709551615", s(3600)),
            ("99999999999999999999999", s(3600)),
        ] {
            let headers = [("retry-after", value)];
            check(expected, policy(), &headers);
            check(expected.max(ms(1500)), policy().with_min_delay(ms(1500)), &headers);
            check(expected.min(s(5)), policy().with_max_server_delay(s(5)), &headers);
            check(s(6), policy().with_max_server_delay(s(5)).with_min_delay(s(6)), &headers);
            check(s(20), policy(), &[("retry-after", "Thu, 01 Jan 2026 00:00:20 GMT"), ("date", THEN)]);
        }
        let ordinary = wait_after(policy(), status, &[]);
        assert!((s(3)..s(6)).contains(&ordinary) && ordinary.subsec_nanos() != 0);
        for headers in [
            &[("retry-after", "0")][..],
            &[("retry-after", "+5")],
            &[("retry-after", "")],
            &[("retry-after", "soon"), ("date", THEN)],
            &[("retry-after", "Thu, 01 Jan 2026 00:00:20 GMT")],
            &[("retry-after", "Wed, 31 Dec 2025 23:59:59 GMT"), ("date", THEN)],
        ] {
            assert_eq!(wait_after(policy(), status, headers), ordinary, "{headers:?}");
        }
    }
}

#[test]
fn retry_after_applies_to_its_response_only() {
    let headers = [("content-type", "text/event-stream"), ("retry-after", "20")];
    let ordinary = s(3)..s(12);
    let mut rules = connecting(Reconnect::default());
    assert_eq!(rules.handle_response(START, &ResponseHead::new(200, &headers)), Verdict::Open);
    rules.handle_disconnect(START);
    assert!(ordinary.contains(&wait(&mut rules, START, &Decoder::new())));

    let mut rules = connecting(Reconnect::default());
    rules.handle_response(START, &ResponseHead::new(503, &headers));
    let mut rules = connected(rules, s(60), &Decoder::new());
    rules.handle_disconnect(s(60));
    assert!(ordinary.contains(&wait(&mut rules, s(60), &Decoder::new())));

    for (status, reason) in [(204, StopReason::NoContent), (404, StopReason::Refused), (301, StopReason::Refused)] {
        let mut rules = connecting(Reconnect::default());
        rules.handle_response(START, &ResponseHead::new(status, &headers));
        assert_eq!(stopped(&mut rules), reason);
    }
}

#[test]
fn clients_that_were_refused_together_reconnect_at_different_times() {
    let mut delays: Vec<Duration> = (0..100)
        .map(|seed| wait_after(ReconnectPolicy::new().with_jitter_seed(seed), 503, &[("retry-after", "100")]))
        .collect();
    delays.sort();
    delays.dedup();
    assert_eq!(delays.len(), 100);
    assert!(delays[0] < s(103) && delays[99] > s(122), "{delays:?}");
}
