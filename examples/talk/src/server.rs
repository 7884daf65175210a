//! The server: its settings and its routes.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{Method, Uri};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
use gateway::KnownHosts;
use tokio::net::TcpListener;

use crate::api_error::ApiError;
use crate::clock::Clock;
use crate::model::Model;
use crate::page::{self, Page};
use crate::speaker::Speaker;
use crate::{live, relay, talk};

/// The server's settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The model that answers.
    pub model: Model,
    /// The speaker that speaks the answers.
    pub speaker: Speaker,
    /// The page for browsers.
    pub page: Page,
    /// The clock of the live feed.
    pub clock: Clock,
    /// The hosts that clients may name, besides loopback ones and the address on which the server listens; see
    /// [`KnownHosts`].
    pub hosts: Vec<String>,
}

impl Settings {
    /// Returns settings with this model and this speaker, the page in `examples/browser` of this repository, the
    /// system's clock, and no further hosts.
    #[must_use]
    pub fn new(model: Model, speaker: Speaker) -> Settings {
        Settings { model, speaker, page: Page::default(), clock: Clock::system(), hosts: Vec::new() }
    }
}

/// Serves on this listener until the future is dropped.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use talk::{Model, Settings, Speaker};
/// use tokio::net::TcpListener;
///
/// let listener = TcpListener::bind("127.0.0.1:0").await?;
/// let url = format!("http://{}/talk", listener.local_addr()?);
/// let model = Model::new("http://127.0.0.1:8080/v1", "echo", None)?;
/// tokio::spawn(talk::serve(listener, Settings::new(model, Speaker::tones())));
/// # let _ = url;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`io::Error`] if the listener fails.
pub async fn serve(listener: TcpListener, settings: Settings) -> io::Result<()> {
    let hosts = KnownHosts::new(listener.local_addr()?, settings.hosts.iter().cloned());
    // Words are small. Without this setting, the kernel holds back each word until the previous one has been
    // acknowledged.
    let listener = listener.tap_io(|connection| {
        // If this fails, the connection is already broken.
        let _ = connection.set_nodelay(true);
    });
    axum::serve(listener, router(hosts).with_state(Arc::new(settings))).await
}

fn router(hosts: KnownHosts) -> Router<Arc<Settings>> {
    page::routes()
        .route("/chat", post(relay::answer))
        .route("/talk", post(talk::answer))
        .route("/live", get(live::stream))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(hosts, known_hosts_only))
}

/// Refuses requests from pages of other origins, because each answer may cost money.
async fn known_hosts_only(State(hosts): State<KnownHosts>, request: Request, next: Next) -> Result<Response, ApiError> {
    hosts.check(&request)?;
    Ok(next.run(request).await)
}

async fn unknown_path(uri: Uri) -> ApiError {
    ApiError::unknown_path(uri.path())
}

async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    ApiError::wrong_method(&method, uri.path())
}
