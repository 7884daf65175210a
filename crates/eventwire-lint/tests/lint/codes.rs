//! Each code of the documentation is found, with the severity that is listed, and no other.

use std::collections::BTreeSet;
use std::time::Duration;

use eventwire_lint::{Finding, Lint, Place, Severity, check};
use http::{Response, Version};

/// The rows of the documentation: code and severity.
fn listed() -> Vec<(&'static str, Severity)> {
    let rows = include_str!("../../codes.md").lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let [_, code, severity, _, effect, cure, _] = cells[..] else { panic!("{row}") };
        assert!(!effect.is_empty() && !cure.is_empty() && !effect.ends_with('.') && !cure.ends_with('.'), "{row}");
        let severity = match severity {
            "FAIL" => Severity::Fail,
            "WARN" => Severity::Warn,
            "note" => Severity::Note,
            _ => panic!("{row}"),
        };
        (code.trim_matches('`'), severity)
    })
    .collect()
}

/// Returns the places, the count, and what is said, without the texts of the list.
#[track_caller]
fn line(stream: &str, code: &str, place: (u64, u64), what: &str) -> Finding {
    let findings = check(stream);
    let [finding] = &findings[..] else { panic!("{findings:#?}") };
    let place = Place { line: place.0, byte: place.1 };
    assert_eq!((finding.code, &finding.places[..], finding.count), (code, &[place][..], 1));
    assert_eq!(finding.what, what);
    let severity = listed().into_iter().find(|(listed, _)| *listed == code);
    assert_eq!(severity, Some((finding.code, finding.severity)));
    finding.clone()
}

#[test]
fn lines() {
    for (stream, code, place, what) in [
        ("data: a\nb\n\n", "missing-prefix", (2, 8), "\"b\" does not begin with `data:` or another field"),
        ("data: a\nNote: b\n\n", "missing-prefix", (2, 8), "\"Note: b\" does not begin with `data:` or another field"),
        ("data: a\n \n\n", "missing-prefix", (2, 8), "\" \" does not begin with `data:` or another field"),
        ("{\"error\":1}", "missing-prefix", (1, 0), "\"{\"error\":1}\" does not begin with `data:` or another field"),
        ("Data: a\n\n", "field-case", (1, 0), "\"Data: a\" has capital letters in its field name"),
        ("data : a\n\n", "field-space", (1, 0), "\"data : a\" has a space before the colon, or begins with one"),
        (" data: a\n\n", "field-space", (1, 0), "\" data: a\" has a space before the colon, or begins with one"),
        (
            "x-y: a\ndata: b\n\n",
            "unknown-field",
            (1, 0),
            "\"x-y: a\" has a field name that the standard does not define",
        ),
        (
            "\u{FEFF}data: a\n\n\u{FEFF}data: b\n\n",
            "byte-order-mark",
            (3, 12),
            "\"\\u{feff}data: b\" begins with a byte order mark inside the stream",
        ),
        ("id: \0\ndata: a\n\n", "id-with-nul", (1, 0), "\"id: \\u{0}\" contains the character U+0000"),
        ("retry: soon\n\n", "retry-not-digits", (1, 0), "\"retry: soon\" does not consist of digits"),
        (
            "id: 1\r\nid: 2\r\ndata\r\n\r\n",
            "repeated-field",
            (2, 7),
            "\"id: 2\" sets a field that the same event has set before",
        ),
        ("\nevent: a\nid: 1\n\n", "no-data", (2, 1), "the event has a type, but no `data:` line"),
        (
            "data: a\\n\\n\n\n",
            "literal-line-break",
            (1, 0),
            "\"data: a\\n\\n\" ends with the characters `\\` and `n` where a line break was meant",
        ),
        ("event: message\ndata\n\n", "default-type", (1, 0), "\"event: message\" names the default type"),
        ("data: a\n\nid: 1\ndata: b\n", "unfinished", (3, 9), "no blank line follows the event that begins here"),
        ("retry: 1", "unfinished", (1, 0), "no blank line follows the event that begins here"),
    ] {
        line(stream, code, place, what);
    }
    assert_eq!(check(b"data: \xFF\n\n")[0].code, "not-utf-8");
    // If no line is understood, nothing is left of the stream.
    assert_eq!(check("message: a\n\n")[0].severity, Severity::Fail);
    assert_eq!(check("data: a\\n\\n")[0].severity, Severity::Fail);
    // A long line is quoted in part, without what a terminal would obey.
    let what = format!("\"\\u{{1b}}{}…\" does not begin with `data:` or another field", "x".repeat(49));
    line(&format!("\x1B{}\n\n", "x".repeat(100)), "missing-prefix", (1, 0), &what);
}

