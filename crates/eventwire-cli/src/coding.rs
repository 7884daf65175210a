//! Decompresses the body of a response while it arrives.

use std::error::Error;
use std::io;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder};
use bytes::Bytes;
use futures_util::stream::{LocalBoxStream, Stream, StreamExt, TryStreamExt};
use http::Response;
use http::header::CONTENT_ENCODING;
use tokio_util::io::{ReaderStream, StreamReader};

/// Returns the chunks of a body without their content coding. If there is none that is known, they are left as they
/// are.
pub(crate) fn decoded<E>(
    coding: Option<Coding>,
    chunks: impl Stream<Item = Result<Bytes, E>> + 'static,
) -> LocalBoxStream<'static, io::Result<Bytes>>
where
    E: Into<Box<dyn Error + Send + Sync>> + 'static,
{
    let chunks = chunks.map_err(io::Error::other);
    match coding {
        Some(Coding::Gzip) => ReaderStream::new(GzipDecoder::new(StreamReader::new(chunks))).boxed_local(),
        Some(Coding::Brotli) => ReaderStream::new(BrotliDecoder::new(StreamReader::new(chunks))).boxed_local(),
        None => chunks.boxed_local(),
    }
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
