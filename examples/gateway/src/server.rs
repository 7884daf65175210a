//! The server: its settings and its routes.

use std::future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, Uri};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::api_error::ApiError;
use crate::endpoint::{chat, completions, events, models};
use crate::known_hosts::KnownHosts;
use crate::request;
use crate::script::Script;

/// The server's settings. By default the server requires no key and does not pause, and the model repeats the
/// prompt.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The API key that clients must send. `None` requires no key.
    pub api_key: Option<String>,
    /// The hosts that clients may name, besides loopback ones and the address on which the server listens. A request
    /// to another host is refused, and so is one from a page of another origin; see [`KnownHosts`].
    pub hosts: Vec<String>,
    /// The pause between two tokens of a stream.
    pub delay: Duration,
    /// What the model answers to chats. `None` repeats the last user message.
    pub script: Option<Script>,
}

/// Serves on this listener until the future is dropped.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// use gateway::Settings;
/// use tokio::net::TcpListener;
///
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let base_url = format!("http://{}/v1", listener.local_addr()?);
/// tokio::spawn(gateway::serve(listener, Settings::default()));
/// # let _ = base_url;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`io::Error`] if the listener fails.
pub async fn serve(listener: TcpListener, settings: Settings) -> io::Result<()> {
    serve_until(listener, settings, future::pending()).await
}

/// Serves on this listener until `shutdown` resolves, then ends the open streams, and returns when all connections
/// are closed.
///
/// A stream that ends this way lacks its end marker. Its last block is a reconnection time.
///
/// # Errors
///
/// [`io::Error`] if the listener fails.
pub async fn serve_until<F>(listener: TcpListener, settings: Settings, shutdown: F) -> io::Result<()>
where
    F: Future<Output = ()> + Send + 'static,
{
    let address = listener.local_addr()?;
    // Without this, the kernel would delay a small write, such as an event, until the one before it is
    // acknowledged.
    let listener = listener.tap_io(|connection| {
        // If this fails, the connection is already broken.
        let _ = connection.set_nodelay(true);
    });
    let (running, is_running) = watch::channel(());
    let shutdown = async move {
        shutdown.await;
        drop(running);
    };
    let hosts = KnownHosts::new(address, settings.hosts.iter().cloned());
    axum::serve(listener, router(Service { settings, is_running }, hosts)).with_graceful_shutdown(shutdown).await
}

/// The state that the endpoints share.
pub(crate) struct Service {
    pub(crate) settings: Settings,
    /// The sender is dropped when the server shuts down.
    is_running: watch::Receiver<()>,
}

impl Service {
    /// Resolves when the server shuts down.
    pub(crate) fn shutdown(&self) -> impl Future + Send + 'static {
        let mut is_running = self.is_running.clone();
        async move { is_running.changed().await }
    }
}

fn router(service: Service, hosts: KnownHosts) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(chat::complete))
        .route("/v1/completions", post(completions::complete))
        .route("/v1/models", get(models::list))
        .route("/v1/events", get(events::stream))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn(request::read_body_first))
        // The last layer sees a request first, before its body is read.
        .layer(middleware::from_fn_with_state(hosts, known_hosts_only))
        .with_state(Arc::new(service))
}

async fn known_hosts_only(State(hosts): State<KnownHosts>, request: Request, next: Next) -> Result<Response, ApiError> {
    hosts.check(&request).map_err(|error| ApiError::foreign(&error))?;
    Ok(next.run(request).await)
}

async fn unknown_path(method: Method, uri: Uri) -> ApiError {
    ApiError::unknown_path(&method, uri.path())
}

async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    ApiError::wrong_method(&method, uri.path())
}
