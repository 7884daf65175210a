//! The rows of the table of `Channel::subscribe`, one test each.

use crate::reader::Reader;
use eventwire::Event;
use eventwire_hub::{Channel, History, Lag, Resume, StreamPosition, Subscription, UpToDate};
use std::time::Duration;

const EPOCH: u64 = 0x9f86_d081_884c_7d65;

/// A channel with the events 1 to `newest`, of which the last four are kept.
fn channel(newest: u64) -> Channel {
    let channel = Channel::new(History::new().with_max_events(4));
    channel.restart(StreamPosition::new(EPOCH, 0)).unwrap();
    (1..=newest).for_each(|number| send(&channel, number));
    channel
}

fn send(channel: &Channel, number: u64) {
    assert_eq!(channel.send(&Event::new(number.to_string())), Ok(StreamPosition::new(EPOCH, number)));
}

fn after(id: impl AsRef<[u8]>) -> Resume<'static> {
    Resume::After(id.as_ref().to_vec().into())
}

fn id(number: u64) -> String {
    format!("9f86d081884c7d65-{number}")
}

fn opening(number: u64) -> String {
    format!("id: {}\n\n", id(number))
}

fn event(number: u64) -> String {
    format!("id: {}\ndata: {number}\n\n", id(number))
}

fn gap(to: u64, data: &str) -> String {
    format!("event: gap\nid: {}\ndata: {data}\n\n", id(to))
}

#[track_caller]
fn subscribe(channel: &Channel, resume: Resume<'_>) -> Reader<Subscription> {
    Reader::new(channel.subscribe(resume).unwrap())
}

/// What a reader gets at once and, unless that has ended, after the next event.
#[track_caller]
fn check(channel: &Channel, resume: Resume<'_>, at_once: &[String]) {
    let mut reader = subscribe(channel, resume);
    assert_eq!(reader.ready(), at_once);
    let newest = channel.position().sequence();
    if at_once.last().is_none_or(|last| last != "(end)") {
        send(channel, newest + 1);
        assert_eq!(reader.ready(), [event(newest + 1)]);
    }
}

fn end() -> String {
    "(end)".to_owned()
}

#[test]
fn a_live_reader_gets_new_events() {
    check(&channel(0), Resume::Live, &[opening(0)]);
    check(&channel(9), Resume::Live, &[opening(9)]);
}

#[test]
fn a_live_reader_of_a_finished_channel_gets_the_end() {
    let channel = channel(9);
    channel.finish();
    check(&channel, Resume::Live, &[opening(9), end()]);
}

#[test]
fn from_the_earliest_event_if_nothing_was_lost() {
    check(&channel(0), Resume::Earliest, &[opening(0)]);
    check(&channel(2), Resume::Earliest, &[opening(0), event(1), event(2)]);
}

