//! `restart`, in every state of a source.

use crate::fake::{
    Answer::{self, Refusal, Silence, Stream},
    Fake,
    Step::{self, Chunk, Hang},
    source,
};
use eventwire::TokioTimer;
use eventwire_client::{EventSource, Item, ReadyState, ReconnectPolicy, Resend, StopReason};
use futures_util::{StreamExt, TryStreamExt, stream::FusedStream};
use std::time::Duration;
use tokio::time::timeout;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn from_every_state() {
    const EVENT: Answer = Stream(&[Chunk("id: 2\ndata: b\n\n"), Hang]);
    for answers in [
        &[Silence, EVENT][..],
        &[Answer::Failure("refused"), EVENT],
        &[Stream(&[Chunk("id: 1\ndata: a\n\ndata: half"), Hang]), EVENT],
        &[Stream(&[Chunk("id: 1\ndata: a\n\ndata: half"), Step::Failure("reset")]), EVENT],
        &[Refusal(401, &[], &[Hang]), EVENT],
        &[Refusal(401, &[], &[]), EVENT],
        &[Refusal(204, &[], &[]), EVENT],
    ] {
        let fake = Fake::new(answers.to_vec().leak());
        let mut source = EventSource::with_connector(fake.clone(), TokioTimer);
        while let Ok(Some(item)) = timeout(SECOND, source.next()).await {
            if let Item::Reconnecting { .. } = item {
                break;
            }
        }
        let id = source.last_event_id().to_owned();
        source.restart();
        assert_eq!((fake.alive(), source.is_terminated()), (0, false), "{answers:?}");
        assert_eq!((source.ready_state(), source.last_event_id()), (ReadyState::Connecting, id.as_str()));
        assert_eq!(fake.attempts().len(), 1, "nothing is sent before the next poll");
        // At once, without a delay.
        assert!(matches!(timeout(SECOND / 10, source.next()).await, Ok(Some(Item::Open(_)))), "{answers:?}");
        assert_eq!(fake.attempts()[1], (1, id));
        // The unfinished event is not part of the next one.
        assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "b"));
    }
}

#[tokio::test(start_paused = true)]
async fn restart_sends_a_request_that_must_not_be_sent_again() {
    const ANSWERS: &[Answer] = &[Stream(&[Chunk("data: a\n\n")]), Stream(&[Chunk("data: b\n\n")])];
    for resend in [Resend::UnlessSent, Resend::UntilProgress, Resend::WithCursor, Resend::Never] {
        let mut source = source(ANSWERS).with_policy(ReconnectPolicy::new().with_resend(resend));
        for data in ["a", "b"] {
            let mut events = Vec::new();
            while let Some(item) = source.next().await {
                if let Item::Event(event) = item {
                    events.push(event.data().to_owned());
                }
            }
            assert_eq!((events, source.stopped().unwrap().reason()), (vec![data.to_owned()], StopReason::NotResent));
            source.restart();
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_events_of_a_source_continue_after_a_failure() {
    const ANSWERS: &[Answer] = &[Refusal(401, &[], &[]), Stream(&[Chunk("data: a\n\n")])];
    let mut events = source(ANSWERS).events();
    assert!(events.try_next().await.is_err());
    assert!(events.next().await.is_none());
    events.get_mut().restart();
    assert_eq!(events.try_next().await.unwrap().unwrap().data(), "a");
    assert!(events.next().await.is_none());
}

/// If an ID cannot be sent, the caller can set another one.
#[tokio::test(start_paused = true)]
async fn with_another_id() {
    const ANSWERS: &[Answer] = &[Stream(&[Chunk("id: \u{1}\ndata: a\n\n")]), Stream(&[Chunk("data: b\n\n"), Hang])];
    let mut source = source(ANSWERS);
    while source.next().await.is_some() {}
    assert_eq!(source.stopped().unwrap().reason(), StopReason::InvalidLastEventId);
    assert!(source.set_last_event_id("a\nb").is_err());
    source.set_last_event_id("7").unwrap();
    source.restart();
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    let ids: Vec<_> = source.connector().attempts().into_iter().map(|(_, id)| id).collect();
    assert_eq!(ids, ["", "7"]);
}
