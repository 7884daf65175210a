//! Reading a request.

use std::mem;

use bytes::{Buf, Bytes, BytesMut};
use http::{
    Request, Version,
    header::{CONTENT_LENGTH, EXPECT, TRANSFER_ENCODING},
};
use httparse::Status;

use crate::script::Script;

/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 64 * 1024;
/// The longest body of a request, in bytes.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// Reads one request from the bytes of a connection.
#[derive(Debug, Default)]
pub(crate) struct RequestReader {
    /// What has not been read yet.
    bytes: BytesMut,
    state: State,
}

#[derive(Debug, Default)]
enum State {
    #[default]
    Head,
    Body(Box<Request<Bytes>>, Framing),
}

#[derive(Debug)]
enum Framing {
    /// A body of this many bytes.
    Length(usize),
    /// A body in chunks, with what there is of it.
    Chunked(BytesMut),
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
    #[error("a chunk is not valid")]
    Chunk,
    /// The head or the body is too large.
    #[error("the request is larger than {MAX_HEAD} bytes for the head, or {MAX_BODY} for the body")]
    TooLarge,
}

impl BadRequest {
    /// Returns the answer.
    pub(crate) fn script(&self) -> Script {
        Script::text(400, format!("{self}\n"))
    }
}

impl RequestReader {
    /// Reads more bytes, and returns the request if it is complete.
    pub(crate) fn read(&mut self, bytes: &[u8]) -> Result<Option<Request<Bytes>>, BadRequest> {
        self.bytes.extend_from_slice(bytes);
        if let State::Head = self.state {
            let Some(request) = head(&mut self.bytes)? else { return Ok(None) };
            let framing = Framing::of(&request)?;
            self.state = State::Body(Box::new(request), framing);
        }
        let State::Body(request, framing) = &mut self.state else { return Ok(None) };
        let body = match framing {
            Framing::Length(length) if self.bytes.len() < *length => return Ok(None),
            Framing::Length(length) => self.bytes.split_to(*length),
            Framing::Chunked(body) => {
                if !read_chunks(&mut self.bytes, body)? {
                    return Ok(None);
                }
                mem::take(body)
            }
        };
        let mut request = mem::take(&mut **request);
        *request.body_mut() = body.freeze();
        Ok(Some(request))
    }

    /// Returns whether the client waits for a `100 Continue` before it sends the body. It is so until the request is
    /// complete.
    pub(crate) fn expects_continue(&self) -> bool {
        matches!(&self.state, State::Body(request, _) if request.headers().contains_key(EXPECT))
    }
}

/// Takes the head of a request out of these bytes, if it is complete.
fn head(bytes: &mut BytesMut) -> Result<Option<Request<Bytes>>, BadRequest> {
    let mut headers = [httparse::EMPTY_HEADER; 128];
    let mut parsed = httparse::Request::new(&mut headers);
    let length = match parsed.parse(bytes)? {
        Status::Complete(length) if length <= MAX_HEAD => length,
        Status::Partial if bytes.len() <= MAX_HEAD => return Ok(None),
        Status::Complete(_) | Status::Partial => return Err(BadRequest::TooLarge),
    };
    let version = if parsed.version == Some(0) { Version::HTTP_10 } else { Version::HTTP_11 };
    let mut request = Request::builder()
        .method(parsed.method.unwrap_or_default())
        .uri(parsed.path.unwrap_or_default())
        .version(version);
    for header in &*parsed.headers {
        request = request.header(header.name, header.value);
    }
    let request = request.body(Bytes::new())?;
    bytes.advance(length);
    Ok(Some(request))
}

impl Framing {
    fn of(request: &Request<Bytes>) -> Result<Framing, BadRequest> {
        if request.headers().contains_key(TRANSFER_ENCODING) {
            return Ok(Framing::Chunked(BytesMut::new()));
        }
        let Some(length) = request.headers().get(CONTENT_LENGTH) else { return Ok(Framing::Length(0)) };
        if length.is_empty() || !length.as_bytes().iter().all(u8::is_ascii_digit) {
            return Err(BadRequest::Length);
        }
        let length = length.to_str().ok().and_then(|length| length.parse().ok());
        length.filter(|length| *length <= MAX_BODY).map(Framing::Length).ok_or(BadRequest::TooLarge)
    }
}

/// Moves whole chunks from these bytes to the body, and returns whether the body is complete.
fn read_chunks(coded: &mut BytesMut, body: &mut BytesMut) -> Result<bool, BadRequest> {
    loop {
        let (start, size) = match httparse::parse_chunk_size(coded).map_err(|_| BadRequest::Chunk)? {
            Status::Complete(found) => found,
            Status::Partial if coded.len() > MAX_HEAD => return Err(BadRequest::TooLarge),
            Status::Partial => return Ok(false),
        };
        if size == 0 {
            let mut trailers = [httparse::EMPTY_HEADER; 16];
            let has_ended = httparse::parse_headers(&coded[start..], &mut trailers)?.is_complete();
            return if coded.len() > MAX_HEAD { Err(BadRequest::TooLarge) } else { Ok(has_ended) };
        }
        let size = usize::try_from(size).ok().filter(|size| *size <= MAX_BODY - body.len());
        let end = start + size.ok_or(BadRequest::TooLarge)?;
        match coded.get(end..end + 2) {
            Some(b"\r\n") => {}
            Some(_) => return Err(BadRequest::Chunk),
            None => return Ok(false),
        }
        body.extend_from_slice(&coded[start..end]);
        coded.advance(end + 2);
    }
}