#[test]
fn from_the_earliest_event_if_some_were_lost() {
    let kept = [opening(0), gap(5, r#"{"missed":5}"#), event(6), event(7), event(8), event(9)];
    check(&channel(9), Resume::Earliest, &kept);
}

#[test]
fn the_newest_id() {
    check(&channel(9), after(id(9)), &[opening(9)]);
    check(&channel(0), after(id(0)), &[opening(0)]);
}

#[test]
fn the_newest_id_of_a_finished_channel() {
    for newest in [0, 9] {
        let channel = channel(newest);
        channel.finish();
        assert_eq!(channel.subscribe(after(id(newest))).err(), Some(UpToDate));
        assert_eq!(channel.stats().readers, 0);
        // A reader that has sent no ID does not know the end yet.
        subscribe(&channel, Resume::Live);
    }
}

#[test]
fn an_id_whose_successor_is_kept() {
    check(&channel(9), after(id(8)), &[opening(8), event(9)]);
    check(&channel(9), after(id(5)), &[opening(5), event(6), event(7), event(8), event(9)]);
    let channel = channel(9);
    channel.finish();
    check(&channel, after(id(8)), &[opening(8), event(9), end()]);
}

#[test]
fn an_older_id() {
    let kept = [opening(4), gap(5, r#"{"missed":1}"#), event(6), event(7), event(8), event(9)];
    check(&channel(9), after(id(4)), &kept);
    let channel = channel(9);
    channel.finish();
    let kept = [opening(0), gap(5, r#"{"missed":5}"#), event(6), event(7), event(8), event(9), end()];
    check(&channel, after(id(0)), &kept);
}

#[test]
fn an_id_of_another_epoch() {
    for number in [0, 7, u64::MAX] {
        let other = format!("0000000000000001-{number}");
        let opening = format!("id: {other}\n\n");
        let kept = [opening.clone(), gap(5, "{}"), event(6), event(7), event(8), event(9)];
        check(&channel(9), after(&other), &kept);
        check(&channel(0), after(&other), &[opening, gap(0, "{}")]);
    }
}

#[test]
fn an_id_above_the_newest() {
    check(&channel(9), after(id(10)), &[gap(9, "{}")]);
    check(&channel(9), after(id(u64::MAX)), &[gap(9, "{}")]);
    let channel = channel(9);
    channel.finish();
    check(&channel, after(id(10)), &[gap(9, "{}"), end()]);
}

#[test]
fn text_that_is_no_id() {
    let too_long = [id(9), " ".repeat(2048)].concat();
    for text in ["", "x", "9", "9f86d081884c7d65", "9F86D081884C7D65-9", "9f86d081884c7d65-09", &too_long] {
        check(&channel(9), after(text), &[gap(9, "{}")]);
    }
    check(&channel(9), after(b"\xFF\xFE"), &[gap(9, "{}")]);
}

#[test]
fn a_gap_is_told_once() {
    let channel = channel(9);
    for resume in [after("x"), after(id(1)), after("0000000000000001-1"), Resume::Earliest] {
        let mut reader = subscribe(&channel, resume);
        let told = reader.ready().into_iter().find(|item| item.starts_with("event: gap")).unwrap();
        let told = told.lines().find_map(|line| line.strip_prefix("id: ")).unwrap().to_owned();
        let mut reader = subscribe(&channel, after(&told));
        assert_eq!(reader.ready()[0], format!("id: {told}\n\n"));
    }
}

#[test]
fn a_connection_that_is_lost_before_the_gap_is_told_is_told_it_again() {
    let channel = channel(9);
    let mut reader = subscribe(&channel, after(id(1)));
    let opening = opening(1);
    assert_eq!(reader.poll().map(Option::unwrap), std::task::Poll::Ready(opening.clone()));
    let mut reader = subscribe(&channel, after(id(1)));
    assert_eq!(reader.ready()[..2], [opening, gap(5, r#"{"missed":4}"#)]);
}

#[test]
fn the_opening_has_the_reconnection_time() {
    let channel = channel(9);
    let opening = |resume: Resume<'_>| {
        let subscription = channel.subscribe(resume).unwrap().with_retry(Duration::from_secs(3));
        Reader::new(subscription).ready().remove(0)
    };
    assert_eq!(opening(Resume::Live), format!("id: {}\nretry: 3000\n\n", id(9)));
    assert_eq!(opening(after("x")), "retry: 3000\n\n");
}

#[test]
fn a_slow_reader_gets_one_gap_event_and_goes_on() {
    let channel = channel(0);
    let mut reader = subscribe(&channel, Resume::Live);
    assert_eq!(reader.ready(), [opening(0)]);
    (1..=4).for_each(|number| send(&channel, number));
    assert_eq!(reader.poll().map(Option::unwrap), std::task::Poll::Ready(event(1)));
    (5..=20).for_each(|number| send(&channel, number));
    let rest = [gap(16, r#"{"missed":15}"#), event(17), event(18), event(19), event(20)];
    assert_eq!(reader.ready(), rest);
    assert_eq!((channel.stats().gaps, channel.stats().ended), (1, 0));
}

#[test]
fn a_slow_reader_ends_to_shed_load_and_is_told_when_it_returns() {
    let channel = channel(0);
    let mut reader = Reader::new(channel.subscribe(Resume::Live).unwrap().with_lag(Lag::End));
    assert_eq!(reader.ready(), [opening(0)]);
    (1..=5).for_each(|number| send(&channel, number));
    assert_eq!(reader.ready(), ["(end)"]);
    assert_eq!(reader.ready(), ["(end)"], "it does not go on");
    assert_eq!((channel.stats().gaps, channel.stats().ended), (0, 1));
    // A reader that returns is told before it can be too slow again.
    let mut reader = Reader::new(channel.subscribe(after(id(0))).unwrap().with_lag(Lag::End));
    send(&channel, 6);
    assert_eq!(reader.ready()[..2], [opening(0), gap(2, r#"{"missed":2}"#)]);
}

#[test]
fn a_reader_for_whom_nothing_is_missing_after_all_can_be_too_slow() {
    let channel = channel(9);
    let other = StreamPosition::new(EPOCH + 1, 3);
    let mut reader = Reader::new(channel.subscribe(after(other.to_string())).unwrap().with_lag(Lag::End));
    channel.restart(other).unwrap();
    channel.send_transient(Event::new("typing")).unwrap();
    assert_eq!(reader.ready(), [format!("id: {other}\n\n"), "data: typing\n\n".to_owned()]);
    (0..5).for_each(|_| _ = channel.send(&Event::new("x")).unwrap());
    assert_eq!(reader.ready(), ["(end)"]);
}

#[test]
fn the_newest_event_is_kept_even_if_it_is_larger_than_the_history() {
    let channel = Channel::new(History::new().with_max_events(0).with_max_bytes(0));
    for data in ["a", "b"] {
        channel.send(&Event::new(data)).unwrap();
        let ready = Reader::new(channel.subscribe(Resume::Earliest).unwrap()).ready();
        assert!(ready.last().unwrap().ends_with(&format!("data: {data}\n\n")));
        assert_eq!(channel.stats().events, 1);
    }
}

#[test]
fn a_restart_is_a_gap_for_readers_that_are_not_exactly_there() {
    let channel = channel(9);
    let mut reader = subscribe(&channel, Resume::Live);
    reader.ready();
    // The follower of a log has skipped two events.
    channel.restart(StreamPosition::new(EPOCH, 11)).unwrap();
    assert_eq!(reader.ready(), [gap(11, r#"{"missed":2}"#)]);
    channel.restart(StreamPosition::new(EPOCH, 11)).unwrap();
    assert_eq!((reader.ready(), reader.wakes()), (vec![], 2));
    send(&channel, 12);
    assert_eq!(reader.ready(), [event(12)]);
    channel.restart(StreamPosition::new(1, 0)).unwrap();
    assert_eq!(reader.ready(), ["event: gap\nid: 0000000000000001-0\ndata: {}\n\n"]);
}

#[test]
fn a_reader_that_is_not_slow_does_not_end_at_a_restart() {
    let channel = channel(9);
    let mut reader = Reader::new(channel.subscribe(Resume::Live).unwrap().with_lag(Lag::End));
    assert_eq!(reader.ready(), [opening(9)]);
    channel.restart(StreamPosition::new(EPOCH, 12)).unwrap();
    assert_eq!(reader.ready(), [gap(12, r#"{"missed":3}"#)]);
    assert_eq!(channel.stats().ended, 0);
}

#[test]
fn a_restart_opens_a_finished_channel() {
    let channel = channel(9);
    channel.finish();
    channel.restart(StreamPosition::new(EPOCH, 9)).unwrap();
    check(&channel, after(id(9)), &[opening(9)]);
}

#[test]
fn streams_end_when_nobody_is_left_who_could_send() {
    let channel = channel(2);
    let mut reader = subscribe(&channel, after(id(1)));
    let mut waiting = subscribe(&channel, Resume::Live);
    assert_eq!(waiting.ready(), [opening(2)]);
    let clone = channel.clone();
    drop(channel);
    assert_eq!(waiting.wakes(), 0);
    drop(clone);
    assert_eq!(waiting.wakes(), 1);
    assert_eq!(waiting.ready(), ["(end)"]);
    assert_eq!(reader.ready(), [opening(1), event(2), end()]);
}

#[test]
fn transient_items_are_for_those_who_are_connected() {
    let channel = channel(1);
    channel.send_transient(Event::new("nobody gets this")).unwrap();
    let mut reader = subscribe(&channel, after(id(0)));
    channel.send_transient(Event::new("someone is typing").with_event_type("typing").unwrap()).unwrap();
    send(&channel, 2);
    let typing = "event: typing\ndata: someone is typing\n\n".to_owned();
    assert_eq!(reader.ready(), [opening(0), event(1), typing, event(2)]);
    assert_eq!(subscribe(&channel, after(id(1))).ready(), [opening(1), event(2)]);
}

#[test]
fn an_event_is_written_with_its_id_first_and_everything_else_it_has() {
    let channel = channel(0);
    let event = Event::new("a\nb").with_event_type("price").unwrap().with_retry(Duration::from_secs(1));
    channel.send(&event).unwrap();
    let ready = subscribe(&channel, Resume::Earliest).ready();
    assert_eq!(ready[1], format!("id: {}\nevent: price\nretry: 1000\ndata: a\ndata: b\n\n", id(1)));
}

#[test]
fn channels_have_random_epochs() {
    let epoch = || Channel::new(History::new()).position().epoch();
    assert_ne!(epoch(), epoch());
}