/// Of a line that is longer than 4 KiB, the beginning is checked, and what it ends with.
#[test]
fn a_long_line() {
    let codes = |start: &[u8], end: &[u8]| {
        let line = [start, &vec![b'1'; 4096 - start.len()], end, b"\n"].concat();
        let findings = check([b"\xEF\xBB\xBFdata: 1\n", &line[..], b"x\n\n"].concat());
        // The line after it is at its place.
        let (next, findings) = findings.split_last().unwrap();
        assert_eq!(next.places.last().unwrap(), &Place { line: 3, byte: 11 + line.len() as u64 });
        findings.iter().map(|finding| (finding.code, finding.places[0].line)).collect::<Vec<_>>()
    };
    assert_eq!(codes(b"data: ", b""), []);
    assert_eq!(codes(b"data: ", b"\xFF"), []);
    assert_eq!(codes(b"data: \xFF", b"2"), [("not-utf-8", 2)]);
    assert_eq!(codes(b"retry: ", b"x"), []);
    assert_eq!(codes(b"retry: x", b"2"), [("retry-not-digits", 2)]);
    assert_eq!(codes(b"event: ", b"2"), []);
    assert_eq!(codes(b"id: \0", b"2"), [("id-with-nul", 2)]);
    assert_eq!(codes(b"DATA: ", b"2"), [("field-case", 2)]);
    for end in [&br"\n"[..], br"2\n"] {
        assert_eq!(codes(b"data: ", end), [("literal-line-break", 2)]);
    }
    // The character at the cut is not complete.
    let long = |text: &[u8]| [b"data: ", text, &vec![b'1'; 5000][..]].concat();
    let text = [&vec![b'1'; 4088][..], "\u{20AC}".as_bytes()].concat();
    assert_eq!(check([&long(&text)[..], b"\n\n"].concat()), []);
    // A line that has not ended is checked, too.
    let findings = check(long(b"\xFF"));
    assert_eq!(findings.iter().map(|finding| finding.code).collect::<Vec<_>>(), ["not-utf-8", "unfinished"]);
    let mut lint = Lint::new();
    lint.chunk(&[&long(b"")[..], br"\n"].concat(), Duration::ZERO);
    assert_eq!(lint.stop(Duration::ZERO)[0].code, "literal-line-break");
}

#[test]
fn many_lines_are_counted_and_ten_are_named() {
    let findings = check("data: a\n".to_owned() + &"b\n".repeat(1_000) + "\n");
    let [finding] = &findings[..] else { panic!("{findings:#?}") };
    assert_eq!((finding.count, finding.places.len()), (1_000, 10));
    let text = finding.to_string();
    assert!(text.starts_with(
        "FAIL missing-prefix: lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 990 more (the first at byte 8): \"b\" "
    ));
}

/// What follows a line of text without its prefix is text, too, although it looks like a field with another name.
#[test]
fn the_lines_of_a_text_follow_each_other() {
    for (stream, code, count) in [
        ("data: a\nb\nNote: c\n\n", "missing-prefix", 2),
        ("data: a\n: comment\nNote: b\n\n", "missing-prefix", 1),
        ("data: a\nid: 1\nNote: b\n\n", "unknown-field", 1),
        ("data: a\n\nNote: b\n\n", "unknown-field", 1),
    ] {
        let findings = check(stream);
        let [finding] = &findings[..] else { panic!("{findings:#?}") };
        assert_eq!((finding.code, finding.count), (code, count), "{stream}");
    }
}

