//! The method `next` of each stream, which needs no other crate. No trait with such a method is in scope here.

use eventwire::{Dialect, Error, Event, Events, EventsExt, TokioTimer, adapters::Next};
use eventwire_client::{EventSource, connector_fn, open_chunks};
use eventwire_multipart::{Boundary, Collected, PartDecoder};
use futures_util::{
    Stream,
    future::{FusedFuture, FutureExt},
    stream::{self, FusedStream},
};
use http::Response;
use std::{
    convert::Infallible,
    fmt, future,
    pin::{Pin, pin},
    time::Duration,
};

type Chunk = Result<&'static str, Infallible>;

const BODY: &str = "data: 1\n\ndata: 2\n\n";

fn body(text: &'static str) -> impl Stream<Item = Chunk> + Unpin {
    stream::iter([Ok(text)])
}

fn response() -> Response<()> {
    Response::builder().header("content-type", "text/event-stream").body(()).unwrap()
}

fn data<E: fmt::Debug>(item: Option<Result<Event, Error<E>>>) -> String {
    item.unwrap().unwrap().data().to_owned()
}

/// Each stream returns all of its items, and then `None` again and again.
#[tokio::test]
async fn every_stream_has_it() {
    macro_rules! check {
        ($stream:expr, $count:literal) => {{
            let mut stream = $stream;
            for _ in 0..$count {
                assert!(stream.next().await.is_some());
            }
            assert!(stream.next().await.is_none());
            assert!(stream.is_terminated());
        }};
    }
    let minute = Duration::from_secs(60);
    check!(body(BODY).events(), 2);
    check!(body(BODY).events().with_idle_timeout(minute, TokioTimer), 2);
    check!(body(BODY).events().with_progress_timeout(minute, minute, TokioTimer, |_| true), 2);
    check!(body(BODY).events().blocks(), 2);
    check!(body(BODY).events().json::<u8>(), 2);
    check!(body(BODY).events().with_dialect(Dialect::new()), 2);
    check!(body("1\n2\n").json_lines::<u8>(), 2);
    check!(eventwire::Timeout::new(body(BODY), minute, TokioTimer), 1);
    check!(open_chunks(response().into_parts().0, body(BODY), TokioTimer).await.unwrap(), 2);
    let source = || {
        EventSource::with_connector(
            connector_fn(async |_| Ok::<_, Infallible>(response().map(|()| body(BODY)))),
            TokioTimer,
        )
        .with_end(|event| event.data() == "2")
    };
    // `Open`, and two events.
    check!(source(), 3);
    check!(source().events(), 2);
    check!(source().events().json_with::<u8>(Dialect::new()), 2);
    let parts = || Collected::new(body("--b\r\n\r\n1\r\n--b--"), PartDecoder::new(Boundary::new("b").unwrap()));
    check!(parts(), 1);
    check!(parts().json::<u8>(), 1);
}

#[tokio::test]
async fn it_is_a_branch_of_both_selects() {
    let mut events = body(BODY).events();
    tokio::select! {
        event = events.next() => assert_eq!(data(event), "1"),
        () = future::pending() => unreachable!(),
    }
    // A named future, over several rounds; and the branch is left out when the stream has ended.
    let mut found = Vec::new();
    loop {
        futures_util::select! {
            event = events.next() => found.extend(event.map(|event| data(Some(event)))),
            complete => break,
        }
    }
    assert_eq!(found, ["2"]);
}

/// An item that arrives after the future was dropped is not lost.
#[tokio::test]
async fn a_dropped_future_loses_nothing() {
    let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel::<Chunk>();
    let mut events = stream::poll_fn(|context| receiver.poll_recv(context)).events();
    assert!(events.next().now_or_never().is_none());
    sender.send(Ok("data: 1\n")).unwrap();
    assert!(events.next().now_or_never().is_none());
    sender.send(Ok("\ndata: 2\n\n")).unwrap();
    assert_eq!(data(events.next().await), "1");
    assert_eq!(data(events.next().await), "2");
}

#[test]
fn it_is_fused_and_unpin() {
    let mut events = body(BODY).events();
    let mut next = events.next();
    fn is_unpin(_: &mut (impl FusedFuture + Unpin)) {}
    is_unpin(&mut next);
    assert!(!next.is_terminated());
    assert_eq!(data((&mut next).now_or_never().unwrap()), "1");
    assert!(next.is_terminated());
    assert!((&mut next).now_or_never().is_none(), "a future returns its output once");
    while events.next().now_or_never().unwrap().is_some() {}
    assert!(events.next().is_terminated(), "the stream has ended");
}

#[test]
fn it_works_through_a_pin_and_in_a_function() {
    let mut events = pin!(body(BODY).events());
    assert_eq!(data(events.next().now_or_never().unwrap()), "1");
    let pinned: Pin<&mut _> = events.as_mut();
    async fn second<S>(events: &mut Events<S>) -> String
    where
        S: Stream<Item = Chunk> + Unpin,
    {
        data(events.next().await)
    }
    assert_eq!(second(pinned.get_mut()).now_or_never().unwrap(), "2");
    fn named<S: Stream<Item = Chunk> + Unpin>(events: &mut Events<S>) -> Next<'_, Events<S>> {
        events.next()
    }
    assert!(named(&mut events).now_or_never().unwrap().is_none());
}

/// Over an iterator, `next` is that of the iterator, also in a function that is generic over it.
#[test]
fn an_iterator_keeps_its_own() {
    fn first(mut events: Events<impl Iterator<Item = Chunk>>) -> String {
        data(events.next())
    }
    assert_eq!(first(Events::new([Ok(BODY)].into_iter())), "1");
    let mut values = Events::new([Chunk::Ok(BODY)].into_iter()).json::<u8>();
    assert_eq!(values.next().unwrap().unwrap(), 1);
    assert!(Events::new([Chunk::Ok(BODY)].into_iter()).blocks().next().unwrap().is_ok());
}

mod with_stream_ext {
    use super::{BODY, Chunk, EventsExt, body, data};
    use futures_util::{FutureExt, StreamExt, stream};
    use std::pin::pin;

    #[test]
    fn nothing_is_ambiguous() {
        let mut events = body(BODY).events();
        assert_eq!(data(events.next().now_or_never().unwrap()), "1");
        assert_eq!(data(events.next().now_or_never().unwrap()), "2");
        // A stream that is not `Unpin` is pinned, and then the method is that of `StreamExt`.
        let mut pinned = pin!(stream::once(async { Chunk::Ok(BODY) }).events());
        assert_eq!(data(pinned.next().now_or_never().unwrap()), "1");
        let mut boxed = Box::pin(stream::once(async { Chunk::Ok(BODY) }).events());
        assert_eq!(data(boxed.next().now_or_never().unwrap()), "1");
    }
}
