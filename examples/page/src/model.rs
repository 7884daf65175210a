//! The model that answers.

use std::env;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use eventwire::{EventBody, Timeout, TokioTimer};
use futures_util::TryStreamExt;
use reqwest::{Client, Url};
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::api_error::{ApiError, root_cause};
use crate::conversation::Conversation;
use crate::{demo, log};

/// The idle timeout for the model's server. A model may send nothing for minutes.
const IDLE_TIMEOUT: Duration = Duration::from_secs(300);

/// The interval of the demo's keep-alives. Only the first one is ever sent, before the first word.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

pub(crate) enum Model {
    /// The demo in this program.
    Demo,
    /// The model with this name, of a server with the API of OpenAI's chat completions.
    OnServer { client: Client, url: Url, name: String },
}

impl Model {
    /// `base_url` is the URL of the model's server, up to `/chat/completions`. The error says what to do about it.
    pub(crate) fn on_server(base_url: &str, name: String) -> Result<Model, String> {
        let url = Url::parse(&format!("{}/chat/completions", base_url.trim_end_matches('/')));
        let url = url.map_err(|error| format!("{base_url:?} is no URL of a model's server: {error}; see --help"))?;
        // It follows no redirects: the conversation and the key are for one server.
        let client = eventwire_reqwest::client_builder().connect_timeout(Duration::from_secs(10)).build();
        let client = client.map_err(|error| format!("cannot set up an HTTP client: {}", root_cause(&error)))?;
        Ok(Model::OnServer { client, url, name })
    }

    /// Returns the model's response. An answer is an event stream of [chunks](crate::chunk::Chunk).
    ///
    /// A server's response is passed on with any status, so that the page can decide whether to ask again. Nothing is
    /// retried here, because a request could be billed twice. If the server's connection breaks, so does the response.
    /// If the response is dropped, so is the request.
    pub(crate) async fn ask(&self, conversation: Conversation) -> Result<Response, ApiError> {
        let Model::OnServer { client, url, name } = self else {
            let body = EventBody::new(demo::answer(&conversation)).with_keep_alive(KEEP_ALIVE, TokioTimer);
            return Ok(body.response().map(Body::new));
        };
        let request = client.post(url.clone()).header(CONTENT_TYPE, "application/json");
        let request = match env::var("OPENAI_API_KEY") {
            Ok(key) if !key.is_empty() => request.bearer_auth(key),
            _ => request,
        };
        let sent = timeout(IDLE_TIMEOUT, request.body(conversation.into_request(name)).send()).await;
        let answer =
            sent.map_err(|_| ApiError::timeout(IDLE_TIMEOUT))?.map_err(|error| ApiError::unreachable(&error))?;

        let own = EventBody::RESPONSE_HEADERS
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)));
        let mut headers = HeaderMap::from_iter(own);
        headers.remove(CONTENT_TYPE);
        for name in [CONTENT_TYPE, CONTENT_ENCODING, RETRY_AFTER] {
            headers.extend(answer.headers().get(&name).map(|value| (name, value.clone())));
        }
        let status = answer.status();
        let chunks = Timeout::new(answer.bytes_stream(), IDLE_TIMEOUT, TokioTimer).or_else(|error| async move {
            log(format_args!("an answer is incomplete: {}", root_cause(&error)));
            // The HTTP server sends its data when the body is pending. Without this pause, the last words could be
            // lost if the error came together with them.
            yield_now().await;
            Err(error)
        });
        let mut response = Response::new(Body::from_stream(chunks));
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }
}
