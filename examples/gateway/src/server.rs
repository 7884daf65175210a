//! The server: what is answered where.

mod answer;
mod chat;
mod choice;
mod chunks;
mod completion;
mod echo;
mod error;
mod events;
mod id;
mod key;
mod model;
mod options;
mod pace;
mod param;
mod payload;
mod usage;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{Method, Uri};
use axum::middleware;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use tokio::net::TcpListener;

use error::ApiError;

/// What the server is told when it starts.
#[derive(Default)]
pub(crate) struct Settings {
    /// Without one, anybody is answered.
    pub(crate) api_key: Option<String>,
    /// How long a stream waits between two tokens.
    pub(crate) delay: Duration,
}

/// Answers whoever connects, for as long as the future lives.
pub(crate) async fn serve(listener: TcpListener, settings: Settings) -> io::Result<()> {
    // An event is small, and is wanted now: the kernel would hold it back until the one before is acknowledged.
    let listener = listener.tap_io(|connection| {
        // A connection for which this fails is about to fail for good.
        let _ = connection.set_nodelay(true);
    });
    axum::serve(listener, router(settings)).await
}

fn router(settings: Settings) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(chat::complete))
        .route("/v1/completions", post(completion::complete))
        .route("/v1/models", get(model::list))
        .route("/v1/events", get(events::stream))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn(payload::read_first))
        .with_state(Arc::new(settings))
}

async fn unknown_path(method: Method, uri: Uri) -> ApiError {
    ApiError::unknown_path(&method, uri.path())
}

async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    ApiError::wrong_method(&method, uri.path())
}
