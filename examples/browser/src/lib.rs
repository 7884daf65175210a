//! The program of the page: it reads a chat, a talk and a live feed with `eventwire`, over the browser's `fetch`.
//!
//! It exports a function for each of the three, which calls the methods of a [view](views) with what it reads until a signal is aborted.
//! The views are in JavaScript, and everything that is shown is theirs.
//!
//! [`failure`], [`holes`] and [`utf8`] know nothing of a browser, and are tested on any machine by `cargo test`.

mod chat;
mod chunk;
mod error_message;
mod failure;
mod holes;
mod live;
mod part_kind;
mod talk;
#[path = "../../talk/src/utf8.rs"]
mod utf8;
mod views;
mod watch;

/// A small allocator: 3,200 bytes less than the default one, gzipped.
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// In a box, so that the code around a future is in the program once.
fn begin(future: std::pin::Pin<Box<dyn Future<Output = ()>>>) {
    wasm_bindgen_futures::spawn_local(future);
}

pub use self::{
    chat::chat,
    live::live,
    talk::talk,
    views::{ChatView, ConnectionView, LiveView, TalkView},
};
