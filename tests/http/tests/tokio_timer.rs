//! `with_idle_timeout` and keep-alives with tokio's clock, and a timeout over a socket.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use eventwire::{Error, Event, EventBody, Events, EventsExt, JsonError, KeepAlive, Timer, TokioTimer};
use futures_util::{FutureExt, Stream, StreamExt, stream};
use std::{convert::Infallible, error::Error as _, future, pin::pin, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::{JoinHandle, coop},
    time::{Instant, sleep, timeout},
};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(60 * 60);

type Item = Result<Event, Error<Infallible>>;

/// Returns these chunks, each after this many seconds, and then nothing.
fn chunks(script: &'static [(u32, &'static str)]) -> impl Stream<Item = Result<&'static str, Infallible>> + Unpin {
    let chunks = stream::iter(script).then(async |(seconds, chunk)| {
        sleep(*seconds * SECOND).await;
        Ok(*chunk)
    });
    chunks.boxed_local().chain(stream::pending())
}

/// Returns the next item, and how long it took.
async fn next(events: &mut (impl Stream<Item = Item> + Unpin)) -> (Item, Duration) {
    let begun = Instant::now();
    (events.next().await.expect("an item"), begun.elapsed())
}

#[track_caller]
fn is_event((item, time): (Item, Duration), data: &str, after: Duration) {
    assert_eq!((item.unwrap().data(), time), (data, after));
}

#[track_caller]
fn is_idle((item, time): (Item, Duration), duration: Duration, after: Duration) {
    assert_eq!((item, time), (Err(Error::IdleTimeout(duration)), after));
}

#[tokio::test(start_paused = true)]
async fn any_data_restarts_the_timeout() {
    async fn check(timer: impl Timer) {
        let body = chunks(&[(29, "data: a\n\n"), (29, ": c\n"), (29, "da"), (29, "ta: b\n\ndata: c")]);
        let mut events = body.events().with_idle_timeout(30 * SECOND, timer);
        is_event(next(&mut events).await, "a", 29 * SECOND);
        is_event(next(&mut events).await, "b", 3 * 29 * SECOND);
        is_idle(next(&mut events).await, 30 * SECOND, 30 * SECOND);
        assert!(events.next().await.is_none());
    }
    check(TokioTimer).await;
    check(sleep).await;
    check(|duration| sleep(duration).boxed()).await;
}

/// The peer sends a body of this crate, read through `http_body`, with keep-alives that arrive just in time or too
/// late.
#[tokio::test(start_paused = true)]
async fn over_a_body_with_keep_alives() {
    for (interval, is_idle) in [(15_u32, false), (31, true)] {
        let body = EventBody::new(stream::iter([Event::new("1")]).chain(stream::pending()));
        let body = body.with_keep_alive(interval * SECOND, TokioTimer);
        // A server pins its body, which contains tokio's sleep.
        let mut events = Events::from_body(Box::pin(body)).with_idle_timeout(30 * SECOND, TokioTimer);
        assert_eq!(events.next().await.unwrap().unwrap().data(), "1");
        assert_eq!(timeout(HOUR, events.next()).await.is_ok(), is_idle);
    }
}

/// Returns 999 times one item, the last one, and then nothing. At its end, the task has used up tokio's budget, so that
/// polls of a sleep have no effect.
fn flood<I: Clone + 'static>(item: I, last: I) -> impl Stream<Item = I> {
    stream::unfold(0, move |count| {
        let (item, last) = (item.clone(), last.clone());
        async move {
            if count == 1000 {
                future::pending::<()>().await;
            }
            coop::consume_budget().await;
            Some((if count == 999 { last } else { item }, count + 1))
        }
    })
}

#[tokio::test(start_paused = true)]
async fn a_flood_and_then_silence() {
    let chunks = flood(Ok::<_, Infallible>(": c\n"), Ok("data: 1\n\n"));
    let mut events = chunks.boxed_local().events().with_idle_timeout(30 * SECOND, TokioTimer);
    is_event(next(&mut events).await, "1", Duration::ZERO);
    is_idle(next(&mut events).await, 30 * SECOND, 30 * SECOND);

    let mut blocks = pin!(KeepAlive::new(flood(Event::new("0"), Event::new("1")), SECOND, TokioTimer).skip(1000));
    let comment = timeout(HOUR, blocks.next()).await.expect("a comment").unwrap();
    assert_eq!(comment.unwrap().into_bytes(), ": keep-alive\n\n");
}

/// A server that sends the head and the beginning of the body, and then hangs until the client has closed the
/// connection.
async fn hanging(body: &'static str) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let serve = async move {
        let (mut connection, _) = listener.accept().await.unwrap();
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            assert_ne!(connection.read_buf(&mut request).await.unwrap(), 0);
        }
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        connection.write_all([head, body].concat().as_bytes()).await.unwrap();
        assert_eq!(connection.read(&mut [0]).await.unwrap_or(0), 0, "the client closes the connection");
    };
    (url, tokio::spawn(serve))
}

#[tokio::test]
async fn a_server_that_hangs() {
    let limit = Duration::from_millis(200);
    let (url, server) = hanging("data: 1\n\n: c\n\ndata: 2\n\ndata: 3").await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let response = client.get(url).send().await.unwrap();
    let mut values = response.bytes_stream().events().with_idle_timeout(limit, TokioTimer).json::<u8>();
    for expected in [1, 2] {
        assert_eq!(values.next().await.unwrap().unwrap(), expected);
    }
    let begun = Instant::now();
    let error = timeout(60 * SECOND, values.next()).await.expect("a timeout").unwrap().unwrap_err();
    assert!(begun.elapsed() >= limit);
    assert!(matches!(&error, JsonError::Stream(Error::IdleTimeout(time)) if *time == limit));
    assert_eq!((&*error.to_string(), error.source().is_none()), ("no data received for 200ms", true));
    assert!(values.next().await.is_none());
    drop(values);
    timeout(60 * SECOND, server).await.expect("the end of the connection").unwrap();
}
