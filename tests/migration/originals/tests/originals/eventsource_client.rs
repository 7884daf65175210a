//! eventsource-client 0.18.0.

use super::fake::{Answer, Fake, open, run};
use eventsource_client::{Client, ClientBuilder, Error, ReconnectOptions, SSE};
use eventwire_client::{ConnectionError, Item, ReconnectPolicy, StopReason};
use futures_util::{FutureExt, Stream, StreamExt};
use std::{fmt::Debug, time::Duration};
use tokio::time::Instant;

type Theirs = std::pin::Pin<Box<dyn Stream<Item = Result<SSE, Error>> + Send + Sync>>;

fn builder() -> ClientBuilder {
    ClientBuilder::for_url("http://localhost/").expect("a URL")
}

fn theirs(fake: &Fake) -> Theirs {
    builder().build_with_transport(fake.clone()).stream()
}

/// The first items in short: data, comments in brackets, and the names of other items.
fn first(stream: Theirs, count: usize) -> Vec<String> {
    let name = |item: Result<SSE, Error>| match item {
        Ok(SSE::Connected(_)) => "connected".to_owned(),
        Ok(SSE::Event(event)) => event.data,
        Ok(SSE::Comment(comment)) => format!("[{comment}]"),
        Err(error) => error.to_string(),
    };
    run(stream.take(count).map(name).collect())
}

fn first_of_ours<E: Debug>(source: impl Stream<Item = Item<E>>, count: usize) -> Vec<String> {
    let name = |item: Item<E>| match item {
        Item::Open(_) => "connected".to_owned(),
        Item::Event(event) => event.data().to_owned(),
        Item::Block(block) => block.data().expect("an event").to_owned(),
        Item::Comment(comment) => format!("[{}]", comment.text()),
        Item::Reconnecting { error: ConnectionError::Ended, .. } => "eof".to_owned(),
        other => format!("{other:?}"),
    };
    run(source.take(count).map(name).collect())
}

#[test]
fn the_last_event_id_is_lost_with_an_event_that_has_none() {
    static ANSWERS: [Answer; 2] = [open(b"id: 41\ndata: a\n\n"), open(b"data: b\n\n")];
    let fake = Fake::new(&ANSWERS);
    assert_eq!(first(theirs(&fake), 6), ["connected", "a", "eof", "connected", "b", "eof"]);
    let fake = Fake::new(&ANSWERS);
    run(async {
        let mut stream = theirs(&fake);
        while fake.ids().len() < 3 {
            let _ = tokio::time::timeout(Duration::from_secs(10), stream.next()).await;
        }
    });
    assert_eq!(fake.ids(), [None, Some("41".to_owned()), None]);

    let fake = Fake::new(&ANSWERS);
    run(async {
        let mut stream = fake.source("GET");
        while fake.ids().len() < 3 {
            let _ = tokio::time::timeout(Duration::from_secs(10), stream.next()).await;
        }
    });
    assert_eq!(fake.ids(), [None, Some("41".to_owned()), Some("41".to_owned())]);
}

#[test]
fn any_content_type_is_an_event_stream() {
    static ANSWERS: [Answer; 1] = [Answer::Response(200, "text/html", ("x-none", ""), b"data: a\n\n")];
    assert_eq!(first(theirs(&Fake::new(&ANSWERS)), 2), ["connected", "a"]);

    let mut ours = Fake::new(&ANSWERS).source("GET");
    assert!(run(ours.next()).is_none());
    assert_eq!(ours.into_stopped().reason(), StopReason::UnexpectedResponse);
}

#[test]
fn it_reconnects_after_204() {
    static ANSWERS: [Answer; 2] = [Answer::Response(204, "", ("x-none", ""), b""), open(b"data: a\n\n")];
    assert_eq!(first(theirs(&Fake::new(&ANSWERS)), 4), ["connected", "eof", "connected", "a"]);

    let mut ours = Fake::new(&ANSWERS).source("GET");
    assert!(run(ours.next()).is_none());
    assert_eq!(ours.into_stopped().reason(), StopReason::NoContent);
}

