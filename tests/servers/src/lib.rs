//! What other Rust servers send, decoded by eventwire.
//!
//! Each [server](server::Server) is told to send each of the [cases](case::cases). Its body must contain exactly
//! that, unless the table of [differences](difference::differences) lists another result.

pub mod actix;
pub mod by_method;
pub mod case;
pub mod difference;
pub mod excerpt;
pub mod message;
pub mod receipt;
pub mod server;
