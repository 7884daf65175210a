//! How chunks are handed in and events looked at: the same for whoever decodes them.

use std::{
    convert::Infallible,
    hint::black_box,
    pin::pin,
    task::{Context, Poll, Waker},
};

use bytes::Bytes;
use futures_util::stream::{self, Stream};

/// Looks at all that a reader of an event would look at, so that no decoder is spared the work.
pub(crate) fn look(event_type: &str, data: &str, id: &str) {
    black_box((event_type, data, id));
}

/// The chunks as a client's body would hand them out; each is a count of references, no copy.
pub(crate) fn iterator(chunks: &[Bytes]) -> impl Iterator<Item = Result<Bytes, Infallible>> {
    chunks.iter().cloned().map(Ok)
}

/// The same as a stream that is always ready.
pub(crate) fn stream(chunks: &[Bytes]) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::iter(iterator(chunks))
}

/// Polls `stream` to its end without an executor and hands on every item, or stops at the first error.
pub(crate) fn poll_each<S: Stream>(
    stream: S,
    mut each: impl FnMut(S::Item) -> Result<(), String>,
) -> Result<(), String> {
    let mut stream = pin!(stream);
    let mut context = Context::from_waker(Waker::noop());
    loop {
        match stream.as_mut().poll_next(&mut context) {
            Poll::Ready(Some(item)) => each(item)?,
            Poll::Ready(None) => return Ok(()),
            Poll::Pending => return Err(String::from("pending, though all chunks are at hand")),
        }
    }
}

/// An error, said in the one way that all decoders' errors have in common.
pub(crate) fn debug(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}
