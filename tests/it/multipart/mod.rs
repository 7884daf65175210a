//! Multipart streams.

mod generator;
mod naive;
mod received;
mod rewritten;
mod routes;

mod adapters;
mod at_once;
mod content_types;
mod encoder;
mod fixtures;
mod generated_streams;
#[cfg(feature = "json")]
mod json_parts;
mod round_trip;
mod work_and_memory;
