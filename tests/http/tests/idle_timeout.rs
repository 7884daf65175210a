//! `with_idle_timeout` without the client, with tokio's clock and over a socket.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "client/server.rs"]
#[allow(dead_code, unused_imports, unused_macros, reason = "other tests use the rest")]
mod server;

use eventwire::{Error, Event, EventBody, Events, EventsExt, JsonError, Timer, TokioTimer};
use futures_util::{FutureExt, Stream, StreamExt, stream};
use server::{Answer, Server, Step};
use std::{convert::Infallible, error::Error as _, future, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
    task::JoinHandle,
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

#[tokio::test(start_paused = true)]
async fn a_silence_from_the_start() {
    let mut events = chunks(&[]).events().with_idle_timeout(30 * SECOND, TokioTimer);
    is_idle(next(&mut events).await, 30 * SECOND, 30 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn without_a_duration_silence_is_no_error() {
    let mut events = chunks(&[]).events().with_idle_timeout(Duration::ZERO, TokioTimer);
    assert!(timeout(HOUR, events.next()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_busy_consumer_is_not_silence() {
    let body = chunks(&[(0, "data: a\n\n"), (29, "data: b\n\n")]);
    let mut events = body.events().with_idle_timeout(30 * SECOND, TokioTimer);
    sleep(HOUR).await;
    is_event(next(&mut events).await, "a", Duration::ZERO);
    sleep(HOUR).await;
    // The body's own pause begins only now, when it is polled.
    is_event(next(&mut events).await, "b", 29 * SECOND);
    sleep(HOUR).await;
    is_idle(next(&mut events).await, 30 * SECOND, 30 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_consumer_that_stops_polling_and_returns() {
    let mut events = chunks(&[]).events().with_idle_timeout(40 * SECOND, TokioTimer);
    assert!(timeout(SECOND, events.next()).await.is_err());
    sleep(HOUR).await;
    // Without polls, at most a quarter of the timeout is counted, for any length of time.
    is_idle(next(&mut events).await, 40 * SECOND, 30 * SECOND);
}

/// As `select!` does with the branches that it drops.
#[tokio::test(start_paused = true)]
async fn a_next_that_is_dropped_every_second_is_one_silence() {
    let mut events = chunks(&[]).events().with_idle_timeout(40 * SECOND, TokioTimer);
    let begun = Instant::now();
    let item = loop {
        if let Ok(item) = timeout(SECOND, events.next()).await {
            break item;
        }
    };
    is_idle((item.unwrap(), begun.elapsed()), 40 * SECOND, 40 * SECOND);
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

/// The source, and the sleep, are pending only because the task has used up tokio's budget.
#[tokio::test(start_paused = true)]
async fn a_flood_and_then_silence() {
    let flood = stream::unfold(0, async |count| {
        if count == 1000 {
            future::pending::<()>().await;
        }
        tokio::task::coop::consume_budget().await;
        Some((Ok::<_, Infallible>(if count == 999 { "data: 1\n\n" } else { ": c\n" }), count + 1))
    });
    let mut events = flood.boxed_local().events().with_idle_timeout(30 * SECOND, TokioTimer);
    is_event(next(&mut events).await, "1", Duration::ZERO);
    is_idle(next(&mut events).await, 30 * SECOND, 30 * SECOND);
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

#[tokio::test]
async fn an_error_of_the_connection_is_passed_on() {
    // Fewer bytes than in the Content-Length.
    const CUT_OFF: Answer = &[Step::Send(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ndata: 1\n\n")];
    let server = Server::start(&[CUT_OFF]).await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let response = client.get(server.url()).send().await.unwrap();
    let mut events = response.bytes_stream().events().with_idle_timeout(HOUR, TokioTimer);
    assert_eq!(events.next().await.unwrap().unwrap().data(), "1");
    match events.next().await {
        Some(Err(Error::Transport(error))) => assert!(error.is_body() || error.is_decode()),
        other => panic!("{other:?}"),
    }
}
