//! The laws of a channel that several threads use.
//!
//! Loom runs each test again and again, each time with the threads in another order, until it has seen every order that
//! can make a difference. It reports a deadlock if no thread can go on. So a reader that waits for a wake-up and never
//! gets it fails the test, even though nothing here asserts that. Loom also reports a lock or a channel that is never
//! freed.
//!
//! Most tests explore every order. Those with a number would then take from ten seconds to minutes each, so they
//! explore the orders in which threads are interrupted at most so often; a thread that waits or ends does not count as
//! one.
//!
//! After a deadlock, destructors often panic again and abort the process. With `--nocapture`, the first message is
//! still shown; it also shows how many orders each test has.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use eventwire::{Event, Outgoing};
use eventwire_hub::{Channel, History, Merged, Resume, StreamPosition, Subscription};
use futures_core::Stream;
use loom::{
    model::Builder,
    sync::{Mutex, Notify},
    thread::{self, JoinHandle},
};
use std::{
    future::{Future, poll_fn},
    pin::{Pin, pin},
    str,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

/// Runs a test in every order, or in those with at most as many preemptions, and prints how many there were.
fn explore(preemptions: Option<usize>, test: impl Fn() + Send + Sync + 'static) {
    let executions = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&executions);
    let mut model = Builder::new();
    model.preemption_bound = preemptions;
    model.check(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        test();
    });
    let name = std::thread::current().name().unwrap_or_default().to_owned();
    println!("{name}: {} orders", executions.load(Ordering::Relaxed));
}

/// Returns a channel in an `Arc` of std. Each clone of a `Channel` makes more orders, because it counts in an `Arc` of
/// loom, so only the tests that drop handles clone it.
fn new_channel() -> Arc<Channel> {
    Arc::new(Channel::new(History::new()))
}

fn spawn<T: 'static>(channel: &Arc<Channel>, act: impl FnOnce(&Channel) -> T + 'static) -> JoinHandle<T> {
    let channel = Arc::clone(channel);
    thread::spawn(move || act(&channel))
}

fn live(channel: &Channel) -> Subscription {
    channel.subscribe(Resume::Live).unwrap()
}

/// Sends an event, and returns its number.
fn send(channel: &Channel, data: &str) -> u64 {
    channel.send(&Event::new(data)).unwrap().sequence()
}

fn poll(reader: &mut Subscription, waker: &Waker) -> Poll<String> {
    poll_item(reader, &mut Context::from_waker(waker))
}

/// Returns an item as the tests write it: the number in its ID and its data, as in `1 a`, or `end`.
fn poll_item<S: Stream<Item: Into<Outgoing>> + Unpin>(reader: &mut S, context: &mut Context<'_>) -> Poll<String> {
    Pin::new(reader)
        .poll_next(context)
        .map(|item| item.map_or("end".to_owned(), |item| text(&item.into().into_bytes())))
}

fn text(block: &[u8]) -> String {
    let fields = str::from_utf8(block).unwrap().lines().filter_map(|line| match line.split_once(": ")? {
        ("id", id) => Some(id.split(',').map(|id| id.split_once('-').unwrap().1).collect::<Vec<_>>().join(",")),
        ("data", data) => Some(data.to_owned()),
        _ => None,
    });
    fields.collect::<Vec<_>>().join(" ")
}

/// Reads this many items in one task. The first one is the opening.
fn read<S: Stream<Item: Into<Outgoing>> + Unpin>(reader: &mut S, count: usize) -> Vec<String> {
    block_on(async {
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(poll_fn(|context| poll_item(reader, context)).await);
        }
        items
    })
}

fn read_to_end(reader: &mut Subscription) -> Vec<String> {
    block_on(async {
        let mut items = Vec::new();
        while items.last().is_none_or(|last| last != "end") {
            items.push(poll_fn(|context| poll_item(reader, context)).await);
        }
        items
    })
}

/// Runs a task on this thread, and waits where the task does.
///
/// `loom::future::block_on` counts the clones of its waker in an `Arc` of loom. With it, an event that wakes two
/// readers has 5,500,000 orders instead of 18,000.
fn block_on<T>(future: impl Future<Output = T>) -> T {
    let task = Arc::new(Task(Notify::new()));
    let waker = Waker::from(Arc::clone(&task));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => task.0.wait(),
        }
    }
}

struct Task(Notify);

impl Wake for Task {
    fn wake(self: Arc<Task>) {
        self.0.notify();
    }
}

struct Does<F>(F);

impl<F: Fn() + Send + Sync + 'static> Wake for Does<F> {
    fn wake(self: Arc<Does<F>>) {
        (self.0)();
    }
}

/// Returns a waker that does this.
fn does(wake: impl Fn() + Send + Sync + 'static) -> Waker {
    Waker::from(Arc::new(Does(wake)))
}

