//! The behaviour of servers, and the result in this client and in a browser.

use crate::server::{Answer, Step, stream};

pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// One answer for each request. Further requests are answered with 204.
    pub(crate) script: &'static [Answer],
    pub(crate) requests: &'static [&'static str],
    pub(crate) client: &'static [&'static str],
    pub(crate) browser: Browser,
}

/// What Chromium does.
pub(crate) enum Browser {
    Same,
    /// Chromium behaves differently, for this reason.
    Differs {
        requests: &'static [&'static str],
        client: &'static [&'static str],
        why: &'static str,
    },
}

// When a connection fails, a browser may drop bytes that it has not read yet, so a pause before the failure leaves it
// time.
use Browser::{Differs, Same};
use Step::{Drip, Pause, Reset, Send};

pub(crate) const SCENARIOS: &[Scenario] = &[
    Scenario {
        name: "two events, and the end",
        script: &[&[stream!("retry: 20\nid: 1\ndata: a\n\nevent: tick\ndata: b\n\n")]],
        requests: &["/events", "/events 1"],
        client: &["open", "message|a|1", "tick|b|1", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "a response truncated in an event",
        script: &[&[stream!("retry: 20\nid: 1\ndata: a\n\nid: 2\ndata: b\n")], &[stream!("data: c\n\n")]],
        requests: &["/events", "/events 1", "/events 1"],
        client: &["open", "message|a|1", "reconnecting", "open", "message|c|1", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "a response truncated in a character",
        script: &[
            &[stream!("retry: 20\ndata: a\n\n"), Send(b"data: b\xC3")],
            &[stream!(""), Send(b"\xA9\n\ndata: c\n\n")],
        ],
        requests: &["/events", "/events", "/events"],
        client: &["open", "message|a|", "reconnecting", "open", "message|c|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "a response truncated between CR and LF",
        script: &[&[stream!("retry: 20\ndata: a\r\n\r")], &[stream!("\ndata: b\n\n")]],
        requests: &["/events", "/events", "/events"],
        client: &["open", "message|a|", "reconnecting", "open", "message|b|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "a response truncated in a chunk of its transfer coding",
        script: &[&[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n\
            15\r\nretry: 20\ndata: a\n\nda\r\n7FFF\r\nta: b\n\ndata: c\n",
        ), Pause(200)]],
        requests: &["/events", "/events"],
        client: &["open", "message|a|", "message|b|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "a response shorter than its Content-Length",
        script: &[&[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 1000\r\n\r\n\
            retry: 20\ndata: a\n\ndata: b\n",
        ), Pause(200)]],
        requests: &["/events", "/events"],
        client: &["open", "message|a|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "a connection that is reset",
        script: &[&[stream!("retry: 20\nid: 1\ndata: a\n\nid: 2\ndata:"), Pause(200), Reset]],
        requests: &["/events", "/events 1"],
        client: &["open", "message|a|1", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "a connection that is reset before the response",
        script: &[&[Reset], &[stream!("retry: 20\ndata: a\n\n")]],
        requests: &["/events", "/events", "/events"],
        client: &["reconnecting", "open", "message|a|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "a connection that is closed before the response",
        script: &[&[], &[stream!("retry: 20\ndata: a\n\n")]],
        requests: &["/events", "/events", "/events"],
        client: &["reconnecting", "open", "message|a|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "a slow drip",
        script: &[&[
            Drip(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"),
            Drip("\u{FEFF}retry: 20\r\nid: 1\r\ndata: d\u{E9}j\u{E0}\r\n\r\nevent: tick\rdata: \u{1F980}\r\r".as_bytes()),
        ]],
        requests: &["/events", "/events 1"],
        client: &["open", "message|d\u{E9}j\u{E0}|1", "tick|\u{1F980}|1", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "204",
        script: &[],
        requests: &["/events"],
        client: &["closed"],
        browser: Same,
    },
    Scenario {
        name: "301",
        script: &[
            &[Send(b"HTTP/1.1 301 Moved Permanently\r\nLocation: /moved\r\nConnection: close\r\n\r\n")],
            &[stream!("retry: 20\nid: 1\ndata: a\n\n")],
        ],
        requests: &["/events", "/moved", "/events 1"],
        client: &["open", "message|a|1", "reconnecting", "closed"],
        browser: Differs {
            requests: &["/events", "/moved", "/moved 1"],
            client: &["open", "message|a|1", "reconnecting", "closed"],
            why: REDIRECTED,
        },
    },
    Scenario {
        name: "307, each time",
        script: &[
            &[Send(b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /one\r\nConnection: close\r\n\r\n")],
            &[stream!("retry: 20\nid: 1\ndata: a\n\n")],
            &[Send(b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /two\r\nConnection: close\r\n\r\n")],
            &[stream!("data: b\n\n")],
        ],
        requests: &["/events", "/one", "/events 1", "/two 1", "/events 1"],
        client: &["open", "message|a|1", "reconnecting", "open", "message|b|1", "reconnecting", "closed"],
        browser: Differs {
            requests: &["/events", "/one", "/one 1", "/two 1", "/two 1"],
            client: &["open", "message|a|1", "reconnecting", "open", "message|b|1", "reconnecting", "closed"],
            why: REDIRECTED,
        },
    },
    Scenario {
        name: "302 that cannot be followed",
        script: &[
            &[stream!("retry: 20\nid: 1\ndata: a\n\n")],
            &[Send(b"HTTP/1.1 302 Found\r\nLocation: http://[::1\r\nConnection: close\r\n\r\n")],
            &[Send(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:99999/\r\nConnection: close\r\n\r\n")],
            &[Send(b"HTTP/1.1 302 Found\r\nLocation: data:text/event-stream,data:b\r\nConnection: close\r\n\r\n")],
            &[stream!("data: b\n\n")],
        ],
        requests: &["/events", "/events 1", "/events 1", "/events 1", "/events 1", "/events 1"],
        client: &[
            "open",
            "message|a|1",
            "reconnecting",
            "reconnecting",
            "reconnecting",
            "reconnecting",
            "open",
            "message|b|1",
            "reconnecting",
            "closed",
        ],
        browser: Same,
    },
    Scenario {
        name: "302 to an ftp: URL",
        script: &[
            &[stream!("retry: 20\nid: 1\ndata: a\n\n")],
            &[Send(b"HTTP/1.1 302 Found\r\nLocation: ftp://127.0.0.1/\r\nConnection: close\r\n\r\n")],
        ],
        requests: &["/events", "/events 1", "/events 1"],
        client: &["open", "message|a|1", "reconnecting", "reconnecting", "closed"],
        browser: Differs {
            requests: &["/events", "/events 1"],
            client: &["open", "message|a|1", "reconnecting", "closed"],
            why: "The Fetch standard calls this a network error, after which an event source reconnects. Chromium stops.",
        },
    },
    Scenario {
        name: "302 without a location",
        script: &[&[Send(b"HTTP/1.1 302 Found\r\nConnection: close\r\n\r\n")]],
        requests: &["/events"],
        client: &["closed"],
        browser: Same,
    },
    Scenario {
        name: "401",
        script: &[&[Send(
            b"HTTP/1.1 401 Unauthorized\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"error\":\"who?\"}",
        )]],
        requests: &["/events"],
        client: &["closed"],
        browser: Same,
    },
    Scenario {
        name: "401 after an event",
        script: &[
            &[stream!("retry: 20\nid: 1\ndata: a\n\n")],
            &[Send(b"HTTP/1.1 401 Unauthorized\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: b\n\n")],
        ],
        requests: &["/events", "/events 1"],
        client: &["open", "message|a|1", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "429 with Retry-After",
        script: &[
            &[Send(b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nConnection: close\r\n\r\n")],
            &[stream!("retry: 20\ndata: a\n\n")],
        ],
        requests: &["/events", "/events", "/events"],
        client: &["reconnecting", "open", "message|a|", "reconnecting", "closed"],
        browser: Differs { requests: &["/events"], client: &["closed"], why: RETRIED },
    },
    Scenario {
        name: "500, 502, 503, 504",
        script: &[
            &[Send(b"HTTP/1.1 500 Internal Server Error\r\nConnection: close\r\n\r\n")],
            &[Send(b"HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n")],
            &[Send(b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\n")],
            &[Send(b"HTTP/1.1 504 Gateway Timeout\r\nConnection: close\r\n\r\n")],
            &[stream!("retry: 20\ndata: a\n\n")],
        ],
        requests: &["/events", "/events", "/events", "/events", "/events", "/events"],
        client: &[
            "reconnecting", "reconnecting", "reconnecting", "reconnecting", "open", "message|a|", "reconnecting", "closed",
        ],
        browser: Differs { requests: &["/events"], client: &["closed"], why: RETRIED },
    },
    Scenario {
        name: "501",
        script: &[&[Send(b"HTTP/1.1 501 Not Implemented\r\nConnection: close\r\n\r\n")]],
        requests: &["/events"],
        client: &["closed"],
        browser: Same,
    },
    Scenario {
        name: "206 with events in it",
        script: &[&[Send(
            b"HTTP/1.1 206 Partial Content\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: a\n\n",
        )]],
        requests: &["/events"],
        client: &["closed"],
        browser: Same,
    },
    Scenario {
        name: "another content type",
        script: &[&[Send(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\ndata: a\n\n")]],
        requests: &["/events"],
        client: &["closed"],
        browser: Same,
    },
    Scenario {
        name: "no content type",
        script: &[&[Send(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\ndata: a\n\n")]],
        requests: &["/events"],
        client: &["closed"],
        browser: Same,
    },
    Scenario {
        name: "JSON in a 200",
        script: &[&[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"error\":\"no credit\"}",
        )]],
        requests: &["/events"],
        client: &["closed"],
        browser: Same,
    },
    Scenario {
        name: "a content type in other case, with a parameter",
        script: &[&[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream ; charset=UTF-8\r\nConnection: close\r\n\r\nretry: 20\ndata: a\n\n",
        )]],
        requests: &["/events", "/events"],
        client: &["open", "message|a|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "two content types, the last the right one",
        script: &[&[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\
            retry: 20\ndata: a\n\n",
        )]],
        requests: &["/events", "/events"],
        client: &["open", "message|a|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "another charset",
        script: &[&[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=iso-8859-1\r\nConnection: close\r\n\r\n\
            retry: 20\ndata: \xC3\xA9\n\n",
        )]],
        requests: &["/events", "/events"],
        client: &["open", "message|\u{E9}|", "reconnecting", "closed"],
        browser: Differs {
            requests: &["/events"],
            client: &["closed"],
            why: "The standard ignores the parameters of the content type and decodes every event stream as UTF-8. Chromium stops.",
        },
    },
    Scenario {
        name: "a quoted string that spans two content types",
        script: &[&[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; a=\"\r\nContent-Type: \", text/event-stream\r\nConnection: close\r\n\r\n\
            retry: 20\ndata: a\n\n",
        )]],
        requests: &["/events", "/events"],
        client: &["open", "message|a|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "the right content type inside a quoted string",
        script: &[&[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html; a=\"\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n\
            data: a\n\n",
        )]],
        requests: &["/events"],
        client: &["closed"],
        browser: Same,
    },
    Scenario {
        name: "the content coding none",
        script: &[&[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: none\r\nConnection: close\r\n\r\n\
            retry: 20\ndata: a\n\n",
        )]],
        requests: &["/events", "/events"],
        client: &["open", "message|a|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "the content codings UTF-8 and chunked",
        script: &[&[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: UTF-8, chunked\r\nConnection: close\r\n\r\n\
            retry: 20\ndata: a\n\n",
        )]],
        requests: &["/events", "/events"],
        client: &["open", "message|a|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "plain text labelled as gzip",
        script: &[&[Send(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n\
            data: a\n\n",
        )]],
        requests: &["/events"],
        client: &["closed"],
        browser: Differs {
            requests: &["/events", "/events"],
            client: &["open", "reconnecting", "closed"],
            why: "The client stops, because a body that was not decoded would look like silence. Chromium opens it, fails to decode it, and reconnects endlessly.",
        },
    },
    Scenario {
        name: "gzip without Content-Encoding",
        script: &[&[
            stream!(""),
            Send(b"\x1F\x8B\x08\0\0\0\0\0\x02\x03\x4B\x49\x2C\x49\xB4\x52\x48\xE4\xE2\x02\0\x7E\xE3\xC4\x38\x09\0\0\0"),
        ]],
        requests: &["/events", "/events"],
        client: &["open", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "retry: 0",
        script: &[&[stream!("retry: 0\ndata: a\n\n")], &[stream!("data: b\n\n")]],
        requests: &["/events", "/events", "/events"],
        client: &["open", "message|a|", "reconnecting", "open", "message|b|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "an ID that is cleared",
        script: &[&[stream!("retry: 20\nid: 1\ndata: a\n\nid\ndata: b\n\n")]],
        requests: &["/events", "/events"],
        client: &["open", "message|a|1", "message|b|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "an ID without an event",
        script: &[&[stream!("retry: 20\nid: 1\n\n")]],
        requests: &["/events", "/events 1"],
        client: &["open", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "an ID that is not ASCII",
        script: &[&[stream!("retry: 20\nid: \u{E9}\u{2603}\u{1F980}\ndata: a\n\n")]],
        requests: &["/events", "/events \u{E9}\u{2603}\u{1F980}"],
        client: &["open", "message|a|\u{E9}\u{2603}\u{1F980}", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "an ID with a NUL",
        script: &[&[stream!("retry: 20\nid: 1\n\nid: 2\0\ndata: a\n\n")]],
        requests: &["/events", "/events 1"],
        client: &["open", "message|a|1", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "an ID with U+0001",
        script: &[&[stream!("retry: 20\nid: \u{1}\ndata: a\n\n")]],
        requests: &["/events"],
        client: &["open", "message|a|\u{1}", "closed"],
        browser: Differs {
            requests: &["/events", "/events \u{1}"],
            client: &["open", "message|a|\u{1}", "reconnecting", "closed"],
            why: "The client stops, because HTTP allows no control characters in headers, and most clients and servers refuse them. Chromium sends the ID.",
        },
    },
    Scenario {
        name: "an ID with a tab and spaces in it",
        script: &[&[stream!("retry: 20\nid: a\tb  c\ndata: a\n\n")]],
        requests: &["/events", "/events a\tb  c"],
        client: &["open", "message|a|a\tb  c", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "an ID with spaces around it",
        script: &[&[stream!("retry: 20\nid:  a \ndata: a\n\n")]],
        requests: &["/events", "/events a"],
        client: &["open", "message|a| a ", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "a reconnection time that changes",
        script: &[
            &[stream!("retry: 20\ndata: a\n\n")],
            &[stream!("retry: 40\nretry: +1\nretry: x\nretry\ndata: b\n\n")],
            &[stream!("retry: 10\n\ndata: c\n\n")],
        ],
        requests: &["/events", "/events", "/events", "/events"],
        client: &[
            "open",
            "message|a|",
            "reconnecting",
            "open",
            "message|b|",
            "reconnecting",
            "open",
            "message|c|",
            "reconnecting",
            "closed",
        ],
        browser: Same,
    },
    Scenario {
        name: "empty responses",
        script: &[&[stream!("retry: 20\n")], &[stream!("")], &[stream!(": comment\n\n")], &[stream!("data: a\n\n")]],
        requests: &["/events", "/events", "/events", "/events", "/events"],
        client: &[
            "open", "reconnecting", "open", "reconnecting", "open", "reconnecting", "open", "message|a|", "reconnecting",
            "closed",
        ],
        browser: Same,
    },
    Scenario {
        name: "a byte order mark at each beginning",
        script: &[&[stream!("\u{FEFF}retry: 20\ndata: a\n\n")], &[stream!("\u{FEFF}data: b\n\n")]],
        requests: &["/events", "/events", "/events"],
        client: &["open", "message|a|", "reconnecting", "open", "message|b|", "reconnecting", "closed"],
        browser: Same,
    },
    Scenario {
        name: "HTTP/1.0",
        script: &[&[Send(b"HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\nretry: 20\ndata: a\n\n")]],
        requests: &["/events", "/events"],
        client: &["open", "message|a|", "reconnecting", "closed"],
        browser: Same,
    },
];

const REDIRECTED: &str = "Each attempt starts at the original URL, because redirects are followed within an attempt. Chromium \
    continues at the URL of the last redirect, even a temporary one.";
const RETRIED: &str = "The standard treats 429 and 5xx as permanent failures. But servers send them while they restart or \
    are overloaded, and expect their clients back. To follow the standard, return `Fail` from `with_response_verdict`.";
