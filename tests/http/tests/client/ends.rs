//! How a source ends: a truncated response is always an error, and so is a first connection that never succeeds.

use crate::fake::{
    Answer::{self, Refusal, Stream},
    Fake,
    Step::{self, Chunk, Hang},
    source,
};
use eventwire::{Dialect, Error, JsonError, TokioTimer};
use eventwire_client::{EventSource, Item, ReadyState, ReconnectPolicy, Resend, StopReason};
use futures_util::{FutureExt, StreamExt, TryStreamExt};
use std::{future::ready, time::Duration};

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

/// After a complete answer there must be no new connection, nor the delay before one.
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
