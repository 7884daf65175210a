//! What every log promises, as tests.

use crate::calls::{append, append_all, append_once, end, event, next, read, read_all, topic, watch};
use bytes::Bytes;
use eventwire::Encoded;
use eventwire_hub::{Entry, Limit, Log, Page, StreamPosition, Wake};
use futures_util::{Stream, future::join_all};
use std::{
    collections::{BTreeMap, HashSet},
    pin::Pin,
    sync::Arc,
};
use tokio::task;

/// How many events [`Store::open_small`] keeps at least. It may keep twice as many.
pub const KEPT: usize = 100;

/// An empty store of its own for each law, and the logs that share it.
pub trait Store: Send + Sync + 'static {
    type Log: Log;

    /// Opens a log on the store, as another process does.
    fn open(&self) -> Self::Log;

    /// Opens a log that keeps [`KEPT`] events of each topic.
    fn open_small(&self) -> Self::Log;
}

/// Makes a module with a test for each law. The factory is called for each, and returns a [`Store`], or `None` if the
/// engine is not installed.
#[macro_export]
macro_rules! log_laws {
    ($module:ident, $factory:expr) => {
        mod $module {
            use super::*;
            $crate::each_law! { tests $factory; }
        }
    };
}

/// The list of all laws.
#[doc(hidden)]
#[macro_export]
macro_rules! each_law {
    ($then:ident $($factory:expr)?;) => {
        $crate::each_law! { @$then $($factory)?;
            what_is_read_is_what_was_appended
            a_read_begins_after_any_position
            a_page_has_at_most_so_many_bytes
            a_read_after_a_position_of_another_epoch_begins_with_the_oldest
            an_append_is_read_by_others_at_once
            a_page_is_of_one_moment
            an_unknown_topic_is_empty
            names_of_topics_are_any_text
            large_events_are_kept_whole
            an_ended_topic_accepts_nothing
            a_topic_can_end_before_it_begins
            the_end_is_one_moment
            a_key_names_one_entry
            a_key_belongs_to_one_topic
            a_key_is_known_after_the_end
            a_key_is_stored_once_by_many_writers
            two_writers_share_one_order
            the_oldest_entries_go_first
            each_append_is_hinted
            the_end_is_hinted
            a_topic_is_watched_before_it_exists
            each_watcher_gets_hints
            hints_come_after_other_watchers_have_left
            a_slow_watcher_is_told_that_it_missed_something
        }
    };
    (@tests $factory:expr; $($law:ident)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $law() {
                if let Some(store) = ($factory)() {
                    $crate::laws::$law(store).await;
                }
            }
        )*
    };
    (@table; $($law:ident)*) => {
        /// The names of all laws.
        pub const LAWS: &[&str] = &[$(stringify!($law)),*];

        /// Checks one law by its name.
        pub async fn check<S: Store>(law: &str, store: S) {
            $(
                if law == stringify!($law) {
                    return $law(store).await;
                }
            )*
            panic!("there is no law {law}");
        }
    };
}

each_law! { table; }

fn unknown() -> Page {
    Page { entries: Vec::new(), tail: StreamPosition::new(0, 0), finished: false }
}

pub async fn what_is_read_is_what_was_appended<S: Store>(store: S) {
    let (log, topic) = (store.open(), topic("bytes"));
    let blocks: [&[u8]; 8] = [
        b"data: a\n\n",
        b"data: a\r\rdata: b\r\r",
        b"event: \xC3\xA9\r\ndata: b\r\n\r\n",
        b": a comment\n\n",
        b"\n\n",
        b"data: \0\x01\x02\x1A\x7F\n\n",
        b"data: \x80\xFE\xFF not UTF-8\n\n",
        b"  data: spaces \n \n\n",
    ];
    let mut expected = Vec::new();
    for block in blocks {
        let event = Encoded::from_bytes(Bytes::from_static(block)).unwrap();
        expected.push((append(&log, &topic, &event).await, Bytes::from_static(block)));
    }
    let tail = expected[7].0;
    assert_ne!(tail.epoch(), 0);
    let numbered = (1..=8).map(|number| StreamPosition::new(tail.epoch(), number));
    assert!(expected.iter().map(|(at, _)| *at).eq(numbered), "numbered from one: {expected:?}");
    assert_eq!(read_all(&log, &topic).await, Page { entries: expected, tail, finished: false });
}

