//! Types into which an application could deserialize its payloads, with all fields that it may need.
#![expect(dead_code, reason = "only deserialized")]

use serde::{Deserialize, Serialize};

#[derive(Deserialize, Serialize)]
pub(crate) struct OpenAiChunk {
    id: String,
    object: String,
    created: u64,
    model: String,
    service_tier: Option<String>,
    system_fingerprint: Option<String>,
    choices: Vec<Choice>,
    usage: Option<Usage>,
}

#[derive(Deserialize, Serialize)]
struct Choice {
    index: u32,
    delta: Delta,
    finish_reason: Option<String>,
}

#[derive(Deserialize, Serialize)]
struct Delta {
    role: Option<String>,
    content: Option<String>,
}

#[derive(Deserialize, Serialize)]
struct Usage {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum AnthropicEvent {
    ContentBlockDelta { index: u32, delta: TextDelta },
    MessageStop,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum TextDelta {
    TextDelta { text: String },
}
