//! An example: [`eventwire::client`] over hyper-util's HTTP client. Its [connector](connector()) is made from a
//! function that sends one request.
//!
//! `cargo run -p hyper-client -- http://127.0.0.1:8080/events` prints the events of a URL, and reconnects when the
//! connection drops.

mod connector;
/// Shared with the program `eventwire`.
#[path = "../../../crates/eventwire-cli/src/printable.rs"]
mod printable;
mod program;

pub use self::{
    connector::{HyperError, connector},
    program::{Failure, run},
};
