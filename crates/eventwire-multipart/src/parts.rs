//! The asynchronous adapter that reads parts from a stream of chunks.

use super::{Collected, Error, Headers, Part, PartDecoder, Pieces, feed::Step, part_decoder::Found};
use bytes::Bytes;
use core::{future::poll_fn, task::ready};
use eventwire::internal::Turn;
use futures_core::Stream;

/// Reads parts from a stream of chunks, one after the other. Each body is read on demand.
///
/// [`next`](Parts::next) skips the rest of the previous part. Bodies are not buffered, so a part may have any size.
///
/// The items of the source are `Result<B, E>` with `B: Into<Bytes>`, like those of the body streams of HTTP
/// clients. A source that is not `Unpin` must be pinned, for example with `Box::pin`. It works on any runtime and
/// spawns no task. Without `async`, use [`Collected`] or [`Pieces`] over an iterator.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire_multipart::{PartDecoder, Parts};
/// use futures_util::stream;
/// # use std::convert::Infallible;
///
/// let chunks = [
///     "--b\r\nContent-Type: text/plain\r\n\r\nHel",
///     "lo\r\n--b\r\nContent-Type: audio/wav\r\n\r\nRIFF\r\n--b--",
/// ];
/// // Such as `response.bytes_stream()` of reqwest.
/// let chunks = stream::iter(chunks.map(Ok::<_, Infallible>));
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
    /// Creates an adapter that reads parts from these chunks.
    pub fn new(chunks: S, decoder: PartDecoder) -> Parts<S> {
        Parts { pieces: Pieces::new(chunks, decoder) }
    }

    /// Returns the decoder, in its state after the last item.
    #[must_use]
    pub fn decoder(&self) -> &PartDecoder {
        self.pieces.decoder()
    }

    /// Returns a reference to the source of the chunks.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        self.pieces.get_ref()
    }

    /// Returns the remaining parts, each with its complete body, as a `Stream`. The rest of the current part is
    /// skipped.
    pub fn collected(self) -> Collected<S> {
        Collected::from_pieces(self.pieces)
    }
}

#[cfg(feature = "http-body")]
impl<B: http_body::Body> Parts<eventwire::BodyChunks<B>> {
    /// Reads the parts of a response, with the boundary from its `Content-Type`.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// # use eventwire_multipart::{PartBody, PartEncoder, WholePart};
    /// # use futures_util::stream;
    /// use eventwire_multipart::Parts;
    ///
    /// # let sent = stream::iter([WholePart::new("text/plain", "Hello")]);
    /// # let response = PartBody::new(PartEncoder::random(), sent).response("multipart/mixed")?;
    /// // The response comes from hyper, or another client with an `http_body::Body`.
    /// let mut parts = Parts::from_response(response)?;
    /// let part = parts.next().await.unwrap()?;
    /// assert_eq!(part.bytes().await?, "Hello");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// The same as [`PartDecoder::from_content_type`]. If the response has no `Content-Type`, the error is
    /// [`NotMultipart`](super::InvalidBoundary::NotMultipart).
    pub fn from_response(response: http::Response<B>) -> Result<Self, super::InvalidBoundary> {
        let content_type = response.headers().get(http::header::CONTENT_TYPE);
        let decoder = PartDecoder::from_content_type(content_type.map_or(b"", |value| value.as_bytes()))?;
        Ok(Parts::new(eventwire::BodyChunks::new(response.into_body()), decoder))
    }
}

impl<S, B, E> Parts<S>
where
    S: Stream<Item = Result<B, E>> + Unpin,
    B: Into<Bytes>,
{
    /// Returns the next part as soon as its headers have arrived; `None` at the end of the stream. Skips the rest
    /// of the previous part.
    ///
    /// After an error, call it again: it returns the next part, or `None` if the error ended the stream (see
    /// [`PartDecodeErrorKind`](super::PartDecodeErrorKind)). It is cancel safe: no data is lost if the future is
    /// dropped.
    // Not a `Stream`: a part reads from the shared source, so only one can exist at a time.
    pub async fn next(&mut self) -> Option<Result<Part<'_, S>, Error<E>>> {
        let mut turn = Turn::default();
        loop {
            let polled = poll_fn(|context| {
                ready!(turn.poll(context));
                self.pieces.poll_found(context)
            });
            match polled.await? {
                Ok(Step::Found(Found::PartBegin(place))) => {
                    let headers = Headers::decoded(self.pieces.bytes(place));
                    return Some(Ok(Part::new(&mut self.pieces, headers)));
                }
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
