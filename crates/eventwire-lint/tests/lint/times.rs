//! What the times of arrival show. Each time is one that a test writes, in milliseconds.

use std::time::Duration;

use eventwire_lint::{Lint, Severity};
use http::Response;

/// When the observation ends, and whether the stream ends with it.
#[derive(Clone, Copy)]
enum Until {
    End(u64),
    Stop(u64),
}
use Until::{End, Stop};

/// Checks what is found in chunks that arrive at these times, after a head at this time.
#[track_caller]
fn check(head: u64, chunks: &[(u64, &str)], until: Until, expected: &[(Severity, &str)]) {
    let response = Response::builder()
        .header("content-type", "text/event-stream")
        .header("cache-control", "no-cache")
        .header("server", "nginx/1.22.1")
        .body(())
        .unwrap();
    let mut lint = Lint::new();
    lint.head(&response, Duration::from_millis(head));
    for (at, chunk) in chunks {
        lint.chunk(chunk.as_bytes(), Duration::from_millis(*at));
    }
    let findings = match until {
        End(at) => lint.finish(Duration::from_millis(at)),
        Stop(at) => lint.stop(Duration::from_millis(at)),
    };
    let found: Vec<_> = findings.iter().map(|finding| (finding.severity, finding.code)).collect();
    assert_eq!(found, expected, "{findings:#?}");
    let held_back = findings.iter().filter(|finding| finding.code == "held-back");
    held_back
        .for_each(|finding| assert!(finding.what.contains("probably the proxy (`Server: nginx/1.22.1`)"), "{finding}"));
}

const ONE: &str = "data: 1\n\n";
const TWO: &str = "data: 1\n\ndata: 2\n\n";
const HALF: &str = "data: 1\n\ndata: ";

const HELD_BACK: &[(Severity, &str)] = &[(Severity::Fail, "held-back")];
const PERHAPS: &[(Severity, &str)] = &[(Severity::Note, "held-back")];

#[test]
fn a_stream_that_arrives_with_its_end_was_held_back() {
    check(3_000, &[(3_000, TWO)], End(3_000), HELD_BACK);
    check(3_000, &[(3_000, ONE), (3_050, ONE)], End(3_100), HELD_BACK);
    check(5, &[(2_000, TWO)], End(2_000), HELD_BACK);
    // A model may think for a second, and then be fast.
    check(5, &[(1_000, TWO)], End(1_000), &[(Severity::Warn, "held-back")]);
    check(5, &[(1_999, TWO)], End(1_999), &[(Severity::Warn, "held-back")]);
    // A model that has sent its headers, thinks, and is fast.
    check(5, &[(3_000, ONE), (3_050, ONE)], End(3_060), &[(Severity::Note, "held-back")]);
    // A stream that is over at once, one event, and one that ends later.
    check(5, &[(900, TWO)], End(900), &[]);
    check(5, &[(3_000, ONE)], End(3_000), &[]);
    check(5, &[(1_000, TWO)], End(1_101), &[]);
    check(5, &[(1_000, TWO)], Stop(1_000), &[]);
}

#[test]
fn a_pause_inside_an_event_is_the_edge_of_a_buffer() {
    check(5, &[(10, HALF), (1_000, "x\n\ndata: 1\n\ndata: "), (2_000, "x\n\n")], Stop(2_100), HELD_BACK);
    check(5, &[(600, TWO), (1_200, HALF), (1_800, "x\n\n")], Stop(2_000), HELD_BACK);
    // Once, and short, and without an event before it: a slow server or a lost packet.
    check(5, &[(10, HALF), (1_000, "x\n\n"), (1_150, ONE)], Stop(2_000), &[]);
    check(5, &[(10, HALF), (490, "x\n\ndata: 1\n\nda"), (900, "ta: x\n\n")], Stop(2_000), &[]);
    check(5, &[(10, "da"), (1_000, "ta: x\n\nda"), (2_000, "ta: x\n\n")], Stop(2_000), &[]);
}

#[test]
fn events_that_arrive_only_several_at_once_may_be_held_back() {
    check(5, &[(1_000, TWO), (2_000, TWO)], Stop(3_000), PERHAPS);
    check(5, &[(1_000, ONE), (1_050, ONE), (2_000, TWO)], Stop(3_000), PERHAPS);
    check(5, &[(1_000, TWO), (2_000, TWO), (3_000, ONE)], Stop(4_000), &[]);
    // What has happened before, at once, and then what happens.
    check(5, &[(10, TWO), (1_000, ONE), (2_000, ONE)], Stop(3_000), &[]);
    check(5, &[(10, TWO), (1_000, TWO)], Stop(3_000), &[]);
    // A model that thinks, and then sends several tokens in a packet, without pauses.
    let tokens: Vec<_> = (0..40).map(|n| (1_000 + 50 * n, if n % 3 == 0 { TWO } else { ONE })).collect();
    check(5, &tokens, End(3_100), &[]);
}

#[test]
fn headers_that_arrive_with_the_first_event_are_late() {
    let late = &[(Severity::Warn, "late-headers")];
    check(1_000, &[(1_000, ONE)], Stop(2_000), late);
    check(1_000, &[(1_100, ONE)], Stop(2_000), late);
    check(999, &[(999, ONE)], Stop(2_000), &[]);
    check(1_000, &[(1_101, ONE)], Stop(2_000), &[]);
    check(1_000, &[], Stop(2_000), &[]);
}

#[test]
fn silence() {
    let warning = &[(Severity::Warn, "silence")];
    let failure = &[(Severity::Fail, "silence")];
    check(5, &[(10, ONE), (17_009, ONE)], Stop(17_010), &[]);
    check(5, &[(10, ONE), (17_010, ONE)], Stop(17_011), warning);
    check(5, &[(10, ONE), (60_009, ONE)], Stop(60_010), warning);
    check(5, &[(10, ONE), (60_010, ONE)], Stop(60_011), failure);
    // Before the head, before the first byte, and up to the end.
    check(20_000, &[(21_000, ONE)], Stop(21_010), warning);
    check(5, &[(20_000, ONE)], Stop(20_010), warning);
    check(5, &[(10, ONE)], Stop(17_010), warning);
    check(5, &[(10, ONE)], End(17_010), warning);
    let keep_alives: Vec<_> = (1..20).map(|n| (15_010 * n, ": keep-alive\n")).collect();
    check(5, &keep_alives, Stop(290_000), &[]);
}

#[test]
fn without_a_head_no_proxy_is_named() {
    let mut lint = Lint::new();
    lint.chunk(TWO.as_bytes(), Duration::from_secs(3));
    let findings = lint.finish(Duration::from_secs(3));
    assert!(
        findings[0]
            .what
            .ends_with("; a proxy that no header names holds the response back, or the server itself writes late"),
        "{}",
        findings[0]
    );
}
