//! The method that turns chunks into events.

use super::Events;
use bytes::Bytes;
use futures_core::Stream;

/// Adds `.events()` to any stream of byte chunks, such as the body of a response.
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
}

impl<S, B, E> EventsExt for S
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
{
    fn events(self) -> Events<S> {
        Events::new(self)
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
