//! An event source from its first item to its last, and its getters in each state.

use crate::fake::{
    Answer::{self, Refusal, Silence, Stream},
    Failure, Fake,
    Step::{self, Chunk, Hang},
    watch,
};
use eventwire::{BoxError, DecodeError, Decoder, Eof, Error, TokioTimer};
use eventwire_client::{
    Attempt, ConnectionError, EventSource, Item, ReadyState, ReconnectPolicy, Resend, StopReason, connector_fn,
};
use futures_util::{
    StreamExt, TryStreamExt,
    stream::{self, FusedStream},
};
use http::Response;
use std::{convert::Infallible, error::Error as _, future, time::Duration};
use tokio::time::{Instant, timeout};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn the_states_of_a_life() {
    let fake = Fake::new(&[Answer::Failure("refused"), Stream(&[Chunk("id: 7\ndata: a\n\n"), Hang])]);
    let mut source = fake.source();
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

#[tokio::test(start_paused = true)]
async fn dropping_it_drops_the_connection() {
    for answers in [&[Silence][..], &[Stream(&[Hang])], &[Refusal(401, &[], &[Hang])]] {
        let answers: &'static [Answer] = answers.to_vec().leak();
        let fake = Fake::new(answers);
        let mut source = fake.source();
        while timeout(SECOND, source.next()).await.is_ok() {}
        assert_eq!(fake.alive(), 1);
        let kept = fake.clone();
        drop(source);
        assert_eq!(kept.alive(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn closing_while_it_connects_or_waits() {
    for answers in [&[Silence][..], &[Answer::Failure("refused")]] {
        let fake = Fake::new(answers.to_vec().leak());
        let mut source = fake.source();
        let _ = timeout(SECOND, source.next()).await;
        source.close();
        assert_eq!((fake.alive(), source.next().await.is_none()), (0, true));
        source.close();
        assert_eq!((source.into_stopped().reason(), fake.attempts().len()), (StopReason::Closed, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn closing_while_a_refusal_is_read() {
    let fake = Fake::new(&[Refusal(401, &[], &[Chunk("who"), Hang])]);
    let mut source = fake.source();
    assert!(timeout(SECOND, source.next()).await.is_err());
    assert_eq!(source.ready_state(), ReadyState::Closed);
    source.close();
    assert_eq!(fake.alive(), 0);
    // The reason is the previous one.
    let stopped = source.into_stopped();
    assert_eq!((stopped.reason(), stopped.refusal().unwrap().body()), (StopReason::Refused, &b"who"[..]));
}

#[tokio::test(start_paused = true)]
async fn a_policy_can_be_set_on_a_source_in_use() {
    let fake = Fake::new(&[Stream(&[Chunk("data: a\n\n")]), Stream(&[]), Stream(&[])]);
    let mut source = fake.source();
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(matches!(source.next().await, Some(Item::Event(_))));
    source = source.with_policy(ReconnectPolicy::new().with_max_attempts(1));
    assert_eq!(source.ready_state(), ReadyState::Open);
    assert_eq!(watch(&mut source).await, ["the connection ended; 1", "open 200"]);
    assert_eq!(source.into_stopped().reason(), StopReason::AttemptsExhausted);
}

#[tokio::test(start_paused = true)]
async fn a_decoder_without_an_id_keeps_the_existing_id() {
    let id = |decoder: Decoder| {
        let source = Fake::new(&[]).source().with_last_event_id("7").unwrap().with_decoder(decoder);
        source.last_event_id().to_owned()
    };
    assert_eq!(id(Decoder::new()), "7");
    assert_eq!(id(Decoder::new().with_last_event_id("8").unwrap()), "8");
}

#[tokio::test(start_paused = true)]
async fn closing_discards_what_has_arrived() {
    let fake = Fake::new(&[Stream(&[Chunk("id: 1\ndata: a\n\nid: 2\ndata: b\n\n"), Hang])]);
    let mut source = fake.source();
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "a"));
    source.close();
    assert!(source.next().await.is_none() && source.is_terminated());
    assert_eq!((source.last_event_id(), source.stopped().unwrap().reason()), ("1", StopReason::Closed));
}

#[tokio::test(start_paused = true)]
async fn the_reported_delays_are_waited_for() {
    let fake = Fake::new(&[
        Stream(&[Chunk("retry: 1000\ndata: a\n\n")]),
        Stream(&[Chunk("retry: 0\n")]),
        Refusal(503, &[("retry-after", "120")], &[]),
        Refusal(
            429,
            &[("date", "Sat, 21 Nov 2026 21:00:00 GMT"), ("retry-after", "Sat, 21 Nov 2026 21:00:42 GMT")],
            &[],
        ),
    ]);
    let mut source = fake.source();
    let mut delays = Vec::new();
    let begun = Instant::now();
    while let Some(item) = source.next().await {
        if let Item::Reconnecting { delay, .. } = item {
            delays.push(delay);
        }
    }
    // tokio's clock counts milliseconds.
    let total: Duration = delays.iter().sum();
    assert!(begun.elapsed() >= total && begun.elapsed() < total + 10 * Duration::from_millis(1));
    assert!((SECOND..=2 * SECOND).contains(&delays[0]), "{delays:?}");
    assert!((SECOND / 10..SECOND).contains(&delays[1]), "{delays:?}");
    // Up to a quarter more, because the server sends the same value to all clients.
    assert!((120 * SECOND..=150 * SECOND).contains(&delays[2]), "{delays:?}");
    assert!((42 * SECOND..=53 * SECOND).contains(&delays[3]), "{delays:?}");
}

#[tokio::test(start_paused = true)]
async fn two_sources_have_different_delays() {
    let new = || Fake::new(&[Answer::Failure("refused")]).source();
    let delay = async |mut source: EventSource<Fake, TokioTimer>| match source.next().await {
        Some(Item::Reconnecting { delay, .. }) => delay,
        other => panic!("{other:?}"),
    };
    assert_ne!(delay(new()).await, delay(new()).await);
    // This includes custom policies, unless they have a seed.
    let with = |rules| new().with_policy(rules);
    assert_ne!(delay(with(ReconnectPolicy::new())).await, delay(with(ReconnectPolicy::new())).await);
    let seeded = || ReconnectPolicy::new().with_jitter_seed(7);
    assert_eq!(delay(with(seeded())).await, delay(with(seeded())).await);
}

#[tokio::test(start_paused = true)]
async fn the_head_of_a_204_is_returned() {
    let fake = Fake::new(&[Refusal(204, &[("x-why", "done")], &[])]);
    let mut source = fake.source();
    assert!(source.next().await.is_none());
    let stopped = source.into_stopped();
    assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::NoContent, false));
    assert_eq!(stopped.refusal().unwrap().headers()["x-why"], "done");
    assert!(matches!(stopped.error(), Some(ConnectionError::Refused(_))));
}

#[tokio::test(start_paused = true)]
async fn the_body_of_a_204_is_not_waited_for() {
    let fake = Fake::new(&[Refusal(204, &[], &[Chunk("body"), Hang])]);
    let (mut source, begun) = (fake.source(), Instant::now());
    assert!(source.next().await.is_none());
    assert_eq!((source.stopped().unwrap().refusal().unwrap().body(), begun.elapsed()), (&b""[..], Duration::ZERO));
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

#[tokio::test(start_paused = true)]
async fn messages_of_refusals() {
    let json = &[Chunk("{\"error\":"), Chunk("\"no credit\"}")];
    let refusals: [(Answer, &str); 6] = [
        (Refusal(402, &[], json), "the server answered 402 Payment Required"),
        (Refusal(200, &[], json), "the server answered without a content type"),
        (
            Refusal(200, &[("content-type", "application/json")], json),
            "the server answered with the content type \"application/json\"",
        ),
        (
            Refusal(200, &[("content-type", "text/plain"), ("content-encoding", "br")], json),
            "the server answered with the content type \"text/plain\"",
        ),
        (Refusal(206, &[("content-type", "text/event-stream")], json), "the server answered 206 Partial Content"),
        (
            Refusal(200, &[("content-type", "Text/Event-Stream"), ("content-encoding", "br")], json),
            "the HTTP client has not decoded the content coding of the response",
        ),
    ];
    for (answer, text) in refusals {
        let fake = Fake::new(vec![answer].leak());
        let mut source = fake.source();
        assert!(source.next().await.is_none());
        let stopped = source.into_stopped();
        assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::Refused, true));
        let refusal = stopped.refusal().unwrap();
        assert_eq!((refusal.to_string().as_str(), &*refusal.text()), (text, "{\"error\":\"no credit\"}"));
        assert_eq!(refusal.body(), refusal.text().as_bytes());
        // The message is printed once.
        assert_eq!((stopped.to_string().as_str(), stopped.source().is_none()), (text, true));
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_is_not_utf_8() {
    let connector = connector_fn(|_| {
        let body = stream::iter([Ok::<_, Infallible>(&b"caf\xE9"[..])]);
        future::ready(Ok::<_, Infallible>(Response::builder().status(404).body(body).unwrap()))
    });
    let mut source = EventSource::with_connector(connector, TokioTimer);
    assert!(source.next().await.is_none());
    let stopped = source.into_stopped();
    let refusal = stopped.refusal().unwrap();
    assert_eq!((refusal.body(), &*refusal.text()), (&b"caf\xE9"[..], "caf\u{FFFD}"));
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

#[tokio::test(start_paused = true)]
async fn the_error_can_be_taken_once() {
    let mut source = Fake::new(&[Refusal(404, &[], &[])]).source();
    assert!(source.take_stopped().is_none());
    assert!(source.next().await.is_none());
    assert_eq!(source.take_stopped().unwrap().reason(), StopReason::Refused);
    assert!(source.take_stopped().is_none() && source.stopped().is_none());
    // The source has still ended, and there is no second error.
    assert!(source.is_terminated() && source.next().await.is_none());
    assert_eq!(source.ready_state(), ReadyState::Closed);
    // The reason is left, and it still is a failure.
    assert_eq!(source.into_result().unwrap_err().reason(), StopReason::Refused);
}

/// A source whose failure was taken out does not look closed, and a clean end does not look like a failure.
#[tokio::test(start_paused = true)]
async fn what_is_left_when_the_error_was_taken() {
    let once = || ReconnectPolicy::new().with_resend(Resend::Never);
    for (answers, reason, is_failure) in [
        (&[Refusal(404, &[], &[])][..], StopReason::Refused, true),
        (&[Stream(&[Chunk("data: a\n\n")])], StopReason::NotResent, false),
        (&[Stream(&[Chunk("data: a\n\n"), Step::Failure("reset")])], StopReason::NotResent, true),
    ] {
        let run = async || {
            let mut source = Fake::new(answers).source().with_policy(once());
            while source.next().await.is_some() {}
            assert_eq!(source.take_stopped().unwrap().is_failure(), is_failure, "{answers:?}");
            source
        };
        let stopped = run().await.into_stopped();
        assert_eq!((stopped.reason(), stopped.is_failure()), (reason, is_failure), "{answers:?}");
        assert!(stopped.error().is_none());
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

#[tokio::test(start_paused = true)]
async fn the_events_alone() {
    let fake = Fake::new(&[
        Stream(&[Chunk("data: 123456\n\ndata: a\n\n")]),
        Answer::Failure("refused"),
        Stream(&[Chunk("id:1\ndata:b\n\n")]),
        Refusal(401, &[], &[Chunk("who?")]),
    ]);
    let mut events = fake.source().with_decoder(Decoder::new().with_max_event_size(12)).events();
    let too_large = events.try_next().await.unwrap_err();
    assert!(matches!(too_large, Error::Decode(DecodeError::EventTooLarge { limit: 12, .. })));
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "a");
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "b");
    assert!(!events.is_terminated());
    match events.next().await {
        Some(Err(Error::Transport(stopped))) => assert_eq!(stopped.refusal().unwrap().body(), b"who?"),
        other => panic!("{other:?}"),
    }
    assert!(events.next().await.is_none() && events.is_terminated());
    assert_eq!(events.get_ref().last_event_id(), "1");
    assert_eq!(events.get_ref().ready_state(), ReadyState::Closed);
    assert!(events.into_inner().stopped().is_none(), "the error has taken it");
}

#[tokio::test(start_paused = true)]
async fn an_earlier_failure_is_the_first_item() {
    let fake = Fake::new(&[Refusal(401, &[], &[])]);
    let mut source = fake.source();
    assert!(source.next().await.is_none());
    let mut events = source.events();
    assert!(matches!(events.next().await, Some(Err(Error::Transport(stopped))) if stopped.refusal().is_some()));
    assert!(events.next().await.is_none());
    // It is returned once.
    assert!(events.get_ref().stopped().is_none());
}

#[tokio::test(start_paused = true)]
async fn an_end_without_a_failure_is_not_an_error() {
    let fake = Fake::new(&[Stream(&[Chunk("data: a\n\n")])]);
    let mut events = fake.source().events();
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "a");
    assert_eq!(events.try_next().await.unwrap(), None);

    let fake = Fake::new(&[Stream(&[Chunk("data: a\n\n"), Hang])]);
    let mut events = fake.source().events();
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
