//! The typed stream of parts.

use crate::{Collected, Error, JsonPartError, WholePart};
use core::{
    iter::FusedIterator,
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, ready},
};
use eventwire::{adapters::Next, internal::Turn};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;
use serde_core::de::DeserializeOwned;

pin_project! {
    /// Reads the parts of a multipart stream as JSON: a [`Stream`] or an [`Iterator`] of `Result<T, JsonPartError<E>>`.
    ///
    /// Use it for GraphQL's incremental delivery, for example. Create it with `.json::<T>()` on [`Collected`] parts.
    /// Over a stream it is a stream, over an iterator it is an iterator.
    ///
    /// A part is JSON if its `Content-Type` is `application/json` or ends in `+json`, or if it has none. Any other
    /// part, and a part that does not fit `T`, is returned as [an error](JsonPartError) that contains the part, and
    /// the stream continues. Parts that only keep the connection open are skipped: `{}`, which Apollo's servers
    /// send, and parts whose body is empty or white space. If reading a value panics, the stream has ended.
    ///
    /// ```
    /// use eventwire_multipart::{JsonPartError, Collected, PartDecoder};
    /// # use std::convert::Infallible;
    ///
    /// #[derive(serde::Deserialize)]
    /// #[serde(rename_all = "camelCase")]
    /// struct Payload { has_next: bool }
    ///
    /// let chunks = [
    ///     "\r\n---\r\nContent-Type: application/json; charset=utf-8\r\n\r\n{\"hasNext\":true}",
    ///     "\r\n---\r\n\r\n{}\r\n---\r\n\r\n{\"hasNext\":false}\r\n-----\r\n",
    /// ]
    /// .map(Ok::<_, Infallible>);
    /// let decoder = PartDecoder::from_content_type(b"multipart/mixed; boundary=\"-\"")?;
    /// let payloads: Vec<Payload> =
    ///     Collected::new(chunks.into_iter(), decoder).json().collect::<Result<_, _>>()?;
    /// assert_eq!(
    ///     payloads.iter().map(|payload| payload.has_next).collect::<Vec<_>>(),
    ///     [true, false]
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use = "a stream or an iterator does nothing unless it is consumed"]
    #[derive(Debug)]
    pub struct JsonParts<S, T> {
        #[pin]
        parts: S,
        // Whether `{}` is a heartbeat, and not a value.
        skips_empty_objects: bool,
        has_ended: bool,
        values: PhantomData<fn() -> T>,
    }
}

impl<S> Collected<S> {
    /// Reads each part as JSON, into a `T`; see [`JsonParts`].
    pub fn json<T: DeserializeOwned>(self) -> JsonParts<Collected<S>, T> {
        JsonParts { parts: self, skips_empty_objects: true, has_ended: false, values: PhantomData }
    }
}

impl<S, T> JsonParts<S, T> {
    /// Reads `{}` as a value instead of skipping it.
    ///
    /// ```
    /// use eventwire_multipart::{Boundary, Collected, PartDecoder};
    /// # use std::convert::Infallible;
    ///
    /// let decoder = PartDecoder::new(Boundary::new("b").unwrap());
    /// let parts =
    ///     Collected::new([Ok::<_, Infallible>("--b\r\n\r\n{}\r\n--b--")].into_iter(), decoder);
    /// let values: Vec<serde_json::Value> =
    ///     parts.json().with_empty_objects().collect::<Result<_, _>>()?;
    /// assert_eq!(values, [serde_json::json!({})]);
    /// # Ok::<(), eventwire_multipart::JsonPartError<Infallible>>(())
    /// ```
    pub fn with_empty_objects(mut self) -> Self {
        self.skips_empty_objects = false;
        self
    }

    /// Returns a reference to the source of the parts.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        &self.parts
    }
}

/// Returns the value of the next part that is not skipped, of the parts that `next` polls.
///
/// If the value panics, its part is lost, and the stream has ended.
fn poll<T: DeserializeOwned, E>(
    skips_empty_objects: bool,
    has_ended: &mut bool,
    mut next: impl FnMut() -> Poll<Option<Result<WholePart, Error<E>>>>,
) -> Poll<Option<Result<T, JsonPartError<E>>>> {
    if *has_ended {
        return Poll::Ready(None);
    }
    loop {
        let part = match ready!(next()) {
            Some(Ok(part)) => part,
            Some(Err(error)) => return Poll::Ready(Some(Err(JsonPartError::Stream(error)))),
            None => return Poll::Ready(None),
        };
        if part.media_type().is_some_and(|media_type| !media_type.is_json()) {
            return Poll::Ready(Some(Err(JsonPartError::NotJson(part))));
        }
        let body = part.body().trim_ascii();
        if body.is_empty() || (skips_empty_objects && body == b"{}") {
            continue;
        }
        *has_ended = true;
        let value = serde_json::from_slice(part.body());
        let value = value.map_err(|error| JsonPartError::payload::<T>(error, part));
        *has_ended = false;
        return Poll::Ready(Some(value));
    }
}

impl<S, T> JsonParts<S, T>
where
    JsonParts<S, T>: Stream + Unpin,
{
    /// Returns the next value, or `None` at the end of the stream. Over an iterator, `next()` is [`Iterator::next`].
    pub fn next(&mut self) -> Next<'_, JsonParts<S, T>> {
        Next::new(self)
    }
}

impl<S, E, T> Stream for JsonParts<S, T>
where
    S: Stream<Item = Result<WholePart, Error<E>>>,
    T: DeserializeOwned,
{
    type Item = Result<T, JsonPartError<E>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        let mut turn = Turn::default();
        poll(*this.skips_empty_objects, this.has_ended, || {
            ready!(turn.poll(context));
            this.parts.as_mut().poll_next(context)
        })
    }
}

impl<S, E, T> FusedStream for JsonParts<S, T>
where
    S: FusedStream<Item = Result<WholePart, Error<E>>>,
    T: DeserializeOwned,
{
    fn is_terminated(&self) -> bool {
        self.has_ended || self.parts.is_terminated()
    }
}

impl<I, E, T> Iterator for JsonParts<I, T>
where
    I: Iterator<Item = Result<WholePart, Error<E>>>,
    T: DeserializeOwned,
{
    type Item = Result<T, JsonPartError<E>>;

    fn next(&mut self) -> Option<Self::Item> {
        match poll(self.skips_empty_objects, &mut self.has_ended, || Poll::Ready(self.parts.next())) {
            Poll::Ready(item) => item,
            // An iterator is always ready.
            Poll::Pending => None,
        }
    }
}

impl<I, E, T> FusedIterator for JsonParts<I, T>
where
    I: FusedIterator<Item = Result<WholePart, Error<E>>>,
    T: DeserializeOwned,
{
}
