//! Progress timeouts: when it times out, what counts as progress, and what follows.

use crate::{
    manual_clock::{Clock, Manual, Task, millis, seconds, while_woken},
    scripted_source::{
        Answer::{Chunk, Failure},
        Script,
    },
};
use bytes::Bytes;
use eventwire::{Error, Event, Events, EventsExt};
use futures_util::{FutureExt, Stream, StreamExt, stream, stream::FusedStream};
use proptest::prelude::*;
use std::{
    convert::Infallible,
    future,
    panic::{AssertUnwindSafe, catch_unwind},
    task::Wake,
    time::Duration,
};

type Item = Result<Event, Error<Infallible>>;

fn is_token(event: &Event) -> bool {
    event.event_type() == "token"
}

fn token() -> Bytes {
    "event: token\ndata: a\n\n".into()
}

fn ping() -> Bytes {
    "event: ping\ndata: {}\n\n".into()
}

/// A timer that does not wait.
fn no_time(_: Duration) -> future::Ready<()> {
    future::ready(())
}

fn all<S: Stream + Unpin>(stream: S) -> Vec<S::Item> {
    stream.collect::<Vec<_>>().now_or_never().expect("always ready")
}

#[test]
fn an_event_that_has_arrived_is_returned_before_the_timeout() {
    let (first, between) = (millis(1), seconds(1));
    // One chunk, and a timer whose time is over at once.
    let source =
        |pings| stream::iter([Ok::<_, Infallible>(Bytes::from([ping().repeat(pings), token().into()].concat()))]);
    let items = |pings| {
        all(source(pings).chain(stream::pending()).events().with_progress_timeout(first, between, no_time, is_token))
    };
    for pings in [1, 2, 64] {
        let items = items(pings);
        assert!(items[..pings].iter().all(|item| item.as_ref().is_ok_and(|event| !is_token(event))), "{items:?}");
        assert!(items[pings].as_ref().is_ok_and(is_token), "{items:?}");
        assert_eq!(items[pings + 1..], [Err(Error::ProgressTimeout(between))]);
    }
    // A source that never pauses.
    let items = items(70);
    assert_eq!((items.len(), items.last()), (66, Some(&Err(Error::ProgressTimeout(first)))));
}

