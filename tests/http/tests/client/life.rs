//! An event source from its first item to its last: its getters in each state, and what remains after its end.

use crate::fake::{
    Answer::{self, Refusal, Silence, Stream},
    Failure, Fake,
    Step::{self, Chunk, Hang},
    source, watch,
};
use eventwire::{BoxError, Decoder, Eof, Error, TokioTimer};
use eventwire_client::{
    Attempt, ConnectionError, EventSource, Item, ReadyState, ReconnectPolicy, Resend, StopReason, connector_fn,
};
use futures_util::{
    StreamExt, TryStreamExt,
    stream::{self, FusedStream},
};
use http::Response;
use std::time::Duration;
use tokio::time::timeout;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn the_states_of_a_life() {
    let fake = Fake::new(&[Answer::Failure("refused"), Stream(&[Chunk("id: 7\ndata: a\n\n"), Hang])]);
    let mut source = fake.source();
    tokio::time::sleep(SECOND).await;
    assert_eq!((source.ready_state(), fake.attempts().len()), (ReadyState::Connecting, 0));
    assert!(matches!(source.next().await, Some(Item::Reconnecting { error: ConnectionError::Transport(_), .. })));
    assert_eq!(source.ready_state(), ReadyState::Connecting);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert_eq!((source.ready_state(), source.last_event_id()), (ReadyState::Open, ""));
    assert!(matches!(source.next().await, Some(Item::Event(_))));
    assert_eq!((source.ready_state(), source.last_event_id()), (ReadyState::Open, "7"));
    assert!(format!("{source:?}").starts_with("EventSource { ready_state: Open, last_event_id: \"7\", stopped: None,"));
    assert!(timeout(SECOND, source.next()).await.is_err());
    assert_eq!((fake.alive(), source.stopped().is_some(), source.is_terminated()), (1, false, false));

    source.close();
    assert_eq!((source.ready_state(), fake.alive(), source.is_terminated()), (ReadyState::Closed, 0, true));
    assert!(source.next().await.is_none() && source.next().await.is_none());
    let stopped = source.stopped().unwrap();
    assert_eq!((stopped.reason(), stopped.error().is_none(), stopped.is_failure()), (StopReason::Closed, true, false));
    assert_eq!((source.last_event_id(), fake.attempts()), ("7", vec![(1, String::new()), (2, String::new())]));
}

/// In each state, closing or dropping a source drops its connection.
#[tokio::test(start_paused = true)]
async fn closing_and_dropping() {
    for (answer, reason, alive) in [
        (Silence, StopReason::Closed, 1),
        (Answer::Failure("refused"), StopReason::Closed, 0),
        (Stream(&[Hang]), StopReason::Closed, 1),
        // Its body is still being read, so nothing has been decided about it.
        (Refusal(401, &[], &[Chunk("who"), Hang]), StopReason::Closed, 1),
    ] {
        let fake = Fake::new(vec![answer].leak());
        let begin = async |fake: &Fake| {
            let mut source = fake.source();
            let first = timeout(SECOND, source.next()).await;
            if let Ok(Some(Item::Open(_))) = first {
                assert!(timeout(SECOND, source.next()).await.is_err());
            }
            assert_eq!(fake.alive(), alive, "{answer:?}");
            source
        };
        let mut closed = begin(&fake).await;
        closed.close();
        assert_eq!((fake.alive(), closed.next().await.is_none()), (0, true), "{answer:?}");
        assert_eq!(closed.ready_state(), ReadyState::Closed);
        closed.close();
        let stopped = closed.into_stopped();
        assert_eq!((stopped.reason(), fake.attempts().len()), (reason, 1), "{answer:?}");
        assert!(stopped.error().is_none(), "{answer:?}");

        let dropped = fake.fresh();
        let source = begin(&dropped).await;
        let kept = dropped.clone();
        drop(source);
        assert_eq!(kept.alive(), 0, "{answer:?}");
    }
    // What has arrived is not returned after the close.
    let mut source = source(&[Stream(&[Chunk("id: 1\ndata: a\n\nid: 2\ndata: b\n\n"), Hang])]);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "a"));
    source.close();
    assert!(source.next().await.is_none() && source.is_terminated());
    assert_eq!((source.last_event_id(), source.stopped().unwrap().reason()), ("1", StopReason::Closed));
    assert!(self::source(&[]).into_result().is_ok(), "closed before the first request");
    let mut unfinished = self::source(&[Stream(&[Hang])]).with_end(|_| true);
    assert!(matches!(unfinished.next().await, Some(Item::Open(_))));
    assert!(unfinished.into_result().is_ok(), "closed before the last event");
}

