//! Which responses open the stream, are retried, or end the client: by status, content type and content coding.

use super::{START, connecting, s, stopped, wait};
use eventwire::Decoder;
use eventwire_client::{Action, Reconnect, ResponseHead, StopReason, Verdict};

#[track_caller]
fn check_open(expected: bool, headers: &[(&str, &str)]) {
    let head = ResponseHead::new(200, headers);
    let verdict = if expected { Verdict::Open } else { Verdict::Fail };
    assert_eq!(Verdict::default_for(&head), verdict, "{headers:?}");
    assert_eq!(connecting(Reconnect::default()).handle_response(START, &head), verdict, "{headers:?}");
}

/// Values of `Content-Type`, one header each, and whether the response is an event stream.
const CONTENT_TYPES: &[(&[&str], bool)] = &[
    (&["text/event-stream"], true),
    (&["Text/EVENT-stream"], true),
    (&[" \ttext/event-stream \t"], true),
    (&["text/event-stream;"], true),
    (&["text/event-stream; charset=utf-8"], true),
    (&["text/event-stream;charset=latin1"], true), // the charset does not matter
    (&["text/event-stream \t;charset"], true),
    (&["text/event-stream;a=\"b;c\""], true),
    (&[], false),
    (&[""], false),
    (&[","], false),
    (&[";"], false),
    (&["/"], false),
    (&["text"], false),
    (&["text/"], false),
    (&["/event-stream"], false),
    (&["text/event-stream-x"], false),
    (&["x-text/event-stream"], false),
    (&["text/event-stream x"], false),
    (&["text /event-stream"], false),
    (&["text/ event-stream"], false),
    (&["text/event-stream/x"], false),
    (&["text/event\u{2010}stream"], false),
    (&["text/event stream"], false),
    (&["text/event-strea"], false),
    (&["text/html"], false),
    (&["text/plain; text/event-stream"], false),
    (&["text/plain;a=text/event-stream"], false),
    // In a list, the last valid one counts.
    (&["text/html, text/event-stream"], true),
    (&["text/html,text/event-stream;charset=utf-8"], true),
    (&["text/event-stream, text/html"], false),
    (&["text/event-stream,"], true),
    (&["text/event-stream, */*"], true),
    (&["text/event-stream, */*;q=0.1"], true),
    (&["text/event-stream, html"], true),
    (&["text/event-stream, text/"], true),
    (&["text/event-stream, /html"], true),
    (&["text/event-stream, te(x)t/html"], true),
    (&["text/event-stream, text/ht(m)l"], true),
    (&["text/event-stream, !#$%&'*+-.^_`|~09azAZ/!#$%&'*+-.^_`|~09azAZ"], false), // all characters of a token
    (&["text/event-stream, text/*"], false),
    (&["text/html, garbage, text/event-stream, garbage"], true),
    // Of several headers, the last valid one counts.
    (&["text/html", "text/event-stream"], true),
    (&["text/event-stream", "text/html"], false),
    (&["text/event-stream", ""], true),
    (&["text/event-stream", "*/*"], true),
    (&["text/event-stream", "html, "], true),
    (&["text/html, text/event-stream", "text/"], true),
    (&["text/event-stream, text/html", "text/"], false),
    (&["", "text/event-stream"], true),
    // Headers are joined with a comma before they are split, so a quoted string may continue in the next header.
    (&["text/html;a=\"", "text/event-stream"], false),
    (&["text/html;a=\"", "text/event-stream", "\", text/event-stream"], true),
    (&["text/event-stream;a=\"", "text/html"], true),
    (&["text/event-stream;a=\"", "text/html\", text/html"], false),
    (&["text/event-stream;a=\"", "text/html\"", "text/html"], false),
    (&["text/event-stream;a=\"", "\"", "text/"], true),
    (&["text/event-stream;a=\"", ""], true),
    (&["text/html;a=\"", "", "\"", "text/event-stream"], true),
    (&["text/html;a=\"\\", "\", text/event-stream"], true), // the joining comma is escaped, not the quote
    (&["text/html;a=\"\\\\", "\", text/event-stream"], true),
    (&["text/html;a=\"", "\\\", text/event-stream"], false),
    (&["text/html;a=\\", "text/event-stream"], true),
    (&["text/html, \"", "text/event-stream"], false),
    (&["text/event-stream, \"", "\"text/html"], true),
    (&["text", "/event-stream"], false),
    (&["text/event-stream", "text/html;a=\""], false),
    (&["text/event-stream;a=\"x", "y\";b"], true),
    // A comma in quotes does not separate.
    (&["text/event-stream;a=\", text/html\""], true),
    (&["text/html;a=\", text/event-stream\""], false),
    (&["text/html;a=\", text/event-stream"], false),
    (&["text/html;a=\"\", text/event-stream"], true),
    (&["text/html;a=\"\\\", text/event-stream\""], false),
    (&["text/html;a=\"\\\", text/event-stream;b=\"\""], false),
    (&["text/html;a=\"\\\\\", text/event-stream"], true),
    (&["text/html;a=\\\", text/event-stream"], false), // outside of quotes, a backslash has no meaning
    (&["text/html;a=\"x\\y, z\", text/event-stream"], true),
    (&["\"text/event-stream\""], false),
];

