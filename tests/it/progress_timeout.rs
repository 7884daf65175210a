//! Progress timeouts: when it times out, what counts as progress, and what follows.

use crate::{
    law,
    manual_clock::{Clock, Manual, Timeline, millis, seconds},
    scripted_source::{
        Answer::{Chunk, Failure},
        Script,
    },
};
use bytes::Bytes;
use eventwire::{Error, Event, Events, EventsExt};
use futures_util::{FutureExt, Stream, StreamExt, stream, stream::FusedStream};
use std::{
    convert::Infallible,
    future,
    panic::{AssertUnwindSafe, catch_unwind},
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

/// A stream that is polled only when its task is woken. Events pass at their milliseconds, and the timeout comes
/// exactly when there was no progress for the first time, or after progress for the time in between.
#[test]
fn to_the_millisecond() {
    law::check(256, |random| {
        let [first, between] = [19, 9].map(|bound| 4 * (1 + random.below(bound) as u64));
        let timeline = Timeline::any(random);
        let is_progress: Vec<bool> = timeline.comes_at.iter().map(|_| random.coin()).collect();
        let source = Manual::<Bytes>::default();
        let events = source.clone().events();
        let clock = timeline.clock.clone();
        let mut events = events.with_progress_timeout(millis(first), millis(between), clock, is_token);

        let (mut ends, mut limit) = (first, first);
        let mut expected = Vec::new();
        for (at, is_progress) in timeline.comes_at.iter().zip(&is_progress) {
            if *at > ends {
                break;
            }
            if *is_progress {
                (ends, limit) = (at + between, between);
            }
            expected.push((*at, if *is_progress { "token" } else { "ping" }.to_owned()));
        }
        expected.push((ends, format!("no progress for {limit}ms")));
        let found = timeline.run(&mut events, ends + 50, |number| {
            source.send(if is_progress[number] { token() } else { ping() });
        });
        let word = |item: Item| item.map_or_else(|error| error.to_string(), |event| event.event_type().to_owned());
        assert_eq!(found.into_iter().map(|(at, item)| (at, word(item))).collect::<Vec<_>>(), expected);
        assert!(events.is_terminated());
    });
}

#[test]
fn a_pause_is_a_quarter_of_the_time_at_most() {
    let time = seconds(40);
    for (clock, source, mut events) in Clock::with_both(|source: Manual<Bytes>, clock| {
        source.events().with_progress_timeout(time, time, clock, is_token)
    }) {
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