#[tokio::test(start_paused = true)]
async fn settings_of_a_source_in_use() {
    let mut source = source(&[Stream(&[Chunk("data: a\n\n")]), Stream(&[]), Stream(&[])]);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(matches!(source.next().await, Some(Item::Event(_))));
    source = source.with_policy(ReconnectPolicy::new().with_max_attempts(1));
    assert_eq!(source.ready_state(), ReadyState::Open);
    assert_eq!(watch(&mut source).await, ["the connection ended; 1", "open 200"]);
    assert_eq!(source.into_stopped().reason(), StopReason::AttemptsExhausted);

    let id = |decoder: Decoder| {
        let source = self::source(&[]).with_last_event_id("7").unwrap().with_decoder(decoder);
        source.last_event_id().to_owned()
    };
    assert_eq!((id(Decoder::new()), id(Decoder::new().with_last_event_id("8").unwrap())), ("7".into(), "8".into()));
    assert!(self::source(&[]).with_last_event_id("a\nb").is_err());
}

/// That they are waited for is a law of `simulated.rs`.
#[tokio::test(start_paused = true)]
async fn the_delays() {
    let source = source(&[
        Stream(&[Chunk("retry: 1000\ndata: a\n\n")]),
        Stream(&[Chunk("retry: 0\n")]),
        Refusal(503, &[("retry-after", "120")], &[]),
        Refusal(
            429,
            &[("date", "Sat, 21 Nov 2026 21:00:00 GMT"), ("retry-after", "Sat, 21 Nov 2026 21:00:42 GMT")],
            &[],
        ),
    ]);
    let delays = source.filter_map(async |item| match item {
        Item::Reconnecting { delay, .. } => Some(delay),
        _ => None,
    });
    // Up to a quarter more than the server's, because it sends the same value to all clients.
    let ranges = [(1000, 2000), (100, 999), (120_000, 150_000), (42_000, 53_000)];
    let delays: Vec<_> = delays.collect().await;
    for (delay, (least, most)) in delays.iter().zip(ranges) {
        assert!((least..=most).contains(&delay.as_millis()), "{delays:?}");
    }

    let first = async |policy: Option<ReconnectPolicy>| {
        let source = self::source(&[Answer::Failure("refused")]);
        let mut source = match policy {
            Some(policy) => source.with_policy(policy),
            None => source,
        };
        match source.next().await {
            Some(Item::Reconnecting { delay, .. }) => delay,
            other => panic!("{other:?}"),
        }
    };
    assert_ne!(first(None).await, first(None).await);
    let (unseeded, seeded) = (ReconnectPolicy::new, || ReconnectPolicy::new().with_jitter_seed(7));
    assert_ne!(first(Some(unseeded())).await, first(Some(unseeded())).await);
    assert_eq!(first(Some(seeded())).await, first(Some(seeded())).await);
}

#[tokio::test(start_paused = true)]
async fn an_ended_body_is_dropped_before_its_last_item_is_returned() {
    for eof in [Eof::Dispatch, Eof::Error] {
        let fake = Fake::new(&[Stream(&[Chunk("data: a")])]);
        let mut source = fake.source().with_decoder(Decoder::new().with_eof(eof));
        assert!(matches!(source.next().await, Some(Item::Open(_))));
        assert_eq!(fake.alive(), 1);
        assert!(matches!(source.next().await, Some(Item::Event(_) | Item::Undecodable(_))));
        assert_eq!(fake.alive(), 0, "{eof:?}");
    }
}

/// The sources of the connection's error are printed, and not returned, boxed or not.
#[tokio::test(start_paused = true)]
async fn the_sources_of_the_connections_error_are_printed_once() {
    #[derive(Debug)]
    struct Layered(Failure);

    impl std::fmt::Display for Layered {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("cannot connect")
        }
    }

    impl std::error::Error for Layered {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }

    let stopped = async || {
        let fake = Fake::new(&[Answer::Failure("refused")]);
        let mut source = fake.source().with_policy(ReconnectPolicy::new().with_max_attempts(1));
        assert!(source.next().await.is_none());
        source.into_stopped().map_transport(Layered)
    };
    let plain = stopped().await;
    let boxed = stopped().await.map_transport(|layered| BoxError::from(Box::from(layered)));
    for error in [&plain as &dyn std::error::Error, &boxed] {
        assert_eq!(error.to_string(), "gave up after too many attempts: cannot connect: refused");
        assert!(error.source().is_none());
    }
}

