//! What a server is told to send as one event.

use serde_json::value::RawValue;
use std::time::Duration;

/// One event to be sent, in the terms that all servers have in common. What is `None` is not mentioned to the server.
#[derive(Clone, Debug, Default)]
pub struct Message {
    pub event_type: Option<String>,
    pub id: Option<String>,
    pub retry: Option<Duration>,
    pub data: Option<Data>,
    pub comment: Option<String>,
}

/// Data, by the method of the server that takes it.
#[derive(Clone, Debug)]
pub enum Data {
    Text(String),
    /// Written piece by piece by serde.
    Json(serde_json::Value),
    /// JSON that keeps its own white space, so that there may be line breaks in it.
    RawJson(Box<RawValue>),
}

impl Data {
    pub fn text(&self) -> String {
        match self {
            Data::Text(text) => text.clone(),
            Data::Json(value) => value.to_string(),
            Data::RawJson(value) => value.get().to_owned(),
        }
    }
}

impl Message {
    pub fn text(text: impl Into<String>) -> Message {
        Message { data: Some(Data::Text(text.into())), ..Message::default() }
    }

    pub fn json(value: serde_json::Value) -> Message {
        Message { data: Some(Data::Json(value)), ..Message::default() }
    }

    pub fn raw_json(json: &str) -> Message {
        let value = RawValue::from_string(json.to_owned()).expect("JSON");
        Message { data: Some(Data::RawJson(value)), ..Message::default() }
    }

    pub fn with_type(self, event_type: impl Into<String>) -> Message {
        Message { event_type: Some(event_type.into()), ..self }
    }

    pub fn with_id(self, id: impl Into<String>) -> Message {
        Message { id: Some(id.into()), ..self }
    }

    pub fn with_retry(self, retry: Duration) -> Message {
        Message { retry: Some(retry), ..self }
    }

    pub fn with_comment(self, comment: impl Into<String>) -> Message {
        Message { comment: Some(comment.into()), ..self }
    }
}
