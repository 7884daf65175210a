//! The program of the page: it reads a chat, a talk and a live feed with `eventwire`, over the browser's `fetch`.
//!
//! It exports one function for each of the three. The function reads until a signal is aborted, and passes
//! everything to the methods of a [view](views). The views are written in JavaScript, and show it.

// The manifest has the dependencies only for wasm.
#![cfg(target_family = "wasm")]

mod chat;
mod chunk;
mod failure;
mod live;
mod talk;
mod views;
mod watch;

/// A small allocator, which saves 3,200 bytes, gzipped.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// Starts a future. It is boxed, so that the code that runs it is compiled once.
fn begin(future: std::pin::Pin<Box<dyn Future<Output = ()>>>) {
    wasm_bindgen_futures::spawn_local(future);
}

pub use self::{
    chat::chat,
    live::{Feed, live},
    talk::talk,
    views::{ChatView, ConnectionView, LiveView, TalkView},
};
