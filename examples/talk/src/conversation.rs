//! The conversation in the body of a request.

use axum::body::{Body, to_bytes};
use serde_json::{Map, Value};

use crate::api_error::ApiError;

/// The limit on a body in bytes.
const LIMIT: usize = 4 << 20;

/// A JSON object with `messages`, in the format of OpenAI's chat completions. All other fields, such as `tools`,
/// are passed on to the model.
pub(crate) struct Conversation(Map<String, Value>);

impl Conversation {
    pub(crate) async fn read(body: Body) -> Result<Conversation, ApiError> {
        // The content type is ignored.
        let body = to_bytes(body, LIMIT).await.map_err(|error| ApiError::unreadable_body(&error, LIMIT))?;
        let Ok(Value::Object(object)) = serde_json::from_slice(&body) else {
            return Err(ApiError::invalid("The body of the request must be a JSON object.", None, "invalid_json"));
        };
        match object.get("messages") {
            Some(Value::Array(messages)) if !messages.is_empty() => Ok(Conversation(object)),
            _ => Err(ApiError::invalid("`messages` must be an array of messages.", Some("messages"), "invalid_type")),
        }
    }

    /// Returns the body of the request to this model.
    pub(crate) fn into_request(self, model: &str) -> String {
        let Conversation(mut object) = self;
        object.insert("model".into(), model.into());
        object.insert("stream".into(), true.into());
        // The server reads only one answer.
        object.remove("n");
        Value::Object(object).to_string()
    }
}
