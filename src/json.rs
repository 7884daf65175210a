//! Typed streams: the values of a stream of JSON events, or of JSON lines.

mod dialect;
mod ignored_text;
mod json_error;
mod json_lines;
mod json_stream;
mod path;
mod payload;
mod payload_reader;
mod top_level;
mod with_event;

pub use self::{
    dialect::Dialect, json_error::JsonError, json_stream::JsonStream, payload::Payload, with_event::WithEvent,
};
