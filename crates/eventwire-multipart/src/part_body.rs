//! The HTTP body that sends a stream of parts.

use super::{BoundaryInPart, IntoOutgoing, Outgoing, PartEncoder, Piece, Subtype};
use bytes::{Bytes, BytesMut};
use core::{
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::Stream;
use http::{HeaderValue, Response, header};
use http_body::{Body, Frame};
use pin_project_lite::pin_project;

/// Copying a body of this many bytes or more costs more than sending two more frames.
const LARGE: usize = 64 * 1024;

pin_project! {
    /// Sends parts as the body of an HTTP response.
    ///
    /// It is an [`http_body::Body`] over a stream of [`WholePart`](super::WholePart)s or [`Piece`]s.
    ///
    /// Each item is sent as soon as the stream returns it, and a complete part is sent with its delimiter. A
    /// [`WholePart`](super::WholePart) is sent as one data frame. If its body has 64 KiB or more, the body is sent
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
    /// use eventwire_multipart::{PartBody, PartEncoder, Subtype, WholePart};
    /// use futures_util::stream;
    ///
    /// let parts = stream::iter([WholePart::new("text/plain", "Hello")?]);
    /// // Return this from an axum handler.
    /// let response = PartBody::new(PartEncoder::random(), parts).response(Subtype::MixedReplace);
    /// assert!(response.headers()["content-type"].to_str()?.starts_with("multipart/x-mixed-replace; boundary="));
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
        rest: Rest,
    }
}

/// The frames that follow the one returned last.
#[derive(Debug, Default)]
enum Rest {
    #[default]
    Nothing,
    Data(Bytes),
    DataAndEnd(Bytes),
    End,
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
    #[error("a part was cut off before it was sent")]
    CutOff,
}

impl<S> PartBody<S> {
    /// Creates a body that sends these parts.
    pub fn new(encoder: PartEncoder, parts: S) -> PartBody<S> {
        PartBody { parts: Some(parts), encoder, rest: Rest::Nothing }
    }

    /// Returns a response with this body and this type.
    ///
    /// It has status 200, a `Content-Type` with the boundary, and the other headers of
    /// [`EventBody::response_headers`](eventwire::EventBody::response_headers), which keep caches and proxies from
    /// holding parts back. For any other type, build the response yourself with [`PartEncoder::content_type`].
    #[must_use]
    pub fn response(self, subtype: Subtype) -> Response<PartBody<S>> {
        let mut headers = eventwire::EventBody::response_headers();
        let content_type = self.encoder.content_type(subtype.as_str());
        // `PartEncoder` accepts only boundaries whose characters are valid in a header.
        if let Ok(value) = HeaderValue::try_from(content_type) {
            headers.insert(header::CONTENT_TYPE, value);
        }
        let mut response = Response::new(self);
        *response.headers_mut() = headers;
        response
    }
}

impl<S> Body for PartBody<S>
where
    S: Stream<Item: IntoOutgoing>,
{
    type Data = Bytes;
    type Error = PartBodyError<<S::Item as IntoOutgoing>::Error>;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let mut this = self.project();
        loop {
            if let Some(frame) = this.rest.next_frame(this.encoder) {
                return Poll::Ready(Some(Ok(Frame::data(frame))));
            }
            let Some(open) = this.parts.as_mut().as_pin_mut() else { return Poll::Ready(None) };
            let item = ready!(open.poll_next(context)).map(IntoOutgoing::into_outgoing);
            let mut frame = BytesMut::new();
            let is_encoded = match item {
                Some(Ok(Outgoing::Piece(Piece::Close))) | None => {
                    this.encoder.clone().close(&mut frame);
                    this.parts.set(None);
                    Ok(Rest::Nothing)
                }
                Some(Ok(Outgoing::Piece(Piece::PartEnd(end)))) if !end.is_complete() => Err(PartBodyError::CutOff),
                Some(Ok(outgoing)) => encode(this.encoder, outgoing, &mut frame).map_err(PartBodyError::from),
                Some(Err(error)) => Err(PartBodyError::Source(error)),
            };
            match is_encoded {
                Ok(rest) => *this.rest = rest,
                Err(error) => {
                    this.parts.set(None);
                    return Poll::Ready(Some(Err(error)));
                }
            }
            if !frame.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(frame.freeze()))));
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.parts.is_none() && matches!(self.rest, Rest::Nothing)
    }
}

/// Writes the first frame of an item, and returns the frames that follow it.
fn encode(encoder: &mut PartEncoder, outgoing: Outgoing, frame: &mut BytesMut) -> Result<Rest, BoundaryInPart> {
    match outgoing {
        Outgoing::Part(part) if part.body().len() >= LARGE => {
            encoder.part_head(&part, frame)?;
            return Ok(Rest::DataAndEnd(part.into_body()));
        }
        Outgoing::Part(part) => {
            // Room for the headers, a length, and two boundaries.
            frame.reserve(part.headers().as_bytes().len() + part.body().len() + 256);
            encoder.part(&part, frame)?;
        }
        Outgoing::Piece(Piece::PartBegin(headers)) => encoder.begin(headers.as_ref(), frame)?,
        Outgoing::Piece(Piece::Data(data)) => {
            encoder.begin_data(&data, frame)?;
            return Ok(Rest::Data(data));
        }
        Outgoing::Piece(Piece::PartEnd(_)) => encoder.end(frame),
        // Handled by the caller.
        Outgoing::Piece(Piece::Close) => {}
    }
    Ok(Rest::Nothing)
}

impl Rest {
    fn next_frame(&mut self, encoder: &mut PartEncoder) -> Option<Bytes> {
        match mem::take(self) {
            Rest::Nothing => None,
            Rest::Data(data) => (!data.is_empty()).then_some(data),
            Rest::DataAndEnd(data) => {
                *self = Rest::End;
                Some(data)
            }
            Rest::End => {
                let mut frame = BytesMut::new();
                encoder.end_whole(&mut frame);
                Some(frame.freeze())
            }
        }
    }
}
