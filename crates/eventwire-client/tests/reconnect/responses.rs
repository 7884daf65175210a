//! What the head of a response means, and which methods are idempotent: tables.

use super::s;
use eventwire_client::{Resend, ResponseHead, Verdict};
use std::time::Duration;

#[test]
fn a_status_has_its_verdict() {
    for status in 0..=1000 {
        let expected = match status {
            200 => Verdict::Open,
            204 => Verdict::Stop,
            429 => Verdict::NotProcessed,
            500 | 502 | 503 | 504 => Verdict::RetryIfAllowed,
            _ => Verdict::Fail,
        };
        let head = ResponseHead::new(status, &[("content-type", "text/event-stream"), ("location", "/")]);
        assert_eq!((head.status(), Verdict::default_for(&head)), (status, expected));
        // With another content type, only the verdict of a 200 changes.
        let head = ResponseHead::new(status, &[("content-type", "text/html"), ("content-encoding", "gzip")]);
        let expected = if status == 200 { Verdict::Fail } else { expected };
        assert_eq!(Verdict::default_for(&head), expected, "{status}");
    }
}

/// Headers of a 200, and its verdict.
#[rustfmt::skip]
const HEADERS: &[(&[(&str, &str)], Verdict)] = &[
    (&[("CONTENT-TYPE", "Text/EVENT-stream; charset=latin1")], Verdict::Open),
    (&[("accept", "text/html"), ("content-type", "text/event-stream"), ("x-content-type", "text/html")], Verdict::Open),
    (&[("content-type", "text/html"), ("content-type", "text/event-stream")], Verdict::Open),
    (&[("content-type", "text/event-stream"), ("content-type", "text/html")], Verdict::Fail),
    (&[("content-type", "text/event-stream-x")], Verdict::Fail),
    (&[("content-type", "text/event-strea")], Verdict::Fail),
    (&[("accept", "text/event-stream")], Verdict::Fail),
    (&[], Verdict::Fail),
    (&[("content-type", "text/event-stream"), ("Content-Encoding", "gzip")], Verdict::Fail),
    (&[("content-type", "text/event-stream"), ("content-encoding", "identity")], Verdict::Open),
    (&[("content-type", "text/event-stream"), ("transfer-encoding", "gzip"), ("x-content-encoding", "br")],
        Verdict::Open),
];

#[test]
fn a_200_opens_if_it_is_a_readable_event_stream() {
    for (headers, expected) in HEADERS {
        assert_eq!(Verdict::default_for(&ResponseHead::new(200, headers)), *expected, "{headers:?}");
    }
}

/// Values of `Content-Encoding`, one header each, of bodies that are still compressed.
#[rustfmt::skip]
const COMPRESSED: &[&[&str]] = &[
    &["gzip"], &["x-gzip"], &["deflate"], &["compress"], &["x-compress"], &["br"], &["zstd"], &["dcb"], &["dcz"], &["GZIP"],
    &[" Deflate\t"], &["gzip, identity"], &["none,\t X-Gzip ,utf-8"], &["br,zstd"], &["identity", "zstd"],
    &["zstd", "identity"], &["none", "", "br"],
];

/// The same for plain text. Some servers send names that are no codings, and some names only contain one.
#[rustfmt::skip]
const NOT_COMPRESSED: &[&[&str]] = &[
    &[], &[""], &[" , ,"], &["\tIdentity "], &["identity,IDENTITY", "", "identity"], &["None"], &["utf8, none"],
    &["chunked"], &["gzipped"], &["x-br"], &["gzip br"], &["\"gzip\""], &["gz", "ip"],
];

#[test]
fn which_bodies_are_compressed() {
    for (rows, expected) in [(COMPRESSED, true), (NOT_COMPRESSED, false)] {
        for values in rows {
            let headers: Vec<_> = values.iter().map(|value| ("Content-Encoding", *value)).collect();
            assert_eq!(ResponseHead::new(200, &headers).is_encoded(), expected, "{values:?}");
        }
    }
}

