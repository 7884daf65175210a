//! The endpoints, one file each.

pub(crate) mod chat;
pub(crate) mod completions;
pub(crate) mod events;
pub(crate) mod models;
