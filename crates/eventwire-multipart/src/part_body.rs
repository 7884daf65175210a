//! The HTTP body that sends a stream of parts.

use super::{BoundaryInPart, PartEncoder, Piece, WholePart};
use bytes::{Bytes, BytesMut};
use core::{
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
};
use eventwire::internal::Turn;
use futures_core::Stream;
use http::{
    HeaderName, HeaderValue, Response,
    header::{CONTENT_TYPE, InvalidHeaderValue},
};
use http_body::{Body, Frame};
use pin_project_lite::pin_project;

/// Copying a body of this many bytes or more costs more than sending two more frames.
const LARGE: usize = 64 * 1024;

pin_project! {
    /// Sends parts as the body of an HTTP response.
    ///
    /// It is an [`http_body::Body`] over a stream of `Result<T, E>`, where `T` is a [`WholePart`], a [`Piece`], or an
    /// [`OutgoingPart`], which is either of them.
    ///
    /// Each item is sent as soon as the stream returns it, and a complete part is sent with its delimiter. A
    /// [`WholePart`] is sent as one data frame. If its body has 64 KiB or more, the body is sent
    /// as a separate frame without being copied. The data of a piece is not copied either. At the end of the
    /// stream, the close delimiter is sent. An unfinished part is ended by the next part, or by the end of the
    /// stream.
    ///
    /// An error of the stream ends the body with that error. The server then closes the connection mid-response,
    /// without a close delimiter, so the client knows that the stream is not complete. hyper then drops data that it
    /// has not written yet. If the last part before an error must arrive, let the stream wake its task and return
    /// `Poll::Pending` once before the error.
    ///
    /// The stream is polled only when the connection needs more data. It is dropped when it ends, or with the body.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_multipart::{PartBody, PartEncoder, WholePart};
    /// use futures_util::stream;
    ///
    /// let parts = stream::iter([WholePart::new("text/plain", "Hello")]);
    /// // Return this from an axum handler.
    /// let response = PartBody::new(PartEncoder::random(), parts)
    ///     .response("multipart/x-mixed-replace")?;
    /// assert!(
    ///     response.headers()["content-type"]
    ///         .to_str()?
    ///         .starts_with("multipart/x-mixed-replace; boundary=")
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    #[derive(Debug)]
    #[must_use = "a body does nothing unless it is polled"]
    pub struct PartBody<S> {
        // `None` after the end of the stream.
        #[pin]
        parts: Option<S>,
        encoder: PartEncoder,
        // The frames that have not been returned yet. Empty ones are not sent.
        frames: [Bytes; 3],
    }
}

/// What a [`PartBody`] sends: a complete part, or a piece of one. Use it to mix both in one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutgoingPart {
    /// A complete part. An unfinished part before it is ended first.
    Part(WholePart),
    /// A piece of a part that is sent as it becomes available, or the end of the stream.
    Piece(Piece),
}

impl From<WholePart> for OutgoingPart {
    fn from(part: WholePart) -> OutgoingPart {
        OutgoingPart::Part(part)
    }
}

impl From<Piece> for OutgoingPart {
    fn from(piece: Piece) -> OutgoingPart {
        OutgoingPart::Piece(piece)
    }
}

/// The error of a [`PartBody`]: the stream's, or a part that cannot be sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartBodyError<E> {
    /// The stream of parts failed with this error.
    #[error(transparent)]
    Source(E),
    /// A part contains the boundary.
    #[error(transparent)]
    Boundary(#[from] BoundaryInPart),
    /// A part was already truncated when it was received: its end is not [complete](super::PartEnd::is_complete). It
    /// is not sent on as a complete part.
    #[error("a part was truncated before it was sent")]
    Truncated,
}

impl<S> PartBody<S> {
    /// Creates a body that sends these parts.
    pub fn new(encoder: PartEncoder, parts: S) -> PartBody<S> {
        PartBody { parts: Some(parts), encoder, frames: Default::default() }
    }

    /// Returns a response with this body and this media type, such as `multipart/mixed` or
    /// `multipart/x-mixed-replace`.
    ///
    /// It has status 200, a `Content-Type` with the boundary, and the other headers of
    /// [`EventBody::RESPONSE_HEADERS`](eventwire::EventBody::RESPONSE_HEADERS), which keep caches and proxies from
    /// holding parts back.
    ///
    /// # Errors
    ///
    /// If the media type contains a control character.
    pub fn response(self, essence: &str) -> Result<Response<PartBody<S>>, InvalidHeaderValue> {
        let content_type = HeaderValue::try_from(self.encoder.content_type(essence))?;
        let mut response = Response::new(self);
        for (name, value) in eventwire::EventBody::RESPONSE_HEADERS {
            response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        response.headers_mut().insert(CONTENT_TYPE, content_type);
        Ok(response)
    }
}

impl<S, T, E> Body for PartBody<S>
where
    S: Stream<Item = Result<T, E>>,
    T: Into<OutgoingPart>,
{
    type Data = Bytes;
    type Error = PartBodyError<E>;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let mut this = self.project();
        let mut turn = Turn::default();
        loop {
            if let Some(frame) = this.frames.iter_mut().find(|frame| !frame.is_empty()) {
                return Poll::Ready(Some(Ok(Frame::data(mem::take(frame)))));
            }
            let Some(open) = this.parts.as_mut().as_pin_mut() else { return Poll::Ready(None) };
            // A piece may be empty, which is no frame.
            ready!(turn.poll(context));
            let item = ready!(open.poll_next(context)).map(|item| item.map(Into::into));
            let item = item.unwrap_or(Ok(OutgoingPart::Piece(Piece::Close)));
            let is_close = matches!(item, Ok(OutgoingPart::Piece(Piece::Close)));
            let frames = item.map_err(PartBodyError::Source).and_then(|item| encode(this.encoder, item));
            if is_close || frames.is_err() {
                this.parts.set(None);
            }
            match frames {
                Ok(frames) => *this.frames = frames,
                Err(error) => return Poll::Ready(Some(Err(error))),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.parts.is_none() && self.frames.iter().all(Bytes::is_empty)
    }
}

/// Returns the frames of an item. A large body and the data of a piece are frames of their own.
fn encode<E>(encoder: &mut PartEncoder, item: OutgoingPart) -> Result<[Bytes; 3], PartBodyError<E>> {
    let (mut head, mut data, mut end) = (BytesMut::new(), Bytes::new(), BytesMut::new());
    match item {
        OutgoingPart::Part(part) if part.body().len() >= LARGE => {
            encoder.part_head(&part, &mut head)?;
            encoder.end_whole(&mut end);
            data = part.into_body();
        }
        OutgoingPart::Part(part) => {
            // Room for the headers, a length, and two boundaries.
            head.reserve(part.headers().as_bytes().len() + part.body().len() + 256);
            encoder.part(&part, &mut head)?;
        }
        OutgoingPart::Piece(Piece::PartBegin(headers)) => encoder.begin(headers.as_ref(), &mut head)?,
        OutgoingPart::Piece(Piece::Data(piece)) => {
            encoder.begin_data(&piece, &mut head)?;
            data = piece;
        }
        OutgoingPart::Piece(Piece::PartEnd(end)) if !end.is_complete() => return Err(PartBodyError::Truncated),
        OutgoingPart::Piece(Piece::PartEnd(_)) => encoder.end(&mut head),
        OutgoingPart::Piece(Piece::Close) => encoder.clone().close(&mut head),
    }
    Ok([head.freeze(), data, end.freeze()])
}
