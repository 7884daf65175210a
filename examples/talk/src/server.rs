//! The server: its settings and its routes.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
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
    /// What answers.
    pub model: Model,
    /// What speaks the answers.
    pub speaker: Speaker,
    /// The page that browsers get.
    pub page: Page,
    /// The clock of the live feed.
    pub clock: Clock,
}

impl Settings {
    /// Answers of this model, spoken by this speaker, with the page in `examples/browser` of this repository and the system's clock.
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
    // Words are small. Without this the kernel holds one back until the one before it is acknowledged.
    let listener = listener.tap_io(|connection| {
        // A connection on which this fails is already broken.
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

/// Refuses the requests of other sites' pages. They could not read the answers, but each answer may cost something. Programs that are not
/// browsers do not send the header.
async fn own_pages_only(request: Request, next: Next) -> Result<Response, ApiError> {
    match request.headers().get("sec-fetch-site") {
        Some(site) if request.method() == Method::POST && !matches!(site.as_bytes(), b"same-origin" | b"none") => {
            Err(ApiError::other_site())
        }
        _ => Ok(next.run(request).await),
    }
}

async fn unknown_path(uri: Uri) -> ApiError {
    ApiError::unknown_path(uri.path())
}

async fn wrong_method(method: Method, uri: Uri) -> ApiError {
    ApiError::wrong_method(&method, uri.path())
}
