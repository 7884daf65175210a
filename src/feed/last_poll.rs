//! The poll that tells a body that its reader needs no more of it.

use core::{
    pin::Pin,
    task::{Context, Waker},
};
use futures_core::Stream;

#[cfg(feature = "std")]
std::thread_local! {
    /// Whether the current poll is a last one. A poll is the only call that passes through every adapter between a
    /// reader and its body. The waker cannot tell this, because adapters such as `select` poll with wakers of their
    /// own.
    ///
    /// hyper needs no last poll: if the end of a body has already arrived, hyper reads it when the body is dropped
    /// (measured).
    static IS_LAST: core::cell::Cell<bool> = const { core::cell::Cell::new(false) };
}

/// Polls a stream once more after the event that completes it, and ignores the result. So its body can learn that the
/// answer is complete.
///
/// A body that is dropped before its end usually cancels the response: the browser aborts the request, for example.
/// That is right if the reader has lost interest, but not if the answer is complete and the server is only about to
/// close it. A body cannot tell these cases apart, unless it [recognises the last poll](is_last_poll).
///
/// A [`JsonStream`](crate::JsonStream) calls this function after its end marker, and so does an
/// [`EventSource`] after the event of
/// [`with_end`]. A `JsonStream` that is an iterator does not call its source
/// again, because that call could block. Call this function if your own code recognises the last event:
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire::{EventsExt, poll_last};
/// use futures_util::{StreamExt, stream};
/// use std::{convert::Infallible, pin::Pin};
///
/// let body = stream::iter([Ok::<_, Infallible>("data: Hello\n\nevent: done\ndata\n\n")]);
/// let mut events = body.events();
/// while let Some(event) = events.next().await {
///     if event?.event_type() == "done" {
///         poll_last(Pin::new(&mut events));
///         break;
///     }
/// }
/// # Ok::<(), eventwire::Error<Infallible>>(())
/// # }).unwrap().unwrap();
/// ```
///
/// Every body that is polled within this poll is told. So if several are read through one stream, such as a `select`,
/// all of them are: call it for the stream of the one body that is complete.
///
/// It never waits. An item that is ready is lost, so do not read on from the stream. A client that reconnects does not
/// do so in this poll.
///
/// [`EventSource`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html
/// [`with_end`]: https://docs.rs/eventwire-client/latest/eventwire_client/struct.EventSource.html#method.with_end
pub fn poll_last<S: Stream + ?Sized>(stream: Pin<&mut S>) {
    #[cfg(feature = "std")]
    let _reset = Reset(IS_LAST.replace(true));
    // Nobody waits for more, so nobody is woken.
    let _ = stream.poll_next(&mut Context::from_waker(Waker::noop()));
}

/// Returns whether the current poll is the last one, made by [`poll_last`]: the answer is complete, and its reader
/// needs no more of it. Call it in the `poll_next` of a body.
///
/// This is for a body that does not cancel the response if it is dropped after a last poll. Its reader may still go on
/// after that poll, so only the latest poll counts.
///
/// ```
/// use eventwire::{EventsExt, is_last_poll, poll_last};
/// use futures_util::stream;
/// use std::{convert::Infallible, pin::pin, task::Poll};
///
/// let mut is_complete = false;
/// {
///     let body = stream::poll_fn(|_| {
///         is_complete = is_last_poll();
///         Poll::<Option<Result<&str, Infallible>>>::Pending
///     });
///     poll_last(pin!(body.events()));
/// }
/// assert!(is_complete);
/// ```
#[cfg(feature = "std")]
#[must_use]
pub fn is_last_poll() -> bool {
    IS_LAST.get()
}

/// Ends a last poll, also if it panics. Contains the value from before.
#[cfg(feature = "std")]
struct Reset(bool);

#[cfg(feature = "std")]
impl Drop for Reset {
    fn drop(&mut self) {
        IS_LAST.set(self.0);
    }
}