/// Without a position with the oldest entry, and beyond the tail with none.
pub async fn a_read_begins_after_any_position<S: Store>(store: S) {
    let (log, topic) = (store.open(), topic("pages"));
    let all = append_all(&log, &topic, 12).await;
    let (epoch, tail) = (all[0].0.epoch(), all[11].0);
    let numbers = (0..=14).chain([1000, u64::MAX]).map(|number| Some(StreamPosition::new(epoch, number)));
    for after in numbers.chain([None]) {
        let read_before = after.map_or(0, |after| usize::try_from(after.sequence().min(12)).unwrap());
        for most in [0, 1, 2, 7, 100, usize::MAX] {
            let entries = all[read_before..].iter().take(most).cloned().collect();
            let page = read(&log, &topic, after, most).await;
            assert_eq!(page, Page { entries, tail, finished: false }, "after {after:?}, at most {most}");
        }
    }
}

/// And at least one entry.
pub async fn a_page_has_at_most_so_many_bytes<S: Store>(store: S) {
    let (log, topic) = (store.open(), topic("bytes of pages"));
    // Of 10, 20, 30 bytes and so on, and a large one in the middle.
    let lengths: Vec<_> = (1..=30).map(|number| if number == 15 { 100_000 } else { number * 10 }).collect();
    let mut all = Vec::new();
    for length in &lengths {
        let event = event(&"x".repeat(length - "data: \n\n".len()));
        all.push((append(&log, &topic, &event).await, event.into_bytes()));
    }
    let tail = all[29].0;
    for bytes in [0, 1, 9, 10, 11, 29, 30, 31, 999, 1000, 50_000, 150_000, usize::MAX] {
        for most in [0, 1, 3, 100] {
            let mut read_before = 0;
            while read_before < all.len() {
                let mut left = bytes;
                let fits = |(index, length): (usize, &usize)| {
                    let fits = left.checked_sub(*length);
                    left = fits.unwrap_or(0);
                    (index == 0 || fits.is_some()).then_some(())
                };
                let count = lengths[read_before..].iter().take(most).enumerate().map_while(fits).count();
                let after = read_before.checked_sub(1).map(|last| all[last].0);
                let page = log.read(&topic, after, Limit { entries: most, bytes }).await.unwrap();
                let expected = all[read_before..read_before + count].to_vec();
                assert!(page.entries == expected, "{count} entries with {most} and {bytes} bytes, after {after:?}");
                assert_eq!((page.tail, page.finished), (tail, false));
                read_before += count.max(1);
            }
        }
    }
}

pub async fn a_read_after_a_position_of_another_epoch_begins_with_the_oldest<S: Store>(store: S) {
    let (log, topic) = (store.open(), topic("other epoch"));
    let all = append_all(&log, &topic, 5).await;
    let epoch = all[0].0.epoch();
    for other in [0, 1, epoch - 1, epoch.saturating_add(1), u64::MAX] {
        for number in [0, 1, 3, 5, 6, u64::MAX] {
            for most in [0, 1, 2, 100] {
                let entries = all.iter().take(most).cloned().collect();
                let page = read(&log, &topic, Some(StreamPosition::new(other, number)), most).await;
                // A log whose epochs rise may have lost a later one. The reader may have had all that is left.
                if other < epoch || !page.entries.is_empty() {
                    assert_eq!(page, Page { entries, tail: all[4].0, finished: false }, "after {other}-{number}");
                }
                assert_eq!(page.tail, all[4].0);
            }
        }
    }
}

