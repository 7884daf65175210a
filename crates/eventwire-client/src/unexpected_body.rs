//! The body of a response that is not an event stream.

use crate::unexpected_response::UnexpectedResponse;
use alloc::boxed::Box;
use bytes::Bytes;
use core::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use eventwire::{Timer, internal::Turn};
use futures_core::Stream;

/// The body of a response that is not an event stream: it is read up to the limits, because it says more than the head.
/// It is boxed, so that this type can be moved.
pub(crate) struct UnexpectedBody<B, S> {
    body: Pin<Box<B>>,
    response: Box<UnexpectedResponse>,
    /// The time for all of it. Zero means no timeout.
    timeout: Duration,
    /// Begins when there is nothing to read.
    sleep: Option<Pin<Box<S>>>,
}

/// Why reading has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadEnd {
    /// No more is needed, or there is no more.
    Enough,
    TimedOut,
}

impl<B, S> UnexpectedBody<B, S> {
    pub(crate) fn new(response: UnexpectedResponse, body: B, timeout: Duration) -> UnexpectedBody<B, S> {
        UnexpectedBody { body: Box::pin(body), response: Box::new(response), timeout, sleep: None }
    }

    /// Returns the response with what has been read.
    pub(crate) fn into_response(self) -> Box<UnexpectedResponse> {
        self.response
    }

    /// Reads on, and calls the function for each chunk. Ready when the response is complete, or its time is over.
    pub(crate) fn poll<T, K, E>(
        &mut self,
        context: &mut Context<'_>,
        timer: &T,
        on_chunk: impl FnMut(),
    ) -> Poll<ReadEnd>
    where
        T: Timer<Sleep = S>,
        B: Stream<Item = Result<K, E>>,
        K: Into<Bytes>,
        S: Future<Output = ()>,
    {
        if self.poll_body(context, on_chunk).is_ready() {
            return Poll::Ready(ReadEnd::Enough);
        }
        poll_sleep(&mut self.sleep, context, timer, self.timeout).map(|()| ReadEnd::TimedOut)
    }

    fn poll_body<K, E>(&mut self, context: &mut Context<'_>, mut on_chunk: impl FnMut()) -> Poll<()>
    where
        B: Stream<Item = Result<K, E>>,
        K: Into<Bytes>,
    {
        let mut turn = Turn::default();
        while self.response.wants_body() {
            ready!(turn.poll(context));
            if !self.response.read(ready!(self.body.as_mut().poll_next(context))) {
                break;
            }
            on_chunk();
        }
        Poll::Ready(())
    }
}

/// Ready at the end of a sleep, which begins with the first poll. With a `duration` of zero, it does not begin.
pub(crate) fn poll_sleep<T: Timer>(
    sleep: &mut Option<Pin<Box<T::Sleep>>>,
    context: &mut Context<'_>,
    timer: &T,
    duration: Duration,
) -> Poll<()> {
    if sleep.is_none() && !duration.is_zero() {
        *sleep = Some(Box::pin(timer.sleep(duration)));
    }
    sleep.as_mut().map_or(Poll::Pending, |sleep| sleep.as_mut().poll(context))
}
