//! What the clients of this folder share. They publish events at one address, and read them at the same or at another.

mod client;
mod fanout;
mod processes;
mod publisher;
mod readers;

pub use crate::{
    fanout::{Fanout, quantile},
    processes::Processes,
    publisher::Publisher,
    readers::{Readers, Receipt, stamped},
};

use std::time::Duration;

/// How long an answer or a late event may take.
pub const PATIENCE: Duration = Duration::from_secs(30);
