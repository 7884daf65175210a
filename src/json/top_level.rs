//! The top level of a payload, which may report an error, end the stream, or only keep it open.

mod members;

use self::members::{Elements, Members};
use super::dialect::{Dialect, Finality, Reports};
use alloc::{borrow::Cow, boxed::Box, string::String};
use memchr::memmem::{Finder, FinderBuilder, Prefilter};
use serde_core::de::IgnoredAny;

/// The result of reading the top level of a payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TopLevel {
    /// Whether it reports an error, whatever the type of its event is.
    pub(super) is_error: bool,
    /// Whether its `done` is `true`, if that is an end.
    pub(super) is_done: bool,
    /// What its `type` says, which counts only if its event has no type.
    pub(super) by_type: ByType,
}

/// What the `type` of an object says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ByType {
    pub(super) is_error: bool,
    pub(super) is_keep_alive: bool,
    /// The kind of end, if it ends the stream.
    pub(super) end: Option<Finality>,
}

/// Finds the few payloads whose top level has to be read.
///
/// The searchers are created once. Creating them takes as long as a search: a tenth of the time for a short payload.
#[derive(Clone, Debug)]
pub(super) struct TopLevelFinder([Finder<'static>; 7]);

impl Default for TopLevelFinder {
    fn default() -> TopLevelFinder {
        // Where memchr uses vectors, a prefilter changes nothing. In a browser the searches take a third of the time
        // without it, and a page is smaller.
        let finder = |word: &'static str| FinderBuilder::new().prefilter(Prefilter::None).build_forward(word);
        TopLevelFinder([
            finder("\"error"),
            finder("\"code\""),
            finder("\"detail\""),
            finder("\"finish_reason\""),
            finder("\"type\""),
            finder("\"done\""),
            finder("\\u00"),
        ])
    }
}

impl TopLevelFinder {
    /// Returns whether the text may report an error, be the last of its stream, or, if its event is not named, be of a
    /// type that the dialect knows.
    #[inline]
    pub(super) fn may_matter(&self, text: &str, is_named: bool, dialect: &Dialect) -> bool {
        let reads_type = !is_named && dialect.has_types();
        let (reports, ends_when_done) = (dialect.reports, dialect.ends_when_done);
        if !reads_type && reports == Reports::Nothing && !ends_when_done {
            return false;
        }
        let TopLevelFinder([error, code, detail, finish_reason, event_type, done, escape]) = self;
        let text = text.as_bytes();
        let has = |word: &Finder<'_>| word.find(text).is_some();
        // `"error"` or the beginning of `"error_type"`, but not a quotation in a string, where a backslash precedes the
        // second quote.
        let has_error = || has_before(error, text, b"\"_");
        let may_be_error_of_model =
            || has(code) || has(detail) || texts_of(finish_reason, text).any(|(reason, _)| is_error(reason));
        // At any depth, and also if it is written with escapes.
        let may_have_type = || {
            let mut types = texts_of(event_type, text);
            types.any(|(name, end)| end == b'\\' || dialect.is_keep_alive(name) || dialect.end_by_type(name).is_some())
        };
        let may_be_done = || values_of(done, text).any(|value| value.starts_with(b"true"));
        // A character from `@` to DEL that is written as an escape may be a letter of a key, or of `error`.
        let may_be_escaped = || {
            let first = memchr::memchr(b'\\', text);
            first.is_some_and(|first| has_before(escape, &text[first..], b"4567"))
        };
        (reports != Reports::Nothing && has_error())
            || (reports == Reports::ErrorsOfModels && may_be_error_of_model())
            || (reads_type && may_have_type())
            || (ends_when_done && may_be_done())
            || may_be_escaped()
    }
}

/// Returns whether the text contains the word before one of these bytes.
fn has_before(word: &Finder<'_>, text: &[u8], next: &[u8]) -> bool {
    word.find_iter(text).any(|at| text.get(at + word.needle().len()).is_some_and(|byte| next.contains(byte)))
}

/// Returns the texts of the members with this quoted key, at any depth. Each ends before a quote, or before a backslash
/// and the rest, and is followed by that byte.
fn texts_of<'t>(key: &Finder<'_>, text: &'t [u8]) -> impl Iterator<Item = (&'t [u8], u8)> {
    values_of(key, text).filter_map(|value| {
        let value = value.strip_prefix(b"\"")?;
        let end = memchr::memchr2(b'"', b'\\', value)?;
        Some((&value[..end], value[end]))
    })
}

/// Returns the values of the members with this quoted key, at any depth, each with the rest of the text.
fn values_of<'t>(key: &Finder<'_>, text: &'t [u8]) -> impl Iterator<Item = &'t [u8]> {
    key.find_iter(text).filter_map(|at| {
        let after = text[at + key.needle().len()..].trim_ascii_start().strip_prefix(b":")?;
        Some(after.trim_ascii_start())
    })
}

/// Returns whether a `finish_reason` is an error. Cohere writes it in capitals.
fn is_error(reason: &[u8]) -> bool {
    reason.eq_ignore_ascii_case(b"error")
}

impl TopLevel {
    /// Returns whether it reports an error as text that is in no event, and so of no type.
    pub(super) fn says_error(self) -> bool {
        self.is_error || self.by_type.is_error
    }

    /// Reads the top level of a text. It finds nothing if the text is not an object, nor an array around an error, or
    /// not valid JSON.
    pub(super) fn read(text: &str, dialect: &Dialect) -> TopLevel {
        if serde_json::from_str::<IgnoredAny>(text).is_err() {
            return TopLevel::default();
        }
        let object = Object(text.as_bytes());
        let mut found = TopLevel {
            is_error: object.reports_error(dialect.reports),
            is_done: dialect.ends_when_done && object.values("done").any(|value| value == b"true"),
            by_type: object.by_type(dialect),
        };
        if dialect.reports == Reports::ErrorsOfModels {
            for object in Elements::new(text.as_bytes()).map(Object) {
                found.is_error |= object.reports_error(dialect.reports);
                found.by_type.is_error |= object.has_text("type", b"error");
            }
        }
        found
    }
}

/// Returns the server's words in a payload that reports an error: the message in its JSON, or else all of it.
pub(super) fn message(text: &str) -> Box<str> {
    let message = serde_json::from_str::<IgnoredAny>(text).ok().and_then(|_| message_in(text.as_bytes(), MAX_LEVELS));
    message.unwrap_or_else(|| text.trim_ascii().into())
}

/// How many levels of JSON may be around a message. A server that nests more must not use up the stack.
const MAX_LEVELS: usize = 8;

/// Returns the message of an error in valid JSON, which is in at most this many levels. Servers put it in different
/// places. Each value is read in one of them only, so the time is proportional to the length of the JSON.
fn message_in(json: &[u8], levels: usize) -> Option<Box<str>> {
    if json.starts_with(b"\"") {
        let text = unescaped(json)?;
        return str::from_utf8(&text).ok().filter(|text| !text.trim_ascii().is_empty()).map(Box::from);
    }
    let levels = levels.checked_sub(1)?;
    let object = Object(json);
    // An `error` that is a text is often only the name of a status.
    let is_text = |value: &&[u8]| value.starts_with(b"\"");
    let errors = object.values("error").filter(|value| !is_text(value));
    let names = object.values("error").filter(is_text);
    let values = errors.chain(object.values("message")).chain(names);
    let values = values.chain(["error_message", "detail", "msg"].into_iter().flat_map(|name| object.values(name)));
    // A text in place of a part is a part of the answer.
    let parts = object.parts().map(|part| part.0).filter(|part| part.starts_with(b"{"));
    values.chain(parts).chain(Elements::new(json)).find_map(|value| message_in(value, levels))
}

/// Returns the objects and arrays at the beginning of a text, each up to its last bracket. They may be invalid.
pub(super) fn values(text: &str) -> impl Iterator<Item = &str> {
    let values = Elements::without_brackets(text.as_bytes());
    values.take_while(|value| matches!(value, [b'{' | b'[', ..])).filter_map(|value| str::from_utf8(value).ok())
}

/// A value in valid JSON. If it is not an object, it has no members.
#[derive(Clone, Copy)]
struct Object<'j>(&'j [u8]);

