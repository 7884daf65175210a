//! Comments between the blocks of a rewritten stream while its source is silent.

use super::{Edit, Rewrite};
use crate::{alarm::Alarm, event::BlockItemRef, feed::Error, timer::Timer};
use bytes::Bytes;
use core::{
    mem,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// A [`Rewrite`] with keep-alives. Create it with [`Rewrite::with_keep_alive`].
    #[derive(Debug)]
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct RewriteKeepAlive<S, F, T: Timer> {
        #[pin]
        rewrite: Rewrite<S, F>,
        interval: Duration,
        timer: T,
        // Whether anything was passed on since the alarm was last restarted.
        was_sent: bool,
        #[pin]
        alarm: Alarm<T::Sleep>,
    }
}

impl<S, F> Rewrite<S, F> {
    /// Sends a comment after every `interval` in which nothing was passed on, but never inside a block or a comment.
    /// Call it last. Zero means no comments.
    ///
    /// Proxies and clients close a connection on which nothing happens, and a model may think for minutes before its
    /// first token. The first comment comes after one `interval`; unlike [`KeepAlive`](crate::KeepAlive), none is sent
    /// at once. The source may be silent even before the upstream has answered, so a response can begin before that:
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::Rewrite;
    /// use futures_util::{StreamExt, TryStreamExt, stream};
    /// use std::{future, time::Duration};
    /// # use std::{convert::Infallible, pin::pin};
    ///
    /// # async fn send() -> Result<Result<&'static str, Infallible>, Infallible> { future::pending().await }
    /// # let no_time = |_: Duration| future::ready(()); // in a program: `TokioTimer`
    /// // `send` returns the response of the upstream, whose chunks follow.
    /// let chunks = stream::once(async { send().await.map(|chunk| stream::iter([chunk])) })
    ///     .try_flatten();
    /// let rewritten =
    ///     Rewrite::new(chunks, |_, _| {}).with_keep_alive(Duration::from_secs(15), no_time);
    /// assert_eq!(pin!(rewritten).next().await.unwrap()?, ": keep-alive\n\n");
    /// # Ok::<(), eventwire::Error<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// The status has then been sent, so if the upstream refuses the request, the response can only break off.
    pub fn with_keep_alive<T: Timer>(self, interval: Duration, timer: T) -> RewriteKeepAlive<S, F, T> {
        RewriteKeepAlive { rewrite: self, interval, timer, was_sent: true, alarm: Alarm::stopped() }
    }
}

impl<S, B, E, F, T> Stream for RewriteKeepAlive<S, F, T>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    F: FnMut(BlockItemRef<'_>, &mut Edit<'_>),
    T: Timer,
{
    type Item = Result<Bytes, Error<E>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        if let Poll::Ready(item) = this.rewrite.as_mut().poll_next(context) {
            *this.was_sent = true;
            if item.is_none() {
                this.alarm.stop();
            }
            return Poll::Ready(item);
        }
        if this.interval.is_zero() {
            return Poll::Pending;
        }
        ready!(match mem::take(this.was_sent) {
            true => this.alarm.as_mut().restart(context, this.timer, *this.interval),
            false => this.alarm.as_mut().poll(context, this.timer, *this.interval),
        });
        *this.was_sent = true;
        let Some(comment) = this.rewrite.project().rewriter.keep_alive() else {
            // The next poll begins another interval.
            context.waker().wake_by_ref();
            return Poll::Pending;
        };
        Poll::Ready(Some(Ok(comment)))
    }
}

impl<S, B, E, F, T> FusedStream for RewriteKeepAlive<S, F, T>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    F: FnMut(BlockItemRef<'_>, &mut Edit<'_>),
    T: Timer,
{
    fn is_terminated(&self) -> bool {
        self.rewrite.is_terminated()
    }
}