#[test]
fn a_200_of_content_type_event_stream_opens() {
    for (values, expected) in CONTENT_TYPES {
        for name in ["content-type", "Content-Type", "CONTENT-TYPE"] {
            let headers: Vec<(&str, &str)> = values.iter().map(|value| (name, *value)).collect();
            assert_eq!(ResponseHead::new(404, &headers).is_event_stream(), *expected, "{values:?}");
            check_open(*expected, &headers);
            let among: Vec<_> = [&[("accept", "text/html")], &headers[..], &[("x-content-type", "text/html")]].concat();
            check_open(*expected, &among);
        }
    }
    check_open(false, &[("accept", "text/event-stream")]);
}

#[test]
fn a_compressed_body_does_not_open() {
    for (values, expected) in [
        (&["gzip"][..], true),
        (&["x-gzip"], true),
        (&["deflate"], true),
        (&["compress"], true),
        (&["x-compress"], true),
        (&["br"], true),
        (&["zstd"], true),
        (&[" Deflate\t"], true),
        (&["GZIP"], true),
        (&["identity, gzip"], true),
        (&["gzip, identity"], true),
        (&["none,\t X-Gzip ,utf-8"], true),
        (&["br,zstd"], true),
        (&["identity", "zstd"], true),
        (&["zstd", "identity"], true),
        (&["none", "", "br"], true),
        (&[], false),
        (&[""], false),
        (&[" , ,"], false),
        (&["identity"], false),
        (&["\tIdentity "], false),
        (&["identity,IDENTITY", "", "identity"], false),
        // Some servers send these with plain text.
        (&["none"], false),
        (&["None"], false),
        (&["UTF-8"], false),
        (&["utf8, none"], false),
        (&["chunked"], false),
        (&["chunked", "identity"], false),
        (&["text/event-stream"], false),
        // These contain the names of codings but are none.
        (&["gzipped"], false),
        (&["x-br"], false),
        (&["gzip br"], false),
        (&["\"gzip\""], false),
        (&["gz", "ip"], false),
    ] {
        let mut headers = vec![("Content-Type", "text/event-stream")];
        headers.extend(values.iter().map(|value| ("Content-Encoding", *value)));
        assert_eq!(ResponseHead::new(200, &headers).is_encoded(), expected, "{values:?}");
        check_open(!expected, &headers);
    }
    check_open(
        true,
        &[("content-type", "text/event-stream"), ("transfer-encoding", "gzip"), ("x-content-encoding", "br")],
    );
}

#[test]
fn a_status_has_its_verdict() {
    for status in 0..=1000 {
        let expected = match status {
            200 => Verdict::Open,
            204 => Verdict::Stop,
            429 => Verdict::TurnedAway,
            500 | 502 | 503 | 504 => Verdict::RetryIfAllowed,
            _ => Verdict::Fail,
        };
        let head = ResponseHead::new(status, &[("content-type", "text/event-stream"), ("location", "/")]);
        assert_eq!(head.status(), status);
        assert_eq!(Verdict::default_for(&head), expected, "{status}");
        check_outcome(expected, connecting(Reconnect::default()), &head);

        // With another content type, only the verdict of a 200 changes.
        let head = ResponseHead::new(status, &[("content-type", "text/html"), ("content-encoding", "gzip")]);
        let expected = if status == 200 { Verdict::Fail } else { expected };
        check_outcome(expected, connecting(Reconnect::default()), &head);
    }
}

/// Checks that a verdict is returned, and that `poll` follows it.
#[track_caller]
fn check_outcome(expected: Verdict, mut rules: Reconnect, head: &ResponseHead<'_>) {
    assert_eq!(rules.handle_response(s(1), head), expected, "{head:?}");
    check_state(expected, rules);
}

/// Checks the result of `poll` after a verdict.
#[track_caller]
fn check_state(verdict: Verdict, mut rules: Reconnect) {
    match verdict {
        Verdict::Open => assert_eq!(rules.poll(s(1), &Decoder::new()), Action::Read),
        Verdict::TurnedAway | Verdict::RetryIfAllowed => {
            wait(&mut rules, s(1), &Decoder::new());
        }
        Verdict::Stop => assert_eq!(stopped(&mut rules), StopReason::NoContent),
        Verdict::Fail => assert_eq!(stopped(&mut rules), StopReason::Refused),
        _ => panic!("{verdict:?}"),
    }
}

#[test]
fn a_custom_verdict_overrides_the_response() {
    for verdict in [Verdict::Open, Verdict::TurnedAway, Verdict::RetryIfAllowed, Verdict::Stop, Verdict::Fail] {
        let mut rules = connecting(Reconnect::default());
        rules.handle_verdict(START, verdict, None);
        check_state(verdict, rules);
    }
}
