//! `with_idle_timeout` and keep-alives with tokio's clock.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use eventwire::{Error, Event, EventsExt, KeepAlive, Timer, TokioTimer};
use futures_util::{FutureExt, Stream, StreamExt, stream};
use std::{convert::Infallible, future, pin::pin, time::Duration};
use tokio::{
    task::coop,
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
