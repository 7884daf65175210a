//! `restart`, after the end of a source. In every other state: `life.rs`.

use crate::{
    fake::{
        Answer::{self, Refusal, Stream},
        Step::Chunk,
        source,
    },
    trace::{resend, trace},
};
use eventwire_client::{Resend, StopReason};
use futures_util::TryStreamExt;

#[tokio::test(start_paused = true)]
async fn restart_sends_a_request_that_must_not_be_sent_again() {
    const ANSWERS: &[Answer] = &[Stream(&[Chunk("data: a\n\n")]), Stream(&[Chunk("data: b\n\n")])];
    for mode in [Resend::UnlessSent, Resend::UntilProgress, Resend::WithCursor, Resend::Never] {
        let mut source = source(ANSWERS).with_policy(resend(mode));
        for data in ["a", "b"] {
            let expected = format!("#1 | open | {data} | stopped NotResent: not retried: the connection ended");
            assert_eq!(trace(&mut source).await.text(), expected, "{mode:?}");
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
    let mut source = source(&[Stream(&[Chunk("id: \u{1}\ndata: a\n\n")])]);
    trace(&mut source).await;
    assert_eq!(source.stopped().unwrap().reason(), StopReason::InvalidLastEventId);
    assert!(source.set_last_event_id("a\nb").is_err());
    source.set_last_event_id("7").unwrap();
    source.restart();
    assert_eq!(trace(&mut source).await.words[0], "#1 id=7");
}
