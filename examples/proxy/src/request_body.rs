//! The body of a request.

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt;

use crate::api_error::ApiError;

/// The maximum size of a body, in bytes.
const LIMIT: usize = 64 << 20;
/// How much of a larger body is read and dropped, in bytes. A client that is still sending when the connection
/// closes reports a broken connection instead of the answer.
const DRAIN_LIMIT: usize = 2 * LIMIT;

/// Reads the complete body before the request is forwarded. Otherwise an early error would close the connection
/// while the client is still sending.
pub(crate) async fn read(body: Body) -> Result<Bytes, ApiError> {
    let mut chunks = body.into_data_stream();
    let mut received = Received::default();
    while let Some(chunk) = chunks.try_next().await.map_err(|error| ApiError::unreadable_body(&error))? {
        received.push(&chunk);
        if received.length > DRAIN_LIMIT {
            break;
        }
    }
    if received.length <= LIMIT { Ok(received.bytes.freeze()) } else { Err(ApiError::too_large(LIMIT)) }
}

/// The part of a body that has been received. All bytes are dropped once the limit is exceeded.
#[derive(Default)]
struct Received {
    bytes: BytesMut,
    length: usize,
}

impl Received {
    fn push(&mut self, chunk: &[u8]) {
        self.length += chunk.len();
        if self.length <= LIMIT {
            self.bytes.extend_from_slice(chunk);
        } else {
            self.bytes = BytesMut::new();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_kept_of_a_body_that_is_too_large() {
        let mut received = Received::default();
        received.push(&vec![b' '; LIMIT]);
        assert_eq!(received.bytes.len(), LIMIT);
        for length in 1..3 {
            received.push(b"x");
            assert_eq!((received.length, received.bytes.capacity()), (LIMIT + length, 0));
        }
    }
}
