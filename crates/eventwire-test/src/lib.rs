//! A server for the tests of Server-Sent Events clients.

mod body;
mod connection;
mod faults;
mod play;
mod recording;
mod request;
mod script;
mod server;
mod tcp;
mod wire;

pub use self::{
    connection::Connection,
    faults::{End, Resume},
    recording::ReadError,
    script::Script,
    server::TestServer,
};

#[doc = include_str!("../docs/recordings.md")]
pub mod recordings {}

/// What the program `eventwire` needs and tests do not.
#[doc(hidden)]
pub mod internal {
    pub use crate::{
        faults::{Chunking, Faults, Pace, Place, Unexpected},
        recording::Writer,
        tcp::{How, Served, serve},
    };
}
