//! The model: a server with the API of OpenAI's chat completions.

use std::fmt;
use std::time::Duration;

use eventwire_client::{ReconnectPolicy, Verdict};
use eventwire_reqwest::RequestBuilderExt;
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, RequestBuilder, Response, Url};
use tokio::time::timeout;

use crate::chunk::Chunk;
use crate::conversation::Conversation;
use crate::http_client::client;
use crate::log::log;
use crate::model_error::ModelError;
use crate::root_cause::root_cause;

/// The idle timeout for the model's server. A model may send nothing for minutes.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(300);
/// If the server asks for a longer delay than this, the request fails.
const LONGEST_WAIT: Duration = Duration::from_secs(20);

/// A model that answers conversations: the URL of its server, its name, and an HTTP client.
#[derive(Clone)]
pub struct Model {
    client: Client,
    url: Url,
    name: String,
    api_key: Option<String>,
}

/// The answer of a model. Dropping it cancels the request.
pub(crate) type Answer = BoxStream<'static, Result<Chunk, ModelError>>;

impl Model {
    /// Creates a model with this name. `base_url` is the URL of its server, up to `/chat/completions`, such as
    /// `http://127.0.0.1:8080/v1`.
    ///
    /// # Errors
    ///
    /// [`InvalidModel`] if the URL is invalid, or if the HTTP client cannot be created.
    pub fn new(base_url: &str, name: impl Into<String>, api_key: Option<String>) -> Result<Model, InvalidModel> {
        let invalid = |why: String| InvalidModel::BaseUrl { url: base_url.into(), why };
        let url = format!("{}/chat/completions", base_url.trim_end_matches('/'));
        let url = Url::parse(&url).map_err(|error| invalid(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(invalid(format!("its scheme is {:?}", url.scheme())));
        }
        let client = client(&url, None).map_err(InvalidModel::Client)?;
        Ok(Model { client, url, name: name.into(), api_key })
    }

    /// Asks the model. The request is sent when the answer is first polled.
    ///
    /// A request that was not sent, or that the server turned away, is retried, up to three attempts. Any other
    /// request is sent only once, because it could be billed twice.
    pub(crate) fn ask(&self, conversation: Conversation) -> Result<Answer, ModelError> {
        let request = self.request(conversation);
        let source = request.eventsource().map_err(|error| ModelError::invalid_request(root_cause(&error)))?;
        let answer = source
            .with_policy(ReconnectPolicy::new().with_max_attempts(3).with_reconnection_time(Duration::from_millis(500)))
            .with_idle_timeout(IDLE_TIMEOUT)
            .with_verdict(|head| match Verdict::default_for(head) {
                Verdict::TurnedAway if head.retry_after().is_some_and(|delay| delay > LONGEST_WAIT) => Verdict::Fail,
                verdict => verdict,
            })
            .with_delay(|delay, _, error| {
                log(format_args!("the model: {error}; trying again in {:.1}s", delay.as_secs_f64()));
                delay
            });
        Ok(answer.events().json::<Chunk>().require_end_marker().map_err(ModelError::from).fuse().boxed())
    }

    /// Sends one request and returns the response, with any status. It does not retry.
    pub(crate) async fn send(&self, conversation: Conversation) -> Result<Response, ModelError> {
        match timeout(IDLE_TIMEOUT, self.request(conversation).send()).await {
            Ok(result) => result.map_err(|error| ModelError::from(&error)),
            Err(_) => Err(ModelError::silent(IDLE_TIMEOUT)),
        }
    }

    fn request(&self, conversation: Conversation) -> RequestBuilder {
        let body = conversation.into_request(&self.name);
        let request = self.client.post(self.url.clone()).header(CONTENT_TYPE, "application/json").body(body);
        match &self.api_key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }
}

/// The output does not contain the API key.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("url", &self.url.as_str()).field("name", &self.name).finish_non_exhaustive()
    }
}

/// The error of [`Model::new`]. It prints, on one line, the problem and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidModel {
    /// The base URL is invalid.
    #[error("{url:?} is not a base URL: {why}; write it as http://host:port/v1")]
    #[non_exhaustive]
    BaseUrl {
        /// The URL that was passed in.
        url: String,
        /// The cause.
        why: String,
    },
    /// The HTTP client cannot be set up.
    #[error("cannot set up an HTTP client: {0}; check the certificates of this machine")]
    Client(String),
}
