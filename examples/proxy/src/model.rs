//! The name of the model in a payload.

use serde::Deserialize;
use serde_json::value::RawValue;

/// A payload, as far as it names the model: at its top, or in the `response` of the first and last events of OpenAI's
/// Responses API.
#[derive(Deserialize)]
struct Payload<'j> {
    #[serde(borrow)]
    model: Option<&'j RawValue>,
    #[serde(borrow)]
    response: Option<&'j RawValue>,
}

/// The payload with this model name. All other bytes are kept. `None` if the payload has no model name, or this one
/// already.
pub(crate) fn rename(payload: &str, name: &str) -> Option<String> {
    let found = find(payload)?;
    let start = found.as_ptr().addr().checked_sub(payload.as_ptr().addr())?;
    let (before, rest) = payload.split_at_checked(start)?;
    let after = rest.strip_prefix(found)?;
    let name = serde_json::to_string(name).ok()?;
    (found.starts_with('"') && found != name).then(|| [before, &name, after].concat())
}

/// The value of `model`, as it is written.
fn find(payload: &str) -> Option<&str> {
    let payload: Payload<'_> = serde_json::from_str(payload).ok()?;
    match (payload.model, payload.response) {
        (Some(model), _) => Some(model.get()),
        (None, response) => Some(serde_json::from_str::<Payload<'_>>(response?.get()).ok()?.model?.get()),
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
        ] {
            check(payload, None);
        }
    }
}
