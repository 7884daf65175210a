//! The future of the next item.

use core::{
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedFuture, FusedStream, Stream};

/// The future of a stream's next item; the method `next()` of the streams of events, blocks and values returns it, so
/// that a program needs no other crate to read a stream.
///
/// The output is `None` at the end of the stream. Dropping the future before it is ready loses no item, so it can be a
/// branch of tokio's `select!` or of that of the crate futures. It is `Unpin`.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// # use futures_util::stream;
/// # use std::convert::Infallible;
/// use eventwire::EventsExt;
///
/// let chunks = stream::iter(["data: 1\n\nda", "ta: 2\n\n"].map(Ok::<_, Infallible>)); // or a response
/// let mut events = chunks.events();
/// let mut found = Vec::new();
/// while let Some(event) = events.next().await {
///     found.push(event?.into_data());
/// }
/// assert_eq!(found, ["1", "2"]);
/// # Ok::<(), eventwire::Error<Infallible>>(())
/// # }).unwrap().unwrap();
/// ```
///
/// After its output it is terminated, and pending if it is polled again. Call `next()` again for another item.
#[derive(Debug)]
#[must_use = "a future does nothing unless it is awaited"]
pub struct Next<'s, S: ?Sized> {
    /// `None` after the output.
    stream: Option<&'s mut S>,
}

impl<'s, S: Stream + Unpin + ?Sized> Next<'s, S> {
    /// Returns the future of the next item of `stream`: for the other crates of this repository.
    #[doc(hidden)]
    pub fn new(stream: &'s mut S) -> Next<'s, S> {
        Next { stream: Some(stream) }
    }
}

impl<S: Stream + Unpin + ?Sized> Future for Next<'_, S> {
    type Output = Option<S::Item>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(stream) = &mut self.stream else { return Poll::Pending };
        let item = ready!(Pin::new(&mut **stream).poll_next(context));
        self.stream = None;
        Poll::Ready(item)
    }
}

impl<S: FusedStream + Unpin + ?Sized> FusedFuture for Next<'_, S> {
    fn is_terminated(&self) -> bool {
        self.stream.as_ref().is_none_or(|stream| stream.is_terminated())
    }
}