#[test]
fn what_is_right_is_not_found() {
    for stream in [
        "",
        "\n\n",
        ": comment\n\n",
        "data\n\n",
        "retry: 10\n\n",
        "retry: 10\n",
        "data\n\n: bye",
        "id: 1\n\n",
        "id\ndata:a\n\n",
        "event: a\ndata: b\r\rdata: c\r\n\r\n",
        "data: {\"text\":\"a\\nb\"}\n\n",
        "data: {\ndata: \"a\": \"\\n\"}\n\n",
        "data: \"a\\n\"\n\n",
        "data: C:\\new\n\n",
        "retry: 99999999999999999999999999999999999999999999999999999999999999999999999\n\n",
        "\u{FEFF}data: \u{FEFF}\n\n",
        "event: message2\ndata\n\n",
    ] {
        assert_eq!(check(stream), [], "{stream:?}");
    }
}

/// Where line breaks are written as two characters, the whole stream is one line.
#[test]
fn a_stream_without_a_line_break() {
    for stream in ["data: {\"a\":1}\\n\\n", "event: a\\ndata: b\\n\\n", ": ok\\n\\ndata: a\\n\\n"] {
        let codes: Vec<_> = check(stream).into_iter().map(|finding| finding.code).collect();
        // A comment may lack its end.
        assert_eq!(codes.first(), Some(&"literal-line-break"), "{stream}");
        assert_eq!(codes.len(), if stream.starts_with(':') { 1 } else { 2 }, "{stream}");
        let mut lint = Lint::new();
        lint.chunk(stream.as_bytes(), Duration::ZERO);
        let codes: Vec<_> = lint.stop(Duration::ZERO).into_iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["literal-line-break"], "{stream}");
    }
    // Without blank lines, there is one event that never ends.
    let mut lint = Lint::new();
    lint.chunk(b": ok\ndata: 1\ndata: 2\n", Duration::ZERO);
    let findings = lint.stop(Duration::ZERO);
    assert_eq!((findings[0].code, findings[0].places[0].line), ("unfinished", 2));
    // The reader left inside an event, and inside a text.
    let mut lint = Lint::new();
    lint.chunk(b"data: 0\n\ndata: 1\ndata: 2\n", Duration::ZERO);
    assert_eq!(lint.stop(Duration::ZERO), []);
    let mut lint = Lint::new();
    lint.chunk(b"data: 1\n\ndata: {\"a\":\"b\\n", Duration::ZERO);
    assert_eq!(lint.stop(Duration::ZERO), []);
}

/// Returns what is found in a response with these headers.
fn head(status: u16, headers: &[(&str, &str)]) -> Vec<Finding> {
    let response =
        headers.iter().fold(Response::builder().status(status), |head, (name, value)| head.header(*name, *value));
    let mut lint = Lint::new().with_origin("https://a.example");
    lint.head(&response.body(()).unwrap(), Duration::ZERO);
    lint.stop(Duration::ZERO)
}

const STREAM: (&str, &str) = ("content-type", "text/event-stream");
const FRESH: (&str, &str) = ("cache-control", "no-cache");
const ANYONE: (&str, &str) = ("access-control-allow-origin", "*");

