//! Event streams (Server-Sent Events) in one SQLite file: a [`Log`](eventwire_hub::Log) for the
//! [`Hub`](eventwire_hub::Hub) of eventwire-hub.

mod database;
mod error;
mod page;
mod retention;
mod sidecar;
mod sqlite_log;
mod watcher;
mod writer;

pub use crate::{error::Error, sqlite_log::SqliteLog, writer::Durability};