pub async fn an_append_is_read_by_others_at_once<S: Store>(store: S) {
    let (log, other, topic) = (store.open(), store.open(), topic("others"));
    for _ in 0..20 {
        let at = append(&log, &topic, &event("a")).await;
        assert_eq!(read(&other, &topic, None, 0).await.tail, at);
        let at = append(&other, &topic, &event("b")).await;
        assert_eq!(read(&log, &topic, None, 0).await.tail, at);
    }
    assert_eq!(read_all(&log, &topic).await, read_all(&other, &topic).await);
}

pub async fn a_page_is_of_one_moment<S: Store>(store: S) {
    const EVENTS: usize = 500;
    let (log, writer, topic) = (store.open(), store.open(), topic("moment"));
    let writing = task::spawn({
        let topic = topic.clone();
        async move {
            append_all(&writer, &topic, EVENTS).await;
            end(&writer, &topic).await;
        }
    });
    let (mut read_before, mut pages) = (None, 0);
    loop {
        let all = read(&log, &topic, read_before, usize::MAX).await;
        let last = all.entries.last().map(|(at, _)| *at).or(read_before).unwrap_or(StreamPosition::new(0, 0));
        assert_eq!(last, all.tail, "the page ends at the tail");
        let few = read(&log, &topic, read_before, 3).await;
        let behind = few.tail.sequence() - read_before.map_or(0, StreamPosition::sequence);
        assert_eq!(few.entries.len() as u64, behind.min(3));
        assert!(!all.finished || all.tail.sequence() == EVENTS as u64, "the end came before the events");
        if all.finished {
            break;
        }
        pages += 1;
        // The first pages are long, and the others are short.
        if pages > 20 {
            read_before = Some(all.tail).filter(|tail| tail.epoch() != 0);
        }
        task::yield_now().await;
    }
    writing.await.unwrap();
}

pub async fn an_unknown_topic_is_empty<S: Store>(store: S) {
    let (log, topic) = (store.open(), topic("unknown"));
    for after in [
        None,
        Some(StreamPosition::new(0, 0)),
        Some(StreamPosition::new(1, 1)),
        Some(StreamPosition::new(u64::MAX, u64::MAX)),
    ] {
        for most in [0, 1, 100] {
            assert_eq!(read(&log, &topic, after, most).await, unknown());
        }
    }
    // To watch it does not create it.
    drop(watch(&log, &topic).await);
    assert_eq!(read_all(&log, &topic).await, unknown());
}

/// Names that an engine could take for something else.
fn odd_names() -> Vec<String> {
    let words = "a A * ? [a] \\ ' \" %41 a:b a:b:c : :: { } {} {a} a}b a}b} }b {a - + $ > 0 -1 é e\u{301} 日本語 😀 \u{202E} \
                 \u{FEFF} stream topic:{a} eventwire:stream:{a} a/../b / .";
    let mut names: Vec<_> = words.split(' ').chain([" ", "  ", "a ", " a"]).map(str::to_owned).collect();
    names.extend(["x".repeat(256), "x".repeat(255), "é".repeat(128), "{".repeat(256)]);
    names
}

pub async fn names_of_topics_are_any_text<S: Store>(store: S) {
    let log = store.open();
    let mut at = BTreeMap::new();
    for name in odd_names() {
        let topic = topic(&name);
        assert_eq!(read_all(&log, &topic).await, unknown(), "{name:?} is another topic");
        let mut wakes = watch(&log, &topic).await;
        let event = event(&name);
        at.insert(name, (append(&log, &topic, &event).await, event.into_bytes()));
        next(&mut wakes).await;
    }
    for (name, (at, event)) in at {
        let page = read_all(&log, &topic(&name)).await;
        assert_eq!(page, Page { entries: vec![(at, event)], tail: at, finished: false }, "{name:?}");
    }
}

pub async fn large_events_are_kept_whole<S: Store>(store: S) {
    let (log, topic) = (store.open(), topic("large"));
    let mut wakes = watch(&log, &topic).await;
    let large = event(&"0123456789abcdef".repeat((1 << 20) / 16));
    let at = append(&log, &topic, &large).await;
    if let Wake::Entry(hinted, bytes) = next(&mut wakes).await {
        assert!(hinted == at && bytes == large.as_ref(), "the hint has another event");
    }
    let page = read_all(&log, &topic).await;
    assert_eq!((page.tail, page.entries.len()), (at, 1));
    assert!(page.entries[0].1 == large.as_ref(), "another event is read");
    // It does not hide the next one.
    append(&log, &topic, &event("small")).await;
    assert_eq!(read(&log, &topic, Some(at), 1).await.entries[0].1, "data: small\n\n");
}

