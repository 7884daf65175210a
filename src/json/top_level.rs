//! The top level of a payload, which may report an error or end the stream.

#[cfg(any(test, target_family = "wasm"))]
mod finder;
mod members;

#[cfg(target_family = "wasm")]
use self::finder::Finder;
use self::members::Members;
use super::dialect::{Dialect, Finality};
use alloc::{borrow::Cow, string::String};
#[cfg(not(target_family = "wasm"))]
use memchr::memmem::Finder;
use serde_core::de::IgnoredAny;

/// The result of reading the top level of a payload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TopLevel {
    /// Whether it is an object with an `error` that is not null.
    pub(super) has_error: bool,
    /// Whether its `type` is `error`.
    pub(super) has_error_type: bool,
    /// The kind of end, if its `type` ends the stream.
    pub(super) end: Option<Finality>,
}

/// Finds the few payloads whose top level has to be read.
///
/// The searchers are created once. Creating them takes as long as a search: a tenth of the time for a short payload.
#[derive(Clone, Debug)]
pub(super) struct TopLevelFinder {
    quoted_error: Finder<'static>,
    quoted_type: Finder<'static>,
    escape: Finder<'static>,
}

impl Default for TopLevelFinder {
    fn default() -> TopLevelFinder {
        TopLevelFinder {
            quoted_error: Finder::new(b"\"error\""),
            quoted_type: Finder::new(b"\"type\""),
            escape: Finder::new(b"\\u00"),
        }
    }
}

impl TopLevelFinder {
    /// Returns whether the text may be an object with the key `error`, or of the type `error`.
    #[inline]
    pub(super) fn may_be_error(&self, text: &str) -> bool {
        self.quoted_error.find(text.as_bytes()).is_some() || self.may_spell_a_key(text.as_bytes())
    }

    /// Returns whether the text may be an object whose type ends the stream.
    pub(super) fn may_be_end(&self, text: &str, dialect: &Dialect) -> bool {
        self.has_type(text.as_bytes(), dialect) || self.may_spell_a_key(text.as_bytes())
    }

    /// Returns whether the text contains, at any depth, a type that ends the stream or that is written with escapes.
    fn has_type(&self, text: &[u8], dialect: &Dialect) -> bool {
        self.quoted_type.find_iter(text).any(|at| {
            let after = text[at + "\"type\"".len()..].trim_ascii_start();
            let value = after.strip_prefix(b":").and_then(|after| after.trim_ascii_start().strip_prefix(b"\""));
            value.is_some_and(|value| match memchr::memchr2(b'"', b'\\', value) {
                Some(at) => value[at] == b'\\' || dialect.end_by_type(&value[..at]).is_some(),
                None => false,
            })
        })
    }

    /// Returns whether a character from `` ` `` to DEL is written as an escape. It may be a letter of a key or of
    /// `error`.
    #[inline]
    fn may_spell_a_key(&self, text: &[u8]) -> bool {
        memchr::memchr(b'\\', text).is_some_and(|first| {
            let text = &text[first..];
            self.escape.find_iter(text).any(|at| matches!(text.get(at + "\\u00".len()), Some(b'6' | b'7')))
        })
    }
}

impl TopLevel {
    /// Reads the top level of a text. It finds nothing if the text is not an object or not valid JSON.
    pub(super) fn read(text: &str, dialect: &Dialect) -> TopLevel {
        let mut found = TopLevel::default();
        if serde_json::from_str::<IgnoredAny>(text).is_err() {
            return found;
        }
        for (key, value) in Members::new(text) {
            match unescaped(key).as_deref() {
                Some(b"error") => found.has_error |= value != b"null",
                Some(b"type") => {
                    let name = unescaped(value);
                    let name = name.as_deref().unwrap_or_default();
                    found.has_error_type |= name == b"error";
                    found.end = found.end.into_iter().chain(dialect.end_by_type(name)).min();
                }
                _ => {}
            }
        }
        found
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
    use super::{Dialect, Finality, TopLevel, TopLevelFinder};

    fn found(text: &str) -> TopLevel {
        let end = Dialect::new().with_last_type("response.completed").with_last_type("a/b");
        let end = end.with_end_type("stop").with_end_type("стоп");
        let finder = TopLevelFinder::default();
        let found = TopLevel::read(text, &end);
        // The scan must not miss a payload in which the top level has a meaning.
        assert!(finder.may_be_error(text) || !(found.has_error || found.has_error_type), "{text}");
        assert!(finder.may_be_end(text, &end) || found.end.is_none(), "{text}");
        found
    }

    #[test]
    fn an_error_that_is_not_null() {
        for text in [
            r#"{"error":{"message":"overloaded"}}"#,
            r#"{"error":"overloaded"}"#,
            r#"{"error":false}"#,
            r#"{"id":1,"choices":[{"error":null}], "error" : 0 }"#,
            r#"{"error":null,"error":1}"#,
            r#"{"error":1,"error":null}"#,
            r#"{"\u0065rror":1}"#,
            r#"{"err\u006Fr":{}}"#,
            r#"{"e\u0072ror":1}"#,
            r#"{"a":"\n\u00e9","\u0065rror":1}"#,
            r#"{"type":1e999,"error":1}"#,
            r#"{"\ud800":"\ud800","error":1}"#,
            r#" {"a" : {} ,"error" : "null" } "#,
            r#"{"a":[],"error":[null]}"#,
        ] {
            assert!(found(text).has_error, "{text}");
        }
        for text in [
            r#"{"error":null}"#,
            r#" { "error" : null } "#,
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
            assert!(!found(text).has_error, "{text}");
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
            assert!(found(text).has_error_type, "{text}");
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
            let found = found(text);
            assert_eq!((found.end, found.has_error_type), (end, false), "{text}");
        }
    }

    #[test]
    fn most_payloads_are_not_read_twice() {
        let end = Dialect::new().with_end_type("stop");
        let finder = TopLevelFinder::default();
        for text in [
            r#"{"type":"response.output_text.delta","delta":"caf\u00e9\n\u001b \\u00"}"#,
            r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"the \"error\" stop"}}"#,
        ] {
            assert!(!finder.may_be_error(text) && !finder.may_be_end(text, &end), "{text}");
        }
    }
}
