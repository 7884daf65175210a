//! The chunks of an HTTP body.

use super::EventStream;
use bytes::{Buf, Bytes};
use core::{
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::Stream;
use http_body::Body;
use pin_project_lite::pin_project;

pin_project! {
    /// Reads the chunks of an HTTP body: a stream of `Result<Bytes, B::Error>`.
    ///
    /// [`EventStream::from_body`] decodes it. Trailers are skipped. If the body's data type is [`Bytes`], chunks are
    /// not copied.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{BodyChunks, Event, EventBody};
    /// use futures_util::{TryStreamExt, stream};
    ///
    /// let body = EventBody::new(stream::iter([Event::new("hello")])); // or `response.into_body()`
    /// let mut chunks = BodyChunks::new(body);
    /// assert_eq!(chunks.try_next().await?.unwrap(), "data: hello\n\n");
    /// # Ok::<(), std::convert::Infallible>(())
    /// # }).unwrap().unwrap();
    /// ```
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct BodyChunks<B> {
        #[pin]
        body: B,
    }
}

impl<B> EventStream<BodyChunks<B>> {
    /// Reads the events of an HTTP body, such as reqwest's, hyper's, axum's or tonic's.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Event, EventBody, EventStream};
    /// use futures_util::{TryStreamExt, stream};
    ///
    /// let body = EventBody::new(stream::iter([Event::new("hello")])); // or `response.into_body()`
    /// let mut events = EventStream::from_body(body);
    /// assert_eq!(events.try_next().await?.unwrap().data(), "hello");
    /// # Ok::<(), eventwire::Error<std::convert::Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// To use a decoder with settings, call `EventStream::with_decoder(BodyChunks::new(body), decoder)`.
    pub fn from_body(body: B) -> EventStream<BodyChunks<B>> {
        EventStream::new(BodyChunks::new(body))
    }
}

impl<B> BodyChunks<B> {
    /// Creates a stream of the chunks of `body`.
    pub fn new(body: B) -> BodyChunks<B> {
        BodyChunks { body }
    }

    /// Returns a reference to the body.
    pub fn get_ref(&self) -> &B {
        &self.body
    }

    /// Returns a mutable reference to the body. Chunks that you read from it directly are missing in the stream.
    pub fn get_mut(&mut self) -> &mut B {
        &mut self.body
    }

    /// Returns a pinned mutable reference to the body.
    #[must_use]
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut B> {
        self.project().body
    }

    /// Returns the body.
    pub fn into_inner(self) -> B {
        self.body
    }
}

impl<B: Body> Stream for BodyChunks<B> {
    type Item = Result<Bytes, B::Error>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut body = self.project().body;
        loop {
            match ready!(body.as_mut().poll_frame(context)) {
                Some(Ok(frame)) => {
                    if let Ok(mut data) = frame.into_data() {
                        return Poll::Ready(Some(Ok(data.copy_to_bytes(data.remaining()))));
                    }
                }
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}
