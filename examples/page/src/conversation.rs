//! The conversation in the body of a request.

use axum::body::to_bytes;
use axum::extract::{FromRequest, Request};
use serde_json::{Map, Value};

use crate::api_error::ApiError;

/// The limit on a body in bytes.
const LIMIT: usize = 4 << 20;

/// A JSON object with `messages`, in the format of OpenAI's chat completions. All other fields, such as `tools`,
/// are passed on to the model.
pub(crate) struct Conversation(Map<String, Value>);

impl<S: Sync> FromRequest<S> for Conversation {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Conversation, ApiError> {
        // The content type is ignored.
        let body = to_bytes(request.into_body(), LIMIT).await;
        let body = body.map_err(|error| ApiError::unreadable_body(&error, LIMIT))?;
        match serde_json::from_slice(&body) {
            Ok(Value::Object(object)) => match object.get("messages") {
                Some(Value::Array(messages)) if !messages.is_empty() => Ok(Conversation(object)),
                _ => Err(ApiError::invalid("`messages` must be an array of messages.", "invalid_type")),
            },
            _ => Err(ApiError::invalid("The body of the request must be a JSON object.", "invalid_json")),
        }
    }
}

impl Conversation {
    /// Returns the text of the user's last message; `""` if there is none.
    pub(crate) fn question(&self) -> &str {
        let messages = self.0.get("messages").and_then(Value::as_array).into_iter().flatten();
        let last = messages.rev().find(|message| message["role"] == "user");
        last.and_then(|message| message["content"].as_str()).unwrap_or_default()
    }

    pub(crate) fn has_tools(&self) -> bool {
        self.0.get("tools").and_then(Value::as_array).is_some_and(|tools| !tools.is_empty())
    }

    /// Returns the body of the request to this model.
    pub(crate) fn into_request(self, model: &str) -> String {
        let Conversation(mut object) = self;
        object.insert("model".into(), model.into());
        object.insert("stream".into(), true.into());
        // Only one answer is read.
        object.remove("n");
        Value::Object(object).to_string()
    }
}