pub async fn an_ended_topic_accepts_nothing<S: Store>(store: S) {
    let (log, other, topic) = (store.open(), store.open(), topic("ended"));
    let all = append_all(&log, &topic, 3).await;
    let tail = all[2].0;
    assert!(!read_all(&log, &topic).await.finished);
    assert_eq!(end(&log, &topic).await, tail, "the end has the position of the tail");
    for log in [&log, &other] {
        assert_eq!(log.append(&topic, Entry::Event(&event("late")), None).await.unwrap(), None);
        assert_eq!(append_once(log, &topic, "late", &event("late")).await, None);
        assert_eq!(end(log, &topic).await, tail, "to end it again is no error");
        let mut page = Page { entries: all.clone(), tail, finished: true };
        assert_eq!(read_all(log, &topic).await, page);
        page.entries.clear();
        assert_eq!(read(log, &topic, Some(tail), 10).await, page);
        assert_eq!(read(log, &topic, None, 0).await, page);
    }
}

pub async fn a_topic_can_end_before_it_begins<S: Store>(store: S) {
    let (log, topic) = (store.open(), topic("never"));
    let tail = end(&log, &topic).await;
    assert_ne!(tail.epoch(), 0);
    assert_eq!(tail.sequence(), 0);
    let page = Page { entries: Vec::new(), tail, finished: true };
    assert_eq!(read_all(&log, &topic).await, page);
    assert_eq!(log.append(&topic, Entry::Event(&event("late")), None).await.unwrap(), None);
    assert_eq!(end(&log, &topic).await, tail);
    assert_eq!(read(&log, &topic, Some(tail), 10).await, page);
}

/// What was accepted is before the end, and nothing else is.
pub async fn the_end_is_one_moment<S: Store>(store: S) {
    let (logs, topic) = ([Arc::new(store.open()), Arc::new(store.open())], topic("last words"));
    append(&*logs[0], &topic, &event("first")).await;
    let writers = (0..6).map(|writer| {
        let (log, topic) = (Arc::clone(&logs[writer % 2]), topic.clone());
        task::spawn(async move {
            let mut accepted = Vec::new();
            while let Some(at) = log.append(&topic, Entry::Event(&event("more")), None).await.unwrap() {
                accepted.push(at.sequence());
                task::yield_now().await;
            }
            accepted
        })
    });
    let writers: Vec<_> = writers.collect();
    while read(&*logs[0], &topic, None, 0).await.tail.sequence() < 50 {
        task::yield_now().await;
    }
    let tail = end(&*logs[1], &topic).await;
    let accepted = join_all(writers).await.into_iter().flat_map(Result::unwrap);
    let accepted: HashSet<_> = accepted.chain([1]).collect();
    assert_eq!(accepted, (1..=tail.sequence()).collect());
    let page = read_all(&*logs[0], &topic).await;
    assert_eq!((page.tail, page.finished, page.entries.last().unwrap().0), (tail, true, tail));
}

pub async fn a_key_names_one_entry<S: Store>(store: S) {
    let (log, other, topic) = (store.open(), store.open(), topic("keys"));
    let first = append_once(&log, &topic, "a", &event("a")).await;
    let second = append_once(&log, &topic, "b", &event("b")).await;
    append(&log, &topic, &event("no key")).await;
    append(&log, &topic, &event("no key")).await;
    for log in [&log, &other] {
        assert_eq!(append_once(log, &topic, "a", &event("a")).await, first);
        assert_eq!(append_once(log, &topic, "b", &event("is not looked at")).await, second);
    }
    let empty = append_once(&log, &topic, "", &event("empty")).await;
    assert_eq!(append_once(&log, &topic, "", &event("empty")).await, empty);
    let long = "x".repeat(10_000);
    let odd = [long.as_str(), "A", " a", "a ", "a\n", "a\0b", "é", "{}", "*", "eventwire:key:4:{keys}a"];
    for (number, key) in (6..).zip(odd) {
        let at = append_once(&log, &topic, key, &event("odd")).await.unwrap();
        assert_eq!(at.sequence(), number, "{key:?} is another key");
        assert_eq!(append_once(&log, &topic, key, &event("odd")).await, Some(at));
    }
    let page = read_all(&log, &topic).await;
    assert_eq!((page.entries.len(), page.tail.sequence()), (15, 15));
    assert_eq!(page.entries[1].1, "data: b\n\n");
}

