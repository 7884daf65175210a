//! Reading a request.

use bytes::{Buf, Bytes, BytesMut};
use http::{Request, Version};

/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 64 * 1024;
/// The longest body of a request, in bytes.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// Reads one request from the bytes of a connection.
#[derive(Debug, Default)]
pub(crate) struct RequestReader {
    bytes: BytesMut,
}

/// What is wrong with a request.
#[derive(Debug, thiserror::Error)]
pub enum BadRequest {
    /// The head is no request.
    #[error("this is not HTTP/1.1: {_0}")]
    Head(#[from] httparse::Error),
    /// A part of the head cannot be represented.
    #[error("the head of the request is not valid: {_0}")]
    Part(#[from] http::Error),
    /// The `Content-Length` is no number.
    #[error("the `Content-Length` is not a number")]
    Length,
    /// The chunked transfer coding is wrong.
    #[error("the size of a chunk is not valid")]
    Chunk,
    /// The head or the body is too large.
    #[error("the request is larger than {MAX_HEAD} bytes for the head, or {MAX_BODY} for the body")]
    TooLarge,
}

impl RequestReader {
    /// Reads more bytes, and returns the request if it is complete.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<Option<Request<Bytes>>, BadRequest> {
        self.bytes.extend_from_slice(bytes);
        let mut headers = [httparse::EMPTY_HEADER; 128];
        let mut parsed = httparse::Request::new(&mut headers);
        let length = match parsed.parse(&self.bytes)? {
            httparse::Status::Complete(length) if length <= MAX_HEAD => length,
            httparse::Status::Partial if self.bytes.len() <= MAX_HEAD => return Ok(None),
            httparse::Status::Complete(_) | httparse::Status::Partial => return Err(BadRequest::TooLarge),
        };
        let version = if parsed.version == Some(0) { Version::HTTP_10 } else { Version::HTTP_11 };
        let mut request = Request::builder()
            .method(parsed.method.unwrap_or_default())
            .uri(parsed.path.unwrap_or_default())
            .version(version);
        for header in &*parsed.headers {
            request = request.header(header.name, header.value);
        }
        let mut request = request.body(Bytes::new())?;
        let is_chunked = request.headers().contains_key("transfer-encoding");
        let body = &self.bytes[length..];
        *request.body_mut() = if is_chunked {
            match unchunked(body)? {
                Some(body) => body,
                None => return Ok(None),
            }
        } else {
            let expected = match request.headers().get("content-length") {
                Some(value) => value.to_str().ok().and_then(|text| text.parse().ok()).ok_or(BadRequest::Length)?,
                None => 0,
            };
            if expected > MAX_BODY {
                return Err(BadRequest::TooLarge);
            }
            if body.len() < expected {
                return Ok(None);
            }
            Bytes::copy_from_slice(&body[..expected])
        };
        Ok(Some(request))
    }
}

/// Returns a body without its chunked transfer coding, if it is complete.
fn unchunked(mut coded: &[u8]) -> Result<Option<Bytes>, BadRequest> {
    let mut body = BytesMut::new();
    loop {
        let Ok(status) = httparse::parse_chunk_size(coded) else { return Err(BadRequest::Chunk) };
        let httparse::Status::Complete((start, size)) = status else { return Ok(None) };
        let size = usize::try_from(size).map_err(|_| BadRequest::TooLarge)?;
        coded.advance(start);
        if size == 0 {
            let mut trailers = [httparse::EMPTY_HEADER; 16];
            let end = httparse::parse_headers(coded, &mut trailers)?;
            return Ok(end.is_complete().then(|| body.freeze()));
        }
        if size > MAX_BODY || body.len() > MAX_BODY {
            return Err(BadRequest::TooLarge);
        }
        if coded.len() < size + 2 {
            return Ok(None);
        }
        body.extend_from_slice(&coded[..size]);
        coded.advance(size + 2);
    }
}
