//! Silence of the consumer, floods, and what a timeout prints. How long a server may be silent: `simulated.rs`.

use crate::fake::{
    Answer::{self, Refusal, Stream},
    Failure, Fake,
    Step::{Chunk, Hang, Silence as Pause},
    source,
};
use eventwire::{Event, TokioTimer};
use eventwire_client::{ConnectionError, EventSource, Hooks, Item, connector_fn};
use futures_util::{FutureExt, StreamExt, stream};
use http::Response;
use std::{convert::Infallible, future, time::Duration};
use tokio::time::{Instant, sleep, timeout};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(60 * 60);

/// Returns the next item, and how long it took.
async fn next(source: &mut EventSource<Fake, TokioTimer>) -> (Item<Failure>, Duration) {
    let begun = Instant::now();
    (source.next().await.unwrap(), begun.elapsed())
}

#[track_caller]
fn is_event(item: (Item<Failure>, Duration), data: &str, after: Duration) {
    match item {
        (Item::Event(event), time) => assert_eq!((event.data(), time), (data, after)),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn is_open(item: (Item<Failure>, Duration)) {
    assert!(matches!(item.0, Item::Open(_)), "{item:?}");
}

#[track_caller]
fn is_idle(item: (Item<Failure>, Duration), after: Duration) {
    match item {
        (Item::Reconnecting { error: ConnectionError::IdleTimeout(timeout), .. }, time) => {
            assert_eq!((timeout, time), (30 * SECOND, after));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_busy_consumer_is_not_silence() {
    const ANSWERS: &[Answer] = &[Stream(&[Chunk("data: a\n\n"), Pause(29), Chunk("data: b\n\n"), Hang])];
    let mut source = source(ANSWERS).with_progress_timeout(30 * SECOND).with_idle_timeout(30 * SECOND);
    is_open(next(&mut source).await);
    sleep(HOUR).await;
    is_event(next(&mut source).await, "a", Duration::ZERO);
    sleep(HOUR).await;
    // The body's own pause begins only now, when it is polled.
    is_event(next(&mut source).await, "b", 29 * SECOND);
    is_idle(next(&mut source).await, 30 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_consumer_that_stops_polling_and_returns() {
    const ANSWERS: &[Answer] = &[Stream(&[Hang])];
    let mut source = source(ANSWERS).with_progress_timeout(40 * SECOND);
    is_open(next(&mut source).await);
    assert!(timeout(SECOND, source.next()).await.is_err());
    sleep(HOUR).await;
    // Without polls, at most a quarter of the timeout is counted, for any length of time.
    let begun = Instant::now();
    assert!(matches!(source.next().await, Some(Item::Reconnecting { .. })));
    assert_eq!(begun.elapsed(), 30 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn four_absences_in_one_silence_are_as_much_as_the_timeout() {
    const ANSWERS: &[Answer] = &[Stream(&[Hang])];
    let mut source = source(ANSWERS).with_idle_timeout(40 * SECOND);
    is_open(next(&mut source).await);
    for _ in 0..4 {
        assert!(timeout(SECOND, source.next()).await.is_err());
        sleep(HOUR).await;
    }
    assert!(matches!(source.next().now_or_never(), Some(Some(Item::Reconnecting { .. }))));
}

/// It always has another chunk, but the chunks are empty.
#[tokio::test]
async fn a_refusal_that_is_a_flood() {
    let connector = connector_fn(|_| {
        let body = stream::repeat(Ok::<_, Infallible>(""));
        future::ready(Ok::<_, Infallible>(Response::builder().status(401).body(body).unwrap()))
    });
    let mut source = EventSource::with_connector(connector, TokioTimer);
    assert!(source.next().now_or_never().is_none());
    let mut source = EventSource::with_connector(connector, |_: Duration| sleep(Duration::from_millis(1)));
    assert!(source.next().await.is_none());
    assert_eq!(source.into_stopped().response().unwrap().status(), 401);
}

/// The body always has another chunk, and none of them contains an event.
#[tokio::test(start_paused = true)]
async fn a_flood_without_an_event() {
    let connector = connector_fn(|_| {
        let body = stream::repeat(Ok::<_, Infallible>(": comment\n"));
        let response = Response::builder().header("content-type", "text/event-stream").body(body).unwrap();
        future::ready(Ok::<_, Infallible>(response))
    });
    let mut source = EventSource::with_connector(connector, TokioTimer);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    // It yields, so that other tasks can run.
    assert!(source.next().now_or_never().is_none());

    let no_time = |_: Duration| future::ready(());
    let mut source = EventSource::with_connector(connector, no_time).with_progress_timeout(SECOND);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    let lost = source.next().await;
    assert!(matches!(lost, Some(Item::Reconnecting { error: ConnectionError::ProgressTimeout(_), .. })), "{lost:?}");
}

#[tokio::test]
async fn a_flood_of_nothing_in_a_refusal() {
    let connector = connector_fn(|_| {
        let body = stream::repeat(Ok::<_, Infallible>(""));
        future::ready(Ok::<_, Infallible>(Response::builder().status(404).body(body).unwrap()))
    });
    let mut source = EventSource::with_connector(connector, |_: Duration| future::ready(()));
    assert!(source.next().await.is_none());
    assert_eq!(source.stopped().unwrap().response().unwrap().status(), 404);
}

#[tokio::test(start_paused = true)]
async fn a_delay_passes_without_polls() {
    let mut source = source(&[Refusal(503, &[("retry-after", "7")], &[]), Stream(&[Hang])]);
    assert!(matches!(next(&mut source).await, (Item::Reconnecting { .. }, Duration::ZERO)));
    sleep(5 * SECOND).await;
    match next(&mut source).await {
        // What is left of 7 seconds and up to a quarter more.
        (Item::Open(_), time) => assert!((2 * SECOND..4 * SECOND).contains(&time), "{time:?}"),
        other => panic!("{other:?}"),
    }
}

/// Fractions of a millisecond are not printed, because nobody sets them.
#[test]
fn timeouts_are_printed_rounded() {
    for (nanos, words) in [
        (1_234_567_890, "1.235s"),
        (1_999_999_999, "2s"),
        (30_000_000_000, "30s"),
        (250_000_000, "250ms"),
        (1_500_000_000, "1.500s"),
        (61_005_000_000, "61.005s"),
        (999_999_999, "1s"),
        (900_000, "1ms"),
        (499_999, "0ms"),
    ] {
        let error = ConnectionError::<Infallible>::IdleTimeout(Duration::from_nanos(nanos));
        assert_eq!(error.to_string(), format!("no data received for {words}"));
    }
    assert!(ConnectionError::<Infallible>::ProgressTimeout(Duration::MAX).to_string().starts_with("no progress for "));
}

/// A body that always has another chunk uses up the budget that tokio gives a task. Polls of the timers use a part of
/// it.
#[tokio::test]
async fn a_flood_that_uses_up_the_budget_of_the_task() {
    let connector = connector_fn(|_| {
        let body = stream::unfold((), async |()| {
            tokio::task::coop::consume_budget().await;
            Some((Ok::<_, Infallible>(": comment\n"), ()))
        });
        let response = Response::builder().header("content-type", "text/event-stream").body(body.boxed()).unwrap();
        future::ready(Ok::<_, Infallible>(response))
    });
    let limit = Duration::from_millis(100);
    let mut source = EventSource::with_connector(connector, TokioTimer).with_progress_timeout(limit);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    let lost = timeout(20 * limit, source.next()).await.expect("an end to it");
    assert!(matches!(lost, Some(Item::Reconnecting { error: ConnectionError::ProgressTimeout(_), .. })), "{lost:?}");
}

/// The timeout has passed when it is turned off, but the connection has not been dropped yet.
#[tokio::test(start_paused = true)]
async fn a_timeout_that_is_turned_off_drops_no_connection() {
    const PINGS: &str = "event: ping\ndata: p\n\nevent: ping\ndata: q\n\n";
    const ANSWERS: &[Answer] = &[Stream(&[Pause(29), Chunk(PINGS), Pause(5), Chunk("data: a\n\n")])];
    let mut source = source(ANSWERS).with_hooks(NoProgress).with_progress_timeout(30 * SECOND);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "p"));
    tokio::time::sleep(10 * SECOND).await;
    assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "q"));
    source = source.with_progress_timeout(Duration::ZERO);
    assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "a"));
}

struct NoProgress;

impl<E> Hooks<E> for NoProgress {
    fn is_progress(&mut self, _: &Event) -> bool {
        false
    }
}