pub async fn a_key_belongs_to_one_topic<S: Store>(store: S) {
    let log = store.open();
    // Joined in one way or another, many of these are the same text.
    let pairs = [
        ("a", "b}c"),
        ("a}b", "c"),
        ("a}", "b}c"),
        ("a}b}", "c"),
        ("a:b", "c"),
        ("a", "b:c"),
        ("ab", "c"),
        ("a", "bc"),
        ("abc", ""),
        ("1:a", "c"),
        ("3:{a}", "c"),
        ("a", "c"),
        ("b", "c"),
    ];
    let mut at = Vec::new();
    for (name, key) in pairs {
        let text = event(&format!("{name} {key}"));
        let before = read(&log, &topic(name), None, 0).await.tail.sequence();
        at.push(append_once(&log, &topic(name), key, &text).await.unwrap());
        let after = read(&log, &topic(name), None, 0).await.tail;
        assert_eq!((after.sequence(), Some(&after)), (before + 1, at.last()), "{key:?} is new in {name:?}");
    }
    for ((name, key), at) in pairs.into_iter().zip(at) {
        assert_eq!(append_once(&log, &topic(name), key, &event("again")).await, Some(at), "{key:?} of {name:?}");
    }
}

pub async fn a_key_is_known_after_the_end<S: Store>(store: S) {
    let (log, topic) = (store.open(), topic("keys and the end"));
    let at = append_once(&log, &topic, "a", &event("a")).await;
    let last = append(&log, &topic, &event("b")).await;
    // The end can have a key, too.
    assert_eq!(log.append(&topic, Entry::End, Some("end")).await.unwrap(), Some(last));
    assert_eq!(log.append(&topic, Entry::End, Some("end")).await.unwrap(), Some(last));
    assert_eq!(append_once(&log, &topic, "end", &event("late")).await, Some(last));
    assert_eq!(append_once(&log, &topic, "a", &event("a")).await, at);
    assert_eq!(append_once(&log, &topic, "new", &event("late")).await, None);
    assert_eq!(append_once(&log, &topic, "new", &event("late")).await, None);
    let page = read_all(&log, &topic).await;
    assert_eq!((page.tail, page.finished, page.entries.len()), (last, true, 2));
}

pub async fn a_key_is_stored_once_by_many_writers<S: Store>(store: S) {
    let (logs, topic) = ([Arc::new(store.open()), Arc::new(store.open())], topic("many keys"));
    let writers = (0..8).map(|writer| {
        let (log, topic) = (Arc::clone(&logs[writer % 2]), topic.clone());
        task::spawn(async move {
            let mut positions = Vec::new();
            for key in 0..25 {
                let key = key.to_string();
                positions.push(append_once(&*log, &topic, &key, &event(&key)).await.unwrap());
                task::yield_now().await;
            }
            positions
        })
    });
    let mut positions: Vec<_> = join_all(writers).await.into_iter().map(Result::unwrap).collect();
    let page = read_all(&*logs[0], &topic).await;
    assert_eq!(page.entries.len(), 25);
    positions.dedup();
    assert_eq!(positions.len(), 1, "all writers get the same positions");
}

