//! A value inside JSON.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;

/// The path to a value: names of keys and numbers of elements, such as `choices.0.delta.content`.
#[derive(Clone, Debug)]
pub(crate) struct Path(String);

impl Path {
    /// Returns the value at this path, if the text is JSON and has one.
    pub(crate) fn find(&self, json: &str) -> Option<Value> {
        let mut value: Value = serde_json::from_str(json).ok()?;
        for name in self.0.split('.') {
            value = match value {
                Value::Object(mut object) => object.remove(name)?,
                Value::Array(mut array) => {
                    let place: usize = name.parse().ok()?;
                    if place >= array.len() {
                        return None;
                    }
                    array.swap_remove(place)
                }
                _ => return None,
            };
        }
        Some(value)
    }
}

impl FromStr for Path {
    type Err = Infallible;

    fn from_str(path: &str) -> Result<Path, Infallible> {
        Ok(Path(path.to_owned()))
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
    fn check(path: &str, json: &str, found: Option<Value>) {
        assert_eq!(Path(path.into()).find(json), found, "{path} in {json}");
    }

    #[test]
    fn a_value_is_found_by_keys_and_numbers() {
        let json = r#"{"choices":[{"delta":{"content":"a"}},{"0":7,"":null}]}"#;
        check("choices.0.delta.content", json, Some("a".into()));
        check("choices.1.0", json, Some(7.into()));
        check("choices.1.", json, Some(Value::Null));
        for path in ["choice", "choices.2", "choices.-1", "choices.x", "choices.0.delta.content.0", "", "."] {
            check(path, json, None);
        }
        check("", r#"{"":1}"#, Some(1.into()));
        check("a", "not JSON", None);
        check("a", "[DONE]", None);
    }
}
