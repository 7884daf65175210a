//! A log in postgres: see the design.

mod error;
mod postgres_log;

pub use crate::{error::Error, postgres_log::PostgresLog};

/// What the log stores in a database, as SQL.
pub const SCHEMA: &str = "";
