//! The server: its settings and its routes.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

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
use crate::args::Args;
use crate::clock::Clock;
use crate::conversation::Conversation;
use crate::model::Model;
use crate::speaker::Speaker;
use crate::{live, site, talk};

pub(crate) struct Settings {
    pub(crate) model: Model,
    pub(crate) speaker: Speaker,
    pub(crate) clock: Clock,
    /// The folder with the files of the page.
    pub(crate) site: PathBuf,
    /// The hosts that clients may name, besides loopback ones and the address on which the server listens; see
    /// [`KnownHosts`].
    pub(crate) hosts: Vec<String>,
}

impl Settings {
    pub(crate) async fn new(args: Args) -> Result<Settings, String> {
        let model = match args.model {
            Some((url, name)) => Model::on_server(&url, name)?,
            None => Model::Demo,
        };
        let speaker = if args.is_tone { Speaker::tone() } else { Speaker::installed().await };
        let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("site");
        Ok(Settings { model, speaker, clock: Clock::from_fn(SystemTime::now), site, hosts: args.hosts })
    }
}

/// Serves on this listener until the future is dropped.
pub(crate) async fn serve(listener: TcpListener, settings: Settings) -> io::Result<()> {
    let hosts = KnownHosts::new(listener.local_addr()?, settings.hosts.iter().cloned());
    // Words are small. Without this setting, the kernel holds back each word until the previous one has been
    // acknowledged.
    let listener = listener.tap_io(|connection| {
        // If this fails, the connection is already broken.
        let _ = connection.set_nodelay(true);
    });
    let router = Router::new()
        .route("/", get(site::file))
        .route("/{file}", get(site::file))
        .route("/pkg/{file}", get(site::file))
        .route("/chat", post(chat))
        .route("/talk", post(talk::answer))
        .route("/live", get(live::stream))
        .fallback(unknown_path)
        .method_not_allowed_fallback(wrong_method)
        .layer(middleware::from_fn_with_state(hosts, known_hosts_only));
    axum::serve(listener, router.with_state(Arc::new(settings))).await
}

/// Answers `POST /chat` with the model's response, unchanged. If the client disconnects, the response is dropped, and
/// with it the request to the model.
async fn chat(State(settings): State<Arc<Settings>>, conversation: Conversation) -> Result<Response, ApiError> {
    settings.model.ask(conversation).await
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
