//! The chunks of an HTTP body.

use super::Events;
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
    /// [`Events::from_body`] decodes it. Trailers are skipped. If the body's data type is [`Bytes`], chunks are
    /// not copied.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{BodyChunks, Event, EventBody};
    /// use futures_util::{TryStreamExt, stream};
    ///
    /// let body = EventBody::new(stream::iter([Event::new("hello")])); // or a response
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

impl<B> Events<BodyChunks<B>> {
    /// Reads the events of an HTTP body, such as reqwest's, hyper's, axum's or tonic's.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Event, EventBody, Events};
    /// use futures_util::{TryStreamExt, stream};
    ///
    /// let body = EventBody::new(stream::iter([Event::new("hello")])); // or a response
    /// let mut events = Events::from_body(body);
    /// assert_eq!(events.try_next().await?.unwrap().data(), "hello");
    /// # Ok::<(), eventwire::Error<std::convert::Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    pub fn from_body(body: B) -> Events<BodyChunks<B>> {
        Events::new(BodyChunks::new(body))
    }
}

impl<B> BodyChunks<B> {
    /// Creates a stream of the chunks of `body`.
    pub fn new(body: B) -> BodyChunks<B> {
        BodyChunks { body }
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
