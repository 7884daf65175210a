//! The server: its settings and its one endpoint.

use std::io;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{Method, Uri};
use axum::response::Response;
use axum::routing::post;
use axum::serve::ListenerExt;
use eventwire::multipart::{PartBody, PartEncoder, Subtype};
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::net::TcpListener;

use crate::api_error::ApiError;
use crate::conversation::Conversation;
use crate::model::Model;
use crate::speaker::Speaker;
use crate::talk;

/// The server's settings.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What answers.
    pub model: Model,
    /// What speaks the answers.
    pub speaker: Speaker,
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
/// tokio::spawn(talk::serve(listener, Settings { model, speaker: Speaker::tones() }));
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
    let router = Router::new().route("/talk", post(answer)).fallback(unknown_path);
    axum::serve(listener, router.method_not_allowed_fallback(wrong_method).with_state(Arc::new(settings))).await
}

/// `POST /talk`.
async fn answer(State(settings): State<Arc<Settings>>, body: Body) -> Result<Response, ApiError> {
    let conversation = Conversation::read(body).await?;
    let mut answer = settings.model.ask(conversation)?;
    // An error that comes first becomes an error response. One that comes later breaks the stream off.
    let first = answer.try_next().await?;
    let answer = stream::iter(first.map(Ok)).chain(answer).boxed();
    let parts = talk::parts(answer, settings.speaker.clone());
    Ok(PartBody::new(PartEncoder::random(), parts).response(Subtype::MixedReplace).map(Body::new))
}

async fn unknown_path(uri: Uri) -> ApiError {
    ApiError::unknown_path(uri.path())
}

async fn wrong_method(method: Method) -> ApiError {
    ApiError::wrong_method(&method)
}