pub async fn two_writers_share_one_order<S: Store>(store: S) {
    const WRITERS: usize = 8;
    const EVENTS: usize = 50;
    let (logs, topic) = ([Arc::new(store.open()), Arc::new(store.open())], topic("two writers"));
    // All of them begin with a topic that does not exist.
    let writers = (0..WRITERS).map(|writer| {
        let (log, topic) = (Arc::clone(&logs[writer % 2]), topic.clone());
        task::spawn(async move {
            let mut appended = Vec::new();
            for number in 0..EVENTS {
                let event = event(&format!("{number} of writer {writer}"));
                appended.push((append(&*log, &topic, &event).await, event.into_bytes()));
                task::yield_now().await;
            }
            let numbers = appended.iter().map(|(at, _)| at.sequence());
            assert!(numbers.is_sorted(), "the events of one writer are in order");
            appended
        })
    });
    let mut appended: Vec<_> = join_all(writers).await.into_iter().flat_map(Result::unwrap).collect();
    appended.sort_by_key(|(at, _)| (at.epoch(), at.sequence()));
    let epoch = appended[0].0.epoch();
    let positions: Vec<_> = appended.iter().map(|(at, _)| *at).collect();
    let expected = 1..=(WRITERS * EVENTS) as u64;
    assert_eq!(positions, expected.map(|number| StreamPosition::new(epoch, number)).collect::<Vec<_>>());
    let page = Page { tail: positions[WRITERS * EVENTS - 1], entries: appended, finished: false };
    for log in logs {
        assert_eq!(read_all(&*log, &topic).await, page);
    }
}

pub async fn the_oldest_entries_go_first<S: Store>(store: S) {
    let (log, topic) = (store.open_small(), topic("trimmed"));
    let mut all = append_all(&log, &topic, KEPT).await;
    assert_eq!(read_all(&log, &topic).await.entries, all, "none is removed before there are too many");
    let epoch = all[0].0.epoch();
    for number in KEPT as u64 + 1..=5 * KEPT as u64 {
        let event = event(&number.to_string());
        let at = append(&log, &topic, &event).await;
        assert_eq!(at, StreamPosition::new(epoch, number));
        all.push((at, event.into_bytes()));
        if number % 31 != 0 {
            continue;
        }
        let kept = read_all(&log, &topic).await;
        assert_eq!((kept.tail, kept.finished), (at, false));
        assert!((KEPT..=2 * KEPT).contains(&kept.entries.len()), "{} are kept", kept.entries.len());
        let removed = all.len() - kept.entries.len();
        assert_eq!(kept.entries, all[removed..]);
        // After a removed entry, or one of which the next is removed, a page begins with the oldest that is kept.
        for after in [0, 1, removed.saturating_sub(1), removed, removed + 1, removed + 5] {
            let page = read(&log, &topic, Some(StreamPosition::new(epoch, after as u64)), 10).await;
            let first = after.max(removed);
            assert_eq!(page.entries, all[first..first + 10], "after {after}");
        }
    }
    end(&log, &topic).await;
    let ended = read_all(&log, &topic).await;
    assert_eq!((ended.tail, ended.finished), (all.last().unwrap().0, true));
}

/// Reads hints up to the one on a position, which may be one that says nothing.
async fn expect_hint<W: Stream<Item = Wake>>(wakes: &mut Pin<Box<W>>, at: StreamPosition, event: &Encoded) {
    loop {
        match next(wakes).await {
            // An earlier one may be late or double.
            Wake::Entry(earlier, _) if earlier != at => assert!(earlier.sequence() < at.sequence(), "from the future"),
            Wake::Entry(_, bytes) => return assert_eq!(bytes, event.as_ref(), "the hint has another event"),
            Wake::Changed => return,
        }
    }
}

pub async fn each_append_is_hinted<S: Store>(store: S) {
    let (log, other, topic) = (store.open(), store.open(), topic("hints"));
    let before = append(&log, &topic, &event("before")).await;
    let mut wakes = watch(&log, &topic).await;
    for number in 1..=20 {
        let event = event(&format!("{number}\r\ndata: \u{FEFF}"));
        // It may come from another process.
        let at = append(if number % 2 == 0 { &log } else { &other }, &topic, &event).await;
        assert_eq!(at, StreamPosition::new(before.epoch(), before.sequence() + number));
        expect_hint(&mut wakes, at, &event).await;
    }
    let event = event("with a key");
    let at = append_once(&log, &topic, "key", &event).await.unwrap();
    expect_hint(&mut wakes, at, &event).await;
}

