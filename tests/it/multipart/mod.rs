//! Multipart streams.

mod adapters;
mod encoder;
#[cfg(feature = "json")]
mod json_parts;
