//! When `KeepAlive` sends a comment, by a simulated clock.

use crate::manual_clock::{Clock, Manual, Task, millis, seconds, while_woken};
use eventwire::{Comment, Event, KeepAlive, Outgoing};
use futures_util::{FutureExt, StreamExt, stream};
use proptest::prelude::*;
use std::{task::Wake, time::Duration};

type Events = Manual<Event>;

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
    for clock in Clock::both() {
        let events = Events::default();
        let mut blocks = KeepAlive::new(events.clone(), seconds(15), clock.clone());
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
    for clock in Clock::both() {
        let events = Events::default();
        for data in ["1", "2", "3"] {
            events.send(Event::new(data));
        }
        events.end();
        let blocks = KeepAlive::new(events, seconds(15), clock.clone());
        assert_eq!(blocks.count().now_or_never(), Some(3));
        assert_eq!(clock.sleeps.get(), 0);
    }
}

#[test]
fn the_end_is_the_end() {
    for clock in Clock::both() {
        let events = Events::default();
        let mut blocks = KeepAlive::new(events.clone(), seconds(15), clock.clone());
        assert_eq!(sent(&mut blocks), [FIRST]);
        events.end();
        clock.pass(seconds(15));
        assert!(matches!(blocks.next().now_or_never(), Some(None)), "no comment after the end");
    }
}

#[test]
fn no_interval_no_comment() {
    for clock in Clock::both() {
        let events = Events::default();
        let mut blocks = KeepAlive::new(events.clone(), Duration::ZERO, clock.clone());
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

proptest! {
    /// A stream that is polled only when its task is woken. Events are sent at their milliseconds, and comments at the
    /// beginning, unless there is an event, and exactly after an interval without any output.
    #[test]
    fn to_the_millisecond(
        interval in 1_u64..20,
        gaps in prop::collection::vec(prop_oneof![3 => 0_u64..4, 1 => 0_u64..60], 0..40),
        moves in prop::collection::vec(0_usize..100, 0..4),
        is_told: bool,
        early in 0_u64..3,
    ) {
        let early = millis(if is_told { early } else { 0 });
        let (clock, events) = (Clock { is_told, early, ..Clock::default() }, Events::default());
        let mut blocks = KeepAlive::new(events.clone(), millis(interval), clock.clone());
        let comes_at: Vec<u64> = gaps.iter().scan(0, |at, gap| { *at += gap; Some(*at) }).collect();

        let mut task = Task::woken();
        let (mut sent, mut expected) = (Vec::new(), Vec::new());
        let mut last = 0;
        for now in 0..comes_at.last().unwrap_or(&0) + 50 {
            let come = comes_at.iter().filter(|at| **at == now).count();
            for _ in 0..come {
                events.send(Event::new("1"));
                task.wake_by_ref();
                expected.push((now, "data: 1\n\n"));
                last = now;
            }
            if now == 0 && come == 0 {
                expected.push((now, FIRST));
            }
            if now == last + interval {
                expected.push((now, KEEP_ALIVE));
                last = now;
            }
            if moves.contains(&usize::try_from(now).unwrap()) {
                // The stream moves to another task, which polls it first.
                task = Task::woken();
            }
            while_woken(&task, &mut blocks, |Ok(item)| {
                let bytes = item.into_bytes();
                sent.push((now, [FIRST, KEEP_ALIVE].into_iter().find(|one| bytes == one).unwrap_or("data: 1\n\n")));
                assert!(sent.len() <= expected.len(), "{sent:?}");
            });
            clock.pass(millis(1));
        }
        prop_assert_eq!(sent, expected);
    }
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
    for clock in Clock::both() {
        let events = Events::default();
        let mut blocks = KeepAlive::new(events.clone(), seconds(15), clock.clone());
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
    for clock in Clock::both() {
        let events = Events::default();
        let mut blocks = KeepAlive::new(events.clone(), Duration::MAX, clock.clone());
        assert_eq!(sent(&mut blocks), [FIRST]);
        for _ in 0..3 {
            assert_eq!(sent(&mut blocks), [""; 0]);
            clock.pass(seconds(1 << 40));
            events.send(Event::new("1"));
            assert_eq!(sent(&mut blocks), ["data: 1\n\n"]);
        }
    }
}

proptest! {
    /// A clock that is set back once delays one comment, by one interval at most.
    #[test]
    fn no_silence_of_more_than_two_intervals(
        interval in 1_u64..20,
        comes in prop::collection::vec(prop_oneof![9 => Just(false), 1 => Just(true)], 200),
        set_at in 0_usize..200,
        set_back in 0_u64..100,
    ) {
        let (clock, events) = (Clock { is_told: true, ..Clock::default() }, Events::default());
        clock.set.set(millis(100));
        let mut blocks = KeepAlive::new(events.clone(), millis(interval), clock.clone());
        let mut silence = 0;
        for (now, comes) in comes.into_iter().enumerate() {
            if now == set_at {
                clock.set.set(millis(100 - set_back));
            }
            if comes {
                events.send(Event::new("1"));
            }
            silence = if sent(&mut blocks).is_empty() { silence + 1 } else { 0 };
            prop_assert!(silence <= 2 * interval, "{silence}");
            clock.pass(millis(1));
        }
    }
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
