//! A log in sqlite: see the design.

mod error;
mod sqlite_log;

pub use crate::{
    error::Error,
    sqlite_log::{Durability, SqliteLog},
};
