//! A source that is always ready, without an item: a poll ends, and wakes its task, so that timeouts end as well.

use crate::{
    manual_clock::{Clock, Task, seconds},
    scripted_source::{Answer::Chunk, Script},
};
use bytes::Bytes;
use eventwire::{Error, Events, EventsExt};
use futures_util::{FutureExt, Stream, StreamExt, stream};
use std::{
    convert::Infallible,
    task::{Context, Waker},
};

type Item = Result<Bytes, Infallible>;

/// Repeats this chunk without a pause.
fn flood(chunk: &'static str) -> impl Stream<Item = Item> + Unpin {
    stream::repeat(Ok(Bytes::from(chunk)))
}

/// Polls a stream that is never done, and checks that each poll wakes its task.
#[track_caller]
fn check<S: Stream + Unpin>(mut stream: S) {
    let task = Task::woken();
    for _ in 0..3 {
        assert!(task.is_woken());
        assert!(stream.poll_next_unpin(&mut Context::from_waker(&Waker::from(task.clone()))).is_pending());
    }
    assert!(task.is_woken());
}

#[test]
fn every_adapter_ends_its_poll() {
    for chunk in ["", ":\n", "data: 1\n"] {
        check(flood(chunk).events());
        check(flood(chunk).events().with_idle_timeout(seconds(1), Clock::default()));
    }
    check(flood("").events().blocks());
    check(flood("id: 1\n").events().blocks());
    #[cfg(feature = "json")]
    check(flood("event: ping\ndata: {}\n\n").events().json_with::<i64>(eventwire::Dialect::ANTHROPIC));
}

/// The next poll goes on in the same place. An iterator, which cannot be pending, reads on.
#[test]
fn nothing_is_lost() {
    let lines = [vec![Chunk("data: 1\n"); 999], vec![Chunk("\n")]].concat();
    let mut events = Script::new(&lines).events();
    let mut polls = 1;
    let event = loop {
        match events.next().now_or_never() {
            Some(event) => break event.unwrap().unwrap(),
            None => polls += 1,
        }
    };
    assert_eq!((event.data().len(), polls), (999 * 2 - 1, 16));
    assert_eq!(Events::new(Script::new(&lines).blocking()).next().unwrap().unwrap(), event);
}

#[test]
fn a_progress_timeout_ends() {
    for clock in Clock::both() {
        let events = flood(": c\n").events();
        let mut events = events.with_progress_timeout(seconds(40), seconds(20), clock.clone(), |_| true);
        for _ in 0..4 {
            assert_eq!(events.next().now_or_never(), None);
            clock.pass(seconds(10));
        }
        assert_eq!(events.next().now_or_never(), Some(Some(Err(Error::ProgressTimeout(seconds(40))))));
    }
}

/// What always arrives is not idle, whether it contains events or not. But the time is counted once it stops.
#[test]
fn an_idle_timeout_ends_after_the_flood() {
    for clock in Clock::both() {
        let body = flood(": c\n").take(64 * 8).chain(stream::pending());
        let mut events = body.events().with_idle_timeout(seconds(40), clock.clone());
        for _ in 0..8 + 4 {
            assert_eq!(events.next().now_or_never(), None);
            clock.pass(seconds(10));
        }
        assert_eq!(events.next().now_or_never(), Some(Some(Err(Error::IdleTimeout(seconds(40))))));
    }
}
