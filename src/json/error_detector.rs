//! Errors that a server reports in the middle of a stream.

use core::fmt;
use memchr::memmem::{self, Finder};
use serde_core::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};

const KEY: &str = "error";

/// Tells errors from values.
#[derive(Clone, Debug)]
pub(super) struct ErrorDetector {
    /// Made once, because it takes as long as the search itself: a tenth of the time of a short payload.
    quoted_key: Finder<'static>,
}

impl Default for ErrorDetector {
    fn default() -> ErrorDetector {
        ErrorDetector { quoted_key: Finder::new(b"\"error\"") }
    }
}

impl ErrorDetector {
    /// Whether the text is a JSON object with an `error` that is not null.
    #[inline]
    pub(super) fn is_error(&self, text: &str) -> bool {
        self.may_have_key(text.as_bytes())
            && serde_json::from_str::<TopLevel>(text).is_ok_and(|top_level| top_level.has_error)
    }

    /// Whether it is worth reading the text twice: few events have the word in them, be it written with escapes.
    #[inline]
    fn may_have_key(&self, text: &[u8]) -> bool {
        self.quoted_key.find(text).is_some()
            || memchr::memchr(b'\\', text).is_some_and(|at| memmem::find(&text[at..], b"\\u00").is_some())
    }
}

/// An object of which one thing is of interest.
struct TopLevel {
    has_error: bool,
}

impl<'de> Deserialize<'de> for TopLevel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<TopLevel, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = TopLevel;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TopLevel, A::Error> {
                let mut has_error = false;
                while let Some(Key { is_error }) = map.next_key()? {
                    if is_error {
                        has_error |= map.next_value::<Option<IgnoredAny>>()?.is_some();
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(TopLevel { has_error })
            }
        }
        deserializer.deserialize_map(Object)
    }
}

struct Key {
    is_error: bool,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        struct Name;
        impl Visitor<'_> for Name {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_str<E>(self, name: &str) -> Result<Key, E> {
                Ok(Key { is_error: name == KEY })
            }
        }
        deserializer.deserialize_identifier(Name)
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorDetector;

    #[test]
    fn a_top_level_error_that_is_not_null() {
        let detector = ErrorDetector::default();
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
            r#"{"a":"\n","\u0065rror":1}"#,
        ] {
            assert!(detector.is_error(text), "{text}");
        }
        for text in [
            r#"{"error":null}"#,
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
            assert!(!detector.is_error(text), "{text}");
        }
    }
}
