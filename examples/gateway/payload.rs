//! The body of a request.

use axum::body::Body;
use axum::extract::{FromRequest, Request};
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
        let body = read(request.into_body()).await?;
        match serde_json::from_slice(&body) {
            Ok(Value::Object(object)) => Ok(Payload(object)),
            Ok(other) => Err(ApiError::not_an_object(kind(&other))),
            Err(error) => Err(ApiError::not_json(&error)),
        }
    }
}

async fn read(body: Body) -> Result<Vec<u8>, ApiError> {
    let mut chunks = body.into_data_stream();
    let mut bytes = Vec::new();
    let mut length = 0;
    while let Some(chunk) = chunks.try_next().await.map_err(|error| ApiError::unreadable_body(&error))? {
        length += chunk.len();
        if length <= LIMIT {
            bytes.extend_from_slice(&chunk);
        } else if length > PATIENCE {
            break;
        }
    }
    if length > LIMIT { Err(ApiError::too_large(LIMIT)) } else { Ok(bytes) }
}
