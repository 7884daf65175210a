//! A source whose decisions, connector or timer panic once: the panic reaches the caller, and the source goes on.

use crate::fake::{
    Answer::{self, Refusal, Stream},
    Failure, Fake,
    Step::{self, Chunk},
};
use eventwire::{Decoder, Eof, Event, Timer};
use eventwire_client::{
    Attempt, ConnectionError, Connector, Decide, EventSource, Item, ReconnectPolicy, Resend, ResponseHead, StopReason,
    Stopped, Verdict,
};
use futures_util::{
    FutureExt, StreamExt,
    future::LocalBoxFuture,
    stream::{self, LocalBoxStream},
};
use http::Response;
use std::{cell::Cell, panic::AssertUnwindSafe, rc::Rc, time::Duration};
use tokio::time::Sleep;

/// The code of the caller that panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Nowhere,
    Opens,
    Verdict,
    ErrorVerdict,
    Delay,
    /// About the event with this data.
    Cursor(&'static str),
    IsProgress(&'static str),
    IsEnd(&'static str),
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

fn data(event: &Event) -> &'static str {
    ["a", "b", "c"].into_iter().find(|data| event.data() == *data).unwrap_or("other")
}

impl Decide<Failure> for Fuse {
    fn opens(&mut self, head: &ResponseHead<'_>) -> bool {
        self.burn(Place::Opens);
        Verdict::default_for(head) == Verdict::Open
    }

    fn refusal_verdict(&mut self, refusal: &eventwire_client::Refusal) -> Verdict {
        self.burn(Place::Verdict);
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

    fn is_progress(&mut self, event: &Event) -> bool {
        self.burn(Place::IsProgress(data(event)));
        event.data() != "ping"
    }

    fn cursor(&mut self, event: &Event) -> Option<String> {
        self.burn(Place::Cursor(data(event)));
        Some(event.data().to_owned())
    }

    fn is_end(&mut self, event: &Event) -> bool {
        self.burn(Place::IsEnd(data(event)));
        event.data() == "end"
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
            Ok(response.map(|mut body| {
                let body = stream::poll_fn(move |context| {
                    let polled = body.poll_next_unpin(context);
                    if polled.is_ready() {
                        fuse.burn(Place::Body);
                    }
                    polled
                });
                body.boxed_local()
            }))
        }
        .boxed_local()
    }
}

/// Returns all items, as texts, and why the source stopped. `adjust` sets it up.
async fn run<A>(place: Place, answers: &'static [Answer], adjust: A) -> (Vec<String>, Stopped<Failure>)
where
    A: FnOnce(EventSource<Fragile, Clock, Fuse>) -> EventSource<Fragile, Clock, Fuse>,
{
    let fuse = Fuse(Rc::new(Cell::new(place)));
    let connector = Fragile { fake: Fake::new(answers), fuse: fuse.clone() };
    let source = EventSource::with_connector(connector, Clock(fuse.clone())).with_decisions(fuse.clone());
    let mut source = adjust(source.with_decoder(Decoder::new().with_eof(Eof::Dispatch)));
    let mut words = Vec::new();
    loop {
        words.push(match AssertUnwindSafe(source.next()).catch_unwind().await {
            Err(_) => "panic".to_owned(),
            Ok(None) => break,
            Ok(Some(Item::Open(_))) => "open".to_owned(),
            Ok(Some(Item::Event(event))) => format!("{} {}", event.data(), event.id()).trim_end().to_owned(),
            Ok(Some(Item::Block(block))) => format!("[{} {}]", block.data().unwrap_or("-"), block.id().unwrap_or("-")),
            Ok(Some(Item::Comment(comment))) => format!(": {}", comment.text()),
            Ok(Some(Item::Reconnecting { error, .. })) => error.to_string(),
            Ok(Some(item)) => panic!("{item:?}"),
        });
        assert!(words.len() < 30, "{words:?}");
    }
    assert_eq!(fuse.0.get(), Place::Nowhere, "{place:?} was not reached: {words:?}");
    (words, source.into_stopped())
}

const REFUSED: &str = "refused";
const BUSY: &str = "the server answered 429 Too Many Requests";
const ENDED: &str = "the connection ended";
const ANSWERS: &[Answer] = &[
    Answer::Failure(REFUSED),
    Stream(&[Chunk("id: 1\ndata: a\n\nid: 2\ndata: b\n\nid: 3\n\n"), Step::Failure("reset")]),
    Refusal(429, &[], &[]),
    Stream(&[Chunk("data: c")]),
];

async fn check(place: Place, expected: &[&str]) {
    let (words, stopped) = run(place, ANSWERS, |source| source).await;
    assert_eq!(words, expected, "{place:?}");
    assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::NoContent, false), "{place:?}");
}

#[tokio::test(start_paused = true)]
async fn a_decision_about_an_event() {
    check(Place::Nowhere, &[REFUSED, "open", "a 1", "b 2", "reset", BUSY, "open", "c 3", ENDED]).await;
    // The event follows, and so do the events after it.
    for place in [Place::Cursor("a"), Place::IsProgress("a"), Place::IsEnd("a")] {
        check(place, &[REFUSED, "open", "panic", "a 1", "b 2", "reset", BUSY, "open", "c 3", ENDED]).await;
    }
    for place in [Place::Cursor("b"), Place::IsProgress("b"), Place::IsEnd("b")] {
        check(place, &[REFUSED, "open", "a 1", "panic", "b 2", "reset", BUSY, "open", "c 3", ENDED]).await;
    }
    // This event is completed by the end of the body.
    for place in [Place::Cursor("c"), Place::IsProgress("c"), Place::IsEnd("c")] {
        check(place, &[REFUSED, "open", "a 1", "b 2", "reset", BUSY, "open", "panic", "c 3", ENDED]).await;
    }
    let blocks = [REFUSED, "open", "[a 1]", "panic", "[b 2]", "[- 3]", "reset", BUSY, "open", "[c -]", ENDED];
    assert_eq!(run(Place::IsEnd("b"), ANSWERS, EventSource::with_blocks).await.0, blocks);
}

#[tokio::test(start_paused = true)]
async fn a_decision_about_a_connection() {
    // The response is lost, and with it its events and their IDs.
    check(Place::Opens, &[REFUSED, "panic", BUSY, "open", "c", ENDED]).await;
    // The refusal is lost.
    check(Place::Verdict, &[REFUSED, "open", "a 1", "b 2", "reset", "panic", "open", "c 3", ENDED]).await;
    // The item for the reconnect is lost.
    for place in [Place::ErrorVerdict, Place::Delay] {
        check(place, &["panic", "open", "a 1", "b 2", "reset", BUSY, "open", "c 3", ENDED]).await;
    }
    // The unfinished event is lost with its connection.
    check(Place::ExpectsEnd, &[REFUSED, "open", "a 1", "b 2", "reset", BUSY, "open", "panic"]).await;
    // Nobody knows whether the stream is complete.
    let (words, stopped) = run(Place::ExpectsEnd, &[], |source| source).await;
    assert_eq!(words, ["panic"]);
    assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::NoContent, true));
}

