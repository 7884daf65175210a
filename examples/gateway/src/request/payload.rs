//! The body of a request.

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::TryStreamExt;
use serde_json::{Map, Value};

use super::param::{Param, kind};
use crate::api_error::ApiError;

/// The maximum size of a body, in bytes.
const LIMIT: usize = 4 << 20;
/// How much of a larger body is read and dropped, in bytes. A client that is still sending when the connection
/// closes reports a broken connection instead of the answer.
const DRAIN_LIMIT: usize = 16 * LIMIT;

/// The JSON object in a request's body. The content type is ignored.
pub(crate) struct Payload(Map<String, Value>);

impl Payload {
    /// Returns the parameter with this name, which may have no value.
    pub(crate) fn param(&self, name: &str) -> Param<'_> {
        Param::new(name.into(), self.0.get(name))
    }
}

impl<S: Send + Sync> FromRequest<S> for Payload {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Payload, ApiError> {
        if request.extensions().get::<TooLarge>().is_some() {
            return Err(ApiError::too_large(LIMIT));
        }
        let body = axum::body::to_bytes(request.into_body(), LIMIT).await;
        match serde_json::from_slice(&body.map_err(|error| ApiError::unreadable_body(&error))?) {
            Ok(Value::Object(object)) => Ok(Payload(object)),
            Ok(other) => Err(ApiError::not_an_object(kind(&other))),
            Err(error) => Err(ApiError::not_json(&error)),
        }
    }
}

/// Marks a request whose body was too large and was dropped.
#[derive(Clone, Copy)]
struct TooLarge;

/// Reads the complete body before the server answers, even with an error. Otherwise the connection would be closed
/// while the client is sending, and the client's next request on it would fail.
pub(crate) async fn read_body_first(request: Request, next: Next) -> Result<Response, ApiError> {
    let (mut parts, body) = request.into_parts();
    let bytes = match read(body).await.map_err(|error| ApiError::unreadable_body(&error))? {
        Some(bytes) => bytes,
        None => {
            parts.extensions.insert(TooLarge);
            Vec::new()
        }
    };
    Ok(next.run(Request::from_parts(parts, Body::from(bytes))).await)
}

/// Returns the complete body, or `None` if it is too large.
async fn read(body: Body) -> Result<Option<Vec<u8>>, axum::Error> {
    let mut chunks = body.into_data_stream();
    let mut bytes = Vec::new();
    let mut length = 0;
    while let Some(chunk) = chunks.try_next().await? {
        length += chunk.len();
        if length <= LIMIT {
            bytes.extend_from_slice(&chunk);
        } else if length > DRAIN_LIMIT {
            break;
        }
    }
    Ok((length <= LIMIT).then_some(bytes))
}
