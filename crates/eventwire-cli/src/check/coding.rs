//! Decompresses the body of a response while it arrives.

use std::io;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder};
use bytes::Bytes;
use futures_util::stream::{LocalBoxStream, StreamExt, TryStreamExt};
use http::Response;
use http::header::CONTENT_ENCODING;
use tokio_util::io::{ReaderStream, StreamReader};

/// Returns the head, in which the content coding is still named, and the chunks of the body without it. If the coding
/// is not known, they are left as they are.
pub(crate) fn decoded(response: reqwest::Response) -> (Response<()>, LocalBoxStream<'static, io::Result<Bytes>>) {
    let mut head = Response::new(());
    *head.status_mut() = response.status();
    *head.version_mut() = response.version();
    *head.headers_mut() = response.headers().clone();
    let chunks = response.bytes_stream().map_err(io::Error::other);
    let chunks = match coding(&head) {
        Some(Coding::Gzip) => ReaderStream::new(GzipDecoder::new(StreamReader::new(chunks))).boxed_local(),
        Some(Coding::Brotli) => ReaderStream::new(BrotliDecoder::new(StreamReader::new(chunks))).boxed_local(),
        None => chunks.boxed_local(),
    };
    (head, chunks)
}

/// Returns whether a response names a content coding other than `identity`, which is none.
pub(crate) fn is_coded<B>(head: &Response<B>) -> bool {
    let mut values = head.headers().get_all(CONTENT_ENCODING).iter();
    values.any(|value| !value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"identity"))
}

/// A content coding that can be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Brotli,
}

/// Returns the content coding that a response names.
pub(crate) fn coding<B>(head: &Response<B>) -> Option<Coding> {
    let value = head.headers().get(CONTENT_ENCODING)?.as_bytes().trim_ascii().to_ascii_lowercase();
    match value.as_slice() {
        b"gzip" | b"x-gzip" => Some(Coding::Gzip),
        b"br" => Some(Coding::Brotli),
        _ => None,
    }
}
