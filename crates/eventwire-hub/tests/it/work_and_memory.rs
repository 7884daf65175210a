//! What readers and events cost: allocations and bytes.

use crate::counting_allocator::{live, measure};
use eventwire::Event;
use eventwire_hub::{Channel, History, Merged, Resume, Subscription};
use futures_util::{FutureExt, StreamExt};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};

const READERS: usize = 10_000;

struct Task;

impl Wake for Task {
    fn wake(self: Arc<Task>) {}
}

/// Reads everything that is ready.
fn read(readers: &mut [Subscription], waker: &Waker) -> usize {
    let mut items = 0;
    for reader in readers {
        while let Poll::Ready(item) = reader.poll_next_unpin(&mut Context::from_waker(waker)) {
            items += usize::from(item.is_some());
        }
    }
    items
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn a_reader_needs_at_most_256_bytes() {
    let channel = Channel::new(History::new());
    let waker = Waker::from(Arc::new(Task));
    let before = live();
    let mut readers = Vec::with_capacity(READERS);
    readers.extend((0..READERS).map(|_| channel.subscribe(Resume::Live).unwrap()));
    assert_eq!(read(&mut readers, &waker), READERS);
    // Two rounds, so that all memory that is reused is there.
    for _ in 0..2 {
        channel.send(&Event::new("a")).unwrap();
        assert_eq!(read(&mut readers, &waker), READERS);
    }
    let bytes = (live() - before) / READERS;
    assert!((100..=256).contains(&bytes), "{bytes} bytes");
    // The memory is the history plus a cursor each, no matter how slow they are.
    let before = live();
    for number in 0..5000 {
        channel.send(&Event::new(number.to_string())).unwrap();
    }
    let beyond = (live() - before - channel.stats().bytes) / 1024;
    assert!(beyond <= 140, "{beyond} bytes for each event that is kept");
    drop(readers);
    assert_eq!(channel.stats().readers, 0);
}

#[test]
fn an_event_is_encoded_once_and_reading_it_allocates_nothing() {
    let channel = Channel::new(History::new());
    let waker = Waker::from(Arc::new(Task));
    let mut readers: Vec<_> = (0..100).map(|_| channel.subscribe(Resume::Live).unwrap()).collect();
    read(&mut readers, &waker);
    for round in 0..50 {
        let event = Event::new("x".repeat(1000));
        let ((), sending) = measure(|| assert!(channel.send(&event).is_ok()));
        let (items, reading) = measure(|| read(&mut readers, &waker));
        assert_eq!(items, 100);
        // In the first rounds, the wakers need memory, which is kept. Later only the history grows.
        if round > 2 {
            assert!(sending.allocations <= 4, "{sending:?}");
            assert!(sending.allocated < 8000, "{sending:?}");
            assert_eq!(reading.allocations, 0);
        }
    }
}

#[test]
fn all_readers_share_the_bytes() {
    let channel = Channel::new(History::new());
    channel.send(&Event::new("a")).unwrap();
    let event = |resume| {
        let mut reader = channel.subscribe(resume).unwrap();
        reader.next().now_or_never();
        reader.next().now_or_never().flatten().unwrap().as_ref().as_ptr()
    };
    assert_eq!(event(Resume::Earliest), event(Resume::Earliest));
}

#[test]
fn the_history_keeps_no_more_than_its_limits() {
    let history = History::new().with_max_events(100).with_max_bytes(10_000);
    let channel = Channel::new(history);
    let event = Event::new("x".repeat(470));
    let before = live();
    for _ in 0..1000 {
        channel.send(&event).unwrap();
        channel.send_transient(event.clone()).unwrap();
    }
    let stats = channel.stats();
    assert!(stats.events >= 14, "transient items have displaced more than a quarter: {stats:?}");
    assert!(stats.bytes <= 10_000, "{stats:?}");
    // Buffers and bookkeeping included.
    assert!(live() - before < 20_000, "{} bytes", live() - before);
}

#[test]
fn no_event_keeps_unused_memory() {
    for event in [Event::new("a\n".repeat(5000)), Event::new("x".repeat(10_000)), Event::new("")] {
        let channel = Channel::new(History::new());
        channel.send(&event).unwrap();
        let before = live();
        channel.send(&event).unwrap();
        let (kept, sent) = (live() - before, channel.stats().bytes / 2);
        assert!(kept <= sent + sent / 8 + 200, "{kept} bytes for {sent}");
    }
    // A transient item may be a small part of a large buffer.
    let channel = Channel::new(History::new());
    let large = bytes::Bytes::from([&b"data: a\n\n"[..], &vec![b'x'; 1 << 20]].concat());
    let before = live();
    channel.send_transient(eventwire::Encoded::from_bytes(large.slice(..9)).unwrap()).unwrap();
    drop(large);
    assert!(live() < before);
}

#[test]
fn an_event_costs_a_merged_reader_only_its_id() {
    let channels = [(); 2].map(|()| Channel::new(History::new()));
    let mut reader = Merged::subscribe(["a", "b"].into_iter().zip(&channels), Resume::Live).unwrap();
    reader.next().now_or_never();
    channels[0].send(&Event::new("x".repeat(100_000))).unwrap();
    let (item, usage) = measure(|| reader.next().now_or_never().flatten());
    assert!(item.is_some() && usage.allocated < 1000, "{usage:?}");
}

#[test]
fn readers_that_come_and_go_leave_nothing() {
    let channel = Channel::new(History::new());
    let waker = Waker::from(Arc::new(Task));
    let come_and_go = || {
        let mut readers: Vec<_> = (0..100).map(|_| channel.subscribe(Resume::Live).unwrap()).collect();
        read(&mut readers, &waker);
    };
    come_and_go();
    let before = live();
    (0..100).for_each(|_| come_and_go());
    assert_eq!(live(), before);
}