#[tokio::test(start_paused = true)]
async fn the_connector_or_the_timer() {
    for place in [Place::Connect] {
        check(place, &["panic", REFUSED, "open", "a 1", "b 2", "reset", BUSY, "open", "c 3", ENDED]).await;
    }
    for place in [Place::Response, Place::Timer] {
        check(place, &["panic", "open", "a 1", "b 2", "reset", BUSY, "open", "c 3", ENDED]).await;
    }
    check(Place::Body, &[REFUSED, "open", "panic", BUSY, "open", "c", ENDED]).await;
}

/// The timer may panic while an item is handled, when the chunk has not been used up. The connection counts as lost,
/// but an event is still returned, because its ID is the last event ID.
#[tokio::test(start_paused = true)]
async fn the_timer_while_items_are_handled() {
    let timeout = |source: EventSource<_, _, _>| source.with_progress_timeout(Duration::from_secs(1));
    const PINGS: &[Answer] = &[Stream(&[Chunk("id: 1\ndata: ping\n\ndata: ping\n\n"), Step::Hang]), ANSWERS[3]];
    assert_eq!(run(Place::Timer, PINGS, timeout).await.0, ["open", "panic", "ping 1", "open", "c 1", ENDED]);
    // The rest of the event would be another event. An ID without data is the last event ID, too.
    const INSIDE: &[Answer] = &[Stream(&[Chunk("data: a\n: x\ndata: b\n\n"), Step::Hang]), ANSWERS[3]];
    let blocks = run(Place::Timer, INSIDE, |source| timeout(source).with_blocks()).await.0;
    assert_eq!(blocks, ["open", "panic", ": x", "open", "[c -]", ENDED]);
    const ID: &[Answer] = &[Stream(&[Chunk("id: 7\n\ndata: b\n\n"), Step::Hang]), ANSWERS[3]];
    let blocks = run(Place::Timer, ID, |source| timeout(source).with_blocks()).await.0;
    assert_eq!(blocks, ["open", "panic", "[- 7]", "open", "[c -]", ENDED]);
    // Many chunks without an event, after which other tasks run.
    const MANY: &[Answer] = &[Stream(&[Chunk(":\n"); 100]), ANSWERS[3]];
    assert_eq!(run(Place::Timer, MANY, timeout).await.0, ["open", "panic", "open", "c", ENDED]);
}

#[tokio::test(start_paused = true)]
async fn blocks_are_read_after_the_event_that_is_kept() {
    let fuse = Fuse(Rc::new(Cell::new(Place::IsEnd("a"))));
    let mut source = Fake::new(&[Stream(&[Chunk("data: a\n\nid: 1\n\n")])]).source().with_decisions(fuse);
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(AssertUnwindSafe(source.next()).catch_unwind().await.is_err());
    let mut source = source.with_blocks();
    assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "a"));
    assert!(matches!(source.next().await, Some(Item::Block(block)) if block.id() == Some("1")));
}

/// The request may have been carried out.
#[tokio::test(start_paused = true)]
async fn a_post_is_not_sent_again() {
    let post =
        |source: EventSource<_, _, _>| source.with_policy(ReconnectPolicy::new().with_resend(Resend::UnlessSent));
    for place in [Place::Connect, Place::Response, Place::Opens, Place::Body] {
        let (words, stopped) = run(place, &[Stream(&[Chunk("data: a\n\n")])], post).await;
        assert_eq!(words.last().unwrap(), "panic", "{words:?}");
        assert_eq!((stopped.reason(), stopped.is_failure()), (StopReason::NotResent, true), "{place:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_close_or_a_restart_after_a_panic() {
    let fuse = Fuse(Rc::new(Cell::new(Place::Cursor("a"))));
    let fake = Fake::new(&[Stream(&[Chunk("id: 1\ndata: a\n\ndata: b\n\n")]); 2]);
    let mut source = fake.source().with_decisions(fuse.clone());
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert!(AssertUnwindSafe(source.next()).catch_unwind().await.is_err());
    // The restart sends the event's ID, so the event is still returned.
    source.restart();
    assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "a"));
    assert!(matches!(source.next().await, Some(Item::Open(_))));
    assert_eq!(fake.attempts()[1].1, "1");
    fuse.0.set(Place::Cursor("a"));
    assert!(AssertUnwindSafe(source.next()).catch_unwind().await.is_err());
    source.close();
    assert!(source.next().await.is_none());
}
