//! Typed streams: the values of a stream of JSON events or parts.

mod end;
mod json_error;
#[cfg(feature = "multipart")]
mod json_part_error;
#[cfg(feature = "multipart")]
mod json_parts;
mod json_stream;
mod path;
mod payload;
mod payload_reader;
mod top_level;
mod with_event;

pub use self::{json_error::JsonError, json_stream::JsonStream, payload::Payload, with_event::WithEvent};
#[cfg(feature = "multipart")]
pub use self::{json_part_error::JsonPartError, json_parts::JsonParts};
