//! Typed streams: what the events of a stream of JSON mean.

mod end;
mod error_detector;
mod json_error;
mod json_events;
mod json_stream;
mod payload_reader;
mod with_events;

pub use self::{json_error::JsonError, json_events::JsonEvents, json_stream::JsonStream, with_events::WithEvents};
