//! How a source ends: a truncated response is always an error, and so is a first connection that never succeeds.

use crate::fake::{
    Answer::{self, Refusal, Stream},
    Failure, Fake,
    Step::{self, Chunk, Hang},
    source,
};
use eventwire::{Error, JsonError, TokioTimer, is_last_poll, poll_last};
use eventwire_client::{
    ConnectionError, Decide, EventSource, Item, ReadyState, ReconnectPolicy, RefusalExt, Resend, StopReason,
    connector_fn,
};
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

/// Returns the data of all events, and how the source ended: with an error if that is a failure.
async fn run<D: Decide<Failure>>(mut source: EventSource<Fake, TokioTimer, D>) -> (String, Result<StopReason, String>) {
    let mut text = String::new();
    while let Some(item) = source.next().await {
        if let Item::Event(event) = item {
            text += event.data();
        }
    }
    let reason = source.stopped().unwrap().reason();
    (text, source.into_result().map(|()| reason).map_err(|stopped| stopped.to_string()))
}

#[tokio::test(start_paused = true)]
async fn the_last_event_ends_the_stream_at_once() {
    const ANSWERS: &[Answer] = &[Stream(&[Chunk("data: a\n\ndata: z\n\ndata: not read\n\n"), Hang])];
    let fake = Fake::new(ANSWERS);
    let mut source = EventSource::with_connector(fake.clone(), TokioTimer).with_end(|event| event.data() == "z");
    for data in ["a", "z"] {
        while !matches!(source.next().await, Some(Item::Event(event)) if event.data() == data) {}
    }
    // The connection is dropped as soon as the event is returned.
    assert_eq!((source.ready_state(), fake.alive()), (ReadyState::Closed, 0));
    assert!(source.next().await.is_none());
    let stopped = source.into_stopped();
    assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::Finished, false));
    assert!(stopped.error().is_none());
}

/// A typed stream reports the truncated response and sends nothing again.
#[tokio::test(start_paused = true)]
async fn a_typed_stream_over_the_client_requires_its_end_marker() {
    const CUT: &[Answer] = &[Stream(&[Chunk("data: 1\n\n")])];
    let mut numbers = source(CUT).with_policy(once()).events().json::<u32>().require_end_marker();
    assert_eq!(numbers.try_next().await.unwrap(), Some(1));
    assert!(matches!(numbers.try_next().await, Err(JsonError::Truncated)));
    assert!(numbers.next().await.is_none());
    assert_eq!(numbers.get_ref().get_ref().connector().attempts().len(), 1);

    const WHOLE: &[Answer] = &[Stream(&[Chunk("data: 1\n\ndata: [DONE]\n\n"), Hang])];
    let numbers = source(WHOLE).events().json::<u32>().require_end_marker();
    assert_eq!(numbers.try_collect::<Vec<_>>().now_or_never().unwrap().unwrap(), [1]);
}

