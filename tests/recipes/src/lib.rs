//! The recipes of `docs/recipes`, and an example of the documentation, compiled as their readers would. `tests/` runs
//! them.

#![allow(clippy::must_use_candidate, reason = "a recipe is part of a program, not of an API")]

pub use self::files::*;

// `.ci/run` formats them with the settings in `docs`, because pages are narrower.
#[rustfmt::skip]
#[path = "../../../docs"]
mod files {
    #[path = "broadcast-axum.rs"]
    pub mod broadcast_axum;
    #[path = "recipes/async_read.rs"]
    pub mod async_read;
    #[path = "recipes/awc.rs"]
    pub mod awc;
    #[path = "recipes/axum_server.rs"]
    pub mod axum_server;
    #[path = "recipes/changing_proxy.rs"]
    pub mod changing_proxy;
    #[path = "recipes/chat_client.rs"]
    pub mod chat_client;
    #[path = "recipes/compressed_server.rs"]
    pub mod compressed_server;
    #[path = "recipes/continued_answer.rs"]
    pub mod continued_answer;
    #[path = "recipes/count.rs"]
    pub mod count;
    #[path = "recipes/counting_proxy.rs"]
    pub mod counting_proxy;
    #[path = "recipes/decoder_and_comments.rs"]
    pub mod decoder_and_comments;
    #[path = "recipes/detached_answer.rs"]
    pub mod detached_answer;
    #[path = "recipes/filtered_feed.rs"]
    pub mod filtered_feed;
    #[path = "recipes/last_id.rs"]
    pub mod last_id;
    #[path = "recipes/mcp.rs"]
    pub mod mcp;
    #[path = "recipes/ollama.rs"]
    pub mod ollama;
    #[path = "recipes/one_answer.rs"]
    pub mod one_answer;
    #[path = "recipes/overloaded.rs"]
    pub mod overloaded;
    #[path = "recipes/reqwest_middleware.rs"]
    pub mod reqwest_middleware;
    #[path = "recipes/several_feeds.rs"]
    pub mod several_feeds;
    #[path = "recipes/snapshot_then_events.rs"]
    pub mod snapshot_then_events;
    #[path = "recipes/stalled_readers.rs"]
    pub mod stalled_readers;
    #[path = "recipes/tauri_streams.rs"]
    pub mod tauri_streams;
    #[path = "recipes/token_expires.rs"]
    pub mod token_expires;
    #[path = "recipes/token_refresh.rs"]
    pub mod token_refresh;
    #[path = "recipes/tool_calls.rs"]
    pub mod tool_calls;
    #[path = "recipes/ureq.rs"]
    pub mod ureq;
    #[path = "recipes/ureq_reconnect.rs"]
    pub mod ureq_reconnect;
}
