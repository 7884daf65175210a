//! The differences between what a server is told to send and what it sends.

use crate::{
    message::Message,
    receipt::Receipt,
    server::{Refusal, Response},
};
use std::time::Duration;

/// One way in which a server differs, and the exact outcome in each case that shows it.
pub struct Difference {
    pub server: &'static str,
    /// The description in README.md.
    pub what: &'static str,
    pub outcomes: Vec<(&'static str, Outcome)>,
}

/// What happens instead of what was expected.
pub enum Outcome {
    /// The server sends exactly this body. A client reads from it what a correct server would send for these
    /// messages.
    Sends(&'static str, Vec<Message>),
    /// The server panics. The panic's message contains this text; the standard library writes the rest.
    Panics(&'static str),
    /// The body ends with this error.
    Fails(&'static str),
    /// The server has no method for it.
    Unsayable(&'static str),
}

impl Outcome {
    pub fn is(&self, result: &Result<Response, Refusal>) -> bool {
        match (self, result) {
            (Outcome::Sends(body, messages), Ok(response)) => {
                response.chunks.concat() == body.as_bytes()
                    && Some(Receipt::of(&response.chunks)) == Receipt::due(messages)
            }
            (Outcome::Panics(text), Err(Refusal::Panics(message))) => message.contains(text),
            (Outcome::Fails(text), Err(Refusal::Fails(error))) => text == error,
            (Outcome::Unsayable(text), Err(Refusal::Unsayable(what))) => text == what,
            _ => false,
        }
    }
}

pub fn outcome(server: &str, case: &str) -> Option<Outcome> {
    let outcomes = differences().into_iter().filter(|difference| difference.server == server);
    let mut outcomes = outcomes.flat_map(|difference| difference.outcomes);
    outcomes.find(|(name, _)| *name == case).map(|(_, outcome)| outcome)
}

/// The table of differences. If a test of a row fails after an update, look at what the server does now, and change
/// or delete the row.
#[rustfmt::skip] // Each body is on one line, and its events are below it.
pub fn differences() -> Vec<Difference> {
    use Outcome::{Fails, Panics, Sends, Unsayable};
    let text = |text: &str| vec![Message::text(text)];
    let hello = || Message::text("hello");

    let axum = |what, outcomes| Difference { server: "axum", what, outcomes };
    let actix = |what, outcomes| Difference { server: "actix-web-lab", what, outcomes };
    let salvo = |what, outcomes| Difference { server: "salvo", what, outcomes };
    let warp = |what, outcomes| Difference { server: "warp", what, outcomes };

    const AXUM_LINE_BREAK: &str = "SSE field value cannot contain newlines or carriage returns";
    const AXUM_NUL: &str = "Event ID cannot contain null characters";
    const SALVO_TYPE: &str = "SSE event names cannot contain CR or LF";
    const SALVO_ID: &str = "SSE event IDs cannot contain CR, LF, or NUL";

    vec![
        axum("panics at a line break in a type, id or comment", vec![
            ("type, LF", Panics(AXUM_LINE_BREAK)),
            ("type, CR", Panics(AXUM_LINE_BREAK)),
            ("id, LF", Panics(AXUM_LINE_BREAK)),
            ("id, CR", Panics(AXUM_LINE_BREAK)),
            ("comment, LF", Panics(AXUM_LINE_BREAK)),
            ("comment, CR", Panics(AXUM_LINE_BREAK)),
            ("comment, blank lines", Panics(AXUM_LINE_BREAK)),
        ]),
        axum("panics at NUL in an id", vec![("id, NUL", Panics(AXUM_NUL))]),
        axum("omits empty data, so no event is dispatched; the id still takes effect", vec![
            ("data, empty", Sends("\n",
                vec![])),
            ("data, empty between others", Sends("data: hello\n\nevent: ping\nid: 7\n\ndata: hello\n\n",
                vec![hello(), hello().with_id("7")])),
        ]),
        axum("reads CRLF in data as two line breaks", vec![
            ("data, CRLF", Sends("data: one\rdata: \ndata: two\rdata: \ndata: \rdata: \ndata: four\n\n",
                text("one\n\ntwo\n\n\n\nfour"))),
            ("data, CRLF first", Sends("data: \rdata: \ndata: hello\n\n",
                text("\n\nhello"))),
            ("data, CRLF last", Sends("data: hello\rdata: \ndata: \n\n",
                text("hello\n\n"))),
            ("data, line breaks mixed", Sends("data: one\rdata: two\ndata: three\rdata: \ndata: four\n\n",
                text("one\ntwo\nthree\n\nfour"))),
            ("JSON, raw with CRLF", Sends("data: {\rdata: \ndata:   \"a\": 1\rdata: \ndata: }\n\n",
                text("{\n\n  \"a\": 1\n\n}"))),
        ]),

        actix("ends the body with an error at a line break in a type or id, or NUL in an id", vec![
            ("type, LF", Fails("Invalid SSE event: '\\n' at byte 8")),
            ("type, CR", Fails("Invalid SSE event: '\\r' at byte 8")),
            ("id, LF", Fails("Invalid SSE id: '\\n' at byte 2")),
            ("id, CR", Fails("Invalid SSE id: '\\r' at byte 2")),
            ("id, NUL", Fails("Invalid SSE id: '\\0' at byte 1")),
        ]),
        actix("sends the reconnection time in a separate block before the first event", vec![
            ("retry", Sends("retry: 3000\n\ndata: hello\n\ndata: hello\n\n",
                vec![Message::default().with_retry(Duration::from_secs(3)), hello(), hello()])),
            ("all fields", Sends("retry: 3000\n\n: first\n\nid: 1\nevent: greeting\ndata: hello\n\n",
                vec![Message::default().with_retry(Duration::from_secs(3)), hello().with_type("greeting").with_id("1")])),
        ]),
        actix("has no method for a reconnection time on a later event", vec![
            ("retry, later", Unsayable("retry after the first event")),
        ]),
        actix("has no method for an id without data", vec![("id, alone", Unsayable("id without data"))]),

        salvo("panics at a line break in a type or id", vec![
            ("type, LF", Panics(SALVO_TYPE)),
            ("type, CR", Panics(SALVO_TYPE)),
            ("id, LF", Panics(SALVO_ID)),
            ("id, CR", Panics(SALVO_ID)),
        ]),
        salvo("panics at NUL in an id", vec![("id, NUL", Panics(SALVO_ID))]),

        warp("writes no space after the colon, so a value, or a line of data, loses one leading space", vec![
            ("type, leading space", Sends("event: greeting\ndata:hello\n\n",
                vec![hello().with_type("greeting")])),
            ("id, leading space", Sends("data:hello\nid: 42\n\n",
                vec![hello().with_id("42")])),
            ("data, leading space", Sends("data: hello\n\n",
                text("hello"))),
            ("data, leading spaces of lines", Sends("data:  hello\ndata: there\ndata:\n\n",
                text(" hello\nthere\n"))),
            ("data, one space", Sends("data: \n\n",
                text(""))),
        ]),
        warp("writes a line break in a type, id or comment unchanged: it begins another field or ends the event", vec![
            ("type, LF", Sends("event:greeting\ndata: forged\ndata:hello\n\n",
                vec![Message::text("forged\nhello").with_type("greeting")])),
            ("type, CR", Sends("event:greeting\rdata: forged\ndata:hello\n\n",
                vec![Message::text("forged\nhello").with_type("greeting")])),
            ("id, LF", Sends("data:hello\nid:42\ndata: forged\n\n",
                vec![Message::text("hello\nforged").with_id("42")])),
            ("id, CR", Sends("data:hello\nid:42\rdata: forged\n\n",
                vec![Message::text("hello\nforged").with_id("42")])),
            ("comment, LF", Sends("data:one\n\n:two\ndata: forged\ndata:hello\n\ndata:three\n\n",
                vec![Message::text("one"), Message::text("forged\nhello"), Message::text("three")])),
            ("comment, CR", Sends("data:one\n\n:two\rdata: forged\ndata:hello\n\ndata:three\n\n",
                vec![Message::text("one"), Message::text("forged\nhello"), Message::text("three")])),
            ("comment, blank lines", Sends("data:one\n\n:\n\ndata: forged\n\n\ndata:hello\n\ndata:three\n\n",
                vec![Message::text("one"), Message::text("forged"), hello(), Message::text("three")])),
        ]),
        warp("sends NUL in an id, which the client ignores", vec![
            ("id, NUL", Sends("data:hello\nid:42\n\ndata:hello\nid:4\x003\n\n",
                vec![hello().with_id("42"), hello()])),
        ]),
        warp("writes CR in data unchanged: the rest of the line is lost, or read as another field or event", vec![
            ("data, CR", Sends("data:one\rtwo\n\n",
                text("one"))),
            ("data, CR first", Sends("data:\rhello\n\n",
                text(""))),
            ("data, CR last", Sends("data:hello\r\n\n",
                text("hello"))),
            ("data, CR before a field's name", Sends("data:hello\rdata: there\n\n",
                text("hello\nthere"))),
            ("data, CR before an event", Sends("data:hello\r\revent: forged\rdata: there\n\n",
                vec![hello(), Message::text("there").with_type("forged")])),
            ("data, LF CR", Sends("data:one\ndata:\rthree\n\n",
                text("one\n"))),
            ("data, line breaks mixed", Sends("data:one\rtwo\ndata:three\r\ndata:four\n\n",
                text("one\nthree\nfour"))),
        ]),
        warp("writes JSON as one line: the text after a line break in it is lost", vec![
            ("JSON, raw with LF", Sends("data:{\n  \"a\": 1\n}\n\n",
                text("{"))),
            ("JSON, raw with CR", Sends("data:{\r  \"a\": 1\r}\n\n",
                text("{"))),
            ("JSON, raw with CRLF", Sends("data:{\r\n  \"a\": 1\r\n}\n\n",
                text("{"))),
        ]),
    ]
}