/// Returns a reader that waits, with this waker.
fn waiting(channel: &Channel, waker: &Waker) -> Subscription {
    let mut reader = live(channel);
    assert_eq!(poll(&mut reader, waker), Poll::Ready("0".to_owned()));
    assert_eq!(poll(&mut reader, waker), Poll::Pending);
    reader
}

/// Otherwise loom would not see them, and every other test would pass with few orders.
#[test]
#[should_panic = "outside a Loom model"]
fn the_locks_are_those_of_loom() {
    new_channel();
}

/// What a thread does with a channel. It returns the channel if it has kept it.
type Act = fn(Channel) -> Option<Channel>;

/// Two readers wait, or are about to, when a third thread changes the channel, or drops the only handle.
#[test]
fn every_change_wakes_all_readers() {
    let changes: [(Act, &'static [&'static str]); 5] = [
        (|channel| (send(&channel, "a") == 1).then_some(channel), &["0", "1 a"]),
        (|channel| channel.send_transient(Event::new("a")).map(|()| channel).ok(), &["0", "a"]),
        (|channel| channel.restart(StreamPosition::new(7, 40)).map(|()| channel).ok(), &["0", "40 {}"]),
        (
            |channel| {
                channel.finish();
                Some(channel)
            },
            &["0", "end"],
        ),
        (
            |channel| {
                drop(channel);
                None
            },
            &["0", "end"],
        ),
    ];
    for (act, expected) in changes {
        explore(None, move || {
            let channel = Channel::new(History::new());
            let readers = [live(&channel), live(&channel)].map(|mut reader| {
                thread::spawn(move || {
                    assert_eq!(read(&mut reader, expected.len()), expected);
                    reader
                })
            });
            // Not dropped before the readers have been woken, because that would wake them too.
            let channel = act(channel);
            for reader in readers {
                drop(reader.join().unwrap());
            }
            drop(channel);
        });
    }
}

#[test]
fn the_last_of_two_handles_ends_the_stream() {
    explore(Some(4), || {
        let channel = Channel::new(History::new());
        let mut reader = live(&channel);
        let other = channel.clone();
        let sends = thread::spawn(move || {
            send(&channel, "a");
        });
        let drops = thread::spawn(move || drop(other));
        assert_eq!(read_to_end(&mut reader), ["0", "1 a", "end"]);
        sends.join().unwrap();
        drops.join().unwrap();
    });
}

#[test]
fn a_reader_is_woken_through_the_waker_of_its_last_poll() {
    explore(None, || {
        let channel = new_channel();
        let mut reader = live(&channel);
        // Its place becomes free, and is used again.
        let leaves = waiting(&channel, Waker::noop());
        let leaves = thread::spawn(move || drop(leaves));
        let sends = spawn(&channel, |channel| send(channel, "a"));
        let task = Arc::new(Task(Notify::new()));
        let last = Waker::from(Arc::clone(&task));
        for expected in ["0", "1 a"] {
            let item = loop {
                if let Poll::Ready(item) = poll(&mut reader, Waker::noop()) {
                    break item;
                }
                if let Poll::Ready(item) = poll(&mut reader, &last) {
                    break item;
                }
                task.0.wait();
            };
            assert_eq!(item, expected);
        }
        leaves.join().unwrap();
        sends.join().unwrap();
    });
}

#[test]
fn a_reader_that_leaves_does_not_take_the_waker_of_another() {
    explore(Some(4), || {
        let channel = new_channel();
        let leaves = waiting(&channel, Waker::noop());
        let mut reader = live(&channel);
        let leaves = thread::spawn(move || drop(leaves));
        let sends = spawn(&channel, |channel| ["a", "b"].map(|data| send(channel, data)));
        assert_eq!(read(&mut reader, 3), ["0", "1 a", "2 b"]);
        leaves.join().unwrap();
        sends.join().unwrap();
        assert_eq!(channel.stats().readers, 1);
    });
}

#[test]
fn a_task_may_drop_one_of_its_two_readers() {
    explore(None, || {
        let channel = new_channel();
        let task = Arc::new(Task(Notify::new()));
        let waker = Waker::from(Arc::clone(&task));
        let mut stays = waiting(&channel, &waker);
        let mut leaves = live(&channel);
        let sends = spawn(&channel, |channel| ["a", "b"].map(|data| send(channel, data)));
        let mut items = Vec::new();
        while items.is_empty() {
            task.0.wait();
            if let Poll::Ready(item) = poll(&mut stays, &waker) {
                items.push(item);
            }
        }
        // It now has the place that the other one had until it was woken, and registers the same waker there.
        while poll(&mut leaves, &waker).is_ready() {}
        let mut leaves = Some(leaves);
        while items.len() < 2 {
            match poll(&mut stays, &waker) {
                Poll::Ready(item) => items.push(item),
                Poll::Pending => {
                    drop(leaves.take());
                    task.0.wait();
                }
            }
        }
        assert_eq!(items, ["1 a", "2 b"]);
        sends.join().unwrap();
    });
}

