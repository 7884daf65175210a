//! The behaviour of servers, and the result in this client and in a browser.

use eventwire_test::{End, Script};
use std::time::Duration;

pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// One answer for each request. The last one is a 204.
    pub(crate) answers: Vec<Script>,
    /// The path of each request, and its `Last-Event-ID` if it has one. After the arrow, what the client saw: `open`;
    /// an event as `type|data|ID`; `reconnecting`; `closed`.
    pub(crate) seen: &'static str,
    /// The same with Chromium, if that is different, and why.
    pub(crate) by_chromium: Option<(&'static str, &'static str)>,
}

/// These answers, and then a 204, which stops every client.
fn same<const N: usize>(name: &'static str, answers: [Script; N], seen: &'static str) -> Scenario {
    let answers = answers.into_iter().chain([Script::status(204)]).collect();
    Scenario { name, answers, seen, by_chromium: None }
}

impl Scenario {
    fn unlike_chromium(self, seen: &'static str, why: &'static str) -> Scenario {
        Scenario { by_chromium: Some((seen, why)), ..self }
    }
}

/// The head of an event stream that ends with its connection.
const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
/// When a connection fails, a browser may drop bytes that it has not read yet. A pause before the failure leaves it
/// time.
const READING: Duration = Duration::from_millis(200);

