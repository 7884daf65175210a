//! How a source ends: a truncated response is always an error, and so is a first connection that never succeeds.

use crate::fake::{
    Answer::{self, Refusal, Stream},
    Fake,
    Step::{self, Chunk, Hang},
    source,
};
use eventwire::{Dialect, Error, JsonError, TokioTimer, is_last_poll, poll_last};
use eventwire_client::{EventSource, Item, ReadyState, ReconnectPolicy, Resend, StopReason, connector_fn};
use futures_util::{FutureExt, StreamExt, TryStreamExt, stream};
use std::{
    convert::Infallible,
    future::ready,
    mem,
    pin::Pin,
    sync::{Arc, Mutex},
    task::Poll,
    time::Duration,
};

fn once() -> ReconnectPolicy {
    ReconnectPolicy::new().with_resend(Resend::UnlessSent)
}

/// The connection is dropped as soon as the last event is returned.
#[tokio::test(start_paused = true)]
async fn the_last_event_ends_the_stream_at_once() {
    let fake = Fake::new(&[Stream(&[Chunk("data: z\n\ndata: not read\n\n"), Hang])]);
    let mut source = fake.source().with_end(|event| event.data() == "z");
    while !matches!(source.next().await, Some(Item::Event(_))) {}
    assert_eq!((source.ready_state(), fake.alive()), (ReadyState::Closed, 0));
}

/// A typed stream reports the truncated response and sends nothing again.
#[tokio::test(start_paused = true)]
async fn a_typed_stream_over_the_client_requires_its_end_marker() {
    const CUT: &[Answer] = &[Stream(&[Chunk("data: 1\n\n")])];
    let mut numbers = source(CUT).with_policy(once()).events().json_with::<u32>(Dialect::OPENAI);
    assert_eq!(numbers.try_next().await.unwrap(), Some(1));
    assert!(matches!(numbers.try_next().await, Err(JsonError::Truncated { .. })));
    assert!(numbers.next().await.is_none());
    assert_eq!(numbers.get_ref().get_ref().connector().attempts().len(), 1);

    const WHOLE: &[Answer] = &[Stream(&[Chunk("data: 1\n\ndata: [DONE]\n\n"), Hang])];
    let numbers = source(WHOLE).events().json_with::<u32>(Dialect::OPENAI);
    assert_eq!(numbers.try_collect::<Vec<_>>().now_or_never().unwrap().unwrap(), [1]);
}

/// The last poll of a complete answer must not make a new connection, nor ask for its delay.
#[tokio::test(start_paused = true)]
async fn a_complete_answer_is_not_requested_again() {
    const ENDED: &[Answer] = &[Stream(&[Chunk("data: 1\n\ndata: [DONE]\n\n")])];
    const FAILED: &[Answer] = &[Stream(&[Chunk("data: 1\n\ndata: [DONE]\n\n"), Step::Failure("reset")])];
    for answers in [ENDED, FAILED] {
        let mut delays = 0;
        let source = EventSource::with_connector(Fake::new(answers), |_: Duration| ready(()));
        let source = source.on_retry(|_, _, _| delays += 1);
        let mut numbers = source.events().json_with::<u32>(Dialect::OPENAI);
        assert_eq!(numbers.try_next().await.unwrap(), Some(1));
        assert_eq!(numbers.try_next().await.unwrap(), None);
        assert_eq!(numbers.get_ref().get_ref().connector().attempts().len(), 1);
        drop(numbers);
        assert_eq!(delays, 0);
    }
}

/// Each source of a `SelectAll` has a waker of its own, so one that is not woken is never polled again.
#[tokio::test(start_paused = true)]
async fn a_source_that_waits_goes_on_after_a_last_poll() {
    const ANSWERS: &[Answer] = &[Stream(&[Chunk("data: 1\n\n")]), Stream(&[Chunk("data: 2\n\n"), Hang])];
    let mut events = stream::select_all([source(ANSWERS).events()]);
    assert_eq!(events.next().await.unwrap().unwrap().data(), "1");
    assert!(events.next().now_or_never().is_none());
    // The delay ends, which wakes the source. The last poll then uses this up.
    tokio::time::advance(Duration::from_secs(60)).await;
    poll_last(Pin::new(&mut events));
    let next = tokio::time::timeout(Duration::from_secs(60), events.next()).await;
    assert_eq!(next.expect("the source is polled again").unwrap().unwrap().data(), "2");
}

