//! A source has ended after a panic of its decisions, its connector, its body or its timer.

use crate::fake::{
    Answer::{self, Refusal, Stream},
    Failure, Fake,
    Step::{self, Chunk},
};
use eventwire::{Error, Event, Timer};
use eventwire_client::{
    Attempt, ConnectionError, Connector, EventSource, Hooks, Item, ResponseHead, StopReason, Verdict,
};
use futures_util::{
    FutureExt, StreamExt,
    future::LocalBoxFuture,
    stream::{FusedStream, LocalBoxStream},
};
use http::Response;
use std::{cell::Cell, panic::AssertUnwindSafe, rc::Rc, time::Duration};
use tokio::time::Sleep;

/// The code of the caller that panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Nowhere,
    Opens,
    RefusalVerdict,
    ErrorVerdict,
    Delay,
    Cursor,
    IsProgress,
    IsEnd,
    ExpectsEnd,
    Connect,
    /// The future of a response.
    Response,
    Body,
    Timer,
}

/// Panics at this place once.
#[derive(Clone)]
struct Fuse(Rc<Cell<Place>>);

impl Fuse {
    fn burn(&self, place: Place) {
        if self.0.get() == place {
            self.0.set(Place::Nowhere);
            panic!("{place:?}");
        }
    }
}

impl Hooks<Failure> for Fuse {
    fn opens(&mut self, head: &ResponseHead<'_>) -> bool {
        self.burn(Place::Opens);
        Verdict::default_for(head) == Verdict::Open
    }

    fn response_verdict(&mut self, refusal: &eventwire_client::UnexpectedResponse) -> Verdict {
        self.burn(Place::RefusalVerdict);
        Verdict::default_for(&refusal.head())
    }

    fn error_verdict(&mut self, _: &Failure) -> Option<Verdict> {
        self.burn(Place::ErrorVerdict);
        None
    }

    fn delay(&mut self, delay: Duration, _: u32, _: &ConnectionError<Failure>) -> Duration {
        self.burn(Place::Delay);
        delay
    }

    fn is_progress(&mut self, _: &Event) -> bool {
        self.burn(Place::IsProgress);
        true
    }

    fn cursor(&mut self, _: &Event) -> Option<String> {
        self.burn(Place::Cursor);
        None
    }

    fn is_end(&mut self, _: &Event) -> bool {
        self.burn(Place::IsEnd);
        false
    }

    fn expects_end(&self) -> bool {
        self.burn(Place::ExpectsEnd);
        false
    }
}

struct Clock(Fuse);

impl Timer for Clock {
    type Sleep = Sleep;

    fn sleep(&self, duration: Duration) -> Sleep {
        self.0.burn(Place::Timer);
        tokio::time::sleep(duration)
    }
}

struct Fragile {
    fake: Fake,
    fuse: Fuse,
}

impl Connector for Fragile {
    type Chunk = &'static str;
    type BodyError = Failure;
    type Body = LocalBoxStream<'static, Result<&'static str, Failure>>;
    type Error = Failure;
    type Connect = LocalBoxFuture<'static, Result<Response<Self::Body>, Failure>>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        self.fuse.burn(Place::Connect);
        let (response, fuse) = (self.fake.connect(attempt), self.fuse.clone());
        async move {
            fuse.burn(Place::Response);
            let response = response.await?;
            Ok(response.map(|body| body.inspect(move |_| fuse.burn(Place::Body)).boxed_local()))
        }
        .boxed_local()
    }
}

/// Each place, and how many items come before its panic.
const PLACES: [(Place, usize); 12] = [
    (Place::Connect, 0),
    (Place::Response, 0),
    (Place::ErrorVerdict, 0),
    (Place::Delay, 0),
    (Place::Timer, 0),
    (Place::Opens, 1),
    (Place::RefusalVerdict, 1),
    (Place::Body, 3),
    (Place::Cursor, 3),
    (Place::IsProgress, 3),
    (Place::IsEnd, 3),
    (Place::ExpectsEnd, 5),
];
const ANSWERS: &[Answer] = &[
    Answer::Failure("refused"),
    Refusal(429, &[], &[]),
    Stream(&[Chunk("id: 1\ndata: a\n\nid: 2\ndata: b\n\n")]),
    Stream(&[Step::Hang]),
];

type Source = EventSource<Fragile, Clock, Fuse>;

/// Returns a source after the panic at this place, and the connector's attempts.
async fn after_panic(place: Place, adjust: fn(Source) -> Source) -> (Source, usize, Fake) {
    let fuse = Fuse(Rc::new(Cell::new(place)));
    let fake = Fake::new(ANSWERS);
    let connector = Fragile { fake: fake.clone(), fuse: fuse.clone() };
    let mut source = adjust(EventSource::with_connector(connector, Clock(fuse.clone())).with_hooks(fuse));
    let mut items = 0;
    while let Ok(item) = AssertUnwindSafe(source.next()).catch_unwind().await {
        assert!(item.is_some(), "{place:?} was not reached");
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
            assert_eq!(items, items_before, "{place:?}");
            assert!(source.is_terminated(), "{place:?}");
            let attempts = fake.attempts().len();
            assert!(source.next().await.is_none() && source.next().await.is_none(), "{place:?}");
            // The connection has been dropped, and there is no other one.
            assert_eq!((fake.attempts().len(), fake.alive()), (attempts, 0), "{place:?}");
            // Nobody knows whether the stream is complete.
            let stopped = source.into_stopped();
            assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::Permanent, true), "{place:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_stream_of_events_fails_and_a_restart_connects_again() {
    let (source, ..) = after_panic(Place::IsEnd, |source| source).await;
    let mut events = source.events();
    let failure = events.next().await;
    assert!(matches!(&failure, Some(Err(Error::Transport(stopped))) if stopped.is_failure()), "{failure:?}");
    assert!(events.next().await.is_none());
    let mut source = events.into_inner();
    source.restart();
    assert!(matches!(source.next().await, Some(Item::Open(_))));
}
