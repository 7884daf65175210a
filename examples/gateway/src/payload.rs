//! The body of a request.

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::TryStreamExt;
use serde_json::{Map, Value};

use super::error::ApiError;
use super::param::{Param, kind};

/// As much as a body may have.
const LIMIT: usize = 4 << 20;
/// As much as is read of a body that has too much, to be thrown away. A client that is still writing when the connection
/// is closed is told of a broken connection, and does not see the answer.
const PATIENCE: usize = 16 * LIMIT;

/// The JSON object that a request has as its body, whatever its content type says.
pub(super) struct Payload(Map<String, Value>);

impl Payload {
    /// The parameter of this name, be it there or not.
    pub(super) fn param(&self, name: &str) -> Param<'_> {
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

/// Says of a request that its body had more than is read, and is gone.
#[derive(Clone, Copy)]
struct TooLarge;

/// Reads the whole body before anything is answered, be it a refusal. Otherwise the connection would be closed on the rest of
/// the body, and the client's next request on it be lost.
pub(super) async fn read_first(request: Request, next: Next) -> Result<Response, ApiError> {
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

/// All of the body; `None` if it has too much.
async fn read(body: Body) -> Result<Option<Vec<u8>>, axum::Error> {
    let mut chunks = body.into_data_stream();
    let mut bytes = Vec::new();
    let mut length = 0;
    while let Some(chunk) = chunks.try_next().await? {
        length += chunk.len();
        if length <= LIMIT {
            bytes.extend_from_slice(&chunk);
        } else if length > PATIENCE {
            break;
        }
    }
    Ok((length <= LIMIT).then_some(bytes))
}
