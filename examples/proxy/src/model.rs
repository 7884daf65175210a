//! The name of the model in a payload.

use std::fmt::{self, Formatter};

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Returns the payload with this model name and all other bytes unchanged. Returns `None` if the payload has no
/// model name, or has this one already.
///
/// The name is at the top level, in the `response` of some events of OpenAI's Responses API, or in both places. If
/// an object has several members with the same name, all are changed, because parsers do not agree on which one
/// counts.
pub(crate) fn rename(payload: &str, name: &str) -> Option<String> {
    let name = serde_json::to_string(name).ok()?;
    let mut renamed = String::new();
    let mut rest = payload;
    for found in find(payload)?.into_iter().filter(|found| found.starts_with('"') && *found != name) {
        let start = found.as_ptr().addr().checked_sub(rest.as_ptr().addr())?;
        let (before, after) = rest.split_at_checked(start)?;
        renamed.extend([before, &name]);
        rest = after.strip_prefix(found)?;
    }
    (!renamed.is_empty()).then(|| renamed + rest)
}

/// Returns the values of `model` as slices of the payload, in their order.
fn find(payload: &str) -> Option<Vec<&str>> {
    let Members { mut models, responses } = serde_json::from_str(payload).ok()?;
    for response in responses {
        // A `response` that is not an object has no model name.
        if let Ok(response) = serde_json::from_str::<Members<'_>>(response) {
            models.extend(response.models);
        }
    }
    models.sort_unstable_by_key(|model| model.as_ptr());
    Some(models)
}

/// The members of an object that have these names, as slices of the payload.
struct Members<'j> {
    models: Vec<&'j str>,
    responses: Vec<&'j str>,
}

impl<'j> Deserialize<'j> for Members<'j> {
    fn deserialize<D: Deserializer<'j>>(deserializer: D) -> Result<Members<'j>, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'j> Visitor<'j> for MembersVisitor {
    type Value = Members<'j>;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'j>>(self, mut object: A) -> Result<Members<'j>, A::Error> {
        let mut members = Members { models: Vec::new(), responses: Vec::new() };
        while let Some(name) = object.next_key()? {
            match name {
                Name::Model => members.models.push(object.next_value::<&RawValue>()?.get()),
                Name::Response => members.responses.push(object.next_value::<&RawValue>()?.get()),
                Name::Other => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok(members)
    }
}

/// The name of a member.
enum Name {
    Model,
    Response,
    Other,
}

impl<'j> Deserialize<'j> for Name {
    fn deserialize<D: Deserializer<'j>>(deserializer: D) -> Result<Name, D::Error> {
        // As bytes, because a lone surrogate would be an error in a string.
        deserializer.deserialize_bytes(NameVisitor)
    }
}

struct NameVisitor;

impl Visitor<'_> for NameVisitor {
    type Value = Name;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_bytes<E>(self, name: &[u8]) -> Result<Name, E> {
        Ok(match name {
            b"model" => Name::Model,
            b"response" => Name::Response,
            _ => Name::Other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(payload: &str, renamed: Option<&str>) {
        assert_eq!(rename(payload, "o\"urs").as_deref(), renamed);
    }

    #[test]
    fn only_the_name_is_changed() {
        check(r#"{"model":"small-2"}"#, Some(r#"{"model":"o\"urs"}"#));
        check(
            "{ \"n\" : 1.50e0, \"model\"\t:\n \"small \\\"2\\u00e9\" , \"text\":\"\\/é\" }",
            Some("{ \"n\" : 1.50e0, \"model\"\t:\n \"o\\\"urs\" , \"text\":\"\\/é\" }"),
        );
        // The same name elsewhere, before and after.
        check(
            r#"{"a":{"model":"x"},"b":"\"model\":\"x\"","model":"x","c":"x"}"#,
            Some(r#"{"a":{"model":"x"},"b":"\"model\":\"x\"","model":"o\"urs","c":"x"}"#),
        );
        check(r#"{"mod\u0065l":"x"}"#, Some(r#"{"mod\u0065l":"o\"urs"}"#));
        check(r#"{"type":"t","response":{"model":"x"}}"#, Some(r#"{"type":"t","response":{"model":"o\"urs"}}"#));
    }

    #[test]
    fn each_name_is_changed() {
        for payload in [
            r#"{"model":"x","response":{"model":"x"}}"#,
            r#"{"response":{"n":1,"model":"x"},"a":"x","model":"x"}"#,
            r#"{"response":{"model":"x"},"model":null}"#,
            // Of two members with the same name, some parsers use the first and others the last.
            r#"{"model":"x","model":"x"}"#,
            r#"{"model":7,"model":"x","n":{"model":"a"},"mod\u0065l":"x"}"#,
            r#"{"response":{"model":"x"},"response":{"model":"x","model":"x"},"response":[]}"#,
            r#"{"model":"o\"urs","model":"x"}"#,
            // A lone surrogate, which many parsers accept.
            r#"{"\ud800":"\ud800","model":"x\ud800","response":{"\ud800":1,"model":"x"}}"#,
        ] {
            let renamed = payload.replace(r#""x\ud800""#, r#""x""#).replace(r#":"x""#, r#":"o\"urs""#);
            let renamed = renamed.replace(r#""a":"o\"urs""#, r#""a":"x""#);
            check(payload, Some(&renamed));
        }
    }

    #[test]
    fn what_names_no_model_is_left_alone() {
        for payload in [
            "[DONE]",
            "",
            "[]",
            "7",
            r#""model""#,
            r#"{"model":null}"#,
            r#"{"model":7}"#,
            r#"{"model":{"model":"x"}}"#,
            r#"{"choices":[{"model":"x"}]}"#,
            r#"{"response":"model"}"#,
            r#"{"response":null}"#,
            r#"{"response":{"model":null}}"#,
            r#"{"model":"x""#,
            r#"{"model":"x"} {"model":"x"}"#,
            r#"{"model":"o\"urs"}"#,
            r#"{"model":"o\"urs","response":{"model":"o\"urs"}}"#,
            r#"{"response":{"response":{"model":"x"}}}"#,
            r#"["x",{"model":"x"}]"#,
        ] {
            check(payload, None);
        }
    }
}
