//! The behaviour of servers, and the result in this client and in a browser.

use crate::server::{
    Answer,
    Step::{Drip, Pause, Reset, Send},
    answer, stream,
};

pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// One answer for each request. Further requests are answered with 204.
    pub(crate) script: &'static [Answer],
    /// The path of each request, and its `Last-Event-ID` if it has one. After the arrow, what the client saw: `open`;
    /// an event as `type|data|ID`; `reconnecting`; `closed`.
    pub(crate) seen: &'static str,
    /// The same with Chromium, if that is different, and why.
    pub(crate) by_chromium: Option<(&'static str, &'static str)>,
}

const fn same(name: &'static str, script: &'static [Answer], seen: &'static str) -> Scenario {
    Scenario { name, script, seen, by_chromium: None }
}

impl Scenario {
    const fn unlike_chromium(self, seen: &'static str, why: &'static str) -> Scenario {
        Scenario { by_chromium: Some((seen, why)), ..self }
    }
}

// When a connection fails, a browser may drop bytes that it has not read yet, so a pause before the failure leaves it
// time.
pub(crate) const SCENARIOS: &[Scenario] = &[
    same(
        "two events, and the end",
        &[&[stream!("retry: 20\nid: 1\ndata: a\n\nevent: tick\ndata: b\n\n")]],
        "/events, /events 1 -> open, message|a|1, tick|b|1, reconnecting, closed",
    ),
    same(
        "a response truncated in an event",
        &[&[stream!("retry: 20\nid: 1\ndata: a\n\nid: 2\ndata: b\n")], &[stream!("data: c\n\n")]],
        "/events, /events 1, /events 1 -> open, message|a|1, reconnecting, open, message|c|1, reconnecting, \
        closed",
    ),
    same(
        "a response truncated in a character",
        &[&[stream!("retry: 20\ndata: a\n\n"), Send(b"data: b\xC3")], &[stream!(""), Send(b"\xA9\n\ndata: c\n\n")]],
        "/events, /events, /events -> open, message|a|, reconnecting, open, message|c|, reconnecting, closed",
    ),
    same(
        "a response truncated between CR and LF",
        &[&[stream!("retry: 20\ndata: a\r\n\r")], &[stream!("\ndata: b\n\n")]],
        "/events, /events, /events -> open, message|a|, reconnecting, open, message|b|, reconnecting, closed",
    ),
    same(
        "a response truncated in a chunk of its transfer coding",
        &[&[
            Send(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n\
            15\r\nretry: 20\ndata: a\n\nda\r\n7FFF\r\nta: b\n\ndata: c\n",
            ),
            Pause(200),
        ]],
        "/events, /events -> open, message|a|, message|b|, reconnecting, closed",
    ),
    same(
        "a response shorter than its Content-Length",
        &[&[
            Send(
                b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 1000\r\n\r\n\
            retry: 20\ndata: a\n\ndata: b\n",
            ),
            Pause(200),
        ]],
        "/events, /events -> open, message|a|, reconnecting, closed",
    ),
    same(
        "a connection that is reset",
        &[&[stream!("retry: 20\nid: 1\ndata: a\n\nid: 2\ndata:"), Pause(200), Reset]],
        "/events, /events 1 -> open, message|a|1, reconnecting, closed",
    ),
    same(
        "a connection that is reset before the response",
        &[&[Reset], &[stream!("retry: 20\ndata: a\n\n")]],
        "/events, /events, /events -> reconnecting, open, message|a|, reconnecting, closed",
    ),
    same(
        "a connection that is closed before the response",
        &[&[], &[stream!("retry: 20\ndata: a\n\n")]],
        "/events, /events, /events -> reconnecting, open, message|a|, reconnecting, closed",
    ),
    same(
        "a slow drip",
        &[&[
            Drip(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"),
            Drip("\u{FEFF}retry: 20\r\nid: 1\r\ndata: d\u{E9}j\u{E0}\r\n\r\n".as_bytes()),
            Drip("event: tick\rdata: \u{1F980}\r\r".as_bytes()),
        ]],
        "/events, /events 1 -> open, message|d\u{E9}j\u{E0}|1, tick|\u{1F980}|1, reconnecting, closed",
    ),
    same("204", &[], "/events -> closed"),
    same(
        "301",
        &[&[answer!("301 Moved Permanently\r\nLocation: /moved")], &[stream!("retry: 20\nid: 1\ndata: a\n\n")]],
        "/events, /moved, /events 1 -> open, message|a|1, reconnecting, closed",
    )
    .unlike_chromium("/events, /moved, /moved 1 -> open, message|a|1, reconnecting, closed", REDIRECTED),
    same(
        "307, each time",
        &[
            &[answer!("307 Temporary Redirect\r\nLocation: /one")],
            &[stream!("retry: 20\nid: 1\ndata: a\n\n")],
            &[answer!("307 Temporary Redirect\r\nLocation: /two")],
            &[stream!("data: b\n\n")],
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
        &[
            &[stream!("retry: 20\nid: 1\ndata: a\n\n")],
            &[answer!("302 Found\r\nLocation: http://[::1")],
            &[answer!("302 Found\r\nLocation: http://127.0.0.1:99999/")],
            &[answer!("302 Found\r\nLocation: data:text/event-stream,data:b")],
            &[stream!("data: b\n\n")],
        ],
        "/events, /events 1, /events 1, /events 1, /events 1, /events 1 -> open, message|a|1, reconnecting, \
        reconnecting, reconnecting, reconnecting, open, message|b|1, reconnecting, closed",
    ),
    same(
        "302 to an ftp: URL",
        &[&[stream!("retry: 20\nid: 1\ndata: a\n\n")], &[answer!("302 Found\r\nLocation: ftp://127.0.0.1/")]],
        "/events, /events 1, /events 1 -> open, message|a|1, reconnecting, reconnecting, closed",
    )
    .unlike_chromium("/events, /events 1 -> open, message|a|1, reconnecting, closed", NETWORK_ERROR),
    same("302 without a location", &[&[answer!("302 Found")]], "/events -> closed"),
    same(
        "401",
        &[&[answer!("401 Unauthorized\r\nContent-Type: application/json", "{\"error\":\"who?\"}")]],
        "/events -> closed",
    ),
    same(
        "401 after an event",
        &[
            &[stream!("retry: 20\nid: 1\ndata: a\n\n")],
            &[answer!("401 Unauthorized\r\nContent-Type: text/event-stream", "data: b\n\n")],
        ],
        "/events, /events 1 -> open, message|a|1, reconnecting, closed",
    ),
    same(
        "429 with Retry-After",
        &[&[answer!("429 Too Many Requests\r\nRetry-After: 1")], &[stream!("retry: 20\ndata: a\n\n")]],
        "/events, /events, /events -> reconnecting, open, message|a|, reconnecting, closed",
    )
    .unlike_chromium("/events -> closed", RETRIED),
    same(
        "500, 502, 503, 504",
        &[
            &[answer!("500 Internal Server Error")],
            &[answer!("502 Bad Gateway")],
            &[answer!("503 Service Unavailable")],
            &[answer!("504 Gateway Timeout")],
            &[stream!("retry: 20\ndata: a\n\n")],
        ],
        "/events, /events, /events, /events, /events, /events -> reconnecting, reconnecting, reconnecting, \
        reconnecting, open, message|a|, reconnecting, closed",
    )
    .unlike_chromium("/events -> closed", RETRIED),
    same("501", &[&[answer!("501 Not Implemented")]], "/events -> closed"),
    same(
        "206 with events in it",
        &[&[answer!("206 Partial Content\r\nContent-Type: text/event-stream", "data: a\n\n")]],
        "/events -> closed",
    ),
    same(
        "another content type",
        &[&[answer!("200 OK\r\nContent-Type: text/plain", "data: a\n\n")]],
        "/events -> closed",
    ),
    same("no content type", &[&[answer!("200 OK", "data: a\n\n")]], "/events -> closed"),
    same(
        "JSON in a 200",
        &[&[answer!("200 OK\r\nContent-Type: application/json", "{\"error\":\"no credit\"}")]],
        "/events -> closed",
    ),
    same(
        "a content type in other case, with a parameter",
        &[&[answer!("200 OK\r\nContent-Type: Text/Event-Stream ; charset=UTF-8", "retry: 20\ndata: a\n\n")]],
        "/events, /events -> open, message|a|, reconnecting, closed",
    ),
    same(
        "two content types, the last the right one",
        &[&[answer!(
            "200 OK\r\nContent-Type: text/plain\r\nContent-Type: text/event-stream",
            "retry: 20\ndata: a\n\n"
        )]],
        "/events, /events -> open, message|a|, reconnecting, closed",
    ),
    same(
        "another charset",
        &[&[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=iso-8859-1\r\nConnection: close\r\n\r\n\
            retry: 20\ndata: \xC3\xA9\n\n",
        )]],
        "/events, /events -> open, message|\u{E9}|, reconnecting, closed",
    )
    .unlike_chromium("/events -> closed", CHARSET),
    same(
        "a quoted string that spans two content types",
        &[&[answer!(
            "200 OK\r\nContent-Type: text/html; a=\"\r\nContent-Type: \", text/event-stream",
            "retry: 20\ndata: a\n\n"
        )]],
        "/events, /events -> open, message|a|, reconnecting, closed",
    ),
    same(
        "the right content type inside a quoted string",
        &[&[answer!("200 OK\r\nContent-Type: text/html; a=\"\r\nContent-Type: text/event-stream", "data: a\n\n")]],
        "/events -> closed",
    ),
    same(
        "the content coding none",
        &[&[answer!("200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: none", "retry: 20\ndata: a\n\n")]],
        "/events, /events -> open, message|a|, reconnecting, closed",
    ),
    same(
        "the content codings UTF-8 and chunked",
        &[&[answer!(
            "200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: UTF-8, chunked",
            "retry: 20\ndata: a\n\n"
        )]],
        "/events, /events -> open, message|a|, reconnecting, closed",
    ),
    same(
        "plain text labelled as gzip",
        &[&[answer!("200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip", "data: a\n\n")]],
        "/events -> closed",
    )
    .unlike_chromium("/events, /events -> open, reconnecting, closed", COMPRESSED),
    same(
        "gzip without Content-Encoding",
        &[&[
            stream!(""),
            Send(b"\x1F\x8B\x08\0\0\0\0\0\x02\x03\x4B\x49\x2C\x49\xB4\x52\x48\xE4\xE2\x02\0\x7E\xE3\xC4\x38\x09\0\0\0"),
        ]],
        "/events, /events -> open, reconnecting, closed",
    ),
    same(
        "retry: 0",
        &[&[stream!("retry: 0\ndata: a\n\n")], &[stream!("data: b\n\n")]],
        "/events, /events, /events -> open, message|a|, reconnecting, open, message|b|, reconnecting, closed",
    ),
    same(
        "an ID that is cleared",
        &[&[stream!("retry: 20\nid: 1\ndata: a\n\nid\ndata: b\n\n")]],
        "/events, /events -> open, message|a|1, message|b|, reconnecting, closed",
    ),
    same(
        "an ID without an event",
        &[&[stream!("retry: 20\nid: 1\n\n")]],
        "/events, /events 1 -> open, reconnecting, closed",
    ),
    same(
        "an ID that is not ASCII",
        &[&[stream!("retry: 20\nid: \u{E9}\u{2603}\u{1F980}\ndata: a\n\n")]],
        "/events, /events \u{E9}\u{2603}\u{1F980} -> open, message|a|\u{E9}\u{2603}\u{1F980}, reconnecting, \
        closed",
    ),
    same(
        "an ID with a NUL",
        &[&[stream!("retry: 20\nid: 1\n\nid: 2\0\ndata: a\n\n")]],
        "/events, /events 1 -> open, message|a|1, reconnecting, closed",
    ),
    same(
        "an ID with U+0001",
        &[&[stream!("retry: 20\nid: \u{1}\ndata: a\n\n")]],
        "/events -> open, message|a|\u{1}, closed",
    )
    .unlike_chromium("/events, /events \u{1} -> open, message|a|\u{1}, reconnecting, closed", CONTROL_CHARACTER),
    same(
        "an ID with a tab and spaces in it",
        &[&[stream!("retry: 20\nid: a\tb  c\ndata: a\n\n")]],
        "/events, /events a\tb  c -> open, message|a|a\tb  c, reconnecting, closed",
    ),
    same(
        "an ID with spaces around it",
        &[&[stream!("retry: 20\nid:  a \ndata: a\n\n")]],
        "/events, /events a -> open, message|a| a , reconnecting, closed",
    ),
    same(
        "a reconnection time that changes",
        &[
            &[stream!("retry: 20\ndata: a\n\n")],
            &[stream!("retry: 40\nretry: +1\nretry: x\nretry\ndata: b\n\n")],
            &[stream!("retry: 10\n\ndata: c\n\n")],
        ],
        "/events, /events, /events, /events -> open, message|a|, reconnecting, open, message|b|, \
        reconnecting, open, message|c|, reconnecting, closed",
    ),
    same(
        "empty responses",
        &[&[stream!("retry: 20\n")], &[stream!("")], &[stream!(": comment\n\n")], &[stream!("data: a\n\n")]],
        "/events, /events, /events, /events, /events -> open, reconnecting, open, reconnecting, open, \
        reconnecting, open, message|a|, reconnecting, closed",
    ),
    same(
        "a byte order mark at each beginning",
        &[&[stream!("\u{FEFF}retry: 20\ndata: a\n\n")], &[stream!("\u{FEFF}data: b\n\n")]],
        "/events, /events, /events -> open, message|a|, reconnecting, open, message|b|, reconnecting, closed",
    ),
    same(
        "HTTP/1.0",
        &[&[Send(b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 20\ndata: a\n\n")]],
        "/events, /events -> open, message|a|, reconnecting, closed",
    ),
];

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
