//! Bodies that always have another chunk, and never end.

use crate::fake::Failure;
use eventwire::{Event, Timer, TokioTimer};
use eventwire_client::{ConnectionError, Connector, EventSource, Hooks, Item, connector_fn};
use futures_util::{FutureExt, StreamExt, stream};
use http::Response;
use std::{future, time::Duration};
use tokio::time::{Instant, advance, sleep, timeout};

const SECOND: Duration = Duration::from_secs(1);

/// Answers with this status and this chunk, again and again.
fn flood<T: Timer>(status: u16, chunk: &'static str, timer: T) -> EventSource<impl Connector<Error = Failure>, T> {
    let connector = connector_fn(move |_| {
        let response = Response::builder().status(status).header("content-type", "text/event-stream");
        future::ready(Ok::<_, Failure>(response.body(stream::repeat(Ok::<_, Failure>(chunk))).unwrap()))
    });
    EventSource::with_connector(connector, timer)
}

fn no_time(_: Duration) -> future::Ready<()> {
    future::ready(())
}

/// Nothing is progress.
struct NoProgress;

impl<E> Hooks<E> for NoProgress {
    fn is_progress(&mut self, _: &Event) -> bool {
        false
    }
}

/// So that other tasks can run.
#[tokio::test(start_paused = true)]
async fn a_flood_yields() {
    let mut comments = flood(200, ": comment\n", TokioTimer);
    assert!(matches!(comments.next().await, Some(Item::Open(_))));
    assert!(comments.next().now_or_never().is_none());
    let mut refusal = flood(401, "", TokioTimer);
    assert!(refusal.next().now_or_never().is_none());
    // Here, each comment is an item, which the stream of events skips.
    let mut events = flood(200, ": comment\n", TokioTimer).with_blocks().events();
    assert!(events.next().now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_flood_without_progress_is_lost() {
    for chunk in [": comment\n", "event: ping\ndata\n\n"] {
        let mut source = flood(200, chunk, no_time).with_hooks(NoProgress).with_progress_timeout(SECOND);
        let items: Vec<_> = source.by_ref().take(10).collect().await;
        let is_lost = |item: &Item<Failure>| {
            matches!(item, Item::Reconnecting { error: ConnectionError::ProgressTimeout(_), .. })
        };
        assert!(items.iter().any(is_lost), "{items:?}");
    }
}

/// The time passes between the calls.
#[tokio::test(start_paused = true)]
async fn a_flood_of_comments_is_lost_when_each_is_an_item() {
    let mut source = flood(200, ": flood\n\n: flood\n\n", TokioTimer).with_progress_timeout(30 * SECOND).with_blocks();
    let begun = Instant::now();
    let mut comments = 0;
    loop {
        match source.next().await.unwrap() {
            Item::Reconnecting { error: ConnectionError::ProgressTimeout(_), .. } => break,
            Item::Comment(_) => comments += 1,
            Item::Open(_) => {}
            other => panic!("{other:?}"),
        }
        advance(SECOND).await;
        assert!(begun.elapsed() < 60 * SECOND);
    }
    assert!(comments > 20, "{comments}");
}

/// The chunks of the refusal are empty.
#[tokio::test]
async fn a_refusal_that_is_a_flood_is_left_after_its_time() {
    async fn check<T: Timer>(mut source: EventSource<impl Connector<Error = Failure>, T>) {
        assert!(source.next().await.is_none());
        assert_eq!(source.into_stopped().response().unwrap().status(), 401);
    }
    check(flood(401, "", no_time)).await;
    check(flood(401, "", |_: Duration| sleep(Duration::from_millis(1)))).await;
}

/// tokio gives a task a budget, and polls of the timers use a part of it.
#[tokio::test]
async fn a_flood_that_uses_up_the_budget_of_the_task() {
    let connector = connector_fn(|_| {
        let body = stream::unfold((), async |()| {
            tokio::task::coop::consume_budget().await;
            Some((Ok::<_, Failure>(": comment\n"), ()))
        });
        let response = Response::builder().header("content-type", "text/event-stream").body(body.boxed()).unwrap();
        future::ready(Ok::<_, Failure>(response))
    });
    let limit = Duration::from_millis(100);
    let mut source = EventSource::with_connector(connector, TokioTimer).with_progress_timeout(limit);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    let lost = timeout(20 * limit, source.next()).await.expect("an end to it");
    assert!(matches!(lost, Some(Item::Reconnecting { error: ConnectionError::ProgressTimeout(_), .. })), "{lost:?}");
}
