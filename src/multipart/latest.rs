//! The latest part only.

use super::{Collected, Error, WholePart};
use bytes::Bytes;
use core::{
    pin::Pin,
    task::{Context, Poll},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

/// After this many parts in one poll the latest is returned, so that a source that is always ready cannot keep the stream from
/// returning.
const MOST_AT_ONCE: usize = 256;

pin_project! {
    /// A stream of the latest complete part, created by [`Collected::latest`].
    ///
    /// Each poll reads until the source is pending, returns the last complete part, and drops the ones before it. A slow reader
    /// sees fewer parts, but never a stale one. Every error is returned, after the part before it. From a source that is always ready, every
    /// 256th part is returned.
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
    #[derive(Clone, Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct Latest<S, E> {
        #[pin]
        parts: Collected<S>,
        // The error that came after the last returned part.
        error: Option<Error<E>>,
    }
}

impl<S, E> Latest<S, E> {
    pub(super) fn new(parts: Collected<S>) -> Latest<S, E> {
        Latest { parts, error: None }
    }

    /// Returns to reading every part. An error that has not been returned yet is lost.
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
