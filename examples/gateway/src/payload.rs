//! The body of a request.

use axum::http::StatusCode;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::api_error::ApiError;
use crate::echo::MODEL;

/// The parameters of chat completions and completions. Those that the model does not know are ignored. A null counts
/// as missing, because some clients send it instead of leaving a parameter out.
#[derive(Deserialize)]
pub(crate) struct Payload {
    model: Option<String>,
    pub(crate) messages: Option<Vec<Message>>,
    pub(crate) prompt: Option<Prompts>,
    pub(crate) tools: Option<Vec<IgnoredAny>>,
    n: Option<u64>,
    max_tokens: Option<u64>,
    max_completion_tokens: Option<u64>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
}

#[derive(Deserialize)]
pub(crate) struct Message {
    pub(crate) role: String,
    /// A message that calls a tool has none.
    pub(crate) content: Option<Content>,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string or an array of parts")]
pub(crate) enum Content {
    Text(String),
    Parts(Vec<Part>),
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Part {
    Text {
        text: String,
    },
    /// An image, a file, ...
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string or an array of strings")]
pub(crate) enum Prompts {
    One(String),
    Several(Vec<String>),
}

#[derive(Deserialize)]
struct StreamOptions {
    include_usage: Option<bool>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    Whole,
    Stream,
    /// A stream whose last chunk has the token counts.
    StreamWithUsage,
}

impl Payload {
    /// Reads the body of a request, and checks the parameters that do not depend on the endpoint.
    pub(crate) fn read(body: &[u8]) -> Result<Payload, ApiError> {
        let mut json = serde_json::Deserializer::from_slice(body);
        let payload: Payload = serde_path_to_error::deserialize(&mut json).map_err(|error| {
            let param = error.path().to_string();
            match error.into_inner() {
                // The path of the body itself is a dot.
                error if error.is_data() && param != "." => ApiError::invalid(&param, &error.to_string()),
                error => ApiError::not_json(&error),
            }
        })?;
        json.end().map_err(|error| ApiError::not_json(&error))?;
        match payload.model.as_deref() {
            Some(MODEL) => {}
            Some(model) => {
                let message = format!("The model {model:?} does not exist; the only model is {MODEL:?}.");
                return Err(ApiError::new(StatusCode::NOT_FOUND, "model_not_found", message).at("model"));
            }
            None => return Err(ApiError::missing("model")),
        }
        match payload.n {
            None | Some(1) => Ok(payload),
            Some(_) => Err(ApiError::invalid("n", "it must be 1, because this model returns one answer")),
        }
    }

    /// Returns the maximum number of tokens of a choice. If both limits are given, both apply.
    pub(crate) fn limit(&self) -> u64 {
        [self.max_tokens, self.max_completion_tokens].into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    pub(crate) fn delivery(&self) -> Delivery {
        let include_usage = self.stream_options.as_ref().and_then(|options| options.include_usage);
        match (self.stream, include_usage) {
            (Some(true), Some(true)) => Delivery::StreamWithUsage,
            (Some(true), _) => Delivery::Stream,
            _ => Delivery::Whole,
        }
    }
}

impl Content {
    /// Returns the text, without parts that are none.
    pub(crate) fn into_text(self) -> String {
        match self {
            Content::Text(text) => text,
            Content::Parts(parts) => {
                let text = |part| if let Part::Text { text } = part { Some(text) } else { None };
                parts.into_iter().filter_map(text).collect()
            }
        }
    }
}
