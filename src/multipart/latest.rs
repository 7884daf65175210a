//! The latest part only.

use super::{Collected, Error, WholePart};
use bytes::Bytes;
use core::{
    pin::Pin,
    task::{Context, Poll},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

/// After so many parts that have been there at once the latest is given, so that a source that always has one more does not keep
/// the stream from ever being ready.
const MOST_AT_ONCE: usize = 256;

pin_project! {
    /// The latest part that is there, each time the stream is polled; [`Collected::latest`] makes it.
    ///
    /// It reads until its source has nothing more at the moment, and gives the last part that was complete; those before it are dropped. So a
    /// reader that is slow sees fewer parts, but none that is stale. Errors are all given, each after the part before it.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::multipart::{Boundary, Collected, PartDecoder};
    /// use futures_util::{StreamExt, stream};
    /// # use std::convert::Infallible;
    ///
    /// let frames = stream::iter([Ok::<_, Infallible>("--b\r\n\r\n1\r\n--b\r\n\r\n2\r\n--b\r\n\r\n3\r\n--b--")]);
    /// let mut latest = Collected::new(frames, PartDecoder::new(Boundary::new("b")?)).latest();
    /// assert_eq!(latest.next().await.unwrap()?.body(), "3");
    /// assert!(latest.next().await.is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct Latest<S, E> {
        #[pin]
        parts: Collected<S>,
        // What came after the part that was given last.
        error: Option<Error<E>>,
    }
}

impl<S, E> Latest<S, E> {
    pub(super) fn new(parts: Collected<S>) -> Latest<S, E> {
        Latest { parts, error: None }
    }

    /// All parts, from here on. An error that has not been given yet is lost.
    pub fn into_inner(self) -> Collected<S> {
        self.parts
    }
}

impl<S, B, E> Stream for Latest<S, E>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    type Item = Result<WholePart, Error<E>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        if let Some(error) = this.error.take() {
            return Poll::Ready(Some(Err(error)));
        }
        let mut latest = None;
        for _ in 0..MOST_AT_ONCE {
            match this.parts.as_mut().poll_next(context) {
                Poll::Ready(Some(Ok(part))) => latest = Some(Ok(part)),
                Poll::Ready(Some(Err(error))) => {
                    if latest.is_none() {
                        return Poll::Ready(Some(Err(error)));
                    }
                    *this.error = Some(error);
                    break;
                }
                Poll::Ready(None) => break,
                Poll::Pending if latest.is_none() => return Poll::Pending,
                Poll::Pending => break,
            }
        }
        Poll::Ready(latest)
    }
}

impl<S, B, E> FusedStream for Latest<S, E>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    fn is_terminated(&self) -> bool {
        self.error.is_none() && self.parts.is_terminated()
    }
}
