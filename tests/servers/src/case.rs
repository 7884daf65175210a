//! The cases: what each server is told to send.

use crate::message::Message;
use serde_json::json;
use std::time::Duration;

pub struct Case {
    pub name: &'static str,
    pub messages: Vec<Message>,
}

const MIB: usize = 1 << 20;

/// The table of differences refers to a case by its name.
#[rustfmt::skip] // One case per line.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut case = |name, messages| cases.push(Case { name, messages });
    let text = |text: &str| vec![Message::text(text)];
    let hello = || Message::text("hello");
    let retry = |retry| vec![Message::default().with_retry(retry), hello()];
    let comment = |comment| vec![Message::text("one"), hello().with_comment(comment), Message::text("three")];

    case("no event", vec![]);
    case("plain", text("hello"));
    case("all fields", vec![
        hello().with_comment("first").with_type("greeting").with_id("1").with_retry(Duration::from_secs(3)),
    ]);

    case("type", vec![hello().with_type("greeting"), hello()]);
    case("type, empty", vec![hello().with_type("")]);
    case("type, message", vec![hello().with_type("message")]);
    case("type, leading space", vec![hello().with_type(" greeting")]);
    case("type, colon", vec![hello().with_type("chat:greeting")]);
    case("type, emoji", vec![hello().with_type("👋 挨拶")]);
    case("type, NUL", vec![hello().with_type("greet\0ing")]);
    case("type, LF", vec![hello().with_type("greeting\ndata: forged")]);
    case("type, CR", vec![hello().with_type("greeting\rdata: forged")]);

    case("id", vec![hello().with_id("42")]);
    case("id, stays", vec![hello().with_id("42"), hello(), hello().with_id("43")]);
    case("id, empty", vec![hello().with_id("42"), hello().with_id(""), hello()]);
    case("id, leading space", vec![hello().with_id(" 42")]);
    case("id, emoji", vec![hello().with_id("第🦀")]);
    case("id, alone", vec![Message::default().with_id("42"), hello()]);
    case("id, NUL", vec![hello().with_id("42"), hello().with_id("4\x003")]);
    case("id, LF", vec![hello().with_id("42\ndata: forged")]);
    case("id, CR", vec![hello().with_id("42\rdata: forged")]);
    case("id, 1,000 rising", (1..=1000).map(|id| Message::text(format!("event {id}")).with_id(id.to_string())).collect());

    case("retry", vec![hello().with_retry(Duration::from_secs(3)), hello()]);
    case("retry, later", vec![hello(), hello().with_retry(Duration::from_secs(3))]);
    case("retry, alone", retry(Duration::from_secs(3)));
    case("retry, zero", retry(Duration::ZERO));
    case("retry, 5 ms", retry(Duration::from_millis(5)));
    case("retry, 1,005 ms", retry(Duration::from_millis(1005)));
    case("retry, 1,050 ms", retry(Duration::from_millis(1050)));
    case("retry, 1.5 ms", retry(Duration::from_micros(1500)));
    case("retry, for ever", retry(Duration::MAX));

    case("data, empty", text(""));
    case("data, empty between others", vec![hello(), Message::text("").with_type("ping").with_id("7"), hello()]);
    case("data, leading space", text(" hello"));
    case("data, leading spaces of lines", text("  hello\n there\n"));
    case("data, one space", text(" "));
    case("data, leading tab", text("\thello"));
    case("data, LF", text("one\ntwo\n\nfour"));
    case("data, LF first", text("\n\nhello"));
    case("data, LF last", text("hello\n\n"));
    case("data, LF only", text("\n"));
    case("data, CR", text("one\rtwo"));
    case("data, CR first", text("\rhello"));
    case("data, CR last", text("hello\r"));
    case("data, CR before a field's name", text("hello\rdata: there"));
    case("data, CR before an event", text("hello\r\revent: forged\rdata: there"));
    case("data, CRLF", text("one\r\ntwo\r\n\r\nfour"));
    case("data, CRLF first", text("\r\nhello"));
    case("data, CRLF last", text("hello\r\n"));
    case("data, LF CR", text("one\n\rthree"));
    case("data, line breaks mixed", text("one\rtwo\nthree\r\nfour"));
    case("data, looks like fields", text("data: one\n: two\nid: 3\n\nevent: five"));
    case("data, colon", text(":hello"));
    case("data, emoji and CJK", text("👩‍👩‍👧 水曜日 안녕"));
    case("data, NUL", text("hel\0lo"));
    case("data, other controls", text("a\u{b}b\u{c}c\u{1e}d\u{85}e\u{2028}f\u{2029}g"));
    case("data, BOM", text("\u{feff}"));
    case("data, BOM first", text("\u{feff}hello\n\u{feff}there"));
    case("data, 1 MiB", text(&"0123456789abcdef".repeat(MIB / 16)));
    case("data, 1 MiB of CJK", text(&"事件".repeat(MIB / 6)));
    case("data, 1 MiB in lines", text(&"0123456789abcde\n".repeat(MIB / 16)));

    case("JSON", vec![Message::json(json!({ "text": "a\r\n b\u{2028}🦀", "list": [1, 2.5, null, true, ""] }))]);
    case("JSON, empty string", vec![Message::json(json!(""))]);
    case("JSON, raw", vec![Message::raw_json(r#"{ "a": 1 }"#)]);
    case("JSON, raw with LF", vec![Message::raw_json("{\n  \"a\": 1\n}")]);
    case("JSON, raw with CR", vec![Message::raw_json("{\r  \"a\": 1\r}")]);
    case("JSON, raw with CRLF", vec![Message::raw_json("{\r\n  \"a\": 1\r\n}")]);

    case("comment", comment("keep-alive"));
    case("comment, empty", comment(""));
    case("comment, alone", vec![hello(), Message::default().with_comment("keep-alive"), hello()]);
    case("comment, looks like a field", comment("data: forged"));
    case("comment, LF", comment("two\ndata: forged"));
    case("comment, CR", comment("two\rdata: forged"));
    case("comment, blank lines", comment("\n\ndata: forged\n\n"));
    cases
}
