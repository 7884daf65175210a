//! The asynchronous adapter: parts of a stream of chunks, one after the other.

use super::{Collected, Error, Part, PartDecoder, Piece, Pieces};
use bytes::Bytes;
use core::{future::poll_fn, pin::Pin};
use futures_core::Stream;

/// The parts of a stream of chunks, one after the other; the body of each comes as it is asked for.
///
/// [`next`](Parts::next) passes over what is left of the part before. Nothing is held in memory but what is asked for, so a part may
/// be of any size. The source gives `Result<B, E>`, where a chunk `B` is anything that is `Into<Bytes>`, as the body streams of HTTP
/// clients do. One that is not `Unpin` is pinned first, as by `Box::pin`. No runtime is assumed, and no task is spawned.
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
///             text.extend_from_slice(&chunk?); // as soon as it is there
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
    /// The parts in these chunks.
    pub fn new(chunks: S, decoder: PartDecoder) -> Parts<S> {
        Parts { pieces: Pieces::new(chunks, decoder) }
    }

    /// The decoder, as it is after what was given last.
    #[must_use]
    pub fn decoder(&self) -> &PartDecoder {
        self.pieces.decoder()
    }

    /// The pieces of the parts that have not been asked for.
    pub fn pieces(self) -> Pieces<S> {
        self.pieces
    }

    /// The parts that have not been asked for, each with all of its body: a `Stream`. What is left of the part at hand is passed
    /// over.
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
    /// let mut parts = Parts::from_response(response)?; // of hyper's, or any other whose body is an `http_body::Body`
    /// let part = parts.next().await.unwrap()?;
    /// assert_eq!(part.bytes().await?, "Hello");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no `Content-Type`, or those of [`PartDecoder::from_content_type`].
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
    /// The next part, as soon as its headers are there; `None` at the end of the stream. What is left of the part before is passed over.
    ///
    /// After an error, the [`DecodeErrorKind`](super::DecodeErrorKind) says what follows. Nothing is lost if the future is dropped.
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