#[test]
fn heads() {
    for (status, headers, expected) in [
        (200, &[STREAM, FRESH, ANYONE][..], &[][..]),
        (200, &[("content-type", "text/event-stream; charset=UTF-8"), FRESH, ANYONE], &[]),
        (200, &[("content-type", "text/event-stream;charset=\"utf-8\""), FRESH, ANYONE], &[]),
        (
            200,
            &[STREAM, ("cache-control", "private, No-Store"), ("access-control-allow-origin", "https://a.example")],
            &[],
        ),
        (404, &[ANYONE], &["status"]),
        // Of what is no stream, nothing else is said: it needs no permission, and may have a length.
        (401, &[], &["status"]),
        (
            200,
            &[("content-type", "text/html"), ("content-length", "9"), ("cache-control", "public")],
            &["content-type"],
        ),
        (204, &[ANYONE], &["no-content"]),
        (302, &[ANYONE, ("location", "/events")], &["redirect"]),
        (302, &[ANYONE], &["status"]),
        (304, &[ANYONE], &["status"]),
        (200, &[FRESH, ANYONE], &["content-type"]),
        (200, &[("content-type", "text/html"), FRESH, ANYONE], &["content-type"]),
        (200, &[("content-type", "text/event-stream; charset=iso-8859-1"), FRESH, ANYONE], &["charset"]),
        (200, &[STREAM, FRESH, ANYONE, ("content-length", "9")], &["content-length"]),
        (200, &[STREAM, ("cache-control", "max-age=60"), ANYONE], &["cache-control"]),
        (200, &[STREAM, ANYONE], &["cache-control"]),
        (200, &[STREAM, FRESH], &["cors"]),
        (200, &[STREAM, FRESH, ANYONE, ANYONE], &["cors"]),
        (200, &[STREAM, FRESH, ("access-control-allow-origin", "https://b.example")], &["cors"]),
    ] {
        let findings = head(status, headers);
        let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, expected, "{status} {headers:?}");
    }
    assert_eq!(head(200, &[STREAM, ANYONE])[0].severity, Severity::Note);
    assert_eq!(head(200, &[STREAM, ("cache-control", "public, max-age=0"), ANYONE])[0].severity, Severity::Note);
    assert_eq!(head(200, &[STREAM, ("cache-control", "public"), ANYONE])[0].severity, Severity::Warn);

    // What to do depends on the status: who has a wrong path need not sign in.
    let cure = |status| head(status, &[])[0].cure;
    for status in [404, 410, 500, 503, 429, 405, 302] {
        assert!(!cure(status).contains("sign in") && !cure(status).ends_with('.'), "{}", cure(status));
    }
    assert!(cure(401).contains("sign in") && cure(403) == cure(401) && cure(404).contains("path"));
    assert!(cure(405).contains("method") && cure(503).contains("log"));

    // A status that is not registered has no reason.
    let what = |status| head(status, &[]).swap_remove(0).what;
    assert_eq!((what(404), what(529)), ("the status is 404 Not Found".into(), "the status is 529".into()));

    let mut lint = Lint::new();
    let response = Response::builder().version(Version::HTTP_10).header(STREAM.0, STREAM.1).header(FRESH.0, FRESH.1);
    lint.head(&response.body(()).unwrap(), Duration::ZERO);
    assert_eq!(lint.stop(Duration::ZERO)[0].code, "http-1.0");
}

#[test]
fn the_lines_of_another_document_are_not_judged() {
    let html = Response::builder().header("content-type", "text/html").header(FRESH.0, FRESH.1).body(()).unwrap();
    for (body, expected) in [("<p>\n", &["content-type"][..]), ("data: a\n\nb", &["content-type", "missing-prefix"])] {
        let mut lint = Lint::new();
        lint.head(&html, Duration::ZERO);
        lint.chunk(body.as_bytes(), Duration::ZERO);
        let findings = lint.finish(Duration::ZERO);
        let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, expected);
    }
}

/// A slow page of HTML is no slow stream.
#[test]
fn the_times_of_another_document_are_not_judged() {
    let html = Response::builder().header("content-type", "text/html").body(()).unwrap();
    for (body, expected) in [("<p>", &["content-type"][..]), ("data: a\n\n", &["late-headers", "content-type"])] {
        let mut lint = Lint::new();
        lint.head(&html, Duration::from_secs(3));
        lint.chunk(body.as_bytes(), Duration::from_secs(3));
        let codes: Vec<_> = lint.finish(Duration::from_secs(4)).into_iter().map(|finding| finding.code).collect();
        assert_eq!(codes, expected);
    }
}

