//! The server: its settings, its routes, and what every request and every stream passes through.

use std::future;
use std::io;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use axum::{BoxError, Json, Router};
use eventwire::{Event, EventBody, TokioTimer};
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::answer::Answer;
use crate::api_error::ApiError;
use crate::endpoints;
use crate::known_hosts::KnownHosts;
use crate::payload::Delivery;
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
    let hosts = KnownHosts::new(listener.local_addr()?, settings.hosts.iter().cloned());
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
    axum::serve(listener, router(Service { settings, is_running }, hosts)).with_graceful_shutdown(shutdown).await
}

fn router(service: Service, hosts: KnownHosts) -> Router {
    Router::new()
        .route("/v1/chat/completions", post(endpoints::chat))
        .route("/v1/completions", post(endpoints::completions))
        .route("/v1/models", get(endpoints::models))
        .route("/v1/events", get(endpoints::events))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::disable())
        .layer(middleware::from_fn(read_body_first))
        // The last layer sees a request first, before its body is read.
        .layer(middleware::from_fn_with_state(hosts, known_hosts_only))
        .with_state(Arc::new(service))
}

async fn known_hosts_only(State(hosts): State<KnownHosts>, request: Request, next: Next) -> Result<Response, ApiError> {
    hosts.check(&request)?;
    Ok(next.run(request).await)
}

async fn unknown_path(method: Method, uri: Uri) -> ApiError {
    let message = format!("There is no endpoint {method} {}; all paths begin with /v1/.", uri.path());
    ApiError::new(StatusCode::NOT_FOUND, "unknown_url", message)
}

async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    let message = format!("{} does not allow {method}; the header `allow` lists what it allows.", uri.path());
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}

/// The maximum size of a body, in bytes.
const LIMIT: usize = 4 << 20;
/// How much of a larger body is read and dropped, in bytes. A client that is still sending when the connection
/// closes reports a broken connection instead of the answer.
const DRAIN_LIMIT: usize = 16 * LIMIT;

/// Reads the complete body before the server answers, even with an error. Otherwise the connection would be closed
/// while the client is sending, and the client's next request on it would fail.
async fn read_body_first(request: Request, next: Next) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let mut chunks = body.into_data_stream();
    let (mut bytes, mut length) = (Vec::new(), 0);
    while let Some(chunk) = chunks.try_next().await.map_err(|error| {
        let message = format!("The body of the request cannot be read: {error}.");
        ApiError::new(StatusCode::BAD_REQUEST, "unreadable_body", message)
    })? {
        length += chunk.len();
        if length <= LIMIT {
            bytes.extend_from_slice(&chunk);
        } else if length > DRAIN_LIMIT {
            break;
        }
    }
    if length > LIMIT {
        let message = format!("The body of the request is larger than the limit of {LIMIT} bytes.");
        return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "request_too_large", message));
    }
    Ok(next.run(Request::from_parts(parts, Body::from(bytes))).await)
}

/// The state that the endpoints share.
pub(crate) struct Service {
    pub(crate) settings: Settings,
    /// The sender is dropped when the server shuts down.
    is_running: watch::Receiver<()>,
}

/// An event of a stream, or why it cannot be written.
pub(crate) struct Piece {
    pub(crate) event: Result<Event, BoxError>,
    /// Whether the pause between two tokens comes before it.
    pub(crate) is_after_pause: bool,
}

/// The interval of keep-alives. Proxies close a silent connection after about a minute, and a pause may be longer.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The reconnection times that clients get when the server shuts down. They differ, so that the clients do not all
/// reconnect at once.
const COME_BACK: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(5);

impl Service {
    pub(crate) fn answer(&self, answer: Answer, delivery: Delivery) -> Response {
        match delivery {
            Delivery::Whole => Json(answer.whole()).into_response(),
            Delivery::Stream | Delivery::StreamWithUsage => self.stream(answer.into_chunks(delivery)),
        }
    }

    /// Returns a response that streams these events until the server shuts down.
    pub(crate) fn stream(&self, pieces: impl Iterator<Item = Piece> + Send + 'static) -> Response {
        let delay = self.settings.delay;
        let events = stream::iter(pieces).then(move |piece| async move {
            if piece.is_after_pause && !delay.is_zero() {
                sleep(delay).await;
            }
            piece.event
        });
        let mut is_running = self.is_running.clone();
        let body = EventBody::new(events).until(async move { is_running.changed().await });
        let body = body.with_final_retry(COME_BACK).with_keep_alive(KEEP_ALIVE, TokioTimer);
        body.response().map(Body::new)
    }
}
