//! What other Rust servers send, decoded by eventwire.
//!
//! The [cases](case::cases) say what each [server](server::Server) is told to send; what comes out of its body must be that,
//! unless the table of [differences](difference::differences) says exactly what comes out instead.

pub mod actix;
pub mod axum;
pub mod case;
pub mod difference;
pub mod excerpt;
pub mod message;
pub mod receipt;
pub mod salvo;
pub mod server;
pub mod warp;