/// Values of `Retry-After` that contain a number of seconds, and those that contain nothing valid.
const SECONDS: &[(&str, Duration)] = &[
    ("0", s(0)),
    (" 5 ", s(5)),
    ("\t5\t", s(5)),
    ("007", s(7)),
    ("3600", s(3600)),
    ("18446744073709551615", s(u64::MAX)),
    ("18446744073709551616", s(u64::MAX)),
    ("99999999999999999999999999999999999999999", s(u64::MAX)),
];
#[rustfmt::skip]
const NEITHER_SECONDS_NOR_A_DATE: &[&str] = &[
    "", " ", "+5", "-5", "5.0", "5 5", "5,5", "0x5", "5s", "1e3", "\u{661}", "\u{FF15}", "\u{A0}5", "soon", "GMT", ",",
    ":::",
];

#[test]
fn retry_after() {
    const THEN: &str = "Thu, 01 Jan 2026 00:00:00 GMT";
    let check = |headers: &[(&str, &str)], expected| {
        assert_eq!(ResponseHead::new(503, headers).retry_after(), expected, "{headers:?}");
    };
    for (value, expected) in SECONDS {
        check(&[("retry-after", value)], Some(*expected));
        check(&[("Retry-After", value), ("Date", THEN), ("Retry-After", "1")], Some(*expected));
    }
    for value in NEITHER_SECONDS_NOR_A_DATE {
        check(&[("retry-after", value), ("date", THEN)], None);
    }
    check(&[("date", THEN), ("x-retry-after", "5")], None);
    // A date is compared with that of the response, and without a valid one means nothing.
    for (date, then, expected) in [
        ("Thu, 01 Jan 2026 00:02:03 GMT", THEN, Some(s(123))),
        (" Fri, 02 Jan 2026 01:00:00 GMT\t", "\t Thursday, 01-Jan-26 00:00:00 GMT\t", Some(s(90_000))),
        ("Thu Jan  1 00:02:03 2026", "Thu Jan 01 00:00:00 2026", Some(s(123))),
        (THEN, THEN, Some(s(0))),
        ("Wed, 31 Dec 2025 23:59:59 GMT", THEN, Some(s(0))),
        (THEN, "", None),
        (THEN, "5", None),
        (THEN, "Thu, 01 Jan 2026 00:00:00 GMT\u{A0}", None),
    ] {
        check(&[("retry-after", date), ("date", then)], expected);
        check(&[("retry-after", date)], None);
    }
}

/// The [registry] of methods, as of 2026: those that are idempotent, and the others.
///
/// [registry]: https://www.iana.org/assignments/http-methods/http-methods.xhtml
#[rustfmt::skip]
const IDEMPOTENT: &[&str] = &[
    "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "DELETE", "GET", "HEAD", "LABEL", "LINK", "MERGE",
    "MKACTIVITY", "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "OPTIONS", "ORDERPATCH", "PRI",
    "PROPFIND", "PROPPATCH", "PUT", "QUERY", "REBIND", "REPORT", "SEARCH", "TRACE", "UNBIND", "UNCHECKOUT", "UNLINK",
    "UNLOCK", "UPDATE", "UPDATEREDIRECTREF", "VERSION-CONTROL",
];
const NOT_IDEMPOTENT: &[(&str, Resend)] = &[
    ("POST", Resend::UnlessSent),
    ("PATCH", Resend::Unknown),
    ("LOCK", Resend::Unknown),
    ("CONNECT", Resend::Unknown),
];

#[test]
fn the_registered_methods() {
    let idempotent = IDEMPOTENT.iter().map(|method| (*method, Resend::Always));
    for (method, expected) in idempotent.chain(NOT_IDEMPOTENT.iter().copied()) {
        assert_eq!(Resend::for_method(method), expected, "{method}");
        // Neither in another case nor with more or fewer characters.
        for other in [method.to_lowercase(), format!("{method}S"), method[1..].to_owned(), format!("{method} GET")] {
            assert_eq!(Resend::for_method(&other), Resend::Unknown, "{other}");
        }
    }
    for method in ["", " ", "*", "WATCH"] {
        assert_eq!(Resend::for_method(method), Resend::Unknown, "{method:?}");
    }
}