/// Sends these bytes one at a time.
fn drip(texts: [&'static str; 3]) -> Script {
    let bytes = texts.into_iter().flat_map(|text| text.as_bytes().chunks(1));
    bytes.fold(Script::raw(""), |script, byte| script.send(byte).wait(Duration::from_millis(1)))
}

pub(crate) fn scenarios() -> Vec<Scenario> {
    vec![
        same(
            "two events, and the end",
            [Script::new().send("retry: 20\nid: 1\ndata: a\n\nevent: tick\ndata: b\n\n")],
            "/events, /events 1 -> open, message|a|1, tick|b|1, reconnecting, closed",
        ),
        same(
            "a response truncated in an event",
            [
                Script::raw(HEAD).send("retry: 20\nid: 1\ndata: a\n\nid: 2\ndata: b\n"),
                Script::new().send("data: c\n\n"),
            ],
            "/events, /events 1, /events 1 -> open, message|a|1, reconnecting, open, message|c|1, reconnecting, \
            closed",
        ),
        same(
            "a response truncated in a character",
            [
                Script::raw(HEAD).send("retry: 20\ndata: a\n\n").send(&b"data: b\xC3"[..]),
                Script::new().send(&b"\xA9\n\ndata: c\n\n"[..]),
            ],
            "/events, /events, /events -> open, message|a|, reconnecting, open, message|c|, reconnecting, closed",
        ),
        same(
            "a response truncated between CR and LF",
            [Script::raw(HEAD).send("retry: 20\ndata: a\r\n\r"), Script::new().send("\ndata: b\n\n")],
            "/events, /events, /events -> open, message|a|, reconnecting, open, message|b|, reconnecting, closed",
        ),
        same(
            "a response truncated in a chunk of its transfer coding",
            [Script::raw("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
                .send("15\r\nretry: 20\ndata: a\n\nda\r\n7FFF\r\nta: b\n\ndata: c\n")
                .wait(READING)],
            "/events, /events -> open, message|a|, message|b|, reconnecting, closed",
        ),
        same(
            "a response shorter than its Content-Length",
            [Script::new().header("content-length", "1000").send("retry: 20\ndata: a\n\ndata: b\n").wait(READING)],
            "/events, /events -> open, message|a|, reconnecting, closed",
        ),
        same(
            "a connection that is reset",
            [Script::new().send("retry: 20\nid: 1\ndata: a\n\nid: 2\ndata:").wait(READING).with_end(End::Reset)],
            "/events, /events 1 -> open, message|a|1, reconnecting, closed",
        ),
        same(
            "a connection that is reset before the response",
            [Script::raw("").with_end(End::Reset), Script::new().send("retry: 20\ndata: a\n\n")],
            "/events, /events, /events -> reconnecting, open, message|a|, reconnecting, closed",
        ),
        same(
            "a connection that is closed before the response",
            [Script::raw(""), Script::new().send("retry: 20\ndata: a\n\n")],
            "/events, /events, /events -> reconnecting, open, message|a|, reconnecting, closed",
        ),
        same(
            "a slow drip",
            [drip([
                HEAD,
                "\u{FEFF}retry: 20\r\nid: 1\r\ndata: d\u{E9}j\u{E0}\r\n\r\n",
                "event: tick\rdata: \u{1F980}\r\r",
            ])],
            "/events, /events 1 -> open, message|d\u{E9}j\u{E0}|1, tick|\u{1F980}|1, reconnecting, closed",
        ),
        same("204", [], "/events -> closed"),
        same(
            "301",
            [Script::status(301).header("location", "/moved"), Script::new().send("retry: 20\nid: 1\ndata: a\n\n")],
            "/events, /moved, /events 1 -> open, message|a|1, reconnecting, closed",
        )
        .unlike_chromium("/events, /moved, /moved 1 -> open, message|a|1, reconnecting, closed", REDIRECTED),
        same(
            "307, each time",
            [
                Script::status(307).header("location", "/one"),
                Script::new().send("retry: 20\nid: 1\ndata: a\n\n"),
                Script::status(307).header("location", "/two"),
                Script::new().send("data: b\n\n"),
            ],
            "/events, /one, /events 1, /two 1, /events 1 -> open, message|a|1, reconnecting, open, message|b|1, \
            reconnecting, closed",
        )
        .unlike_chromium(
            "/events, /one, /one 1, /two 1, /two 1 -> open, message|a|1, reconnecting, open, message|b|1, \
            reconnecting, closed",
            REDIRECTED,
        ),
        same(
            "302 that cannot be followed",
            [
                Script::new().send("retry: 20\nid: 1\ndata: a\n\n"),
                Script::status(302).header("location", "http://[::1"),
                Script::status(302).header("location", "http://127.0.0.1:99999/"),
                Script::status(302).header("location", "data:text/event-stream,data:b"),
                Script::new().send("data: b\n\n"),
            ],
            "/events, /events 1, /events 1, /events 1, /events 1, /events 1 -> open, message|a|1, reconnecting, \
            reconnecting, reconnecting, reconnecting, open, message|b|1, reconnecting, closed",
        ),
        same(
            "302 to an ftp: URL",
            [
                Script::new().send("retry: 20\nid: 1\ndata: a\n\n"),
                Script::status(302).header("location", "ftp://127.0.0.1/"),
            ],
            "/events, /events 1, /events 1 -> open, message|a|1, reconnecting, reconnecting, closed",
        )
        .unlike_chromium("/events, /events 1 -> open, message|a|1, reconnecting, closed", NETWORK_ERROR),
        same("302 without a location", [Script::status(302)], "/events -> closed"),
        same(
            "401",
            [Script::status(401).header("content-type", "application/json").send("{\"error\":\"who?\"}")],
            "/events -> closed",
        ),
        same(
            "401 after an event",
            [
                Script::new().send("retry: 20\nid: 1\ndata: a\n\n"),
                Script::status(401).header("content-type", "text/event-stream").send("data: b\n\n"),
            ],
            "/events, /events 1 -> open, message|a|1, reconnecting, closed",
        ),
        same(
            "429 with Retry-After",
            [Script::status(429).header("retry-after", "1"), Script::new().send("retry: 20\ndata: a\n\n")],
            "/events, /events, /events -> reconnecting, open, message|a|, reconnecting, closed",
        )
        .unlike_chromium("/events -> closed", RETRIED),
        same(
            "500, 502, 503, 504",
            [
                Script::status(500),
                Script::status(502),
                Script::status(503),
                Script::status(504),
                Script::new().send("retry: 20\ndata: a\n\n"),
            ],
            "/events, /events, /events, /events, /events, /events -> reconnecting, reconnecting, reconnecting, \
            reconnecting, open, message|a|, reconnecting, closed",
        )
        .unlike_chromium("/events -> closed", RETRIED),
        same("501", [Script::status(501)], "/events -> closed"),
        same(
            "206 with events in it",
            [Script::status(206).header("content-type", "text/event-stream").send("data: a\n\n")],
            "/events -> closed",
        ),
        same(
            "another content type",
            [Script::status(200).header("content-type", "text/plain").send("data: a\n\n")],
            "/events -> closed",
        ),
        same("no content type", [Script::status(200).send("data: a\n\n")], "/events -> closed"),
        same(
            "JSON in a 200",
            [Script::status(200).header("content-type", "application/json").send("{\"error\":\"no credit\"}")],
            "/events -> closed",
        ),
        same(
            "a content type in other case, with a parameter",
            [Script::status(200)
                .header("content-type", "Text/Event-Stream ; charset=UTF-8")
                .send("retry: 20\ndata: a\n\n")],
            "/events, /events -> open, message|a|, reconnecting, closed",
        ),
        same(
            "two content types, the last the right one",
            [Script::status(200)
                .header("content-type", "text/plain")
                .header("content-type", "text/event-stream")
                .send("retry: 20\ndata: a\n\n")],
            "/events, /events -> open, message|a|, reconnecting, closed",
        ),
        same(
            "another charset",
            [Script::status(200)
                .header("content-type", "text/event-stream; charset=iso-8859-1")
                .send("retry: 20\ndata: \u{E9}\n\n")],
            "/events, /events -> open, message|\u{E9}|, reconnecting, closed",
        )
        .unlike_chromium("/events -> closed", CHARSET),
        same(
            "a quoted string that spans two content types",
            [Script::status(200)
                .header("content-type", "text/html; a=\"")
                .header("content-type", "\", text/event-stream")
                .send("retry: 20\ndata: a\n\n")],
            "/events, /events -> open, message|a|, reconnecting, closed",
        ),
        same(
            "the right content type inside a quoted string",
            [Script::status(200)
                .header("content-type", "text/html; a=\"")
                .header("content-type", "text/event-stream")
                .send("data: a\n\n")],
            "/events -> closed",
        ),
        same(
            "the content coding none",
            [Script::new().header("content-encoding", "none").send("retry: 20\ndata: a\n\n")],
            "/events, /events -> open, message|a|, reconnecting, closed",
        ),
        same(
            "the content codings UTF-8 and chunked",
            [Script::new().header("content-encoding", "UTF-8, chunked").send("retry: 20\ndata: a\n\n")],
            "/events, /events -> open, message|a|, reconnecting, closed",
        ),
        same(
            "plain text labelled as gzip",
            [Script::new().header("content-encoding", "gzip").send("data: a\n\n")],
            "/events -> closed",
        )
        .unlike_chromium("/events, /events -> open, reconnecting, closed", COMPRESSED),
        same(
            "gzip without Content-Encoding",
            [Script::new().send(
                &b"\x1F\x8B\x08\0\0\0\0\0\x02\x03\x4B\x49\x2C\x49\xB4\x52\x48\xE4\xE2\x02\0\x7E\xE3\xC4\x38\x09\0\0\0"
                    [..],
            )],
            "/events, /events -> open, reconnecting, closed",
        ),
        same(
            "retry: 0",
            [Script::new().send("retry: 0\ndata: a\n\n"), Script::new().send("data: b\n\n")],
            "/events, /events, /events -> open, message|a|, reconnecting, open, message|b|, reconnecting, closed",
        ),
        same(
            "an ID that is cleared",
            [Script::new().send("retry: 20\nid: 1\ndata: a\n\nid\ndata: b\n\n")],
            "/events, /events -> open, message|a|1, message|b|, reconnecting, closed",
        ),
        same(
            "an ID without an event",
            [Script::new().send("retry: 20\nid: 1\n\n")],
            "/events, /events 1 -> open, reconnecting, closed",
        ),
        same(
            "an ID that is not ASCII",
            [Script::new().send("retry: 20\nid: \u{E9}\u{2603}\u{1F980}\ndata: a\n\n")],
            "/events, /events \u{E9}\u{2603}\u{1F980} -> open, message|a|\u{E9}\u{2603}\u{1F980}, reconnecting, \
            closed",
        ),
        same(
            "an ID with a NUL",
            [Script::new().send("retry: 20\nid: 1\n\nid: 2\0\ndata: a\n\n")],
            "/events, /events 1 -> open, message|a|1, reconnecting, closed",
        ),
        same(
            "an ID with U+0001",
            [Script::new().send("retry: 20\nid: \u{1}\ndata: a\n\n")],
            "/events -> open, message|a|\u{1}, closed",
        )
        // The second request is not valid HTTP, so the server answers 400 and does not list it.
        .unlike_chromium("/events -> open, message|a|\u{1}, reconnecting, closed", CONTROL_CHARACTER),
        same(
            "an ID with a tab and spaces in it",
            [Script::new().send("retry: 20\nid: a\tb  c\ndata: a\n\n")],
            "/events, /events a\tb  c -> open, message|a|a\tb  c, reconnecting, closed",
        ),
        same(
            "an ID with spaces around it",
            [Script::new().send("retry: 20\nid:  a \ndata: a\n\n")],
            "/events, /events a -> open, message|a| a , reconnecting, closed",
        ),
        same(
            "a reconnection time that changes",
            [
                Script::new().send("retry: 20\ndata: a\n\n"),
                Script::new().send("retry: 40\nretry: +1\nretry: x\nretry\ndata: b\n\n"),
                Script::new().send("retry: 10\n\ndata: c\n\n"),
            ],
            "/events, /events, /events, /events -> open, message|a|, reconnecting, open, message|b|, \
            reconnecting, open, message|c|, reconnecting, closed",
        ),
        same(
            "empty responses",
            [
                Script::new().send("retry: 20\n"),
                Script::new(),
                Script::new().send(": comment\n\n"),
                Script::new().send("data: a\n\n"),
            ],
            "/events, /events, /events, /events, /events -> open, reconnecting, open, reconnecting, open, \
            reconnecting, open, message|a|, reconnecting, closed",
        ),
        same(
            "a byte order mark at each beginning",
            [Script::new().send("\u{FEFF}retry: 20\ndata: a\n\n"), Script::new().send("\u{FEFF}data: b\n\n")],
            "/events, /events, /events -> open, message|a|, reconnecting, open, message|b|, reconnecting, closed",
        ),
        same(
            "HTTP/1.0",
            [Script::raw("HTTP/1.0 200 OK\r\ncontent-type: text/event-stream\r\n\r\nretry: 20\ndata: a\n\n")],
            "/events, /events -> open, message|a|, reconnecting, closed",
        ),
    ]
}

const REDIRECTED: &str = "Each attempt starts at the original URL, because redirects are followed within an \
    attempt. Chromium continues at the URL of the last redirect, even a temporary one.";
const RETRIED: &str = "The standard treats 429 and 5xx as permanent failures. But servers send them while they \
    restart or are overloaded, and expect their clients back. To follow the standard, return `Fail` from \
    `with_response_verdict`.";
const NETWORK_ERROR: &str = "The Fetch standard calls this a network error, after which an event source reconnects. \
    Chromium stops.";
const CHARSET: &str = "The standard ignores the parameters of the content type and decodes every event stream as \
    UTF-8. Chromium stops.";
const COMPRESSED: &str = "The client stops, because a body that was not decoded would look like silence. Chromium \
    opens it, fails to decode it, and reconnects endlessly.";
const CONTROL_CHARACTER: &str = "The client stops, because HTTP allows no control characters in headers, and most \
    clients and servers refuse them. Chromium sends the ID.";
