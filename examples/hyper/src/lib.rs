//! An example: [`eventwire::client`] over hyper-util's HTTP client. A [connector](connector()) is a function from an attempt to a
//! response.
//!
//! `cargo run -p hyper-client -- http://127.0.0.1:8080/events` prints the events of a URL, and reconnects when the connection drops.

mod connector;
mod program;

pub use self::{
    connector::{HyperError, connector},
    program::{Failure, run},
};
