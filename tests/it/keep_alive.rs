//! When `KeepAlive` sends a comment, by a clock that the test moves.

use eventwire::{Block, Comment, Event, KeepAlive, Timer};
use futures_util::{FutureExt, Stream, StreamExt, stream::FusedStream};
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    convert::Infallible,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
    time::Duration,
};

const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// What time it is, and how many futures have been made to wait for a time.
#[derive(Clone, Default)]
struct Clock {
    now: Rc<Cell<Duration>>,
    sleeps: Rc<Cell<usize>>,
}

impl Clock {
    fn pass(&self, time: Duration) {
        self.now.set(self.now.get() + time);
    }
}

impl Timer for Clock {
    type Sleep = Sleep;

    fn sleep(&self, duration: Duration) -> Sleep {
        self.sleeps.set(self.sleeps.get() + 1);
        Sleep { clock: self.clone(), until: self.now.get() + duration }
    }
}

struct Sleep {
    clock: Clock,
    until: Duration,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.clock.now.get() >= self.until { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// Events that come when the test says so; over when it has said that too.
#[derive(Clone, Default)]
struct Events {
    queue: Rc<RefCell<VecDeque<Option<Event>>>>,
    has_ended: bool,
}

impl Events {
    fn send(&self, data: &'static str) {
        self.queue.borrow_mut().push_back(Some(Event::new(data)));
    }

    fn end(&self) {
        self.queue.borrow_mut().push_back(None);
    }
}

impl Stream for Events {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Some(item) = self.queue.borrow_mut().pop_front() else { return Poll::Pending };
        self.has_ended = item.is_none();
        Poll::Ready(item.map(Ok))
    }
}

impl FusedStream for Events {
    fn is_terminated(&self) -> bool {
        self.has_ended
    }
}

/// All that is there to be sent at this moment.
fn sent(blocks: &mut KeepAlive<Events, Clock>) -> Vec<String> {
    let mut sent = Vec::new();
    while let Some(Some(Ok(block))) = blocks.next().now_or_never() {
        sent.push(String::from_utf8(block.to_bytes().to_vec()).expect("text"));
        assert!(sent.len() < 10, "it does not spin: {sent:?}");
    }
    sent
}

const KEEP_ALIVE: &str = ": keep-alive\n\n";

#[test]
fn a_comment_after_each_interval_of_silence() {
    let (clock, events) = (Clock::default(), Events::default());
    let mut blocks = KeepAlive::new(events.clone(), seconds(15), clock.clone());
    assert_eq!(sent(&mut blocks), [""; 0]);
    clock.pass(seconds(14));
    assert_eq!(sent(&mut blocks), [""; 0]);
    clock.pass(seconds(1));
    assert_eq!(sent(&mut blocks), [KEEP_ALIVE]);
    clock.pass(seconds(14));
    assert_eq!(sent(&mut blocks), [""; 0]);
    clock.pass(seconds(1));
    assert_eq!(sent(&mut blocks), [KEEP_ALIVE]);
    assert_eq!(clock.sleeps.get(), 3, "one future for each silence, not one for each time of asking");
}

#[test]
fn whatever_is_sent_begins_the_interval_anew() {
    let (clock, events) = (Clock::default(), Events::default());
    let mut blocks = KeepAlive::new(events.clone(), seconds(15), clock.clone());
    assert_eq!(sent(&mut blocks), [""; 0]);
    clock.pass(seconds(14));
    events.send("1");
    assert_eq!(sent(&mut blocks), ["data: 1\n\n"]);
    clock.pass(seconds(14));
    assert_eq!(sent(&mut blocks), [""; 0]);
    clock.pass(seconds(1));
    // An event that is ready goes before a comment that is due.
    events.send("2");
    assert_eq!(sent(&mut blocks), ["data: 2\n\n"]);
    clock.pass(seconds(15));
    assert_eq!(sent(&mut blocks), [KEEP_ALIVE]);
}

#[test]
fn a_busy_stream_needs_no_timer() {
    let (clock, events) = (Clock::default(), Events::default());
    for data in ["1", "2", "3"] {
        events.send(data);
    }
    events.end();
    let blocks = KeepAlive::new(events, seconds(15), clock.clone());
    assert_eq!(blocks.count().now_or_never(), Some(3));
    assert_eq!(clock.sleeps.get(), 0);
}

#[test]
fn the_end_is_the_end() {
    let (clock, events) = (Clock::default(), Events::default());
    let mut blocks = KeepAlive::new(events.clone(), seconds(15), clock.clone());
    assert_eq!(sent(&mut blocks), [""; 0]);
    assert!(!blocks.is_terminated());
    events.end();
    clock.pass(seconds(15));
    assert!(matches!(blocks.next().now_or_never(), Some(None)), "no comment behind the end");
    assert!(blocks.is_terminated());
}

#[test]
fn no_interval_no_comment() {
    let (clock, events) = (Clock::default(), Events::default());
    let mut blocks = KeepAlive::new(events.clone(), Duration::ZERO, clock.clone());
    assert_eq!(sent(&mut blocks), [""; 0]);
    clock.pass(seconds(100));
    events.send("1");
    assert_eq!(sent(&mut blocks), ["data: 1\n\n"]);
    assert_eq!(clock.sleeps.get(), 0);
}

#[test]
fn something_else_may_be_sent() {
    let clock = Clock::default();
    for (block, written) in [
        (Block::from(Comment::new("still here")), ": still here\n\n"),
        (Event::new("{}").with_event_type("ping").unwrap().into(), "event: ping\ndata: {}\n\n"),
    ] {
        let mut blocks = KeepAlive::new(Events::default(), seconds(1), clock.clone()).with_block(block);
        assert_eq!(sent(&mut blocks), [""; 0]);
        clock.pass(seconds(1));
        assert_eq!(sent(&mut blocks), [written]);
    }
}