#[test]
fn a_waker_may_send() {
    explore(Some(3), || {
        let channel = new_channel();
        let sender = Arc::clone(&channel);
        let wake = move || {
            send(&sender, "of the waker");
        };
        let _sends = waiting(&channel, &does(wake));
        let mut reader = live(&channel);
        let threads = ["a", "b"].map(|data| spawn(&channel, move |channel| send(channel, data)));
        let items = read(&mut reader, 4);
        let [a, b] = threads.map(|thread| thread.join().unwrap());
        let mut expected = [(0, ""), (a, " a"), (b, " b"), (6 - a - b, " of the waker")];
        expected.sort();
        assert_eq!(items, expected.map(|(number, data)| format!("{number}{data}")));
    });
}

#[test]
fn a_waker_may_drop_a_reader() {
    explore(Some(3), || {
        let channel = new_channel();
        let other = std::sync::Mutex::new(Some(waiting(&channel, Waker::noop())));
        let _drops = waiting(&channel, &does(move || drop(other.lock().unwrap().take())));
        let mut reader = live(&channel);
        let threads = ["a", "b"].map(|data| spawn(&channel, move |channel| send(channel, data)));
        let items = read(&mut reader, 3);
        let [a, b] = threads.map(|thread| thread.join().unwrap());
        assert_eq!(items, if a < b { ["0", "1 a", "2 b"] } else { ["0", "1 b", "2 a"] });
        assert_eq!(channel.stats().readers, 2);
    });
}

/// A waker that owns what a task may have, and drops it when it is woken, replaced or dropped.
fn owner(channel: &Channel) -> Waker {
    let owned = (waiting(channel, Waker::noop()), channel.clone());
    does(move || {
        let _ = &owned;
    })
}

#[test]
fn a_waker_that_is_replaced_or_dropped_may_own_a_reader_and_the_last_handle() {
    let replaces = |mut reader: Subscription| {
        let _ = poll(&mut reader, Waker::noop());
        Some(reader)
    };
    let drops = |reader: Subscription| {
        drop(reader);
        None
    };
    for act in [replaces as fn(Subscription) -> Option<Subscription>, drops] {
        explore(Some(3), move || {
            let channel = Channel::new(History::new());
            let owns = waiting(&channel, &owner(&channel));
            let mut reader = live(&channel);
            let acts = thread::spawn(move || act(owns));
            let sends = thread::spawn(move || send(&channel, "a"));
            assert_eq!(read_to_end(&mut reader), ["0", "1 a", "end"]);
            drop(acts.join().unwrap());
            sends.join().unwrap();
        });
    }
}

#[test]
fn all_readers_get_all_events_once_and_in_the_same_order() {
    explore(Some(3), || {
        let channel = new_channel();
        let mut readers = [live(&channel), live(&channel)];
        let threads = [["a", "b"], ["c", "d"]]
            .map(|events| spawn(&channel, move |channel| events.map(|data| (send(channel, data), data))));
        let items = readers.each_mut().map(|reader| read(reader, 5));
        let mut sent = threads.map(|thread| thread.join().unwrap()).concat();
        sent.sort();
        assert!(sent.iter().map(|(number, _)| *number).eq(1..=4));
        let expected: Vec<_> = sent.iter().map(|(number, data)| format!("{number} {data}")).collect();
        for items in items {
            assert_eq!(items[1..], expected);
        }
    });
}

#[test]
fn a_transient_item_comes_once_and_after_the_event_that_was_sent_before_it() {
    explore(Some(3), || {
        let channel = new_channel();
        let mut reader = live(&channel);
        let first = spawn(&channel, |channel| {
            let number = send(channel, "a");
            channel.send_transient(Event::new("t")).unwrap();
            number
        });
        let second = spawn(&channel, |channel| send(channel, "b"));
        let items = read(&mut reader, 4);
        if first.join().unwrap() < second.join().unwrap() {
            assert!(items == ["0", "1 a", "t", "2 b"] || items == ["0", "1 a", "2 b", "t"]);
        } else {
            assert_eq!(items, ["0", "1 b", "2 a", "t"]);
        }
    });
}

