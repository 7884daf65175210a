//! The description of one event that a server is told to send.

use serde_json::value::RawValue;
use std::time::Duration;

/// One event to send, described by what all servers have in common. For a field that is `None`, no method of the
/// server is called.
#[derive(Clone, Debug, Default)]
pub struct Message {
    pub event_type: Option<String>,
    pub id: Option<String>,
    pub retry: Option<Duration>,
    pub data: Option<Data>,
    pub comment: Option<String>,
}

/// The data of an event. Each variant uses another method of the server.
#[derive(Clone, Debug)]
pub enum Data {
    Text(String),
    /// JSON that serde serializes in several pieces.
    Json(serde_json::Value),
    /// JSON that keeps its own white space, and so its line breaks.
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
