//! When `KeepAlive` sends a comment, by a simulated clock.

use crate::{
    law,
    manual_clock::{Clock, Manual, Task, Timeline, millis, seconds, while_woken},
};
use bytes::Bytes;
use eventwire::{Comment, Event, KeepAlive, Outgoing};
use futures_util::{FutureExt, StreamExt, stream};
use std::time::Duration;

type Events = Manual<Event>;

/// The two clocks, with a source and its keep-alives.
fn both(interval: Duration) -> [(Clock, Events, KeepAlive<Events, Clock>); 2] {
    Clock::with_both(|events, clock| KeepAlive::new(events, interval, clock))
}

/// Returns everything that is ready to be sent now.
fn sent(blocks: &mut KeepAlive<Events, Clock>) -> Vec<String> {
    let mut sent = Vec::new();
    while let Some(Some(Ok(item))) = blocks.next().now_or_never() {
        sent.push(String::from_utf8(item.into_bytes().to_vec()).expect("text"));
        assert!(sent.len() < 10, "it spins: {sent:?}");
    }
    sent
}

const KEEP_ALIVE: &str = ": keep-alive\n\n";
/// What is sent at once if nothing is ready when the stream is first polled.
const FIRST: &str = ": \n\n";

#[test]
fn a_beginning_that_is_not_silent_has_no_comment() {
    for (clock, events, mut blocks) in both(seconds(15)) {
        events.send(Event::new("1"));
        assert_eq!(sent(&mut blocks), ["data: 1\n\n"]);
        clock.pass(seconds(15));
        assert_eq!(sent(&mut blocks), [KEEP_ALIVE]);

        let ended = Events::default();
        ended.end();
        let mut blocks = KeepAlive::new(ended, seconds(15), clock.clone());
        assert!(matches!(blocks.next().now_or_never(), Some(None)));

        let failed = stream::iter([Err::<Event, _>("broken")]).chain(stream::pending());
        let mut blocks = KeepAlive::new(failed, seconds(15), clock.clone());
        assert!(matches!(blocks.next().now_or_never(), Some(Some(Err("broken")))));
        assert!(blocks.next().now_or_never().is_none());
    }
}

#[test]
fn a_busy_stream_needs_no_timer() {
    for (clock, events, blocks) in both(seconds(15)) {
        for data in ["1", "2", "3"] {
            events.send(Event::new(data));
        }
        events.end();
        assert_eq!(blocks.count().now_or_never(), Some(3));
        assert_eq!(clock.sleeps.get(), 0);
    }
}

#[test]
fn the_end_is_the_end() {
    for (clock, events, mut blocks) in both(seconds(15)) {
        assert_eq!(sent(&mut blocks), [FIRST]);
        events.end();
        clock.pass(seconds(15));
        assert!(matches!(blocks.next().now_or_never(), Some(None)), "no comment after the end");
    }
}

#[test]
fn no_interval_no_comment() {
    for (clock, events, mut blocks) in both(Duration::ZERO) {
        assert_eq!(sent(&mut blocks), [""; 0]);
        clock.pass(seconds(100));
        events.send(Event::new("1"));
        assert_eq!(sent(&mut blocks), ["data: 1\n\n"]);
        assert_eq!(clock.sleeps.get(), 0);
    }
}

#[test]
fn something_else_may_be_sent_but_not_at_the_beginning() {
    let clock = Clock::default();
    for (block, written) in [
        (Outgoing::from(Comment::new("still here")), ": still here\n\n"),
        (Event::new("{}").with_event_type("ping").unwrap().into(), "event: ping\ndata: {}\n\n"),
    ] {
        let mut blocks = KeepAlive::new(Events::default(), seconds(1), clock.clone()).with_block(block);
        assert_eq!(sent(&mut blocks), [FIRST]);
        clock.pass(seconds(1));
        assert_eq!(sent(&mut blocks), [written]);
    }
}