/// The error can be taken once. A source whose failure was taken does not look closed, and a clean end does not look
/// like a failure.
#[tokio::test(start_paused = true)]
async fn what_is_left_when_the_error_was_taken() {
    let once = || ReconnectPolicy::new().with_resend(Resend::Never);
    for (answers, reason, is_failure) in [
        (&[Refusal(404, &[], &[])][..], StopReason::UnexpectedResponse, true),
        (&[Stream(&[Chunk("data: a\n\n")])], StopReason::NotResent, false),
        (&[Stream(&[Chunk("data: a\n\n"), Step::Failure("reset")])], StopReason::NotResent, true),
    ] {
        let run = async || {
            let mut events = Fake::new(answers).source().with_policy(once()).events();
            let mut failures = 0;
            while let Some(event) = events.next().await {
                failures += usize::from(event.is_err());
            }
            assert_eq!(failures, usize::from(is_failure), "{answers:?}");
            let mut source = events.into_inner();
            assert_eq!(source.stopped().is_none(), is_failure, "{answers:?}");
            assert!(source.is_terminated() && source.next().await.is_none());
            assert_eq!(source.ready_state(), ReadyState::Closed);
            source
        };
        let stopped = run().await.into_stopped();
        assert_eq!((stopped.reason(), stopped.is_failure()), (reason, is_failure), "{answers:?}");
        assert_eq!(stopped.error().is_none(), is_failure, "{answers:?}");
        assert_eq!(run().await.into_result().is_err(), is_failure, "{answers:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_connector_reports_a_permanent_error() {
    let connector = connector_fn(async |attempt: Attempt| {
        attempt.handle_permanent_error();
        Err::<Response<stream::Empty<Result<&str, Failure>>>, _>(Failure("no such host"))
    });
    let mut source = EventSource::with_connector(connector, TokioTimer);
    assert!(source.next().await.is_none());
    assert_eq!(source.into_stopped().reason(), StopReason::Permanent);
}

/// What `.events()` returns is a law of `simulated.rs`.
#[tokio::test(start_paused = true)]
async fn the_source_of_a_stream_of_events() {
    const ANSWERS: &[Answer] = &[Stream(&[Chunk("id:1\ndata:b\n\n")]), Refusal(401, &[], &[Chunk("who?")])];
    let mut events = source(ANSWERS).events();
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "b");
    assert!(!events.is_terminated());
    match events.next().await {
        Some(Err(Error::Transport(stopped))) => assert_eq!(stopped.response().unwrap().body(), b"who?"),
        other => panic!("{other:?}"),
    }
    assert!(events.next().await.is_none() && events.is_terminated());
    assert_eq!((events.get_ref().last_event_id(), events.get_ref().ready_state()), ("1", ReadyState::Closed));
    assert!(events.into_inner().stopped().is_none(), "the error has taken it");

    // An earlier failure is the first item.
    let mut source = source(&[Refusal(401, &[], &[])]);
    assert!(source.next().await.is_none());
    let mut events = source.events();
    assert!(!events.is_terminated());
    assert!(matches!(events.next().await, Some(Err(Error::Transport(stopped))) if stopped.response().is_some()));
    assert!(events.next().await.is_none() && events.get_ref().stopped().is_none());

    // A close is not an error.
    let mut events = self::source(&[Stream(&[Chunk("data: a\n\n"), Hang])]).events();
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "a");
    events.get_mut().close();
    assert_eq!(events.try_next().await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn the_headers_that_an_attempt_has() {
    let fake = Fake::new(&[]);
    let mut source = fake.source().with_last_event_id("41").unwrap();
    assert!(source.next().await.is_none());
    let headers = fake.all()[0].0.headers();
    let values = ["accept", "cache-control", "last-event-id"].map(|name| headers[name].to_str().unwrap());
    assert_eq!((headers.len(), values), (3, ["text/event-stream", "no-cache", "41"]));
}
