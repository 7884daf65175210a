//! The answer to a chat or a prompt, complete or in chunks.

use std::iter;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use eventwire::{ByteString, Event};
use serde_json::{Value, json};

use crate::echo::{Echo, MODEL, words};
use crate::payload::Delivery;
use crate::script::{Reply, ToolCall};
use crate::server::Piece;

/// The data of the event that ends a stream.
const DONE: ByteString = ByteString::from_static("[DONE]");

/// What the model will say.
pub(crate) struct Answer {
    endpoint: Endpoint,
    choices: Vec<Choice>,
    prompt_tokens: u64,
}

/// The endpoint whose JSON is written.
#[derive(Clone, Copy)]
enum Endpoint {
    Chat,
    Completions,
}

struct Choice {
    text: Echo,
    /// Only chats have calls.
    calls: Vec<ToolCall>,
}

impl Answer {
    pub(crate) fn chat(reply: Reply, limit: u64, prompt_tokens: u64) -> Answer {
        let text = Echo::new(reply.content, limit);
        // A model that has reached its limit does not go on to call a tool.
        let calls = if text.is_cut { Vec::new() } else { reply.tool_calls };
        Answer { endpoint: Endpoint::Chat, choices: vec![Choice { text, calls }], prompt_tokens }
    }

    /// Returns an answer with one choice for each prompt.
    pub(crate) fn completion(prompts: Vec<String>, limit: u64) -> Answer {
        let prompt_tokens = prompts.iter().map(|prompt| words(prompt)).sum();
        let choice = |prompt| Choice { text: Echo::new(prompt, limit), calls: Vec::new() };
        let choices = prompts.into_iter().map(choice).collect();
        Answer { endpoint: Endpoint::Completions, choices, prompt_tokens }
    }

    pub(crate) fn whole(&self) -> Value {
        let choice = |(index, choice): (usize, &Choice)| {
            let reason = Some(choice.finish_reason());
            match self.endpoint {
                Endpoint::Chat => choice_json(index, "message", &choice.message(), reason),
                Endpoint::Completions => choice_json(index, "text", &json!(choice.text.text), reason),
            }
        };
        let object = match self.endpoint {
            Endpoint::Chat => "chat.completion",
            Endpoint::Completions => "text_completion",
        };
        let mut whole = Head::new(self.endpoint, object).json(self.choices.iter().enumerate().map(choice).collect());
        whole["usage"] = self.usage();
        whole
    }

    /// Returns the events of a stream, each made on demand.
    pub(crate) fn into_chunks(self, delivery: Delivery) -> impl Iterator<Item = Piece> {
        let endpoint = self.endpoint;
        let head = match endpoint {
            Endpoint::Chat => Head::new(endpoint, "chat.completion.chunk"),
            Endpoint::Completions => Head::new(endpoint, "text_completion"),
        };
        let usage = (delivery == Delivery::StreamWithUsage).then(|| self.usage());
        let has_usage = usage.is_some();
        let choices = self.choices.into_iter().enumerate();
        choices
            .flat_map(move |(index, choice)| choice.into_chunks(index, endpoint))
            .map(|(choice, is_after_pause)| (vec![choice], Value::Null, is_after_pause))
            .chain(usage.map(|usage| (Vec::new(), usage, false)))
            .map(move |(choices, usage, is_after_pause)| {
                let mut chunk = head.json(choices);
                // If the usage was requested, it is null in every chunk but the last.
                if has_usage {
                    chunk["usage"] = usage;
                }
                Piece { event: Event::default().with_json(&chunk).map_err(Into::into), is_after_pause }
            })
            .chain([Piece { event: Ok(Event::new(DONE)), is_after_pause: false }])
    }

    fn usage(&self) -> Value {
        let tokens: u64 = self.choices.iter().map(|choice| choice.text.tokens).sum();
        json!({
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": tokens,
            "total_tokens": self.prompt_tokens + tokens,
        })
    }
}

