//! A log on Redis for the hub of eventwire.

mod connection;
mod error;
mod redis_log;

pub use crate::{error::Error, redis_log::RedisLog};