impl<'j> Object<'j> {
    /// Returns the values of a member. There may be several, because JSON does not forbid it.
    fn values(self, name: &str) -> impl Iterator<Item = &'j [u8]> {
        Members::new(self.0).filter(move |(key, _)| unescaped(key).as_deref() == Some(name.as_bytes())).map(|(_, v)| v)
    }

    /// Returns whether a member says something.
    fn has(self, name: &str) -> bool {
        self.values(name).any(says_something)
    }

    /// Returns whether a member is this text.
    fn has_text(self, name: &str, text: &[u8]) -> bool {
        self.values(name).any(|value| unescaped(value).as_deref() == Some(text))
    }

    fn by_type(self, dialect: &Dialect) -> ByType {
        let mut found = ByType::default();
        for name in self.values("type").filter_map(unescaped) {
            found.is_error |= *name == *b"error";
            found.is_keep_alive |= dialect.is_keep_alive(&name);
            found.end = found.end.into_iter().chain(dialect.end_by_type(&name)).min();
        }
        found
    }

    fn reports_error(self, reports: Reports) -> bool {
        match reports {
            Reports::Nothing => false,
            Reports::Errors => self.has("error"),
            Reports::ErrorsOfModels => {
                self.has("error")
                    || self.has_text("object", b"error")
                    || self.finishes_with_error()
                    || (!self.is_answer() && self.looks_like_error())
            }
        }
    }

    /// Returns the parts of an answer, which may report an error too: its `choices` and its `delta`.
    fn parts(self) -> impl Iterator<Item = Object<'j>> {
        self.values("choices").flat_map(Elements::new).chain(self.values("delta")).map(Object)
    }

    /// Returns whether the generation has ended because of an error. Where the reason is depends on the service.
    fn finishes_with_error(self) -> bool {
        [self]
            .into_iter()
            .chain(self.parts())
            .any(|part| part.values("finish_reason").filter_map(unescaped).any(|reason| is_error(&reason)))
    }

    /// Returns whether it has a member of an answer, or a type. Then its other members mean something else.
    fn is_answer(self) -> bool {
        ["choices", "candidates", "delta", "type"].iter().any(|name| self.values(name).any(|value| value != b"null"))
    }

    fn looks_like_error(self) -> bool {
        let has_code = || {
            let code = |value: &&[u8]| says_something(value) && !matches!(*value, b"200" | b"\"200\"" | b"\"0\"");
            self.values("code").any(|value| code(&value))
                && self.values("message").any(|value| value.starts_with(b"\""))
        };
        self.has("detail") || (self.has("error_type") && self.has("error_message")) || has_code()
    }
}

