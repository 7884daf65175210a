//! `Handle`: a delay that ends early.

use crate::{
    fake::{
        Answer::{self, Late, Refusal, Silence, Stream},
        Fake,
        Step::{Chunk, Hang, Silence as Pause},
        source,
    },
    trace::{then, trace},
};
use eventwire::Timer;
use eventwire_client::{ConnectionError, EventSource, Item};
use futures_util::{FutureExt, StreamExt};
use std::{
    future,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
    task::{Context, Wake, Waker},
    thread,
    time::Duration,
};
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);
const EVENT: Answer = Stream(&[Chunk("data: a\n\n"), Hang]);
const FAILURE: Answer = Answer::Failure("no network");

/// A timer whose sleeps never end.
fn never(_: Duration) -> future::Pending<()> {
    future::pending()
}

#[tokio::test(start_paused = true)]
async fn it_ends_a_delay_at_once() {
    let fake = Fake::new(&[FAILURE, FAILURE, EVENT]);
    let mut source = fake.source();
    let handle = source.handle();
    let begun = Instant::now();
    assert!(matches!(source.next().await, Some(Item::Reconnecting { attempt: 2, .. })));
    // Before the delay is polled, through a clone, and twice.
    handle.clone().reconnect_now();
    handle.reconnect_now();
    assert!(matches!(source.next().await, Some(Item::Reconnecting { attempt: 3, .. })));
    assert_eq!(begun.elapsed(), Duration::ZERO);
    // While the delay is polled.
    let later = async {
        sleep(SECOND).await;
        handle.reconnect_now();
    };
    let (item, ()) = tokio::join!(source.next(), later);
    assert!(matches!(item, Some(Item::Open(_))));
    assert_eq!(begun.elapsed(), SECOND);
    assert_eq!(fake.attempts().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn without_a_delay_it_has_no_effect_and_is_not_remembered() {
    let mut source = source(&[Late(9, &FAILURE), Stream(&[Pause(90), Chunk("data: a\n\n")])]);
    let handle = source.handle();
    handle.reconnect_now();
    let meanwhile = async {
        // While it connects, and while it is open.
        sleep(5 * SECOND).await;
        handle.reconnect_now();
        sleep(60 * SECOND).await;
        handle.reconnect_now();
    };
    // The trace checks that each delay takes as long as announced.
    let (seen, ()) = tokio::join!(trace(&mut source), meanwhile);
    assert_eq!(seen.text(), then("#1 | no network @9 | #2 | open | a @90 | the connection ended @90", "#1"));
}

/// The rest of the delay is not taken for a part of the next timeout.
#[tokio::test(start_paused = true)]
async fn the_next_idle_timeout_is_complete() {
    let mut source = source(&[FAILURE, Silence]).with_idle_timeout(40 * SECOND);
    let handle = source.handle();
    assert!(matches!(source.next().await, Some(Item::Reconnecting { .. })));
    assert!(source.next().now_or_never().is_none());
    handle.reconnect_now();
    let begun = Instant::now();
    let item = source.next().await;
    assert!(matches!(item, Some(Item::Reconnecting { error: ConnectionError::ResponseTimeout(_), .. })));
    assert!(begun.elapsed() >= 40 * SECOND, "{:?}", begun.elapsed());
}

#[test]
fn another_thread_wakes_the_task() {
    let mut source = EventSource::with_connector(Fake::new(&[FAILURE, EVENT]), never);
    let handle = source.handle();
    futures_util::future::FutureExt::now_or_never(source.next()).unwrap();
    assert!(source.next().now_or_never().is_none());
    let other = thread::spawn(move || handle.reconnect_now());
    // Blocks until the task is woken.
    let item = tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(source.next());
    assert!(matches!(item, Some(Item::Open(_))));
    other.join().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_source_that_has_stopped_stays_stopped() {
    let fake = Fake::new(&[Refusal(404, &[], &[])]);
    let mut source = fake.source();
    let handle = source.handle();
    assert!(source.next().await.is_none());
    handle.reconnect_now();
    assert!(source.next().await.is_none());
    drop(source);
    handle.reconnect_now();
    assert_eq!(fake.attempts().len(), 1);

    // During a delay.
    let fake = Fake::new(&[FAILURE, EVENT]);
    let mut source = fake.source();
    let handle = source.handle();
    assert!(matches!(source.next().await, Some(Item::Reconnecting { .. })));
    assert!(source.next().now_or_never().is_none());
    source.close();
    handle.reconnect_now();
    assert!(source.next().await.is_none());
    assert_eq!(fake.attempts().len(), 1);
}

struct Task;

impl Wake for Task {
    fn wake(self: Arc<Self>) {}
}

/// Polls the source until it waits, with a new waker, and returns the waker's task.
fn wait<T: Timer>(source: &mut EventSource<Fake, T>) -> Arc<Task> {
    let task = Arc::new(Task);
    let waker = Waker::from(Arc::clone(&task));
    while source.poll_next_unpin(&mut Context::from_waker(&waker)).is_ready() {}
    task
}

/// A handle can outlive its source, whose task must not be kept alive.
#[test]
fn a_handle_keeps_no_waker_when_the_delay_is_over() {
    let new = || EventSource::with_connector(Fake::new(&[FAILURE, Silence]), never as fn(_) -> future::Pending<()>);
    let mut source = new();
    let handle = source.handle();
    let task = wait(&mut source);
    assert_eq!(Arc::strong_count(&task), 2);
    drop(source);
    assert_eq!(Arc::strong_count(&task), 1);
    handle.reconnect_now();

    let mut source = new();
    let handle = source.handle();
    let task = wait(&mut source);
    handle.reconnect_now();
    assert_eq!(Arc::strong_count(&task), 1);
    // It connects, which needs no handle.
    let task = wait(&mut source);
    assert_eq!(Arc::strong_count(&task), 1);

    for end in [EventSource::close, EventSource::restart] {
        let mut source = new();
        let task = wait(&mut source);
        end(&mut source);
        assert_eq!(Arc::strong_count(&task), 1);
    }

    let timer = |_| future::poll_fn(|_| panic!("the timer"));
    let mut source = EventSource::with_connector(Fake::new(&[FAILURE, Silence]), timer);
    let task = Arc::new(Task);
    let waker = Waker::from(Arc::clone(&task));
    let mut poll = || source.poll_next_unpin(&mut Context::from_waker(&waker));
    assert!(poll().is_ready());
    assert!(catch_unwind(AssertUnwindSafe(poll)).is_err());
    drop(waker);
    assert_eq!(Arc::strong_count(&task), 1);
}
