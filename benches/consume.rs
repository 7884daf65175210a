//! How the benchmarks supply chunks and read events. All decoders use the same code.

use std::{
    convert::Infallible,
    hint::black_box,
    pin::pin,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use futures_util::stream::{self, Stream};

/// Reads all fields that a user of an event would read, so that no decoder can skip the work.
pub fn look(event_type: &str, data: &str, id: &str) {
    black_box((event_type, data, id));
}

/// The chunks as from a client's body. Each is a new reference to the same memory, not a copy.
pub fn iterator(chunks: &[Bytes]) -> impl Iterator<Item = Result<Bytes, Infallible>> {
    chunks.iter().cloned().map(Ok)
}

/// The same as a stream that is always ready.
pub fn stream(chunks: &[Bytes]) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::iter(iterator(chunks))
}

/// Polls `stream` to its end without an executor and passes every item to `each`. Stops at the first error.
pub fn poll_each<S: Stream>(stream: S, mut each: impl FnMut(S::Item) -> Result<(), String>) -> Result<(), String> {
    let mut stream = pin!(stream);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match stream.as_mut().poll_next(&mut context) {
            Poll::Ready(Some(item)) => each(item)?,
            Poll::Ready(None) => return Ok(()),
            // After many chunks without an event, a poll ends and wakes its task.
            Poll::Pending => {}
        }
    }
}

/// Formats an error by `Debug`, the one trait that all decoders' errors implement.
pub fn debug(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}
