//! Polls a stream by hand, and sees whether its task is woken.

use eventwire::IntoOutgoing;
use futures_util::{Stream, StreamExt};
use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

/// A reader whose task counts how often it is woken.
pub(crate) struct Reader<S> {
    pub(crate) stream: S,
    task: Arc<Task>,
}

#[derive(Default)]
struct Task(AtomicUsize);

impl Wake for Task {
    fn wake(self: Arc<Task>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl<S> Reader<S>
where
    S: Stream<Item: IntoOutgoing<Error = Infallible>> + Unpin,
{
    pub(crate) fn new(stream: S) -> Reader<S> {
        Reader { stream, task: Arc::default() }
    }

    /// Returns what is ready now: a text, the end, or nothing.
    pub(crate) fn poll(&mut self) -> Poll<Option<String>> {
        let waker = Waker::from(Arc::clone(&self.task));
        let polled = self.stream.poll_next_unpin(&mut Context::from_waker(&waker));
        polled.map(|item| item.map(text))
    }

    /// Returns everything that is ready now, and at the end `(end)`.
    pub(crate) fn ready(&mut self) -> Vec<String> {
        let mut items = Vec::new();
        loop {
            match self.poll() {
                Poll::Ready(Some(item)) => items.push(item),
                Poll::Ready(None) => {
                    items.push("(end)".to_owned());
                    return items;
                }
                Poll::Pending => return items,
            }
        }
    }

    /// Returns how often it was woken since the last time that it was asked.
    pub(crate) fn wakes(&self) -> usize {
        self.task.0.swap(0, Ordering::Relaxed)
    }
}

fn text(item: impl IntoOutgoing<Error = Infallible>) -> String {
    let Ok(item) = item.into_outgoing();
    String::from_utf8(item.into_bytes().into()).unwrap()
}
