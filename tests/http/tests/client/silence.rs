//! Silence, how long it may last, and what does not count as silence.

use crate::fake::{
    Answer::{self, Late, Refusal, Silence, Stream},
    Failure, Fake,
    Step::{self, Chunk, Hang, Silence as Pause},
    source,
};
use eventwire::{Decoder, TokioTimer};
use eventwire_client::{ConnectionError, EventSource, Item, connector_fn};
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

#[track_caller]
fn is_eventless(item: (Item<Failure>, Duration), after: Duration) {
    match item {
        (Item::Reconnecting { error: ConnectionError::EventTimeout(timeout), .. }, time) => {
            assert_eq!((timeout, time), (30 * SECOND, after));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_timeout_silence_is_no_error() {
    let mut source = source(&[Stream(&[Chunk("data: a\n\n"), Pause(1_000_000), Chunk("data: b\n\n"), Hang])]);
    is_open(next(&mut source).await);
    is_event(next(&mut source).await, "a", Duration::ZERO);
    is_event(next(&mut source).await, "b", 1_000_000 * SECOND);
    assert!(timeout(1_000_000 * SECOND, source.next()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn no_byte_before_the_timeout() {
    const ANSWERS: &[Answer] =
        &[Stream(&[Chunk("data: a\n\n"), Pause(29), Chunk(": c\n"), Pause(29), Chunk("da"), Hang])];
    let mut source = source(ANSWERS).with_idle_timeout(30 * SECOND);
    is_open(next(&mut source).await);
    is_event(next(&mut source).await, "a", Duration::ZERO);
    // Any byte restarts the timeout.
    is_idle(next(&mut source).await, (29 + 29 + 30) * SECOND);
}

#[tokio::test(start_paused = true)]
async fn no_response_before_the_timeout() {
    let mut source = source(&[Silence]).with_idle_timeout(30 * SECOND);
    match next(&mut source).await {
        (Item::Reconnecting { error: error @ ConnectionError::ResponseTimeout(_), .. }, time) => {
            assert_eq!((error.to_string().as_str(), time), ("no response received for 30s", 30 * SECOND));
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_restarts_the_timeout() {
    let mut source = source(&[Late(29, &Stream(&[Hang]))]).with_idle_timeout(30 * SECOND);
    let (item, time) = next(&mut source).await;
    assert!(matches!((item, time.as_secs()), (Item::Open(_), 29)));
    is_idle(next(&mut source).await, 30 * SECOND);

    // The timeout also restarts with the head of a refusal.
    let mut refused = self::source(&[Late(29, &Refusal(503, &[], &[Hang]))]).with_idle_timeout(30 * SECOND);
    assert!(matches!(next(&mut refused).await, (Item::Reconnecting { .. }, time) if time == (29 + 5) * SECOND));
}

#[tokio::test(start_paused = true)]
async fn no_event_before_the_timeout() {
    const ANSWERS: &[Answer] = &[Stream(&[
        Pause(29),
        Chunk("data: a\n\n"),
        Pause(29),
        Chunk(": c\n\nevent: ping\n\n"),
        Pause(29),
        Chunk(": c\n\n"),
        Hang,
    ])];
    let mut source = source(ANSWERS).with_event_timeout(30 * SECOND);
    is_open(next(&mut source).await);
    is_event(next(&mut source).await, "a", 29 * SECOND);
    is_eventless(next(&mut source).await, 30 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_too_large_is_not_silence() {
    const ANSWERS: &[Answer] = &[Stream(&[Pause(29), Chunk("data: 12345\n\n"), Hang])];
    let decoder = Decoder::new().with_max_event_size(10);
    let mut source = source(ANSWERS).with_decoder(decoder).with_event_timeout(30 * SECOND);
    is_open(next(&mut source).await);
    assert!(matches!(next(&mut source).await, (Item::Undecodable(_), time) if time == 29 * SECOND));
    is_eventless(next(&mut source).await, 30 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn the_wait_for_a_response_is_part_of_the_wait_for_an_event() {
    let mut source = source(&[Silence, Late(20, &Stream(&[Hang]))]).with_event_timeout(30 * SECOND);
    is_eventless(next(&mut source).await, 30 * SECOND);
    is_open(next(&mut source).await);
    is_eventless(next(&mut source).await, 10 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn both_clocks_at_once() {
    const ANSWERS: &[Answer] = &[Stream(&[Chunk(": c\n"), Pause(20), Chunk(": c\n"), Hang]), Stream(&[Hang])];
    let mut source = source(ANSWERS).with_event_timeout(30 * SECOND).with_idle_timeout(30 * SECOND);
    is_open(next(&mut source).await);
    is_eventless(next(&mut source).await, 30 * SECOND);
    is_open(next(&mut source).await);
    is_idle(next(&mut source).await, 30 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_timeout_of_zero_is_no_timeout() {
    let mut source = source(&[Stream(&[Hang])]).with_event_timeout(Duration::ZERO).with_idle_timeout(Duration::ZERO);
    is_open(next(&mut source).await);
    assert!(timeout(HOUR, source.next()).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_busy_consumer_is_not_silence() {
    const ANSWERS: &[Answer] = &[Stream(&[Chunk("data: a\n\n"), Pause(29), Chunk("data: b\n\n"), Hang])];
    let mut source = source(ANSWERS).with_event_timeout(30 * SECOND).with_idle_timeout(30 * SECOND);
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
    let mut source = source(ANSWERS).with_event_timeout(40 * SECOND);
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

#[tokio::test(start_paused = true)]
async fn a_refusal_that_never_ends() {
    const ANSWERS: &[Answer] = &[
        Refusal(503, &[("retry-after", "7")], &[Chunk("too "), Pause(1), Chunk("much"), Pause(5), Chunk("!")]),
        Refusal(503, &[("retry-after", "7")], &[Hang]),
    ];
    let mut source = source(ANSWERS);
    let mut waited = Duration::ZERO;
    for (text, after) in [("too much", 5), ("", 5)] {
        match next(&mut source).await {
            (Item::Reconnecting { error: ConnectionError::Refused(refusal), delay, .. }, time) => {
                // `Retry-After`, and up to a quarter more.
                assert!((7 * SECOND..9 * SECOND).contains(&delay), "{delay:?}");
                assert_eq!((&*refusal.text(), (time - waited).as_secs()), (text, after), "{refusal}");
                waited = delay;
            }
            other => panic!("{other:?}"),
        }
    }
}

/// The next attempt has the whole event timeout, whether the body of the refusal is read or not.
#[tokio::test(start_paused = true)]
async fn a_refusal_ends_the_wait_for_an_event() {
    const ANSWERS: &[Answer] = &[Late(29, &Refusal(429, &[], &[Hang])), Late(29, &Stream(&[Hang]))];
    for (limit, after) in [(0, 29), (1, 29 + 5)] {
        let mut source = source(ANSWERS).with_event_timeout(30 * SECOND).with_max_refusal_body(limit);
        match next(&mut source).await {
            (Item::Reconnecting { error: ConnectionError::Refused(refusal), .. }, time) => {
                assert_eq!((refusal.is_complete(), time), (false, after * SECOND));
            }
            other => panic!("{other:?}"),
        }
        is_open(next(&mut source).await);
        is_eventless(next(&mut source).await, SECOND);
    }
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
    assert_eq!(source.into_stopped().refusal().unwrap().status(), 401);
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
    let mut source = EventSource::with_connector(connector, no_time).with_event_timeout(SECOND);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    let lost = source.next().await;
    assert!(matches!(lost, Some(Item::Reconnecting { error: ConnectionError::EventTimeout(_), .. })), "{lost:?}");
}

#[tokio::test(start_paused = true)]
async fn an_event_ends_a_flood() {
    let steps = [&[Chunk(": c\n")].repeat(1001)[..], &[Chunk("data: a\n\n"), Hang]].concat();
    let mut source = source(vec![Stream(steps.leak())].leak()).with_event_timeout(30 * SECOND);
    is_open(next(&mut source).await);
    is_event(next(&mut source).await, "a", Duration::ZERO);
    sleep(HOUR).await;
    is_eventless(next(&mut source).await, 30 * SECOND);
}

#[tokio::test]
async fn a_flood_of_nothing_in_a_refusal() {
    let connector = connector_fn(|_| {
        let body = stream::repeat(Ok::<_, Infallible>(""));
        future::ready(Ok::<_, Infallible>(Response::builder().status(404).body(body).unwrap()))
    });
    let mut source = EventSource::with_connector(connector, |_: Duration| future::ready(()));
    assert!(source.next().await.is_none());
    assert_eq!(source.stopped().unwrap().refusal().unwrap().status(), 404);
}

#[tokio::test(start_paused = true)]
async fn a_truncated_refusal() {
    const CUT: &[Step] = &[Chunk("too "), Step::Failure("reset"), Chunk("much"), Hang];
    let mut source = source(&[Refusal(503, &[], CUT)]);
    match next(&mut source).await {
        (Item::Reconnecting { error: ConnectionError::Refused(refusal), .. }, time) => {
            assert_eq!((&*refusal.text(), time), ("too ", Duration::ZERO));
        }
        other => panic!("{other:?}"),
    }
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

#[tokio::test(start_paused = true)]
async fn messages_of_timeouts() {
    let mut idle = source(&[Stream(&[Hang])]).with_idle_timeout(30 * SECOND);
    is_open(next(&mut idle).await);
    let mut eventless = source(&[Stream(&[Hang])]).with_event_timeout(30 * SECOND);
    is_open(next(&mut eventless).await);
    for (source, words) in [(&mut idle, "no data received for 30s"), (&mut eventless, "no progress for 30s")] {
        match source.next().await {
            Some(Item::Reconnecting { error, .. }) => assert_eq!(error.to_string(), words),
            other => panic!("{other:?}"),
        }
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
    assert!(ConnectionError::<Infallible>::EventTimeout(Duration::MAX).to_string().starts_with("no progress for "));
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
    let mut source = EventSource::with_connector(connector, TokioTimer).with_event_timeout(limit);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    let lost = timeout(20 * limit, source.next()).await.expect("an end to it");
    assert!(matches!(lost, Some(Item::Reconnecting { error: ConnectionError::EventTimeout(_), .. })), "{lost:?}");
}
