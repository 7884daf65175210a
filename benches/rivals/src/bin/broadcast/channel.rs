//! A channel from one sender to many readers that costs almost nothing.

use futures_util::stream::Stream;
use std::{
    convert::Infallible,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
};

pub(crate) struct Channel<T> {
    /// Every event is a clone of this one.
    event: T,
    sent: AtomicUsize,
}

impl<T> Channel<T> {
    pub(crate) fn new(event: T) -> Arc<Channel<T>> {
        Arc::new(Channel { event, sent: AtomicUsize::new(0) })
    }

    pub(crate) fn send(&self) {
        self.sent.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn subscribe(self: &Arc<Channel<T>>) -> Reader<T> {
        Reader { channel: Arc::clone(self), received: 0 }
    }
}

/// It wakes no task: the sender polls the readers.
pub(crate) struct Reader<T> {
    channel: Arc<Channel<T>>,
    received: usize,
}

impl<T: Clone> Stream for Reader<T> {
    type Item = Result<T, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.received == self.channel.sent.load(Ordering::Relaxed) {
            return Poll::Pending;
        }
        self.received += 1;
        Poll::Ready(Some(Ok(self.channel.event.clone())))
    }
}
