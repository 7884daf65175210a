//! How often a client allocates, and how much memory it uses while its connection is idle.

use crate::counting_allocator::{live, measure};
use bytes::Bytes;
use eventwire::{Events, TokioTimer};
use eventwire_client::{Connector, EventSource, Item, connector_fn};
use futures_util::{FutureExt, Stream, StreamExt, stream};
use http::Response;
use std::{
    convert::Infallible,
    future, mem,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

type Chunk = Result<Bytes, Infallible>;

fn source<S: Stream<Item = Chunk>>(mut body: impl FnMut() -> S) -> EventSource<impl Connector, TokioTimer> {
    let connector = connector_fn(move |_| {
        let response = Response::builder().header("content-type", "text/event-stream");
        future::ready(Ok::<_, Infallible>(response.body(body()).unwrap()))
    });
    EventSource::with_connector(connector, TokioTimer)
}

/// Returns events of every kind in chunks of this size: changing types, IDs, data of several lines, comments.
fn chunks(size: usize) -> Vec<Bytes> {
    let mut stream = String::new();
    for number in 0..500 {
        stream += &format!("id: {number}\nevent: {}\ndata: {number}\n", ["a", "b", "message"][number % 3]);
        stream += ["\n", "data: more\n\n", ": comment\n\n"][number % 3];
    }
    stream.as_bytes().chunks(size).map(Bytes::copy_from_slice).collect()
}

#[tokio::test]
async fn no_more_allocations_than_the_stream_of_events() {
    for size in [7, 64, 1460, usize::MAX] {
        let chunks = chunks(size);
        let body = || stream::iter(chunks.clone().into_iter().map(Chunk::Ok)).chain(stream::pending());

        let mut plain = Events::new(body());
        let (count, of_the_stream) = measure(|| {
            let mut count = 0;
            while let Some(Some(event)) = plain.next().now_or_never() {
                count += usize::from(event.is_ok());
            }
            count
        });
        assert_eq!(count, 500);

        for timeout in [Duration::ZERO, Duration::from_secs(60)] {
            let mut source = source(body).with_idle_timeout(timeout).with_progress_timeout(timeout);
            assert!(matches!(source.next().now_or_never(), Some(Some(Item::Open(_)))));
            let (count, of_the_source) = measure(|| {
                let mut count = 0;
                while let Some(Some(item)) = source.next().now_or_never() {
                    count += usize::from(matches!(item, Item::Event(_)));
                }
                count
            });
            assert_eq!(count, 500);
            // At the end, when it has to wait: a waker for each of the two sleeps.
            let wakers = if timeout.is_zero() { 0 } else { 2 };
            assert_eq!(of_the_source.allocations, of_the_stream.allocations + wakers, "chunks of {size}, {timeout:?}");
        }
    }
}

/// A body that uses almost no memory: one event, then nothing.
enum Body {
    Event,
    Nothing,
}

impl Stream for Body {
    type Item = Chunk;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Chunk>> {
        match mem::replace(&mut *self, Body::Nothing) {
            Body::Event => Poll::Ready(Some(Ok(Bytes::from_static(b"id: 1\nevent: tick\ndata: a\n\n")))),
            Body::Nothing => Poll::Pending,
        }
    }
}

#[tokio::test]
async fn a_silent_client_is_small() {
    let connector = connector_fn(|_| {
        let response = Response::builder().header("content-type", "text/event-stream").body(Body::Event).unwrap();
        future::ready(Ok::<_, Infallible>(response)).boxed()
    });
    for timeout in [Duration::ZERO, Duration::from_secs(60)] {
        let before = live();
        let mut source = EventSource::with_connector(connector, TokioTimer);
        source = source.with_idle_timeout(timeout).with_progress_timeout(timeout);
        assert!(matches!(source.next().await, Some(Item::Open(_))));
        assert!(matches!(source.next().await, Some(Item::Event(_))));
        assert!(source.next().now_or_never().is_none());
        let (itself, heap) = (size_of_val(&source), live() - before);
        eprintln!("a silent client with timeouts of {timeout:?}: {itself} bytes, and {heap} on the heap");
        assert!(itself + heap <= 1300, "{itself} + {heap}");
    }
}
