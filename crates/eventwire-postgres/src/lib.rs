//! A log in Postgres.

mod address;
mod connection;
mod error;
mod page;
mod postgres_log;

mod writer;

pub use crate::{error::Error, postgres_log::PostgresLog};

/// What the log stores in a database, as SQL.
pub const SCHEMA: &str = include_str!("schema.sql");