/// So the body knows that its answer is complete when it is dropped.
#[tokio::test(start_paused = true)]
async fn the_body_is_told_that_the_answer_is_complete() {
    // Whether each poll was a last one.
    let polls = Arc::new(Mutex::new(Vec::new()));
    let source = || {
        let polls = Arc::clone(&polls);
        EventSource::with_connector(
            connector_fn(move |_| {
                let (polls, mut chunks) =
                    (Arc::clone(&polls), ["data: 1\n\n", "data: 2\n\ndata: [DONE]\n\n"].into_iter());
                let body = stream::poll_fn(move |_| {
                    polls.lock().unwrap().push(is_last_poll());
                    chunks.next().map_or(Poll::Pending, |chunk| Poll::Ready(Some(Ok::<_, Infallible>(chunk))))
                });
                let response = http::Response::builder().header("content-type", "text/event-stream");
                ready(Ok::<_, Infallible>(response.body(body).unwrap()))
            }),
            TokioTimer,
        )
    };
    let take = || mem::take(&mut *polls.lock().unwrap());
    let numbers = source().events().json_with::<u32>(Dialect::OPENAI);
    let numbers: Vec<u32> = numbers.try_collect().await.unwrap();
    assert_eq!((numbers, take()), (vec![1, 2], vec![false, false, true]));
    // The rest of the chunk is not needed.
    let events = source().with_end(|event| event.data() == "2").events();
    assert_eq!(events.try_collect::<Vec<_>>().await.unwrap().len(), 2);
    assert_eq!(take(), [false, false, true]);
    // The reader has not seen the end.
    let mut numbers = source().events().json::<u32>();
    assert_eq!(numbers.try_next().await.unwrap(), Some(1));
    drop(numbers);
    assert_eq!(take(), [false]);
}

#[tokio::test(start_paused = true)]
async fn events_end_with_an_error_if_no_connection_is_ever_open() {
    const FAILURES: &[Answer] = &[Answer::Failure("refused"); 100];
    let attempts = async |source: EventSource<Fake, TokioTimer>| {
        let mut events = source.events();
        let error = match events.try_next().await {
            Err(Error::Transport(stopped)) => stopped.to_string(),
            other => panic!("{other:?}"),
        };
        (error, events.get_ref().connector().attempts().len())
    };
    let never = "no event stream could be opened: refused".to_owned();
    assert_eq!(attempts(source(FAILURES)).await, (never.clone(), 5));
    let policy = ReconnectPolicy::new;
    assert_eq!(attempts(source(FAILURES).with_policy(policy().with_max_first_attempts(7))).await, (never.clone(), 7));
    let exhausted = "gave up after too many attempts: refused".to_owned();
    assert_eq!(attempts(source(FAILURES).with_policy(policy().with_max_attempts(9))).await, (exhausted, 9));
    // A server that is reachable but too busy each time.
    const BUSY: &[Answer] = &[Refusal(503, &[], &[]); 100];
    let busy = "no event stream could be opened: the server answered 503 Service Unavailable";
    assert_eq!(attempts(source(BUSY)).await, (busy.to_owned(), 5));
}

#[tokio::test(start_paused = true)]
async fn after_a_connection_was_open_events_continue() {
    const F: Answer = Answer::Failure("refused");
    const ANSWERS: &[Answer] =
        &[F, F, F, F, Stream(&[]), F, F, F, F, F, F, F, F, Stream(&[Chunk("data: a\n\n")]), F, F, F, F, F, F];
    let events: Vec<_> = source(ANSWERS).events().try_collect().await.unwrap();
    assert_eq!(events.len(), 1);
    // The limit can be removed explicitly.
    const LATE: &[Answer] = &[F, F, F, F, F, F, Stream(&[Chunk("data: a\n\n")])];
    let patient = source(LATE).with_policy(ReconnectPolicy::new().with_max_first_attempts(u32::MAX));
    assert_eq!(patient.events().try_collect::<Vec<_>>().await.unwrap().len(), 1);
    // The items have the same limit.
    let mut source = source(LATE);
    assert_eq!(source.by_ref().count().await, 4);
    assert_eq!(source.into_stopped().reason(), StopReason::NeverOpened);
}

#[tokio::test]
async fn events_over_a_flood_of_comments_yield_to_other_tasks() {
    let connector = eventwire_client::connector_fn(|_| {
        let body = futures_util::stream::repeat(Ok::<_, std::convert::Infallible>(": c\n\n"));
        let response = http::Response::builder().header("content-type", "text/event-stream").body(body).unwrap();
        std::future::ready(Ok::<_, std::convert::Infallible>(response))
    });
    let mut events = EventSource::with_connector(connector, TokioTimer).with_blocks().events();
    assert!(events.next().now_or_never().is_none());
}
