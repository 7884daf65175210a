//! The body of a request.

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt;

use crate::api_error::ApiError;

/// The maximum size of a body, in bytes.
const LIMIT: usize = 64 << 20;
/// How much of a larger body is read and dropped. A client that is still sending when the connection closes reports a
/// broken connection instead of the answer.
const DRAIN_LIMIT: usize = 2 * LIMIT;

/// Reads the whole body before the request is forwarded. If the answer is an early error, the connection would
/// otherwise be closed while the client is still sending.
pub(crate) async fn read(body: Body) -> Result<Bytes, ApiError> {
    let mut chunks = body.into_data_stream();
    let mut bytes = BytesMut::new();
    let mut length = 0;
    while let Some(chunk) = chunks.try_next().await.map_err(|error| ApiError::unreadable_body(&error))? {
        length += chunk.len();
        if length <= LIMIT {
            bytes.extend_from_slice(&chunk);
        } else if length > DRAIN_LIMIT {
            break;
        }
    }
    if length <= LIMIT { Ok(bytes.freeze()) } else { Err(ApiError::too_large(LIMIT)) }
}
