//! The methods that turn chunks into events, and lines of JSON into values.

use crate::feed::Events;
#[cfg(feature = "json")]
use crate::{
    feed::LineEvents,
    json::{Dialect, JsonStream, Payload},
};
use bytes::Bytes;
use futures_core::Stream;

/// Adds `.events()` to any stream of byte chunks, such as the body of a response. With feature `json`, it also adds
/// `.json_lines()`, for a body whose lines are JSON.
///
/// It reads one response and does not reconnect. The crate `eventwire-reqwest` adds `.eventsource()` to requests, which
/// returns a client that stays connected.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire::EventsExt;
/// use futures_util::{StreamExt, stream};
/// # use std::convert::Infallible;
///
/// // Such as `response.bytes_stream()`.
/// let bytes_stream = stream::iter([Ok::<_, Infallible>("data: hello\n\n")]);
/// let mut events = bytes_stream.events();
/// assert_eq!(events.next().await.unwrap()?.data(), "hello");
/// # Ok::<(), eventwire::Error<Infallible>>(())
/// # }).unwrap().unwrap();
/// ```
///
/// This trait is sealed: it is implemented for all streams of chunks, and cannot be implemented for other types.
pub trait EventsExt: Sized + sealed::Sealed {
    /// Returns a stream of the events in this stream of chunks; the same as [`Events::new`].
    #[doc(alias = "eventsource")]
    fn events(self) -> Events<Self>;

    /// Reads each line of this stream of chunks as JSON, into a `T`; the same as [`Events::json_lines`].
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::EventsExt;
    /// use futures_util::{TryStreamExt, stream};
    /// # use std::convert::Infallible;
    ///
    /// // Such as `response.bytes_stream()`.
    /// let bytes_stream = stream::iter(["{\"n\":1}\n{\"n", "\":2}\n"].map(Ok::<_, Infallible>));
    /// let values: Vec<serde_json::Value> = bytes_stream.json_lines().try_collect().await?;
    /// assert_eq!(values[1]["n"], 2);
    /// # Ok::<(), eventwire::JsonError<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    #[cfg(feature = "json")]
    fn json_lines<T: Payload>(self) -> JsonStream<LineEvents<Self>, T>;

    /// Reads each line of this stream of chunks as JSON, in the [dialect](Dialect) of a service; the same as
    /// [`Events::json_lines_with`].
    #[cfg(feature = "json")]
    fn json_lines_with<T: Payload>(self, dialect: Dialect) -> JsonStream<LineEvents<Self>, T>;
}

impl<S, B, E> EventsExt for S
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    fn events(self) -> Events<S> {
        Events::new(self)
    }

    #[cfg(feature = "json")]
    fn json_lines<T: Payload>(self) -> JsonStream<LineEvents<S>, T> {
        self.events().json_lines()
    }

    #[cfg(feature = "json")]
    fn json_lines_with<T: Payload>(self, dialect: Dialect) -> JsonStream<LineEvents<S>, T> {
        self.events().json_lines_with(dialect)
    }
}

mod sealed {
    pub trait Sealed {}

    impl<S, B, E> Sealed for S
    where
        S: futures_core::Stream<Item = Result<B, E>>,
        B: Into<bytes::Bytes>,
    {
    }
}