/// Returns whether a value in valid JSON is more than a way to write that there is none.
fn says_something(value: &[u8]) -> bool {
    match value {
        b"null" | b"false" | b"0" | b"\"\"" => false,
        [b'{', inner @ .., b'}'] | [b'[', inner @ .., b']'] => !inner.trim_ascii().is_empty(),
        _ => true,
    }
}

/// Returns the text of a string in valid JSON.
///
/// Returns `None` for another value, and for a string that is not valid text, such as `"\ud800"`. The rest of the
/// object is still read.
fn unescaped(json: &[u8]) -> Option<Cow<'_, [u8]>> {
    let inner = json.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    if memchr::memchr(b'\\', inner).is_none() {
        return Some(Cow::Borrowed(inner));
    }
    let text: String = serde_json::from_str(str::from_utf8(json).ok()?).ok()?;
    Some(Cow::Owned(text.into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::{Dialect, Finality, TopLevel, TopLevelFinder, message};
    use alloc::format;

    fn found(text: &str) -> TopLevel {
        let dialect = Dialect::new().with_error_reports().with_keep_alive_type("beat");
        found_by(
            text,
            &dialect
                .with_last_type("response.completed")
                .with_last_type("a/b")
                .with_end_type("stop")
                .with_end_type("стоп"),
        )
    }

    #[track_caller]
    fn found_by(text: &str, dialect: &Dialect) -> TopLevel {
        let finder = TopLevelFinder::default();
        let found = TopLevel::read(text, dialect);
        // The scan must not miss a payload in which the top level has a meaning.
        let is_found = found.is_error || found.by_type.is_error || found.is_done;
        assert!(finder.may_matter(text, true, dialect) || !is_found, "{text}");
        assert!(finder.may_matter(text, false, dialect) || found == TopLevel::default(), "{text}");
        found
    }

    #[test]
    fn an_error_that_says_something() {
        for text in [
            r#"{"error":{"message":"overloaded"}}"#,
            r#"{"error":"overloaded"}"#,
            r#"{"error":true}"#,
            r#"{"id":1,"choices":[{"error":null}], "error" : 1 }"#,
            r#"{"error":null,"error":1}"#,
            r#"{"error":1,"error":null}"#,
            r#"{"\u0065rror":1}"#,
            r#"{"err\u006Fr":{"a":{}}}"#,
            r#"{"e\u0072ror":1}"#,
            r#"{"a":"\n\u00e9","\u0065rror":1}"#,
            r#"{"type":1e999,"error":1}"#,
            r#"{"\ud800":"\ud800","error":1}"#,
            r#" {"a" : {} ,"error" : "null" } "#,
            r#"{"a":[],"error":[null]}"#,
        ] {
            assert!(found(text).is_error, "{text}");
        }
        for text in [
            r#"{"error":null}"#,
            r#" { "error" : null } "#,
            r#"{"error":false}"#,
            r#"{"error":0}"#,
            r#"{"error":""}"#,
            r#"{"error": {} , "a":1}"#,
            r#"{"error":{ }}"#,
            r#"{"error":[ ]}"#,
            r#"[{"error":1}]"#,
            r#"{"object":"error","message":"x"}"#,
            r#"{"code":400,"message":"x"}"#,
            r#"{"detail":"x"}"#,
            r#"{"error_type":"x","error_message":"y"}"#,
            r#"{"finish_reason":"error"}"#,
            r#"{"a":"\u0000","error":null,"b":{}}"#,
            r#"{"a":"error","b":["error",{"error":1}]}"#,
            r#"{"response":{"error":{"message":"deeper"}}}"#,
            r#"{"type":"error"}"#,
            r#"{"delta":"\"error\":1"}"#,
            r#"{"errors":[1]}"#,
            r#"{"Error":1,"a":"error"}"#,
            r#"["error"]"#,
            r#""error""#,
            r#"{"text":"\u00e9"}"#,
            r#"{"error":1"#,
            r#"{"error":1}}"#,
            "",
            "[DONE]",
        ] {
            assert!(!found(text).is_error, "{text}");
        }
    }

    #[test]
    fn a_type_of_the_top_level() {
        for text in [
            r#"{"type":"error"}"#,
            r#"{"type":"\u0065rror"}"#,
            r#"{"t\u0079pe":"error"}"#,
            r#"{"type":"stop","type":"error"}"#,
            r#"{"message":"x", "type" : "error" }"#,
        ] {
            assert!(found(text).by_type.is_error, "{text}");
        }
        for (text, end) in [
            (r#"{"type":"stop"}"#, Some(Finality::Marker)),
            (r#"{"a":{"type":"x"}, "type" :	"response.completed" }"#, Some(Finality::Item)),
            (r#"{"type":"response\u002ecompleted"}"#, Some(Finality::Item)),
            (r#"{"\u0074ype":"stop"}"#, Some(Finality::Marker)),
            (r#"{"type":"a\/b"}"#, Some(Finality::Item)),
            (r#"{"type":"a/b"}"#, Some(Finality::Item)),
            (r#"{"type":"стоп"}"#, Some(Finality::Marker)),
            (r#"{"type":"\u0441\u0442\u043e\u043f"}"#, Some(Finality::Marker)),
            (r#"{"type":"x","type":"stop"}"#, Some(Finality::Marker)),
            (r#"{"type":"a/b","type":"stop","type":"a/b"}"#, Some(Finality::Marker)),
            (r#"{"type":1e999,"type":"stop"}"#, Some(Finality::Marker)),
            (r#"{"a":["}",{"b":"\\"}],"c":"\"" , "type" : "stop" } "#, Some(Finality::Marker)),
            (r#"{"type":"\ud800"}"#, None),
            (r#"{"type":1e999}"#, None),
            (r#"{"type":["stop"]}"#, None),
            (r#"{"type":{"type":"stop"}}"#, None),
            (r#"{"type":1}"#, None),
            (r#"{"type":-1.5}"#, None),
            (r#"{"type":null,"a":true}"#, None),
            (r#"{"type":false}"#, None),
            (r#"{"delta":{"type":"stop"}}"#, None),
            (r#"{"text":"\"type\":\"stop\""}"#, None),
            (r#"{"type":"stopped"}"#, None),
            (r#"{"type":"sto"}"#, None),
            (r#"{"type":"Stop"}"#, None),
            (r#"{"types":"stop","kind":"stop"}"#, None),
            (r#"[{"type":"stop"}]"#, None),
            (r#"{"type":"stop""#, None),
            (r#"{"type":"stop"} 1"#, None),
            (r#"{"type"#, None),
            (r#"{"type":"#, None),
            (r#"{"type":"st"#, None),
        ] {
            let found = found(text).by_type;
            assert_eq!((found.end, found.is_error), (end, false), "{text}");
        }
    }

    #[test]
    fn a_type_of_a_keep_alive() {
        for text in [r#"{"type":"beat"}"#, r#"{"n":1, "type" : "beat" }"#, r#"{"t\u0079pe":"\u0062eat"}"#] {
            assert!(found(text).by_type.is_keep_alive, "{text}");
        }
        for text in [r#"{"type":"beats"}"#, r#"{"a":{"type":"beat"}}"#, r#"[{"type":"beat"}]"#, r#""beat""#] {
            assert!(!found(text).by_type.is_keep_alive, "{text}");
        }
    }

    #[test]
    fn an_object_that_is_done() {
        for text in [
            r#"{"done":true}"#,
            r#"{"message":{"content":"\"done\":false"}, "done" : true , "eval_count":7}"#,
            r#"{"d\u006fne":true}"#,
            r#"{"done":false,"done":true}"#,
        ] {
            assert!(found_by(text, &Dialect::OLLAMA).is_done, "{text}");
            assert!(!found_by(text, &Dialect::OPENAI).is_done, "{text}");
        }
        for text in [
            r#"{"done":false}"#,
            r#"{"done":"true"}"#,
            r#"{"done":[true]}"#,
            r#"{"message":{"done":true},"done":false}"#,
            r#"{"text":"\"done\":true"}"#,
            r#"{"done_reason":true}"#,
            r#"[{"done":true}]"#,
            r#"{"done":true"#,
        ] {
            assert!(!found_by(text, &Dialect::OLLAMA).is_done, "{text}");
        }
    }

    #[test]
    fn an_error_of_a_model() {
        for text in [
            r#"{"error":"overloaded"}"#,
            r#"{"object":"error","message":"x","type":"BadRequestError","param":null,"code":400}"#,
            r#"{"object":"\u0065rror"}"#,
            r#"{"code":400,"message":"x"}"#,
            r#"{"code":"invalid_api_key","message":"x"}"#,
            r#"{"c\u006fde":1,"message":""}"#,
            r#"{"message":"x","code":-1,"choices":null,"type":null}"#,
            r#"{"detail":"x"}"#,
            r#"{"detail":[{"loc":["body","model"],"msg":"field required"}]}"#,
            r#"{"d\u0065tail":"x"}"#,
            r#"{"error_type":"overloaded","error_message":"x"}"#,
            r#"{"error\u005ftype":"overloaded","\u0065rror_message":"x"}"#,
            r#"{"error\u005ftype":"overloaded","error\u005Fmessage":"x"}"#,
            r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null},{"finish_reason":"error"}]}"#,
            r#"{"finish_reason":"error","choices":[]}"#,
            r#"{"type":"x","delta":{"finish_reason":"error"}}"#,
            r#"{"choices":[{"finish_reason":null},{"finish_reason" : "ERROR"}]}"#,
            r#"{"finish_reason":"Error"}"#,
            r#"{"finish\u005freason":"ERROR"}"#,
            r#"{"finish_reason":"\u0045RROR"}"#,
            r#"[{"error":{"code":429,"message":"x"}}]"#,
            r#" [ {} , 1, "]", {"detail":"x"} ] "#,
            r#"[{"object":"error"}]"#,
        ] {
            assert!(found_by(text, &Dialect::OPENAI).is_error, "{text}");
        }
        for text in [
            r#"{"error":{}}"#,
            r#"{"object":"errors"}"#,
            r#"{"a":{"object":"error"}}"#,
            r#"{"code":0,"message":"x"}"#,
            r#"{"code":200,"message":"x"}"#,
            r#"{"code":"0","message":"x"}"#,
            r#"{"code":"200","message":"x"}"#,
            r#"{"code":null,"message":"x"}"#,
            r#"{"code":400}"#,
            r#"{"code":400,"message":null}"#,
            r#"{"code":400,"message":{"role":"assistant","content":"a"}}"#,
            r#"{"message":"x"}"#,
            r#"{"code":400,"message":"x","choices":[]}"#,
            r#"{"code":400,"message":"x","candidates":[]}"#,
            r#"{"code":400,"message":"x","delta":{}}"#,
            r#"{"code":400,"message":"x","type":"note"}"#,
            r#"{"code":400,"message":"x","t\u0079pe":"note"}"#,
            r#"{"detail":"x","choices":[{}]}"#,
            r#"{"detail":null}"#,
            r#"{"detail":""}"#,
            r#"{"a":{"detail":"x"}}"#,
            r#"{"error_type":"overloaded"}"#,
            r#"{"error_message":"x"}"#,
            r#"{"error_type":null,"error_message":"x"}"#,
            r#"{"error_type":"overloaded","error_message":"x","delta":"a"}"#,
            r#"{"choices":[{"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"finish_reason":null,"delta":{"content":"\"finish_reason\":\"error\""}}]}"#,
            r#"{"choices":[{"delta":{"finish_reason":"error"}}]}"#,
            r#"[[{"error":1}]]"#,
            r#"["error",{"code":1}]"#,
            r#"[]"#,
            r#"[{"error":1}"#,
        ] {
            assert!(!found_by(text, &Dialect::OPENAI).is_error, "{text}");
        }
        let last = r#"{"type":"message-end","delta":{"finish_reason":"ERROR"}}"#;
        let last = found_by(last, &Dialect::COHERE);
        assert_eq!((last.is_error, last.by_type.end), (true, Some(Finality::Item)));
        let [array, object] =
            [r#"[{"type":"error"}]"#, r#"{"type":"error"}"#].map(|text| found_by(text, &Dialect::OPENAI));
        assert!(array.by_type.is_error && object.by_type.is_error);
    }

    #[test]
    fn the_message_of_an_error() {
        for (text, expected) in [
            (r#"{"error":{"message":"x","type":"t","code":1}}"#, "x"),
            (r#"{"error":"x"}"#, "x"),
            (r#"{"type":"error","error":{"type":"overloaded_error","message":"x"}}"#, "x"),
            (r#"{"type":"error","code":"c","message":"x \u00e9\n"}"#, "x é\n"),
            (r#"{"object":"error","message":"x"}"#, "x"),
            (r#"{"detail":"x"}"#, "x"),
            (r#"{"detail":[{"loc":["body"],"msg":"x"}]}"#, "x"),
            (r#"{"error_message":"x","error_type":"t"}"#, "x"),
            (r#" [{"error":{"code":429,"message":"x"}}] "#, "x"),
            (r#"{"choices":[{"delta":{"content":"a"},"finish_reason":"error","error":{"message":"x"}}]}"#, "x"),
            (r#"{"type":"message-end","delta":{"error":"x","finish_reason":"ERROR"}}"#, "x"),
            (r#"{"message":"outer","error":{"message":"x"}}"#, "x"),
            (r#"{"message":"x","error":{"message":""}}"#, "x"),
            (r#"{"status":400,"error":"Bad Request","message":"x"}"#, "x"),
            (r#"{"error":"x","message":null}"#, "x"),
            (r#"{"error":["x"],"message":"outer"}"#, "x"),
            (r#"{"error":{"error":"code","message":"x"}}"#, "x"),
            (r#"{"delta":{"message":"a word"},"detail":"x"}"#, "x"),
            (r#"{"type":"error","delta":"Once upon"}"#, r#"{"type":"error","delta":"Once upon"}"#),
            (r#"{"type":"error","choices":["Once"]}"#, r#"{"type":"error","choices":["Once"]}"#),
            (r#"{"delta":["Once"]}"#, r#"{"delta":["Once"]}"#),
            (r#""x""#, "x"),
            (" not JSON ", "not JSON"),
            (r#"{"error":{"message":7}}"#, r#"{"error":{"message":7}}"#),
            (r#"{"error":{"message":"\ud800"}}"#, r#"{"error":{"message":"\ud800"}}"#),
            (r#"{"error":{"message":"x"}"#, r#"{"error":{"message":"x"}"#),
            ("", ""),
        ] {
            assert_eq!(&*message(text), expected, "{text}");
        }
        let nested = |levels| format!("{}\"x\"{}", "{\"error\":".repeat(levels), "}".repeat(levels));
        assert_eq!(&*message(&nested(8)), "x");
        for levels in [9, 100_000] {
            assert!(*message(&nested(levels)) == nested(levels));
            let array = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
            assert!(*message(&array) == array);
        }
    }

    #[test]
    fn most_payloads_are_not_read_twice() {
        let finder = TopLevelFinder::default();
        for (text, dialect) in [
            (r#"{"type":"response.output_text.delta","delta":"caf\u00e9\n\u001b \\u00"}"#, Dialect::OPENAI_RESPONSES),
            (
                r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"the \"error\" code detail ping"}}"#,
                Dialect::ANTHROPIC,
            ),
            (
                r#"{"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"type \"code\""},"finish_reason":"stop"}]}"#,
                Dialect::OPENAI,
            ),
        ] {
            assert!(!finder.may_matter(text, false, &dialect), "{text}");
        }
        let errors = Dialect::new().with_error_reports();
        assert!(!finder.may_matter(r#"{"type":"stop","code":1,"detail":2}"#, false, &errors));
        let types = Dialect::new().with_last_type("stop");
        assert!(finder.may_matter(r#"{"t\u0079pe":"stop"}"#, false, &types));
        for text in [r#"{"type":"stop"}"#, r#"{"t\u0079pe":"stop"}"#] {
            assert!(!finder.may_matter(text, true, &types), "{text}");
        }
        assert!(!finder.may_matter(r#"{"error":1}"#, false, &types));
        assert!(!finder.may_matter(r#"{"done":false,"text":"done"}"#, false, &Dialect::OLLAMA));
        assert!(!finder.may_matter(r#"{"done":true}"#, false, &Dialect::OPENAI));
    }
}