pub async fn the_end_is_hinted<S: Store>(store: S) {
    let (log, topic) = (store.open(), topic("hint of the end"));
    let text = event("last");
    let at = append(&log, &topic, &text).await;
    let mut wakes = watch(&log, &topic).await;
    end(&log, &topic).await;
    while let Wake::Entry(late, _) = next(&mut wakes).await {
        assert_eq!(late, at, "the end is no event");
    }
    assert!(read(&log, &topic, None, 0).await.finished);
}

pub async fn a_topic_is_watched_before_it_exists<S: Store>(store: S) {
    let (log, other, topic) = (store.open(), store.open(), topic("hint of the first"));
    let mut wakes = watch(&log, &topic).await;
    let first = event("first");
    let at = append(&other, &topic, &first).await;
    expect_hint(&mut wakes, at, &first).await;

    let never = self::topic("hint of an end without events");
    let mut wakes = watch(&log, &never).await;
    end(&other, &never).await;
    assert!(matches!(next(&mut wakes).await, Wake::Changed), "the end is no event");
}

pub async fn each_watcher_gets_hints<S: Store>(store: S) {
    let (log, other, topic) = (store.open(), store.open(), topic("watchers"));
    let mut watchers = [watch(&log, &topic).await, watch(&log, &topic).await, watch(&other, &topic).await];
    let elsewhere = self::topic("watchers of another topic");
    let mut not_hinted = watch(&log, &elsewhere).await;
    for _ in 0..5 {
        let event = event("a");
        let at = append(&log, &topic, &event).await;
        for wakes in &mut watchers {
            expect_hint(wakes, at, &event).await;
        }
    }
    let mine = event("mine");
    let at = append(&log, &elsewhere, &mine).await;
    let Wake::Entry(hinted, bytes) = next(&mut not_hinted).await else { return };
    assert_eq!((hinted, &bytes[..]), (at, mine.as_ref()), "hints of another topic");
}

pub async fn hints_come_after_other_watchers_have_left<S: Store>(store: S) {
    let (log, topic) = (store.open(), topic("watchers that leave"));
    let mut stays = watch(&log, &topic).await;
    for _ in 0..20 {
        let mut leaves = watch(&log, &topic).await;
        let text = event("for both");
        let at = append(&log, &topic, &text).await;
        expect_hint(&mut leaves, at, &text).await;
        expect_hint(&mut stays, at, &text).await;
        drop(leaves);
        let text = event("for one");
        let at = append(&log, &topic, &text).await;
        expect_hint(&mut stays, at, &text).await;
    }
    drop(stays);
    for _ in 0..20 {
        let mut again = watch(&log, &topic).await;
        let text = event("again");
        let at = append(&log, &topic, &text).await;
        expect_hint(&mut again, at, &text).await;
    }
}

/// One who follows hints, and reads only when they tell it to, gets everything.
pub async fn a_slow_watcher_is_told_that_it_missed_something<S: Store>(store: S) {
    const EVENTS: usize = 1000;
    let (log, topic) = (store.open(), topic("slow watcher"));
    let mut wakes = watch(&log, &topic).await;
    let all = append_all(&log, &topic, EVENTS).await;
    let mut followed: Vec<(StreamPosition, Bytes)> = Vec::new();
    while followed.len() < EVENTS {
        let number = followed.len() as u64;
        match next(&mut wakes).await {
            Wake::Entry(at, _) if at.sequence() <= number => {}
            Wake::Entry(at, bytes) if at.sequence() == number + 1 => followed.push((at, bytes)),
            Wake::Entry(..) | Wake::Changed => {
                let after = followed.last().map(|(at, _)| *at);
                followed.extend(read(&log, &topic, after, usize::MAX).await.entries);
            }
        }
    }
    assert_eq!(followed, all);
}
