//! Runs `eventwire serve`, and reads what it sends from raw sockets.

// Miri cannot start processes.
#![cfg(not(miri))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod answer;
mod cors;
mod directory;
mod faults;
mod files;
mod log;
mod many;
mod mistakes;
mod readme;
mod refused;
mod server;

/// Three events, one of them with a character of two bytes.
const CHAT: &str = "id: 1\ndata: one\n\nid: 2\ndata: two\n\nid: 3\ndata: zwölf\n\n";

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\
                    connection: close\r\n\r\n";
