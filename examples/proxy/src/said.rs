//! The content of an event that is measured.

use serde_json::Value;

use crate::report::Usage;

/// The content of an event's data.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// Whether it adds text to the answer.
    pub(crate) is_text: bool,
    pub(crate) usage: Option<Usage>,
    /// Whether it marks the end of the answer.
    pub(crate) is_end: bool,
}

impl Said {
    /// Reads the data of chat completions, of completions, and of OpenAI's Responses API. Other data is ignored.
    pub(crate) fn read(data: &str) -> Said {
        if data.trim_ascii() == "[DONE]" {
            return Said { is_end: true, ..Said::default() };
        }
        // A `Value`, because reading a `struct` fails if only one field has an unexpected type.
        let payload: Value = serde_json::from_str(data).unwrap_or_default();
        let kind = payload["type"].as_str().unwrap_or_default();
        let mut choices = payload["choices"].as_array().into_iter().flatten();
        Said {
            is_text: choices.any(|choice| is_text(&choice["delta"]["content"]) || is_text(&choice["text"]))
                || kind == "response.output_text.delta" && is_text(&payload["delta"]),
            usage: usage(&payload["usage"]).or_else(|| usage(&payload["response"]["usage"])),
            is_end: matches!(kind, "response.completed" | "response.incomplete" | "response.failed"),
        }
    }
}

fn is_text(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty())
}

fn usage(value: &Value) -> Option<Usage> {
    let number = |names: [&str; 2]| names.into_iter().find_map(|name| value[name].as_u64());
    Some(Usage {
        prompt_tokens: number(["prompt_tokens", "input_tokens"])?,
        completion_tokens: number(["completion_tokens", "output_tokens"])?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(data: &str, is_text: bool, usage: Option<(u64, u64)>, is_end: bool) {
        let usage = usage.map(|(prompt_tokens, completion_tokens)| Usage { prompt_tokens, completion_tokens });
        assert_eq!(Said::read(data), Said { is_text, usage, is_end });
    }

    #[test]
    fn chat_completions() {
        check(r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#, false, None, false);
        check(r#"{"choices":[{"delta":{}},{"delta":{"content":"a"}}],"usage":null}"#, true, None, false);
        check(r#"{"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":3}}"#, false, Some((2, 3)), false);
        for marker in ["[DONE]", "[DONE] ", "\t[DONE]\n"] {
            check(marker, false, None, true);
        }
    }

    #[test]
    fn completions() {
        check(r#"{"choices":[{"text":"a","finish_reason":null}]}"#, true, None, false);
        check(r#"{"choices":[{"text":"","finish_reason":"stop"}]}"#, false, None, false);
    }

    #[test]
    fn responses() {
        check(r#"{"type":"response.output_text.delta","delta":"a"}"#, true, None, false);
        check(r#"{"type":"response.refusal.delta","delta":"a"}"#, false, None, false);
        let end = r#"{"type":"response.completed","response":{"usage":{"input_tokens":2,"output_tokens":3}}}"#;
        check(end, false, Some((2, 3)), true);
    }

    #[test]
    fn anything_else() {
        for data in [
            "",
            "[DONE]\u{A0}",
            "[done]",
            "word",
            "7",
            "{}",
            r#"{"choices":7,"usage":"x"}"#,
            r#"{"choices":[null,[]]}"#,
        ] {
            check(data, false, None, false);
        }
    }
}
