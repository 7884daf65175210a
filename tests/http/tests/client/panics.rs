//! A source has ended after a panic of its hooks, its connector, its body or its timer.

use crate::{
    asked::Asked,
    fake::{
        Answer::{self, Refusal, Stream},
        Failure, Fake,
        Step::{self, Chunk},
    },
};
use eventwire::{Error, Timer};
use eventwire_client::{Attempt, Connector, EventSource, Item, StopReason};
use futures_util::{
    FutureExt, StreamExt,
    future::LocalBoxFuture,
    stream::{FusedStream, LocalBoxStream},
};
use http::Response;
use std::{panic::AssertUnwindSafe, time::Duration};
use tokio::time::Sleep;

struct Clock(Asked);

impl Timer for Clock {
    type Sleep = Sleep;

    fn sleep(&self, duration: Duration) -> Sleep {
        self.0.reach("timer");
        tokio::time::sleep(duration)
    }
}

struct Fragile {
    fake: Fake,
    asked: Asked,
}

impl Connector for Fragile {
    type Chunk = &'static str;
    type BodyError = Failure;
    type Body = LocalBoxStream<'static, Result<&'static str, Failure>>;
    type Error = Failure;
    type Connect = LocalBoxFuture<'static, Result<Response<Self::Body>, Failure>>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        self.asked.reach("connect");
        let (response, asked) = (self.fake.connect(attempt), self.asked.clone());
        async move {
            asked.reach("future of a response");
            let response = response.await?;
            Ok(response.map(|body| body.inspect(move |_| asked.reach("body")).boxed_local()))
        }
        .boxed_local()
    }
}

/// Each place, and how many items come before its panic.
const PLACES: [(&str, usize); 12] = [
    ("connect", 0),
    ("future of a response", 0),
    ("error_verdict", 0),
    ("delay", 0),
    ("timer", 0),
    ("opens", 1),
    ("response_verdict", 1),
    ("body", 3),
    ("cursor", 3),
    ("is_progress", 3),
    ("is_end", 3),
    ("expects_end", 5),
];
const ANSWERS: &[Answer] = &[
    Answer::Failure("refused"),
    Refusal(429, &[], &[]),
    Stream(&[Chunk("id: 1\ndata: a\n\nid: 2\ndata: b\n\n")]),
    Stream(&[Step::Hang]),
];

type Source = EventSource<Fragile, Clock, Asked>;

/// Returns a source after the panic at this place, and the connector's attempts.
async fn after_panic(place: &'static str, adjust: fn(Source) -> Source) -> (Source, usize, Fake) {
    let (asked, fake) = (Asked::panics_at(place), Fake::new(ANSWERS));
    let connector = Fragile { fake: fake.clone(), asked: asked.clone() };
    let mut source = adjust(EventSource::with_connector(connector, Clock(asked.clone())).with_hooks(asked));
    let mut items = 0;
    while let Ok(item) = AssertUnwindSafe(source.next()).catch_unwind().await {
        assert!(item.is_some(), "{place} was not reached");
        items += 1;
    }
    (source, items, fake)
}

#[tokio::test(start_paused = true)]
async fn a_source_has_ended_after_a_panic() {
    let shapes: [fn(Source) -> Source; 2] = [|source| source, EventSource::with_blocks];
    for adjust in shapes {
        for (place, items_before) in PLACES {
            let (mut source, items, fake) = after_panic(place, adjust).await;
            assert_eq!(items, items_before, "{place}");
            assert!(source.is_terminated(), "{place}");
            let attempts = fake.attempts().len();
            assert!(source.next().await.is_none() && source.next().await.is_none(), "{place}");
            // The connection has been dropped, and there is no other one.
            assert_eq!((fake.attempts().len(), fake.alive()), (attempts, 0), "{place}");
            // Nobody knows whether the stream is complete.
            let stopped = source.into_stopped();
            assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::Permanent, true), "{place}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_stream_of_events_fails_and_a_restart_connects_again() {
    let (source, ..) = after_panic("is_end", |source| source).await;
    let mut events = source.events();
    let failure = events.next().await;
    assert!(matches!(&failure, Some(Err(Error::Transport(stopped))) if stopped.is_failure()), "{failure:?}");
    assert!(events.next().await.is_none());
    let mut source = events.into_inner();
    source.restart();
    assert!(matches!(source.next().await, Some(Item::Open(_))));
}
