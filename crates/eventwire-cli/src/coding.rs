//! Decompresses the body of a response while it arrives.

use std::error::Error;
use std::io;

use async_compression::tokio::bufread::{BrotliDecoder, GzipDecoder};
use bytes::Bytes;
use futures_util::stream::{LocalBoxStream, Stream, StreamExt, TryStreamExt};
use http::Response;
use http::header::CONTENT_ENCODING;
use tokio::io::AsyncRead;
use tokio::task;
use tokio_util::io::{ReaderStream, StreamReader};

/// After how many decompressed bytes a reader yields. A few kilobytes may be decompressed to gigabytes, all of which
/// are there at once: without a pause no timeout could end before them.
const YIELD: usize = 64 * 1024;

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
        Some(Coding::Gzip) => yielding(GzipDecoder::new(StreamReader::new(chunks))),
        Some(Coding::Brotli) => yielding(BrotliDecoder::new(StreamReader::new(chunks))),
        None => chunks.boxed_local(),
    }
}

/// Returns the chunks of a reader that is always ready.
fn yielding(reader: impl AsyncRead + 'static) -> LocalBoxStream<'static, io::Result<Bytes>> {
    let mut since = 0;
    let chunks = ReaderStream::new(reader).then(move |chunk| {
        since += chunk.as_ref().map_or(0, Bytes::len);
        let pauses = since >= YIELD;
        since = if pauses { 0 } else { since };
        async move {
            if pauses {
                task::yield_now().await;
            }
            chunk
        }
    });
    chunks.boxed_local()
}

/// Returns the content codings that a response names, without `identity`, which is none.
pub(crate) fn content_coding<B>(head: &Response<B>) -> Option<String> {
    let lines = head.headers().get_all(CONTENT_ENCODING).iter();
    let list = lines.map(|value| String::from_utf8_lossy(value.as_bytes())).collect::<Vec<_>>().join(",");
    let codings = list.split(',').map(str::trim);
    let codings: Vec<_> =
        codings.filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case("identity")).collect();
    (!codings.is_empty()).then(|| codings.join(", "))
}

/// A content coding that can be decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    Gzip,
    Brotli,
}

/// Returns the content coding that a response names, if it can be decoded.
pub(crate) fn coding<B>(head: &Response<B>) -> Option<Coding> {
    match content_coding(head)?.to_ascii_lowercase().as_str() {
        "gzip" | "x-gzip" => Some(Coding::Gzip),
        "br" => Some(Coding::Brotli),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::convert::Infallible;
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use futures_util::{future, stream};
    use tokio::runtime::Builder;

    use super::*;

    /// Both read the same values.
    #[test]
    fn the_coding_is_the_one_that_is_named() {
        for (lines, name, known) in [
            (&[][..], None, None),
            (&["identity"], None, None),
            (&["identity", "gzip"], Some("gzip"), Some(Coding::Gzip)),
            (&["X-Gzip ", "Identity"], Some("X-Gzip"), Some(Coding::Gzip)),
            (&["identity, br"], Some("br"), Some(Coding::Brotli)),
            (&["zstd"], Some("zstd"), None),
            // Only the last one could be removed.
            (&["gzip", "br"], Some("gzip, br"), None),
            (&["gzip, br"], Some("gzip, br"), None),
        ] {
            let mut head = Response::new(());
            lines.iter().for_each(|line| {
                head.headers_mut().append(CONTENT_ENCODING, line.parse().unwrap());
            });
            assert_eq!((content_coding(&head).as_deref(), coding(&head)), (name, known), "{lines:?}");
        }
    }

    /// Another future gets its turn while a small body is decompressed to a large one.
    #[test]
    fn a_reader_yields() {
        const LENGTH: usize = 100 * YIELD;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&[0; LENGTH]).unwrap();
        let body = stream::iter([Ok::<_, Infallible>(Bytes::from(encoder.finish().unwrap()))]);
        let (length, turns) = (Cell::new(0), Cell::new(0));
        let reading = decoded(Some(Coding::Gzip), body).for_each(|chunk| {
            length.set(length.get() + chunk.unwrap().len());
            future::ready(())
        });
        let other = async {
            while length.get() < LENGTH {
                turns.set(turns.get() + 1);
                task::yield_now().await;
            }
        };
        Builder::new_current_thread().build().unwrap().block_on(future::join(reading, other));
        // A chunk may end a little after the place at which the reader yields.
        assert!((90..=101).contains(&turns.get()), "{} turns", turns.get());
    }
}
