//! The server: its settings and its routes.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::header::{HOST, HeaderMap, HeaderValue, ORIGIN};
use axum::http::{Method, Uri};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{get, post};
use axum::serve::ListenerExt;
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
}

impl Settings {
    /// Returns settings with this model and this speaker, the page in `examples/browser` of this repository, and
    /// the system's clock.
    #[must_use]
    pub fn new(model: Model, speaker: Speaker) -> Settings {
        Settings { model, speaker, page: Page::default(), clock: Clock::system() }
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
    // Words are small. Without this setting, the kernel holds back each word until the previous one has been
    // acknowledged.
    let listener = listener.tap_io(|connection| {
        // If this fails, the connection is already broken.
        let _ = connection.set_nodelay(true);
    });
    axum::serve(listener, router().with_state(Arc::new(settings))).await
}

fn router() -> Router<Arc<Settings>> {
    page::routes()
        .route("/chat", post(relay::answer))
        .route("/talk", post(talk::answer))
        .route("/live", get(live::stream))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn(own_pages_only))
}

/// Refuses requests from pages of other sites. They could not read the answers, but each answer may cost money.
async fn own_pages_only(request: Request, next: Next) -> Result<Response, ApiError> {
    if request.method() == Method::POST && is_of_other_site(request.headers()) {
        return Err(ApiError::other_site());
    }
    Ok(next.run(request).await)
}

/// Whether the request comes from a page of another site. Programs other than browsers send neither of these headers.
fn is_of_other_site(headers: &HeaderMap) -> bool {
    match (headers.get("sec-fetch-site"), headers.get(ORIGIN)) {
        (Some(site), _) => !matches!(site.as_bytes(), b"same-origin" | b"none"),
        // Over plain HTTP, browsers send `Sec-Fetch-Site` only to this machine, but they send `Origin` with every POST.
        (None, Some(origin)) => {
            let host = headers.get(HOST).map_or(&b""[..], HeaderValue::as_bytes);
            ![&b"http://"[..], b"https://"].iter().any(|scheme| origin.as_bytes().strip_prefix(*scheme) == Some(host))
        }
        (None, None) => false,
    }
}

async fn unknown_path(uri: Uri) -> ApiError {
    ApiError::unknown_path(uri.path())
}

async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    ApiError::wrong_method(&method, uri.path())
}