proptest! {
    /// A stream that is polled only when its task is woken. Events pass at their milliseconds, and the timeout comes
    /// exactly when there was no progress for the first time, or after progress for the time in between.
    #[test]
    fn to_the_millisecond(
        first in 1_u64..20,
        between in 1_u64..10,
        gaps in prop::collection::vec((any::<bool>(), 1_u64..30), 0..40),
        is_told: bool,
    ) {
        let (first, between) = (4 * first, 4 * between);
        let (clock, source) = (Clock { is_told, ..Clock::default() }, Manual::<Bytes>::default());
        let events = source.clone().events();
        let mut events = events.with_progress_timeout(millis(first), millis(between), clock.clone(), is_token);
        let comes: Vec<(u64, bool)> =
            gaps.iter().scan(0, |at, (is_progress, gap)| { *at += gap; Some((*at, *is_progress)) }).collect();

        let mut ends = first;
        let mut expected: Vec<(u64, String)> = Vec::new();
        for (at, is_progress) in comes.iter().copied().take_while(|(at, _)| *at <= 1000) {
            if at > ends {
                break;
            }
            if is_progress {
                ends = at + between;
            }
            expected.push((at, if is_progress { "token" } else { "ping" }.to_owned()));
        }
        let limit = if expected.iter().any(|(_, event_type)| event_type == "token") { between } else { first };
        expected.push((ends, format!("no progress for {limit}ms")));

        let task = Task::woken();
        let mut found = Vec::new();
        for now in 0..ends + 50 {
            for (_, is_progress) in comes.iter().filter(|(at, _)| *at == now) {
                source.send(if *is_progress { token() } else { ping() });
                task.wake_by_ref();
            }
            while_woken(&task, &mut events, |item: Item| {
                found.push((now, item.map_or_else(|error| error.to_string(), |event| event.event_type().to_owned())));
                assert!(found.len() <= expected.len(), "{found:?}");
            });
            clock.pass(millis(1));
        }
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn nothing_is_polled_after_the_timeout() {
    let silent = Script::new(&[Chunk("event: token\ndata: 1\n\n: wait\n\n")]).chain(stream::pending());
    let mut events = silent.events().with_progress_timeout(seconds(60), seconds(20), no_time, is_token);
    let found = all(&mut events);
    assert!(events.is_terminated());
    assert_eq!(found.len(), 2);
    assert_eq!(found[1], Err(Error::ProgressTimeout(seconds(20))));
    assert!(all(&mut events).is_empty());
}

#[test]
fn a_pause_is_a_quarter_of_the_time_at_most() {
    for clock in Clock::both() {
        let source = Manual::<Bytes>::default();
        let events = source.clone().events();
        let mut events = events.with_progress_timeout(seconds(40), seconds(40), clock.clone(), is_token);
        assert_eq!(events.next().now_or_never(), None);
        clock.pass(seconds(1000));
        source.send(ping());
        assert_eq!(events.next().now_or_never().unwrap().unwrap().unwrap().event_type(), "ping");
        clock.pass(seconds(9));
        source.send(token());
        assert_eq!(events.next().now_or_never().unwrap().unwrap().unwrap().event_type(), "token");
        // After progress, the time does not begin before the next poll.
        clock.pass(seconds(1000));
        assert_eq!(events.next().now_or_never(), None);
    }
}

#[test]
fn the_end_and_errors_of_the_source_pass() {
    let script = || Script::new(&[Failure("a"), Chunk("event: token\ndata: 1\n\n"), Failure("b")]);
    let alone = all(Events::new(script()));
    let mut events = script().events().with_progress_timeout(seconds(1), Duration::ZERO, Clock::default(), is_token);
    assert_eq!(all(&mut events), alone);
    assert!(events.is_terminated());
}

#[test]
fn it_has_ended_after_a_panic_of_the_function() {
    let body = Script::new(&[Chunk("data: 1\n\ndata: 2\n\ndata: 3\n\n")]);
    let mut events = body.events().with_progress_timeout(seconds(1), seconds(1), Clock::default(), |event| {
        assert_ne!(event.data(), "2");
        true
    });
    assert_eq!(events.next().now_or_never().unwrap().unwrap().unwrap().data(), "1");
    assert!(catch_unwind(AssertUnwindSafe(|| events.next().now_or_never())).is_err());
    assert!(events.is_terminated() && all(&mut events).is_empty());
}

#[test]
fn zero_is_no_timeout() {
    let silent = || Script::new(&[Chunk("event: token\ndata: 1\n\n")]).chain(stream::pending());
    let mut events = silent().events().with_progress_timeout(seconds(1), Duration::ZERO, no_time, is_token);
    assert!(events.next().now_or_never().unwrap().unwrap().is_ok());
    assert_eq!(events.next().now_or_never(), None);
    let mut events = silent().events().with_progress_timeout(Duration::ZERO, seconds(1), no_time, is_token);
    assert!(events.next().now_or_never().unwrap().unwrap().is_ok());
    assert_eq!(events.next().now_or_never(), Some(Some(Err(Error::ProgressTimeout(seconds(1))))));
}

#[test]
fn over_an_idle_timeout() {
    let silent = Script::new(&[Chunk("event: token\ndata: 1\n\n")]).chain(stream::pending());
    let events = silent.events().with_idle_timeout(seconds(10), no_time);
    let found = all(events.with_progress_timeout(seconds(60), Duration::ZERO, no_time, is_token));
    assert_eq!(found[1..], [Err(Error::IdleTimeout(seconds(10)))]);
}
