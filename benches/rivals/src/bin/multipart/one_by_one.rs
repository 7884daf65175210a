//! A stream of chunks that is pending once before each chunk.

use bytes::Bytes;
use futures_util::stream::Stream;
use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

pub(crate) struct OneByOne<'a> {
    chunks: std::slice::Iter<'a, Bytes>,
    is_due: bool,
}

impl<'a> OneByOne<'a> {
    pub(crate) fn new(chunks: &'a [Bytes]) -> OneByOne<'a> {
        OneByOne { chunks: chunks.iter(), is_due: false }
    }
}

impl Stream for OneByOne<'_> {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.is_due = !self.is_due;
        if self.is_due {
            return Poll::Ready(self.chunks.next().cloned().map(Ok));
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}
