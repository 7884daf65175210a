//! The other crates that read multipart streams. Each part's headers are parsed, as all of these crates do, and each
//! chunk of a body is inspected. The chunks are not collected here.

use crate::{consume, one_by_one::OneByOne, part_corpora::Seen};
use bytes::Bytes;
use futures_util::stream::{Stream, StreamExt};
use std::{convert::Infallible, hint::black_box, pin::pin};

/// multer first reads all chunks that are ready. Because all are, it joins them before it returns the first part.
pub(crate) async fn multer(boundary: &str, chunks: &[Bytes]) -> Result<Seen, String> {
    multer_over(boundary, consume::stream(chunks)).await
}

/// The same with one chunk at a time, as from a slow network.
pub(crate) async fn multer_one_by_one(boundary: &str, chunks: &[Bytes]) -> Result<Seen, String> {
    multer_over(boundary, OneByOne::new(chunks)).await
}

async fn multer_over(
    boundary: &str,
    chunks: impl Stream<Item = Result<Bytes, Infallible>> + Send,
) -> Result<Seen, String> {
    let mut seen = Seen::default();
    let mut multipart = multer::Multipart::new(chunks, boundary);
    while let Some(mut field) = multipart.next_field().await.map_err(consume::debug)? {
        seen.part(field.headers());
        while let Some(chunk) = field.chunk().await.map_err(consume::debug)? {
            seen.chunk(&chunk);
        }
    }
    Ok(seen)
}

pub(crate) async fn mpart_async(boundary: &str, chunks: &[Bytes]) -> Result<Seen, String> {
    let mut seen = Seen::default();
    let boundary = boundary.to_owned();
    let mut multipart = mpart_async::server::MultipartStream::new(boundary, consume::stream(chunks));
    while let Some(field) = multipart.next().await {
        let mut field = field.map_err(consume::debug)?;
        seen.part(field.headers());
        while let Some(chunk) = field.next().await {
            seen.chunk(&chunk.map_err(consume::debug)?);
        }
    }
    Ok(seen)
}

/// multipart-stream treats a close delimiter as an error, so it is left out. It returns only complete parts, and all
/// of them need a length.
pub(crate) async fn multipart_stream(boundary: &str, chunks: &[Bytes], parts: usize) -> Result<Seen, String> {
    let mut seen = Seen::default();
    let mut stream = pin!(multipart_stream::parse(consume::stream(chunks), boundary));
    while seen.parts < parts
        && let Some(part) = stream.next().await
    {
        let part = part.map_err(consume::debug)?;
        seen.part(&part.headers);
        seen.chunk(&part.body);
    }
    black_box(stream);
    Ok(seen)
}