#[test]
fn chats() {
    const PART: &str = "data: {\"choices\":[{\"delta\":{}}]}\n\n";
    const LAST: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    const USAGE: &str = "data: {\"choices\":[],\"usage\":{}}\n\n";
    const DONE: &str = "data: [DONE]\n\n";
    let large = format!("{{\"choices\":[],\"image\":\"{}\"}}", "x".repeat(64 * 1024));
    for (stream, expected) in [
        (&[PART, LAST, USAGE, DONE][..], &[][..]),
        (&[": ping\n\n", PART, LAST, DONE], &[]),
        (&[PART, LAST], &["no-end-marker"]),
        (&[PART, DONE], &["no-finish-reason"]),
        (&[PART], &["no-end-marker", "no-finish-reason"]),
        (&[LAST, DONE, USAGE], &["after-end-marker"]),
        (&[LAST, DONE, DONE], &["after-end-marker"]),
        (&[PART, DONE, LAST], &["no-finish-reason", "after-end-marker"]),
        (&[LAST, "data: {}\n\n", DONE], &["not-a-chunk"]),
        (&[LAST, "data: ping\n\n", DONE], &["not-a-chunk"]),
        (&["data: {\"error\":\"no\"}\n\n"], &["error-shape"]),
        (&["data: {\"error\":{\"message\":\"no\"}}\n\n"], &["error-reported"]),
        (&["data: {\"error\":null,\"choices\":[]}\n\n", LAST, DONE], &[]),
        // Other ways to write that there is none.
        (&["data: {\"error\":\"\",\"choices\":[]}\n\n", LAST, DONE], &[]),
        (&["data: {\"error\":false,\"choices\":[]}\n\n", LAST, DONE], &[]),
        (&["data: {\"error\":0,\"choices\":[]}\n\n", LAST, DONE], &[]),
        (&["data: {\"error\":{ },\"choices\":[]}\n\n", LAST, DONE], &[]),
        (&["data: {\"error\":[],\"choices\":[]}\n\n", LAST, DONE], &[]),
        (&["data: {\"error\":true,\"choices\":[]}\n\n"], &["error-shape"]),
        (&["data: {\"error\":{}}\n\n", LAST, DONE], &["not-a-chunk"]),
        (&["data: {\"error\":[\"no\"]}\n\n"], &["error-shape"]),
        (&["data: {\"error\":{\"message\":\"\\u006eo\",\"code\":[1]}}\n\n"], &["error-reported"]),
        // It may have the finish reason.
        (&["data: ", &large, "\n\n", DONE], &["large-chunk"]),
        (&["data: ", &large, "\n\n", PART], &["large-chunk", "no-end-marker"]),
    ] {
        let mut lint = Lint::new().with_openai();
        stream.iter().for_each(|chunk| lint.chunk(chunk.as_bytes(), Duration::ZERO));
        let findings = lint.finish(Duration::ZERO);
        let codes: Vec<_> = findings.iter().map(|finding| finding.code).collect();
        assert_eq!(codes, expected, "{stream:?}");
        let listed = listed();
        findings.iter().for_each(|finding| assert!(listed.contains(&(finding.code, finding.severity)), "{finding}"));
    }
    // As long as the stream goes on, its end is not missing.
    let mut lint = Lint::new().with_openai();
    lint.chunk(PART.as_bytes(), Duration::ZERO);
    assert_eq!(lint.stop(Duration::ZERO), []);
}

/// The codes of the list are those of this folder's tests, and those that the program has.
#[test]
fn the_list_is_complete() {
    let tests = [include_str!("codes.rs"), include_str!("times.rs")].concat();
    let program = "no-response json-lines broken compression compressed-unasked resume begins-anew preflight http-1.1";
    let listed = listed();
    let codes: BTreeSet<_> = listed.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes.len(), listed.len());
    for code in codes {
        assert!(tests.contains(&format!("\"{code}\"")) || program.split(' ').any(|name| name == code), "{code}");
    }
    assert_eq!(Finding::new("no-such-code", "").severity, Severity::Note);
}
