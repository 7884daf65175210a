//! An event source from its first item to its last: its getters in each state, and what remains after its end.

use crate::{
    fake::{
        Answer::{self, Refusal, Silence, Stream},
        Failure, Fake,
        Step::{self, Chunk, Hang},
        source,
    },
    trace::trace,
};
use eventwire::{BoxError, Decoder, Eof, Error, TokioTimer};
use eventwire_client::{
    ConnectionError, EventSource, Hooks, Item, ReadyState, ReconnectPolicy, Resend, StopReason, Verdict,
};
use futures_util::{TryStreamExt, stream::FusedStream};
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

/// In each state, closing, dropping and restarting a source drops its connection.
#[tokio::test(start_paused = true)]
async fn closing_dropping_and_restarting() {
    const EVENT: Answer = Stream(&[Chunk("id: 2\ndata: b\n\n"), Hang]);
    for (first, alive) in [
        (Silence, 1),
        (Answer::Failure("refused"), 0),
        (Stream(&[Chunk("id: 1\ndata: a\n\ndata: half"), Hang]), 1),
        (Stream(&[Chunk("id: 1\ndata: a\n\ndata: half"), Step::Failure("reset")]), 0),
        // Its body is still being read, so nothing has been decided about it.
        (Refusal(401, &[], &[Chunk("who"), Hang]), 1),
        (Refusal(401, &[], &[]), 0),
        (Refusal(204, &[], &[]), 0),
    ] {
        let fake = Fake::new(vec![first, EVENT].leak());
        let begin = async |fake: &Fake| {
            let mut source = fake.source();
            while let Ok(Some(item)) = timeout(SECOND, source.next()).await {
                if let Item::Reconnecting { .. } = item {
                    break;
                }
            }
            assert_eq!((fake.alive(), fake.attempts().len()), (alive, 1), "{first:?}");
            source
        };
        let mut closed = begin(&fake).await;
        let had_stopped = closed.is_terminated();
        closed.close();
        assert_eq!((fake.alive(), closed.next().await.is_none()), (0, true), "{first:?}");
        assert_eq!((closed.ready_state(), fake.attempts().len()), (ReadyState::Closed, 1), "{first:?}");
        closed.close();
        let stopped = closed.into_stopped();
        let is_closed = stopped.reason() == StopReason::Closed && stopped.error().is_none();
        assert_eq!(is_closed, !had_stopped, "{first:?}: {stopped}");

        let dropped = fake.fresh();
        let source = begin(&dropped).await;
        let kept = dropped.clone();
        drop(source);
        assert_eq!(kept.alive(), 0, "{first:?}");

        let fake = fake.fresh();
        let mut restarted = begin(&fake).await;
        let id = restarted.last_event_id().to_owned();
        restarted.restart();
        assert_eq!((fake.alive(), restarted.is_terminated()), (0, false), "{first:?}");
        assert_eq!((restarted.ready_state(), restarted.last_event_id()), (ReadyState::Connecting, id.as_str()));
        assert_eq!(fake.attempts().len(), 1, "nothing is sent before the next poll");
        // At once, without a delay.
        assert!(matches!(timeout(SECOND / 10, restarted.next()).await, Ok(Some(Item::Open(_)))), "{first:?}");
        assert_eq!(fake.attempts()[1], (1, id));
        // The unfinished event is not part of the next one.
        assert!(matches!(restarted.next().await, Some(Item::Event(event)) if event.data() == "b"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_close_is_no_failure_and_drops_what_has_arrived() {
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
    let failed = "failed AttemptsExhausted: gave up after too many attempts: the connection ended";
    assert_eq!(trace(&mut source).await.text(), format!("the connection ended | #1 | open | {failed}"));

    let id = |decoder: Decoder| {
        let source = self::source(&[]).with_last_event_id("7").unwrap().with_decoder(decoder);
        source.last_event_id().to_owned()
    };
    assert_eq!((id(Decoder::new()), id(Decoder::new().with_last_event_id("8").unwrap())), ("7".into(), "8".into()));
    assert!(self::source(&[]).with_last_event_id("a\nb").is_err());
}

/// So that many clients do not come back at the same time.
#[tokio::test(start_paused = true)]
async fn each_source_has_another_jitter_unless_its_policy_has_a_seed() {
    let first = async |policy: Option<ReconnectPolicy>| {
        let source = source(&[Answer::Failure("refused")]);
        let mut source = match policy {
            Some(policy) => source.with_policy(policy),
            None => source,
        };
        trace(&mut source).await.delays[0]
    };
    assert_ne!(first(None).await, first(None).await);
    let (unseeded, seeded) = (ReconnectPolicy::new, || ReconnectPolicy::new().with_jitter_seed(7));
    assert_ne!(first(Some(unseeded())).await, first(Some(unseeded())).await);
    assert_eq!(first(Some(seeded())).await, first(Some(seeded())).await);
}

#[tokio::test(start_paused = true)]
async fn a_body_is_dropped_before_its_last_item_is_returned() {
    for eof in [Eof::Dispatch, Eof::Error] {
        let fake = Fake::new(&[Stream(&[Chunk("data: a")])]);
        let mut source = fake.source().with_decoder(Decoder::new().with_eof(eof));
        assert!(matches!(source.next().await, Some(Item::Open(_))));
        assert_eq!(fake.alive(), 1);
        assert!(matches!(source.next().await, Some(Item::Event(_) | Item::Undecodable(_))));
        assert_eq!(fake.alive(), 0, "{eof:?}");
    }
    // So is a body after the last event of the stream.
    let fake = Fake::new(&[Stream(&[Chunk("data: z\n\ndata: not read\n\n"), Hang])]);
    let mut source = fake.source().with_end(|event| event.data() == "z");
    while !matches!(source.next().await, Some(Item::Event(_))) {}
    assert_eq!((source.ready_state(), fake.alive()), (ReadyState::Closed, 0));
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

/// Fractions of a millisecond are not printed, because nobody sets them.
#[test]
fn timeouts_are_printed_rounded() {
    use ConnectionError::{IdleTimeout, ProgressTimeout, ResponseTimeout};
    for timeout in [ResponseTimeout, IdleTimeout, ProgressTimeout] {
        let error: ConnectionError<Failure> = timeout(Duration::from_nanos(1_234_567_890));
        assert!(error.to_string().ends_with(" for 1.235s"), "{error}");
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
async fn a_stream_of_events_over_a_source_in_use() {
    // An earlier failure is the first item.
    let mut source = source(&[Refusal(401, &[], &[])]);
    assert!(source.next().await.is_none());
    let mut events = source.events();
    assert!(!events.is_terminated());
    assert!(matches!(events.next().await, Some(Err(Error::Transport(stopped))) if stopped.response().is_some()));
    assert!(events.next().await.is_none() && events.is_terminated());
    assert!(events.get_ref().stopped().is_none(), "the error has taken it");

    // A close is not an error.
    let mut events = self::source(&[Stream(&[Chunk("id: 1\ndata: a\n\n"), Hang])]).events();
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "a");
    assert!(!events.is_terminated());
    events.get_mut().close();
    assert_eq!(events.try_next().await.unwrap(), None);
    assert_eq!((events.get_ref().last_event_id(), events.get_ref().ready_state()), ("1", ReadyState::Closed));
}

/// The hooks of a connection that has failed or ended are asked when it is gone.
#[tokio::test(start_paused = true)]
async fn a_connection_is_dropped_before_its_hooks_are_asked() {
    struct Gone(Fake);
    impl Hooks<Failure> for Gone {
        fn error_verdict(&mut self, _: &Failure) -> Option<Verdict> {
            assert_eq!(self.0.alive(), 0);
            None
        }
        fn delay(&mut self, delay: Duration, _: u32, _: &ConnectionError<Failure>) -> Duration {
            assert_eq!(self.0.alive(), 0);
            delay
        }
        fn expects_end(&self) -> bool {
            assert_eq!(self.0.alive(), 0);
            false
        }
    }
    let fake = Fake::new(&[
        Answer::Failure("refused"),
        Stream(&[Chunk("data: a\n\n"), Step::Failure("reset")]),
        Stream(&[Chunk("data: b\n\n")]),
    ]);
    // The hooks have a reference to the count of connections.
    let mut source = EventSource::with_connector(fake.clone(), TokioTimer).with_hooks(Gone(fake));
    while source.next().await.is_some() {}
    assert_eq!((source.connector().attempts().len(), source.stopped().unwrap().reason()), (4, StopReason::NoContent));
}

#[tokio::test(start_paused = true)]
async fn without_polls_at_most_a_quarter_of_a_timeout_passes() {
    let mut source = source(&[Stream(&[Hang])]).with_progress_timeout(40 * SECOND);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(timeout(SECOND, source.next()).await.is_err());
    tokio::time::sleep(3600 * SECOND).await;
    let begun = tokio::time::Instant::now();
    assert!(matches!(source.next().await, Some(Item::Reconnecting { .. })));
    assert_eq!(begun.elapsed(), 30 * SECOND);
}
