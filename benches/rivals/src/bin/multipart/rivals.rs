//! The other crates that read multipart streams. Each part's headers are parsed, as all of these crates do, and each
//! chunk of a body is inspected. The chunks are not collected here.

use std::{convert::Infallible, hint::black_box, pin::pin, task::Poll};

use bytes::Bytes;
use futures_util::stream::{self, Stream, StreamExt};

use eventwire_rivals::{
    consume,
    part_corpora::{BOUNDARY, PartCorpus, Seen},
};

/// multer first reads all chunks that are ready. Because all are, it joins them before it returns the first part.
pub(crate) async fn multer(chunks: &[Bytes]) -> Result<Seen, String> {
    multer_over(consume::stream(chunks)).await
}

/// The same with one chunk at a time, as from a slow network.
pub(crate) async fn multer_one_by_one(chunks: &[Bytes]) -> Result<Seen, String> {
    multer_over(one_by_one(chunks)).await
}

/// A stream that is pending once before each chunk.
fn one_by_one(chunks: &[Bytes]) -> impl Stream<Item = Result<Bytes, Infallible>> {
    let mut chunks = consume::iterator(chunks);
    let mut is_due = false;
    stream::poll_fn(move |context| {
        is_due = !is_due;
        if is_due {
            return Poll::Ready(chunks.next());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
}

async fn multer_over(chunks: impl Stream<Item = Result<Bytes, Infallible>> + Send) -> Result<Seen, String> {
    let mut seen = Seen::default();
    let mut multipart = multer::Multipart::new(chunks, BOUNDARY);
    while let Some(mut field) = multipart.next_field().await.map_err(consume::debug)? {
        seen.part(field.headers());
        while let Some(chunk) = field.chunk().await.map_err(consume::debug)? {
            seen.chunk(&chunk);
        }
    }
    Ok(seen)
}

pub(crate) async fn mpart_async(chunks: &[Bytes]) -> Result<Seen, String> {
    let mut seen = Seen::default();
    let mut multipart = mpart_async::server::MultipartStream::new(BOUNDARY, consume::stream(chunks));
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
pub(crate) async fn multipart_stream(corpus: &PartCorpus, chunks: &[Bytes]) -> Result<Seen, String> {
    let mut seen = Seen::default();
    let mut stream = pin!(multipart_stream::parse(consume::stream(chunks), BOUNDARY));
    while seen.parts < corpus.parts
        && let Some(part) = stream.next().await
    {
        let part = part.map_err(consume::debug)?;
        seen.part(&part.headers);
        seen.chunk(&part.body);
    }
    black_box(stream);
    Ok(seen)
}
