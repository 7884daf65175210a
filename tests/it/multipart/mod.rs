//! Multipart streams.

mod naive;
mod routes;

mod adapters;
mod encoder;
mod fixtures;
#[cfg(feature = "json")]
mod json_parts;