#[test]
fn a_failed_first_connection_is_the_end() {
    static ANSWERS: [Answer; 2] = [Answer::NotReached, open(b"data: a\n\n")];
    assert_eq!(first(theirs(&Fake::new(&ANSWERS)), 9), ["transport error: transport error: not reached"]);

    run(async {
        let mut ours = Fake::new(&ANSWERS).source("GET");
        assert!(matches!(ours.next().await, Some(Item::Reconnecting { error: ConnectionError::Transport(_), .. })));
        assert!(matches!(ours.next().await, Some(Item::Open(_))));

        let mut once = Fake::new(&ANSWERS).source("GET").with_policy(ReconnectPolicy::new().with_max_first_attempts(1));
        assert!(once.next().await.is_none());
        assert_eq!(once.into_stopped().reason(), StopReason::NeverOpened);
    });
}

#[test]
fn a_later_connection_that_fails_is_not_reported() {
    static ANSWERS: [Answer; 3] = [open(b"data: a\n\n"), Answer::NotReached, open(b"data: b\n\n")];
    assert_eq!(first(theirs(&Fake::new(&ANSWERS)), 5), ["connected", "a", "eof", "connected", "b"]);

    let ours = first_of_ours(Fake::new(&ANSWERS).source("GET"), 6);
    assert!(ours[3].contains("not reached"), "{ours:?}");
    assert_eq!(
        (&ours[..3], &ours[4..]),
        (&["connected", "a", "eof"].map(String::from)[..], &["connected", "b"].map(String::from)[..])
    );
}

#[test]
fn after_the_first_connection_every_refusal_is_retried() {
    static ANSWERS: [Answer; 3] =
        [open(b"data: a\n\n"), Answer::Response(401, "text/plain", ("x-none", ""), b"expired"), open(b"data: b\n\n")];
    let due = ["connected", "a", "eof", "unexpected response: 401", "connected", "b"];
    assert_eq!(first(theirs(&Fake::new(&ANSWERS)), 6), due);

    run(async {
        let mut ours = Fake::new(&ANSWERS).source("GET");
        while ours.next().await.is_some() {}
        let stopped = ours.into_stopped();
        assert_eq!(stopped.reason(), StopReason::UnexpectedResponse);
        assert_eq!(stopped.response().expect("a refusal").text(), "expired");
    });
}

#[test]
fn a_post_is_sent_again_when_it_ends() {
    static ANSWERS: [Answer; 1] = [open(b"data: a\n\n")];
    let fake = Fake::new(&ANSWERS);
    run(async {
        let mut stream = builder().method("POST".into()).body("buy".into()).build_with_transport(fake.clone()).stream();
        while fake.bodies().len() < 2 {
            let _ = tokio::time::timeout(Duration::from_secs(10), stream.next()).await;
        }
    });
    assert_eq!(fake.bodies(), [Some("buy".into()), Some("buy".into())]);

    let fake = Fake::new(&ANSWERS);
    let mut ours = fake.source("POST");
    run(async { while ours.next().await.is_some() {} });
    assert_eq!(fake.bodies().len(), 1);
    assert!(ours.into_result().is_ok());
}

#[test]
fn retry_after_is_ignored() {
    static ANSWERS: [Answer; 3] =
        [open(b"data: a\n\n"), Answer::Response(503, "text/plain", ("retry-after", "30"), b""), open(b"data: b\n\n")];
    let time = |stream: &mut (dyn Stream<Item = bool> + Unpin)| {
        run(async {
            let start = Instant::now();
            stream.skip_while(|is_b| std::future::ready(!is_b)).next().await.expect("an event");
            start.elapsed()
        })
    };
    let is_b = |item| matches!(item, Ok(SSE::Event(event)) if event.data == "b");
    assert!(time(&mut theirs(&Fake::new(&ANSWERS)).map(is_b)) < Duration::from_secs(4));
    let source = Fake::new(&ANSWERS).source("GET");
    assert!(
        time(&mut source.map(|item| matches!(item, Item::Event(event) if event.data() == "b")))
            > Duration::from_secs(30)
    );
}