impl Choice {
    /// Returns the finish reason, which applies after the last token.
    fn finish_reason(&self) -> &'static str {
        match (self.text.is_cut, self.calls.is_empty()) {
            (true, _) => "length",
            (false, true) => "stop",
            (false, false) => "tool_calls",
        }
    }

    /// Returns the message of a chat.
    fn message(&self) -> Value {
        let mut message = json!({ "role": "assistant", "content": self.text.text, "refusal": null });
        if !self.calls.is_empty() {
            let call = |call: &ToolCall| {
                let function = json!({ "name": call.name, "arguments": call.arguments });
                json!({ "id": new_id("call").0, "type": "function", "function": function })
            };
            message["tool_calls"] = self.calls.iter().map(call).collect();
        }
        message
    }

    /// Returns this choice in chunks, each with whether the pause between two tokens comes before it.
    fn into_chunks(self, index: usize, endpoint: Endpoint) -> impl Iterator<Item = (Value, bool)> {
        let reason = self.finish_reason();
        let content = move |token: String| match endpoint {
            Endpoint::Chat => json!({ "content": token }),
            Endpoint::Completions => json!(token),
        };
        let (field, start, end) = match endpoint {
            Endpoint::Chat => ("delta", Some(json!({ "role": "assistant", "content": "" })), json!({})),
            Endpoint::Completions => ("text", None, json!("")),
        };
        let tokens = self.text.into_tokens().enumerate().map(move |(n, token)| (content(token), n > 0));
        let calls = self.calls.into_iter().enumerate().flat_map(|(index, call)| call_deltas(index, call));
        let deltas = start.into_iter().map(|start| (start, false)).chain(tokens).chain(calls.map(|call| (call, false)));
        deltas
            .map(move |(delta, is_after_pause)| (choice_json(index, field, &delta, None), is_after_pause))
            .chain(iter::once_with(move || (choice_json(index, field, &end, Some(reason)), false)))
    }
}

/// Returns a call in chunks: its name, then its arguments in pieces.
fn call_deltas(index: usize, call: ToolCall) -> impl Iterator<Item = Value> {
    let function = json!({ "name": call.name, "arguments": "" });
    let start = json!({ "index": index, "id": new_id("call").0, "type": "function", "function": function });
    let pieces = Echo::new(call.arguments, u64::MAX).into_tokens();
    let more = pieces.map(move |piece| json!({ "index": index, "function": { "arguments": piece } }));
    iter::once(start).chain(more).map(|call| json!({ "tool_calls": [call] }))
}

/// This model has no log probabilities.
fn choice_json(index: usize, field: &str, content: &Value, finish_reason: Option<&str>) -> Value {
    json!({ "index": index, field: content, "logprobs": null, "finish_reason": finish_reason })
}

/// What an answer and all of its chunks begin with.
struct Head {
    id: String,
    object: &'static str,
    created: u64,
}

impl Head {
    fn new(endpoint: Endpoint, object: &'static str) -> Head {
        let (id, time) = new_id(match endpoint {
            Endpoint::Chat => "chatcmpl",
            Endpoint::Completions => "cmpl",
        });
        Head { id, object, created: time.as_secs() }
    }

    fn json(&self, choices: Vec<Value>) -> Value {
        let Head { id, object, created } = self;
        json!({ "id": id, "object": object, "created": created, "model": MODEL, "choices": choices })
    }
}

/// Returns an ID, such as `chatcmpl-18ad3f0c9be00000-2`, of the time and a number, and the time since 1970.
fn new_id(prefix: &str) -> (String, Duration) {
    static NUMBERS: AtomicU64 = AtomicU64::new(1);
    // A clock set before 1970 counts as 1970.
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    (format!("{prefix}-{:x}-{}", time.as_nanos(), NUMBERS.fetch_add(1, Ordering::Relaxed)), time)
}
