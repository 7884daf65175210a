//! The recipes of `docs/recipes`, and an example of the documentation, compiled as their readers would. `tests/` runs
//! them.

#![allow(clippy::must_use_candidate, reason = "a recipe is part of a program, not of an API")]

#[path = "../../../docs/recipes/async_read.rs"]
pub mod async_read;
#[path = "../../../docs/recipes/awc.rs"]
pub mod awc;
#[path = "../../../docs/recipes/axum_server.rs"]
pub mod axum_server;
#[path = "../../../docs/broadcast-axum.rs"]
pub mod broadcast_axum;
#[path = "../../../docs/recipes/chat_client.rs"]
pub mod chat_client;
#[path = "../../../docs/recipes/counting_proxy.rs"]
pub mod counting_proxy;
#[path = "../../../docs/recipes/decoder_and_comments.rs"]
pub mod decoder_and_comments;
#[path = "../../../docs/recipes/one_answer.rs"]
pub mod one_answer;
#[path = "../../../docs/recipes/reqwest_middleware.rs"]
pub mod reqwest_middleware;
#[path = "../../../docs/recipes/snapshot_then_events.rs"]
pub mod snapshot_then_events;
#[path = "../../../docs/recipes/token_expires.rs"]
pub mod token_expires;
#[path = "../../../docs/recipes/ureq.rs"]
pub mod ureq;
#[path = "../../../docs/recipes/ureq_reconnect.rs"]
pub mod ureq_reconnect;
