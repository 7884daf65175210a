//! Values beside the events that they were read from.

use super::{JsonError, JsonEvents, JsonStream};
use crate::event::Event;
use bytes::Bytes;
use core::{
    iter::FusedIterator,
    pin::Pin,
    task::{Context, Poll},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;
use serde_core::de::DeserializeOwned;

pin_project! {
    /// A typed stream whose items are `(T, Event)`; [`JsonStream::with_events`] and [`JsonEvents::with_events`] make it.
    #[derive(Debug)]
    #[must_use = "it does nothing unless it is polled, or asked"]
    pub struct WithEvents<V> {
        #[pin]
        pub(super) values: V,
    }
}

impl<V> WithEvents<V> {
    /// The typed stream.
    pub fn get_ref(&self) -> &V {
        &self.values
    }

    /// The typed stream. Values that are taken out of it here are missing in this one.
    pub fn get_mut(&mut self) -> &mut V {
        &mut self.values
    }

    /// The typed stream, as it is after the last item.
    pub fn into_inner(self) -> V {
        self.values
    }
}

impl<S, B, E, T> Stream for WithEvents<JsonStream<S, T>>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: DeserializeOwned,
{
    type Item = Result<(T, Event), JsonError<E>>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.project().values.poll_with(context, |value, event| (value, event))
    }
}

impl<S, B, E, T> FusedStream for WithEvents<JsonStream<S, T>>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: DeserializeOwned,
{
    fn is_terminated(&self) -> bool {
        self.values.is_terminated()
    }
}

impl<I, B, E, T> Iterator for WithEvents<JsonEvents<I, T>>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: DeserializeOwned,
{
    type Item = Result<(T, Event), JsonError<E>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.values.next_with(|value, event| (value, event))
    }
}

impl<I, B, E, T> FusedIterator for WithEvents<JsonEvents<I, T>>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: DeserializeOwned,
{
}
