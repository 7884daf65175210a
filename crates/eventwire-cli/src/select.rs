//! A value inside JSON.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde_json::value::RawValue;

/// The path to a value: names of keys and numbers of elements, such as `choices.0.delta.content`, or as in jq
/// `.choices[0].delta.content`.
#[derive(Clone, Debug)]
pub(crate) struct Path(String);

impl Path {
    /// Returns the value at this path, if the text is JSON and has one.
    ///
    /// Only the levels of the path are read. What they hold is checked, and stays text: a number keeps its digits.
    pub(crate) fn find<'j>(&self, json: &'j str) -> Option<&'j RawValue> {
        let mut value: &RawValue = serde_json::from_str(json).ok()?;
        for name in self.0.split('.') {
            value = if value.get().starts_with('{') {
                serde_json::from_str::<HashMap<String, &RawValue>>(value.get()).ok()?.remove(name)?
            } else {
                let place: usize = name.parse().ok()?;
                serde_json::from_str::<Vec<&RawValue>>(value.get()).ok()?.get(place).copied()?
            };
        }
        Some(value)
    }

    /// Returns whether the path begins with this key.
    pub(crate) fn starts_with(&self, key: &str) -> bool {
        self.0.split('.').next() == Some(key)
    }

    /// Returns whether the value in this JSON, which reports an error, is a part of the error: of its `error`, or, if
    /// there is none, of all that it says. An answer with `choices` says more than that.
    pub(crate) fn is_in_error(&self, json: &str) -> bool {
        self.starts_with("error") || !self.starts_with("choices") && Path("error".to_owned()).find(json).is_none()
    }
}

impl FromStr for Path {
    type Err = Infallible;

    fn from_str(path: &str) -> Result<Path, Infallible> {
        let path = path.replace(".[", "[").replace('[', ".").replace(']', "");
        Ok(Path(path.strip_prefix('.').unwrap_or(&path).to_owned()))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, json: &str, found: Option<&str>) {
        let Ok(parsed) = path.parse::<Path>();
        assert_eq!(parsed.find(json).map(RawValue::get), found, "{path} in {json}");
    }

    #[test]
    fn a_value_is_found_by_keys_and_numbers() {
        let json = r#"{"choices":[{"delta":{"content":"a"}},{"0":7,"":null}]}"#;
        check("choices.0.delta.content", json, Some("\"a\""));
        check("choices.1.0", json, Some("7"));
        check("choices.1.", json, Some("null"));
        for path in ["choice", "choices.2", "choices.-1", "choices.x", "choices.0.delta.content.0", "", "."] {
            check(path, json, None);
        }
        check("", r#"{"":1}"#, Some("1"));
        check(".choices[0].delta.content", json, Some("\"a\""));
        check("choices[1].0", json, Some("7"));
        check("[1][0]", "[0,[2]]", Some("2"));
        check(".[1][0]", "[0,[2]]", Some("2"));
        check("a", "not JSON", None);
        check("a", "[DONE]", None);
        check("a.0", r#" { "a" : [ 12345678901234567890123.50 ] } "#, Some("12345678901234567890123.50"));
        check("a.b", r#"{"x":"\ud800","a":{"b":1},"a":{"b":2}}"#, Some("2"));
        check("a", r#"{"a":1,}"#, None);
        check("a", &format!("{}{}", "[".repeat(100_000), "]".repeat(100_000)), None);
    }
}
