//! The path to the value in a payload that cannot be read.

use alloc::{boxed::Box, format, string::String};
use serde_core::de::DeserializeOwned;
use serde_path_to_error::Segment;

/// Returns the path at which reading this JSON as a `T` fails, such as `choices[0].delta.content`. It is empty for the
/// top, and if the value is valid but the text goes on after it.
///
/// It reads the data once more. The cost is code: `T` is compiled for two deserializers.
pub(super) fn path_to_failure<T: DeserializeOwned>(json: &str) -> Box<str> {
    let mut json = serde_json::Deserializer::from_str(json);
    match serde_path_to_error::deserialize::<_, T>(&mut json) {
        Ok(_) => Box::default(),
        Err(error) => text(error.path()),
    }
}

/// Returns the path as text. Unlike in its own `Display`, a key is quoted if it could be taken for something else.
fn text(path: &serde_path_to_error::Path) -> Box<str> {
    let mut text = String::new();
    for segment in path {
        text += &match segment {
            Segment::Seq { index } => format!("[{index}]"),
            Segment::Map { key } | Segment::Enum { variant: key } if !is_plain(key) => format!("[{key:?}]"),
            Segment::Map { key } | Segment::Enum { variant: key } if text.is_empty() => key.clone(),
            Segment::Map { key } | Segment::Enum { variant: key } => format!(".{key}"),
            // A key that is no text for serde, or that cannot be read. What contains it is the last known place.
            Segment::Unknown => break,
        };
    }
    text.into()
}

/// Returns whether a key can be printed without quotes and still be distinguished from the path around it.
fn is_plain(key: &str) -> bool {
    // Characters of other scripts are plain if `Debug` prints them unchanged. Every program with JSON already
    // contains the tables for that, while `is_alphanumeric` would add others.
    !key.is_empty()
        && key.chars().all(|char| match char {
            '_' | '-' | '$' | '@' => true,
            _ if char.is_ascii() => char.is_ascii_alphanumeric(),
            _ => char.escape_debug().len() == 1,
        })
}

#[cfg(test)]
mod tests {
    use super::path_to_failure;
    use alloc::{boxed::Box, collections::BTreeMap, string::String, vec::Vec};
    use serde::{Deserialize, Deserializer, de::DeserializeOwned};

    #[track_caller]
    fn check<T: DeserializeOwned>(json: &str, path: &str) {
        assert!(serde_json::from_str::<T>(json).is_err(), "{json} can be read");
        assert_eq!(&*path_to_failure::<T>(json), path, "{json}");
    }

    #[derive(Default, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Node {
        name: Option<String>,
        #[serde(rename = "first child")]
        first: Option<Box<Node>>,
        pair: (u8, u8),
        shapes: Vec<Shape>,
        by_number: BTreeMap<i32, bool>,
        tagged: Vec<Tagged>,
        #[serde(deserialize_with = "lenient")]
        lenient: Option<u8>,
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only read into")]
    enum Shape {
        Point,
        Line(u8, u8),
        Box { width: u8 },
    }

    #[derive(Deserialize)]
    #[expect(dead_code, reason = "only read into")]
    #[serde(tag = "type")]
    enum Tagged {
        A { a: u8 },
    }

    #[derive(Deserialize, PartialEq, Eq, PartialOrd, Ord)]
    enum Letter {
        A,
    }

    fn lenient<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u8>, D::Error> {
        Ok(u8::deserialize(deserializer).ok())
    }

    #[test]
    fn a_path_leads_to_the_value() {
        check::<Node>(r#"{"name":1}"#, "name");
        check::<Node>(r#"{"name":"a","pair":[1,"x"]}"#, "pair[1]");
        check::<Node>(r#"{"shapes":["Point",{"Line":[1,300]}]}"#, "shapes[1].Line[1]");
        check::<Node>(r#"{"shapes":[{"Box":{"width":-1}}]}"#, "shapes[0].Box.width");
        check::<Node>(r#"{"shapes":[{"Box":{}}]}"#, "shapes[0].Box");
        check::<Node>(r#"{"by_number":{"-7":1}}"#, "by_number.-7");
        check::<Node>(r#"{"nam":1}"#, "nam");
        check::<Vec<Vec<u8>>>("[[1],[2,[]]]", "[1][1]");
        check::<serde_json::Value>(r#"{"a":[0,{"b":tru}]}"#, "a[1].b");
        check::<serde_json::Value>(&"[".repeat(200), &"[0]".repeat(127));
    }

    #[test]
    fn unusual_keys_are_quoted() {
        check::<Node>(r#"{"first child":{"first child":{"name":[]}}}"#, r#"["first child"]["first child"].name"#);
        for (key, path) in [("", r#"[""]"#), (".", r#"["."]"#), (r#"a\n\"b"#, r#"["a\n\"b"]"#), ("größe", "größe")]
        {
            check::<BTreeMap<String, u8>>(&alloc::format!(r#"{{"{key}":"x"}}"#), path);
        }
    }

    #[test]
    fn an_error_of_the_whole_payload_has_no_path() {
        check::<u8>("x", "");
        check::<u8>("", "");
        check::<u8>("1 2", "");
        check::<Node>("7", "");
        check::<Node>(r#"{"name":"a"} x"#, "");
        check::<Node>(r#"{"name":"a","name":"b"}"#, "");
    }

    #[test]
    fn a_path_ends_before_a_key_that_is_no_text() {
        check::<BTreeMap<String, BTreeMap<Letter, Vec<u8>>>>(r#"{"a":{"A":[1,"x"]}}"#, "a");
        check::<Node>(r#"{"by_number":{"x":true}}"#, "by_number");
        check::<Node>(r#"{"name":"a" 7}"#, "");
    }

    #[test]
    fn the_path_to_a_buffered_value_ends_at_the_buffer() {
        check::<Node>(r#"{"tagged":[{"type":"A","a":1},{"type":"A","a":"x"}]}"#, "tagged[1]");
    }

    #[test]
    fn the_first_error_counts_even_if_it_was_ignored() {
        check::<Node>(r#"{"lenient":1,"name":7}"#, "name");
        check::<Node>(r#"{"lenient":"x","name":7}"#, "lenient");
    }
}