/// The last poll of a complete answer must not make a new connection, nor ask for its delay.
#[tokio::test(start_paused = true)]
async fn a_complete_answer_is_not_requested_again() {
    const ENDED: &[Answer] = &[Stream(&[Chunk("data: 1\n\ndata: [DONE]\n\n")])];
    const FAILED: &[Answer] = &[Stream(&[Chunk("data: 1\n\ndata: [DONE]\n\n"), Step::Failure("reset")])];
    for answers in [ENDED, FAILED] {
        let mut delays = 0;
        let source = EventSource::with_connector(Fake::new(answers), |_: Duration| ready(())).with_delay(|_, _, _| {
            delays += 1;
            Duration::ZERO
        });
        let mut numbers = source.events().json::<u32>().require_end_marker();
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
    let numbers: Vec<u32> = source().events().json::<u32>().try_collect().await.unwrap();
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
    // The items report every failed attempt, so they have no limit.
    assert_eq!(run(source(LATE)).await, ("a".to_owned(), Ok(StopReason::NoContent)));
}

/// A server that ignores `stream: true` answers with JSON, which is returned completely.
#[tokio::test(start_paused = true)]
async fn json_or_events_whichever_the_server_sends() {
    const JSON: &str = "{\"answer\": \"Hello\"}";
    const ANSWERS: &[Answer] = &[Refusal(
        200,
        &[("content-type", "application/json")],
        &[Chunk("{\"answer\": "), Step::Silence(20), Chunk("\"Hello\"}")],
    )];
    for (timeout, expected) in [(30, JSON), (10, "{\"answer\": ")] {
        let mut source = source(ANSWERS)
            .with_policy(once())
            .with_max_refusal_body(1 << 20)
            .with_refusal_timeout(Duration::from_secs(timeout));
        assert!(source.next().await.is_none());
        let stopped = source.into_stopped();
        let refusal = stopped.refusal().unwrap();
        assert_eq!((&*refusal.text(), stopped.reason()), (expected, StopReason::Refused));
        assert_eq!((refusal.is_json(), refusal.is_complete()), (true, expected == JSON));
    }
    let mut short = source(ANSWERS).with_max_refusal_body(5).with_refusal_timeout(Duration::from_secs(30));
    assert!(short.next().await.is_none());
    let stopped = short.into_stopped();
    assert_eq!((stopped.refusal().unwrap().body(), stopped.refusal().unwrap().is_complete()), (&b"{\"ans"[..], false));
}

#[tokio::test(start_paused = true)]
async fn the_idle_timeout_runs_while_a_refusal_is_read() {
    const ANSWERS: &[Answer] = &[Refusal(
        503,
        &[],
        &[Chunk("a"), Step::Silence(2), Chunk("b"), Step::Silence(2), Chunk("c"), Step::Silence(4), Chunk("d")],
    )];
    let mut source = source(ANSWERS).with_refusal_timeout(Duration::from_secs(60));
    source = source.with_idle_timeout(Duration::from_secs(3));
    let begun = tokio::time::Instant::now();
    match source.next().await {
        Some(Item::Reconnecting { error: ConnectionError::Refused(refusal), .. }) => {
            assert_eq!((&*refusal.text(), begun.elapsed().as_secs()), ("abc", 2 + 2 + 3));
        }
        other => panic!("{other:?}"),
    }
}

/// A server that no longer has the stream: what was received is not everything.
#[tokio::test(start_paused = true)]
async fn a_204_before_the_last_event_is_a_failure() {
    const HALF: &[Answer] = &[Stream(&[Chunk("data: half\n\n")]), Refusal(204, &[], &[])];
    let is_end = |event: &eventwire::Event| event.data() == "z";
    let (text, result) = run(source(HALF).with_end(is_end)).await;
    let error = "there are no more events: the server answered 204 No Content";
    assert_eq!((text.as_str(), result), ("half", Err(error.to_owned())));
    assert_eq!(run(source(HALF)).await, ("half".to_owned(), Ok(StopReason::NoContent)));

    let mut closed = source(HALF).with_end(is_end);
    assert!(matches!(closed.next().await, Some(Item::Open(_))));
    closed.close();
    assert!(closed.into_result().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_has_arrived_is_read_after_a_long_pause() {
    const LATE: &[Answer] = &[Refusal(401, &[], &[Chunk("a"), Step::Silence(1), Chunk("b"), Chunk("c")])];
    let mut late = source(LATE);
    assert!(late.next().now_or_never().is_none());
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(late.next().await.is_none());
    let stopped = late.into_stopped();
    let refusal = stopped.refusal().unwrap();
    assert_eq!((&*refusal.text(), refusal.is_complete()), ("abc", true));
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

#[test]
fn the_debug_output_of_a_refusal_is_short() {
    const LONG: &[Answer] = &[Refusal(
        500,
        &[],
        &[
            Chunk("an error that goes on: "),
            Chunk(concat!(
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
                "tail",
            )),
        ],
    )];
    let mut source = source(LONG).with_policy(ReconnectPolicy::new().with_max_attempts(1));
    assert!(source.next().now_or_never().unwrap().is_none());
    let printed = format!("{:?}", source.into_stopped());
    assert!(printed.contains("an error that goes on: xxx") && printed.contains("body_length: 227"), "{printed}");
    assert!(!printed.contains("tail"), "{printed}");
}

#[tokio::test(start_paused = true)]
async fn the_refusal_of_an_error() {
    const REFUSED: &[Answer] = &[Refusal(401, &[], &[Chunk("who?")])];
    let error = source(REFUSED).events().try_next().await.unwrap_err();
    assert_eq!(error.refusal().unwrap().status(), 401);
    let error = source(REFUSED).events().json::<u32>().try_next().await.unwrap_err();
    assert_eq!(error.refusal().unwrap().body(), b"who?");
    assert!(
        Error::<eventwire_client::Stopped<Failure>>::Decode(eventwire::DecodeError::UnexpectedEof).refusal().is_none()
    );
}
