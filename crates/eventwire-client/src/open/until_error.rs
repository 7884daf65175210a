//! The chunks of a body until it fails.

use core::{
    iter::FusedIterator,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// The chunks of a response: a stream or an iterator that ends after its first error.
    ///
    /// Some HTTP clients return the same error for each further poll of a body that has failed, for example reqwest
    /// after a timeout. The body is dropped at its end and after an error, which closes the connection.
    #[derive(Debug)]
    #[must_use = "a stream or an iterator does nothing unless it is consumed"]
    pub struct UntilError<S> {
        #[pin]
        chunks: Option<S>,
    }
}

impl<S> UntilError<S> {
    pub(super) fn new(chunks: S) -> UntilError<S> {
        UntilError { chunks: Some(chunks) }
    }
}

impl<S: Stream<Item = Result<B, E>>, B, E> Stream for UntilError<S> {
    type Item = Result<B, E>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut chunks = self.project().chunks;
        let Some(open) = chunks.as_mut().as_pin_mut() else { return Poll::Ready(None) };
        let item = ready!(open.poll_next(context));
        if !matches!(item, Some(Ok(_))) {
            chunks.set(None);
        }
        Poll::Ready(item)
    }
}

impl<S: Stream<Item = Result<B, E>>, B, E> FusedStream for UntilError<S> {
    fn is_terminated(&self) -> bool {
        self.chunks.is_none()
    }
}

impl<I: Iterator<Item = Result<B, E>>, B, E> Iterator for UntilError<I> {
    type Item = Result<B, E>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let item = self.chunks.as_mut()?.next();
        if !matches!(item, Some(Ok(_))) {
            self.chunks = None;
        }
        item
    }
}

impl<I: Iterator<Item = Result<B, E>>, B, E> FusedIterator for UntilError<I> {}
