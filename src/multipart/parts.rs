//! The asynchronous adapter: reads parts from a stream of chunks.

use super::{Collected, Error, Part, PartDecoder, Piece, Pieces};
use bytes::Bytes;
use core::{future::poll_fn, pin::Pin};
use futures_core::Stream;

/// Reads parts from a stream of chunks, one after the other. Each body is read on demand.
///
/// [`next`](Parts::next) skips the rest of the previous part. Bodies are not buffered, so a part may be of any size. The source
/// returns `Result<B, E>` with `B: Into<Bytes>`, like the body streams of HTTP clients. A source that is not `Unpin` has to be
/// pinned, for example with `Box::pin`. It works on any runtime and spawns no task. [`SyncParts`](super::SyncParts) is the same without `async`.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire::multipart::{PartDecoder, Parts};
/// use futures_util::stream;
/// # use std::convert::Infallible;
///
/// let chunks = ["--b\r\nContent-Type: text/plain\r\n\r\nHel", "lo\r\n--b\r\nContent-Type: audio/wav\r\n\r\nRIFF\r\n--b--"];
/// let chunks = stream::iter(chunks.map(Ok::<_, Infallible>)); // such as `response.bytes_stream()` of reqwest
/// let decoder = PartDecoder::from_content_type(b"multipart/x-mixed-replace; boundary=b")?;
///
/// let (mut text, mut sounds) = (Vec::new(), Vec::new());
/// let mut parts = Parts::new(chunks, decoder);
/// while let Some(part) = parts.next().await {
///     let mut part = part?;
///     if part.media_type().is_some_and(|media_type| media_type.is("audio/wav")) {
///         sounds.push(part.bytes().await?);
///     } else {
///         while let Some(chunk) = part.chunk().await {
///             text.extend_from_slice(&chunk?); // as soon as it arrives
///         }
///     }
/// }
/// assert_eq!((&text[..], &sounds[..]), (&b"Hello"[..], &["RIFF".into()][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap().unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Parts<S> {
    pieces: Pieces<S>,
}

impl<S> Parts<S> {
    /// Reads parts from these chunks.
    pub fn new(chunks: S, decoder: PartDecoder) -> Parts<S> {
        Parts { pieces: Pieces::new(chunks, decoder) }
    }

    /// The decoder, in its state after the last item.
    #[must_use]
    pub fn decoder(&self) -> &PartDecoder {
        self.pieces.decoder()
    }

    /// The source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        self.pieces.get_ref()
    }

    /// The source of the chunks. Chunks that are taken out of it here are missing in the parts.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut S {
        self.pieces.get_mut()
    }

    /// The source of the chunks. Bytes of the last chunk that have not been read are lost.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.pieces.into_inner()
    }

    /// Continues with single pieces, from where this has stopped reading.
    pub fn pieces(self) -> Pieces<S> {
        self.pieces
    }

    /// The remaining parts, each with its whole body, as a `Stream`. The rest of the current part is skipped.
    pub fn collected(self) -> Collected<S> {
        Collected::of(self.pieces)
    }
}

#[cfg(feature = "http-body")]
impl<B: http_body::Body> Parts<crate::BodyChunks<B>> {
    /// The parts of a response, by the boundary that its `Content-Type` names.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// # use eventwire::multipart::{PartBody, PartEncoder, Subtype, WholePart};
    /// # use futures_util::stream;
    /// use eventwire::multipart::Parts;
    ///
    /// # let sent = stream::iter([WholePart::new("text/plain", "Hello")?]);
    /// # let response = PartBody::new(PartEncoder::random(), sent).response(Subtype::Mixed);
    /// let mut parts = Parts::from_response(response)?; // from hyper, or any response whose body is an `http_body::Body`
    /// let part = parts.next().await.unwrap()?;
    /// assert_eq!(part.bytes().await?, "Hello");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// Those of [`PartDecoder::from_content_type`]; a missing `Content-Type` is [`NotMultipart`](super::InvalidBoundary::NotMultipart).
    pub fn from_response(response: http::Response<B>) -> Result<Self, super::InvalidBoundary> {
        let content_type = response.headers().get(http::header::CONTENT_TYPE);
        let decoder = PartDecoder::from_content_type(content_type.map_or(b"", |value| value.as_bytes()))?;
        Ok(Parts::new(crate::BodyChunks::new(response.into_body()), decoder))
    }
}

impl<S, B, E> Parts<S>
where
    S: Stream<Item = Result<B, E>> + Unpin,
    B: Into<Bytes>,
{
    /// The next part, as soon as its headers have arrived; `None` at the end of the stream. Skips the rest of the previous part.
    ///
    /// After an error, call it again: it returns the next part, or `None` if the error ended the stream (see
    /// [`DecodeErrorKind`](super::DecodeErrorKind)). It is cancel safe: no data is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Result<Part<'_, S>, Error<E>>> {
        loop {
            match poll_fn(|context| Pin::new(&mut self.pieces).poll_next(context)).await? {
                Ok(Piece::PartBegin(headers)) => return Some(Ok(Part::new(&mut self.pieces, headers))),
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