#[test]
fn a_subscription_has_an_event_in_its_position_or_gets_it() {
    explore(Some(2), || {
        let channel = new_channel();
        let subscribe = |channel: &Channel| {
            let mut reader = live(channel);
            let position: usize = read(&mut reader, 1)[0].parse().unwrap();
            assert_eq!(read(&mut reader, 2 - position), ["1 a", "2 b"][position..]);
            reader
        };
        let sends = spawn(&channel, |channel| ["a", "b"].map(|data| send(channel, data)));
        let subscribes = spawn(&channel, subscribe);
        drop(subscribe(&channel));
        sends.join().unwrap();
        drop(subscribes.join().unwrap());
    });
}

#[test]
fn a_page_that_is_read_after_its_position_misses_no_change() {
    explore(None, || {
        let channel = new_channel();
        let page = Arc::new(Mutex::new(0));
        let written = Arc::clone(&page);
        let changes = spawn(&channel, move |channel| {
            for change in 1..=2 {
                *written.lock().unwrap() = change;
                send(channel, &change.to_string());
            }
        });
        let position = channel.position();
        let seen = *page.lock().unwrap();
        let mut reader = channel.subscribe(Resume::After(position.to_string().as_bytes().into())).unwrap();
        let position = usize::try_from(position.sequence()).unwrap();
        assert!(position <= seen);
        assert_eq!(read(&mut reader, 3 - position)[1..], ["1 1", "2 2"][position..]);
        changes.join().unwrap();
    });
}

#[test]
fn an_event_comes_before_the_end_or_is_refused() {
    explore(None, || {
        let channel = new_channel();
        let mut reader = live(&channel);
        let sends = spawn(&channel, |channel| channel.send(&Event::new("a")).is_ok());
        let finishes = spawn(&channel, Channel::finish);
        let items = read_to_end(&mut reader);
        finishes.join().unwrap();
        assert_eq!(items, if sends.join().unwrap() { &["0", "1 a", "end"][..] } else { &["0", "end"] });
    });
}

#[test]
fn a_reader_that_returns_gets_the_rest_or_is_told_that_it_has_everything() {
    explore(Some(3), || {
        let channel = new_channel();
        let position = channel.position().to_string();
        let sends = spawn(&channel, |channel| channel.send(&Event::new("a")).is_ok());
        let finishes = spawn(&channel, Channel::finish);
        let subscribed = channel.subscribe(Resume::After(position.as_bytes().into()));
        let items = subscribed.map(|mut reader| read_to_end(&mut reader));
        finishes.join().unwrap();
        match (items, sends.join().unwrap()) {
            (Ok(items), true) => assert_eq!(items, ["0", "1 a", "end"]),
            (Ok(items), false) => assert_eq!(items, ["0", "end"]),
            (Err(_), sent) => assert!(!sent),
        }
    });
}

#[test]
fn a_reader_gets_an_event_or_is_told_that_it_is_missing() {
    explore(None, || {
        let channel = Arc::new(Channel::new(History::new().with_max_events(1)));
        let mut reader = live(&channel).with_gap_event(|gap| Event::new(format!("-{}", gap.missed().unwrap())));
        let sends = spawn(&channel, |channel| ["a", "b", "c"].map(|data| send(channel, data)));
        read(&mut reader, 1);
        let mut told = 0;
        while told < 3 {
            let item = read(&mut reader, 1).concat();
            let (number, data) = item.split_once(' ').unwrap();
            told += data.strip_prefix('-').map_or(1, |missed| missed.parse::<u64>().unwrap());
            assert_eq!(number, told.to_string());
        }
        sends.join().unwrap();
    });
}

#[test]
fn a_restart_is_one_gap() {
    explore(None, || {
        let channel = new_channel();
        let mut reader = live(&channel);
        let restarts = spawn(&channel, |channel| channel.restart(StreamPosition::new(7, 40)).unwrap());
        let sends = spawn(&channel, |channel| send(channel, "a"));
        let mut items = read(&mut reader, 2);
        restarts.join().unwrap();
        let number = sends.join().unwrap();
        while let Poll::Ready(item) = poll(&mut reader, Waker::noop()) {
            items.push(item);
        }
        if number == 1 {
            assert!(items == ["0", "1 a", "40 {}"] || items == ["0", "40 {}"]);
        } else {
            assert_eq!(items, ["0", "40 {}", "41 a"]);
        }
    });
}

#[test]
fn a_merged_reader_is_woken_by_every_topic() {
    explore(None, || {
        let channels = [new_channel(), new_channel()];
        let mut reader = Merged::subscribe([("a", &*channels[0]), ("b", &*channels[1])], Resume::Live).unwrap();
        let threads = channels.each_ref().map(|channel| spawn(channel, |channel| send(channel, "new")));
        let items = read(&mut reader, 3);
        assert!(items == ["0,0", "1,0 new", "1,1 new"] || items == ["0,0", "0,1 new", "1,1 new"]);
        for thread in threads {
            thread.join().unwrap();
        }
    });
}
