//! `POST /chat`: the model's answer, passed on unchanged.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use axum::response::Response;
use eventwire::{EventBody, IdleTimeout, TokioTimer};
use futures_util::TryStreamExt;
use tokio::task::yield_now;

use crate::api_error::ApiError;
use crate::conversation::Conversation;
use crate::log::log;
use crate::model::IDLE_TIMEOUT;
use crate::root_cause::root_cause;
use crate::server::Settings;

/// Returns the model's response: its status, the headers that a client needs, and its body, byte for byte.
///
/// Nothing is retried; the client decides about that. A chunk is read only after the client has accepted the
/// previous one. If the model's connection breaks, so does the client's. If the client disconnects, the body is
/// dropped, which closes the connection to the model.
pub(crate) async fn answer(State(settings): State<Arc<Settings>>, body: Body) -> Result<Response, ApiError> {
    let conversation = Conversation::read(body).await?;
    let answer = settings.model.send(conversation).await?;
    let (status, mut headers) = (answer.status(), EventBody::response_headers());
    headers.remove(CONTENT_TYPE);
    for name in [CONTENT_TYPE, CONTENT_ENCODING, RETRY_AFTER] {
        if let Some(value) = answer.headers().get(&name) {
            headers.insert(name, value.clone());
        }
    }
    let chunks = IdleTimeout::new(answer.bytes_stream(), IDLE_TIMEOUT, TokioTimer).or_else(|error| async move {
        log(format_args!("an answer is incomplete: {}", root_cause(&error)));
        // The HTTP server sends its data when the body is pending. Without this pause, the last words could be lost
        // if the error came together with them.
        yield_now().await;
        Err(error)
    });
    let mut response = Response::new(Body::from_stream(chunks));
    *response.status_mut() = status;
    *response.headers_mut() = headers;
    Ok(response)
}