/// A stream that is polled only when its task is woken. Events are sent at their milliseconds, and comments at the
/// beginning, unless there is an event, and exactly after an interval without any output.
#[test]
fn to_the_millisecond() {
    law::check(256, |random| {
        let (interval, timeline, events) = (1 + random.below(19) as u64, Timeline::any(random), Events::default());
        let mut blocks = KeepAlive::new(events.clone(), millis(interval), timeline.clock.clone());
        let end = timeline.comes_at.last().unwrap_or(&0) + 50;
        let (mut expected, mut last) = (Vec::new(), 0);
        for now in 0..end {
            let come = timeline.comes_at.iter().filter(|at| **at == now).count();
            expected.extend(vec![(now, "data: 1\n\n"); come]);
            if come > 0 {
                last = now;
            } else if now == 0 {
                expected.push((now, FIRST));
            }
            if now == last + interval {
                expected.push((now, KEEP_ALIVE));
                last = now;
            }
        }
        let sent = timeline.run(&mut blocks, end, |_| events.send(Event::new("1")));
        let sent: Vec<_> = sent.into_iter().map(|(at, Ok(item))| (at, item.into_bytes())).collect();
        let expected: Vec<_> = expected.into_iter().map(|(at, text)| (at, Bytes::from(text))).collect();
        assert_eq!(sent, expected);
    });
}

#[test]
fn a_timer_with_a_clock_makes_few_sleeps() {
    let (clock, events) = (Clock { is_told: true, ..Clock::default() }, Events::default());
    let mut blocks = KeepAlive::new(events.clone(), seconds(16), clock.clone());
    assert_eq!(sent(&mut blocks), [FIRST]);
    for _ in 0..800 {
        clock.pass(seconds(1) / 10);
        events.send(Event::new("1"));
        assert_eq!(sent(&mut blocks), ["data: 1\n\n"]);
    }
    // Two sleeps in each of five intervals, each of which is polled when it is new and when it has woken the task.
    assert!((9..=11).contains(&clock.sleeps.get()), "{:?}", clock.sleeps);
    assert!(clock.polls.get() <= 2 * clock.sleeps.get(), "{:?}", clock.polls);
    clock.pass(seconds(15));
    assert_eq!(sent(&mut blocks), [""; 0]);
    clock.pass(seconds(1));
    assert_eq!(sent(&mut blocks), [KEEP_ALIVE]);
}

#[test]
fn a_sleep_that_was_polled_without_effect_is_polled_again() {
    for (clock, events, mut blocks) in both(seconds(15)) {
        clock.is_distracted.set(true);
        assert_eq!(sent(&mut blocks), [FIRST]);
        clock.is_distracted.set(false);
        events.send(Event::new("1"));
        assert_eq!(sent(&mut blocks), ["data: 1\n\n"]);
        assert_eq!(clock.sleeping(), 1);
    }
}

#[test]
fn the_longest_interval() {
    for (clock, events, mut blocks) in both(Duration::MAX) {
        assert_eq!(sent(&mut blocks), [FIRST]);
        for _ in 0..3 {
            assert_eq!(sent(&mut blocks), [""; 0]);
            clock.pass(seconds(1 << 40));
            events.send(Event::new("1"));
            assert_eq!(sent(&mut blocks), ["data: 1\n\n"]);
        }
    }
}

/// A clock that is set back once delays one comment, by one interval at most.
#[test]
fn no_silence_of_more_than_two_intervals() {
    law::check(256, |random| {
        let (interval, set_at, set_back) = (1 + random.below(19), random.below(200), random.below(100) as u64);
        let (clock, events) = (Clock { is_told: true, ..Clock::default() }, Events::default());
        clock.set.set(millis(100));
        let mut blocks = KeepAlive::new(events.clone(), millis(interval as u64), clock.clone());
        let mut silence = 0;
        for now in 0..200 {
            if now == set_at {
                clock.set.set(millis(100 - set_back));
            }
            if random.below(10) == 9 {
                events.send(Event::new("1"));
            }
            silence = if sent(&mut blocks).is_empty() { silence + 1 } else { 0 };
            assert!(silence <= 2 * interval, "{silence}");
            clock.pass(millis(1));
        }
    });
}

#[test]
fn a_clock_that_is_set_back_far_loses_no_wake() {
    let (clock, events) = (Clock { is_told: true, ..Clock::default() }, Events::default());
    clock.set.set(seconds(3600));
    let mut blocks = KeepAlive::new(events.clone(), seconds(15), clock.clone());
    let task = Task::woken();
    let mut poll = || {
        let mut sent = 0;
        while_woken(&task, &mut blocks, |_| sent += 1);
        sent
    };
    assert_eq!(poll(), 1);
    // The sleep ends at the moment at which an event is ready, and wakes the task once for both.
    clock.set.set(seconds(0));
    events.send(Event::new("1"));
    clock.pass(seconds(15));
    assert_eq!(poll(), 1);
    clock.pass(seconds(15));
    assert_eq!(poll(), 1);
}
