//! The adapter that returns only the latest part.

use super::{Collected, Error, WholePart};
use bytes::Bytes;
use core::{
    pin::Pin,
    task::{Context, Poll},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

/// The limit on the parts that one poll reads, so that `poll_next` returns even if the source is always ready.
const MOST_AT_ONCE: usize = 256;

pin_project! {
    /// Returns only the latest complete part each time it is polled. Created by [`Collected::latest`].
    ///
    /// Each poll reads until the source is pending, returns the last complete part, and drops the parts before it.
    /// A slow reader gets fewer parts, but never an outdated one. Every error is returned, after the part before
    /// it. If the source is always ready, every 256th part is returned.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_multipart::{Boundary, Collected, PartDecoder};
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
        // The error to return after the part returned last.
        error: Option<Error<E>>,
    }
}

impl<S, E> Latest<S, E> {
    pub(super) fn new(parts: Collected<S>) -> Latest<S, E> {
        Latest { parts, error: None }
    }

    /// Returns the adapter that reads every part. An error that has not been returned yet is lost.
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
