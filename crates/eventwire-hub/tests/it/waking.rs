//! Which tasks are woken, how often, and what they may do then.

use crate::reader::Reader;
use eventwire::Event;
use eventwire_hub::{Channel, History, Resume, Subscription};
use futures_util::{Stream, StreamExt};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

fn subscribe(channel: &Channel) -> Subscription {
    channel.subscribe(Resume::Live).unwrap()
}

/// A reader that waits.
fn waiting(channel: &Channel) -> Reader<Subscription> {
    let mut reader = Reader::new(subscribe(channel));
    assert_eq!(reader.ready().len(), 1);
    reader
}

fn send(channel: &Channel) {
    channel.send(&Event::new("a")).unwrap();
}

#[test]
fn a_reader_is_woken_once_for_a_burst() {
    let channel = Channel::new(History::new());
    let mut readers: Vec<_> = (0..10).map(|_| waiting(&channel)).collect();
    let burst = if cfg!(miri) { 4 } else { 100 };
    for _ in 0..3 {
        (0..burst).for_each(|_| send(&channel));
        channel.send_transient(Event::new("b")).unwrap();
        for reader in &mut readers {
            assert_eq!((reader.wakes(), reader.ready().len()), (1, burst + 1));
        }
    }
    channel.finish();
    assert!(readers.iter().all(|reader| reader.wakes() == 1));
}

#[test]
fn what_is_refused_wakes_nobody() {
    let channel = Channel::new(History::new());
    let reader = waiting(&channel);
    assert!(channel.send(&Event::new("a").with_numeric_id(7)).is_err());
    assert_eq!(reader.wakes(), 0);
}

/// A waker that does something.
struct Does<F>(F);

impl<F: Fn() + Send + Sync + 'static> Wake for Does<F> {
    fn wake(self: Arc<Does<F>>) {
        (self.0)();
    }
}

fn poll_with(subscription: &mut Subscription, wake: impl Fn() + Send + Sync + 'static) {
    let waker = Waker::from(Arc::new(Does(wake)));
    let mut context = Context::from_waker(&waker);
    while Pin::new(&mut *subscription).poll_next(&mut context).is_ready() {}
}

#[test]
fn a_waker_that_panics_costs_no_other_reader_its_event() {
    let channel = Channel::new(History::new());
    let mut before = waiting(&channel);
    let mut panics = subscribe(&channel);
    poll_with(&mut panics, || panic!("this waker panics"));
    let mut after = waiting(&channel);
    let sent = catch_unwind(AssertUnwindSafe(|| send(&channel)));
    let panic = sent.expect_err("the panic is passed on");
    assert_eq!(panic.downcast_ref(), Some(&"this waker panics"));
    for reader in [&mut before, &mut after] {
        assert_eq!((reader.wakes(), reader.ready().len()), (1, 1));
    }
    // The channel goes on.
    send(&channel);
    assert_eq!((before.wakes(), before.ready().len()), (1, 1));
}

#[test]
fn a_waker_may_send() {
    let channel = Channel::new(History::new());
    let mut sends = subscribe(&channel);
    let (sender, sent) = (channel.clone(), AtomicUsize::new(0));
    poll_with(&mut sends, move || {
        if sent.fetch_add(1, Ordering::Relaxed) < 3 {
            sender.send(&Event::new("from the waker")).unwrap();
        }
    });
    let mut other = waiting(&channel);
    send(&channel);
    assert_eq!(other.ready().len(), 2);
    let mut items = 0;
    while let Poll::Ready(Some(_)) = sends.poll_next_unpin(&mut Context::from_waker(Waker::noop())) {
        items += 1;
    }
    assert_eq!(items, 2);
}

/// As when the last waker of a task is dropped, and with it everything that the task has.
#[test]
fn a_waker_may_own_a_reader_of_the_same_channel() {
    let channel = Channel::new(History::new());
    let owned = || {
        let reader = Mutex::new(Some(subscribe(&channel)));
        move || drop(reader.lock().unwrap().take())
    };
    // Dropped when it is woken, when another waker replaces it, and together with its reader.
    let mut subscription = subscribe(&channel);
    poll_with(&mut subscription, owned());
    send(&channel);
    poll_with(&mut subscription, owned());
    poll_with(&mut subscription, owned());
    assert_eq!(channel.stats().readers, 2);
    drop(subscription);
    assert_eq!(channel.stats().readers, 0);
}

#[test]
fn the_last_waker_is_woken() {
    let channel = Channel::new(History::new());
    let woken = Arc::new(AtomicUsize::new(0));
    let mut subscription = subscribe(&channel);
    for task in [1, 10, 100] {
        let woken = Arc::clone(&woken);
        poll_with(&mut subscription, move || {
            woken.fetch_add(task, Ordering::Relaxed);
        });
    }
    send(&channel);
    assert_eq!(woken.load(Ordering::Relaxed), 100);
}

#[test]
fn a_reader_that_is_dropped_is_not_woken() {
    let channel = Channel::new(History::new());
    let woken = Arc::new(AtomicUsize::new(0));
    // Later readers take the places of those that have left.
    let mut kept = Vec::new();
    for number in 0..100 {
        let (mut subscription, woken) = (subscribe(&channel), Arc::clone(&woken));
        poll_with(&mut subscription, move || {
            woken.fetch_add(1, Ordering::Relaxed);
        });
        if number % 10 == 0 {
            kept.push(subscription);
        }
    }
    assert_eq!(channel.stats().readers, 10);
    send(&channel);
    assert_eq!(woken.load(Ordering::Relaxed), 10);
}

#[test]
fn readers_can_be_moved_between_threads() {
    fn is_sendable<T: Send + Sync + Unpin>() {}
    is_sendable::<Channel>();
    is_sendable::<Subscription>();
    is_sendable::<eventwire_hub::Merged>();
}