#[test]
fn a_reconnection_time_without_an_event_is_lost() {
    static ANSWERS: [Answer; 2] = [open(b"retry: 20000\n\ndata: a\n\n"), open(b"data: b\n\n")];
    let time = |stream: &mut (dyn Stream<Item = ()> + Unpin)| {
        run(async {
            let start = Instant::now();
            stream.skip(3).next().await.expect("the second connection");
            start.elapsed()
        })
    };
    assert!(time(&mut theirs(&Fake::new(&ANSWERS)).map(drop)) <= Duration::from_secs(1));
    assert!(time(&mut Fake::new(&ANSWERS).source("GET").map(drop)) >= Duration::from_secs(20));
}

#[test]
fn a_field_named_comment_is_a_comment() {
    static ANSWERS: [Answer; 1] = [open(b"comment: field\n: text\n\ndata: a\n\n")];
    assert_eq!(first(theirs(&Fake::new(&ANSWERS)), 4), ["connected", "[field]", "[ text]", "a"]);
    assert_eq!(first_of_ours(Fake::new(&ANSWERS).source("GET").with_blocks(), 3), ["connected", "[text]", "a"]);
    assert_eq!(first_of_ours(Fake::new(&ANSWERS).source("GET"), 2), ["connected", "a"]);
}

#[test]
fn invalid_utf_8_ends_the_connection() {
    static ANSWERS: [Answer; 2] = [open(b"data: a\n\ndata: \xff\n\ndata: lost\n\n"), open(b"data: b\n\n")];
    let items = first(theirs(&Fake::new(&ANSWERS)), 5);
    assert!(items[1].starts_with("invalid line: "), "{items:?}");
    assert_eq!([&items[0], &items[2], &items[3], &items[4]], ["connected", "a", "connected", "b"]);
    let due = ["connected", "a", "\u{fffd}", "lost", "eof"];
    assert_eq!(first_of_ours(Fake::new(&ANSWERS).source("GET"), 5), due);
}

#[test]
fn a_stream_that_ends_inside_an_event_looks_complete() {
    static ANSWERS: [Answer; 1] = [open(b"data: a\n\ndata: hal\n")];
    assert_eq!(first(theirs(&Fake::new(&ANSWERS)), 3), ["connected", "a", "eof"]);
    let mut ours = Fake::new(&ANSWERS).source("GET").skip(2);
    assert!(matches!(run(ours.next()), Some(Item::Reconnecting { error: ConnectionError::Truncated, .. })));
}

#[test]
fn of_the_redirects_it_follows_301_and_307() {
    const fn redirect(status: u16) -> Answer {
        Answer::Response(status, "", ("location", "http://localhost/other"), b"")
    }
    static FOLLOWED: [Answer; 3] = [redirect(301), redirect(307), open(b"data: a\n\n")];
    assert_eq!(first(theirs(&Fake::new(&FOLLOWED)), 2), ["connected", "a"]);
    static OTHER: [[Answer; 1]; 3] = [[redirect(302)], [redirect(303)], [redirect(308)]];
    for answers in &OTHER {
        let items = first(theirs(&Fake::new(answers)), 9);
        assert!(items.len() == 1 && items[0].starts_with("unexpected response: 30"), "{items:?}");
    }
}

#[test]
fn it_sends_nothing_before_it_is_polled() {
    static ANSWERS: [Answer; 1] = [open(b"data: a\n\n")];
    let fake = Fake::new(&ANSWERS);
    let stream =
        builder().reconnect(ReconnectOptions::reconnect(false).build()).build_with_transport(fake.clone()).stream();
    assert!(fake.ids().is_empty());
    assert_eq!(run(stream.collect::<Vec<_>>()).len(), 3);
    let fake = Fake::new(&ANSWERS);
    let mut ours = fake.source("GET");
    assert!(fake.ids().is_empty());
    assert!(run(async { ours.next().now_or_never() }).is_some());
}
