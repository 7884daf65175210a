//! What only the log on Redis can meet: restarts, deletions, replicas, other programs, and a server that is away.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use bytes::Bytes;
use eventwire::Event;
use eventwire_hub::{Entry, Hub, HubError, Limit, Log, Page, Reader, Resume, StreamPosition, Topic, Wake};
use eventwire_log_tests::{
    RedisServer,
    calls::{
        PATIENCE, append, append_again, append_all, append_once, end, event, next, read, read_all, topic, try_append,
        wait_until, watch,
    },
    proxy::{Cut, Gate, Proxy},
};
use eventwire_redis::{Error, RedisLog};
use futures_util::{FutureExt, Stream, StreamExt, future::join_all};
use std::{
    collections::HashSet,
    fmt::Debug,
    pin::Pin,
    time::{Duration, SystemTime},
};
use tokio::{task, time};

const STREAM: &str = "eventwire:stream:{room}";
const ABOUT: &str = "eventwire:topic:{room}";

fn room() -> Topic {
    topic("room")
}

fn open(server: &RedisServer) -> RedisLog {
    RedisLog::open(&server.url()).unwrap()
}

/// Starts a server, and opens a log on it. Returns from the test if no server is installed.
macro_rules! start {
    ($($option:expr),*) => {
        match RedisServer::start(&[$($option),*]) {
            Some(server) => {
                let log = open(&server);
                (server, log, room())
            }
            None => return,
        }
    };
}

/// The append was refused: nothing was stored.
#[track_caller]
fn check_refused<T: Debug>(result: Result<T, Error>, message: &str) {
    let error = result.unwrap_err();
    assert!(!error.may_be_stored(), "{error:?}");
    check_message(&error, message);
}

/// A message is one line, and begins with what happened.
#[track_caller]
fn check_message(error: &Error, message: &str) {
    let shown = error.to_string();
    assert!(shown.starts_with(message) && shown.lines().count() == 1 && !shown.contains('\r'), "{shown:?}");
}

/// A page with one event, which is the newest.
fn page_of(at: StreamPosition, text: &str) -> Page {
    Page { entries: vec![(at, event(text).into_bytes())], tail: at, finished: false }
}

/// A position is the first one of an epoch above that of another one, and a reader who is there gets it next.
async fn check_new_epoch(log: &RedisLog, before: StreamPosition, at: StreamPosition, text: &str) {
    assert!(at.epoch() > before.epoch(), "{at} after {before}");
    assert_eq!(at.sequence(), 1);
    assert_eq!(read(log, &room(), Some(before), 10).await, page_of(at, text));
    assert_eq!(read_all(log, &room()).await, page_of(at, text));
}

/// Reads hints up to the one on a position.
async fn check_hint<W: Stream<Item = Wake>>(hints: &mut Pin<Box<W>>, at: StreamPosition, text: &str) {
    loop {
        match next(hints).await {
            Wake::Entry(hinted, bytes) if hinted == at => return assert_eq!(bytes, event(text).as_ref()),
            Wake::Entry(..) | Wake::Changed => {}
        }
    }
}

async fn check_hints_end(mut hints: impl Stream<Item = Wake> + Unpin) {
    let ended = async { while hints.next().await.is_some() {} };
    time::timeout(PATIENCE, ended).await.expect("the hints end");
}

#[tokio::test]
async fn a_crash_of_the_server_is_one_new_epoch_for_all_processes() {
    let (mut server, ..) = start!();
    let logs = [open(&server), open(&server), open(&server)];
    for log in &logs {
        append(log, &room(), &event("before")).await;
    }
    let before = read_all(&logs[0], &room()).await.tail;
    server.kill();
    server.start_again();
    let room = room();
    let appends = (0..30).map(|number| append_again(&logs[number % 3], &room, "after"));
    let mut numbers: Vec<_> = join_all(appends).await.into_iter().map(|at| (at.epoch(), at.sequence())).collect();
    numbers.sort_unstable();
    let epoch = numbers[0].0;
    assert!(epoch > before.epoch());
    assert_eq!(numbers, (1..=30).map(|number| (epoch, number)).collect::<Vec<_>>());
}

#[tokio::test]
async fn without_its_stream_a_topic_goes_on_after_a_gap() {
    let (server, log, room) = start!();
    let before = append_all(&log, &room, 3).await[2].0;
    let () = server.command(&["UNLINK", STREAM]);
    let empty = Page { entries: Vec::new(), tail: before, finished: false };
    assert_eq!(read_all(&log, &room).await, empty);
    assert_eq!(read(&log, &room, Some(StreamPosition::new(before.epoch(), 1)), 10).await, empty);
    let at = append(&log, &room, &event("4")).await;
    assert_eq!(at, StreamPosition::new(before.epoch(), 4));
    assert_eq!(read(&log, &room, Some(StreamPosition::new(before.epoch(), 1)), 10).await, page_of(at, "4"));

    // It has still ended, after an event that is gone.
    end(&log, &room).await;
    let () = server.command(&["UNLINK", STREAM]);
    assert_eq!(read_all(&log, &room).await, Page { entries: Vec::new(), tail: at, finished: true });
}

#[tokio::test]
async fn without_all_of_its_hash_a_topic_starts_over() {
    for (lost, knows_its_end) in [
        (&["UNLINK", ABOUT][..], false),
        (&["HDEL", ABOUT, "epoch"], false),
        (&["HDEL", ABOUT, "number"], false),
        (&["HDEL", ABOUT, "run"], true),
    ] {
        let (server, log, room) = start!();
        let all = append_all(&log, &room, 3).await;
        let before = all[2].0;
        let () = server.command(lost);
        for most in 0..=3 {
            let page = Page { entries: all[..most].to_vec(), tail: before, finished: false };
            assert_eq!(read(&log, &room, None, most).await, page, "after {lost:?}");
        }
        assert!(read(&log, &room, Some(before), 10).await.entries.is_empty(), "after {lost:?}");
        let at = append(&log, &room, &event("after")).await;
        check_new_epoch(&log, before, at, "after").await;

        end(&log, &room).await;
        let () = server.command(lost);
        if knows_its_end {
            assert_eq!(try_append(&log, &room, "late").await.unwrap(), None, "after {lost:?}");
            assert_eq!(end(&log, &room).await, at, "after {lost:?}");
        } else {
            assert!(!read_all(&log, &room).await.finished, "after {lost:?}");
            let again = append(&log, &room, &event("again")).await;
            check_new_epoch(&log, at, again, "again").await;
        }
    }
}

/// An epoch of the year 2096: the server has had another clock.
const FUTURE: u64 = 4_000_000_000_000_000_000;

/// The topic has this epoch, and the server has restarted since.
fn set_epoch(server: &RedisServer, epoch: u64) {
    let () = server.command(&["HSET", ABOUT, "epoch", &epoch.to_string(), "run", "another"]);
}

#[tokio::test]
async fn an_epoch_is_the_time_and_random_digits() {
    let (_server, log, _) = start!();
    let mut random = HashSet::new();
    for number in 0..20 {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_micros() / 10;
        let epoch = append(&log, &topic(&number.to_string()), &event("a")).await.epoch();
        assert!(u128::from(epoch / 10_000).abs_diff(now) < 60 * 100_000, "{epoch}");
        random.insert(epoch % 10_000);
    }
    assert!(random.len() > 10, "{random:?}");
}

#[tokio::test]
async fn epochs_rise_although_the_clock_is_set_back() {
    let (server, log, room) = start!();
    append(&log, &room, &event("a")).await;
    set_epoch(&server, FUTURE);
    let at = append(&log, &room, &event("b")).await;
    check_new_epoch(&log, StreamPosition::new(FUTURE, 1), at, "b").await;
    // By up to ten seconds.
    assert!(at.epoch() <= FUTURE + 1_000_000 * 10_000 + 9_999, "{at}");
    // The stream alone tells it, too.
    let () = server.command(&["UNLINK", ABOUT]);
    let again = append(&log, &room, &event("c")).await;
    check_new_epoch(&log, at, again, "c").await;
    // An epoch of an earlier version is only the time.
    let () = server.command(&["FLUSHALL"]);
    append(&log, &room, &event("a")).await;
    set_epoch(&server, 1_800_000_000_000_000);
    let at = append(&log, &room, &event("b")).await;
    check_new_epoch(&log, StreamPosition::new(1_800_000_000_000_000, 1), at, "b").await;
    assert!(at.epoch() < FUTURE);
}

/// The case in which the documentation says that a reader is not told, and what prevents it.
#[tokio::test]
async fn a_copy_that_is_restored_without_a_restart_uses_positions_twice() {
    for (restored, is_used_twice) in [(&[STREAM, ABOUT][..], true), (&[STREAM], false)] {
        let (server, log, room) = start!();
        append_all(&log, &room, 2).await;
        for key in [STREAM, ABOUT] {
            assert_eq!(server.command::<u32>(&["COPY", key, &format!("copy of {key}")]), 1);
        }
        let lost = append(&log, &room, &event("lost")).await;
        let _: u32 = server.command(&["UNLINK", STREAM, ABOUT]);
        for key in restored {
            let () = server.command(&["RENAME", &format!("copy of {key}"), key]);
        }
        let at = append(&log, &room, &event("again")).await;
        if is_used_twice {
            assert_eq!(at, lost);
        } else {
            check_new_epoch(&log, lost, at, "again").await;
        }
    }
}

/// Either its epoch is in the future: the ID is made up, or the clock was set back and nothing is known of the epoch
/// before. Or it was lost, with a failover: then the reader may have had everything that is left.
#[tokio::test]
async fn after_a_later_epoch_a_page_begins_with_the_oldest_entry_or_is_empty() {
    let (server, log, room) = start!();
    let later = append(&log, &topic("later"), &event("a")).await.epoch() + 60 * 100_000 * 10_000;
    let all = append_all(&log, &room, 5).await;
    let tail = all[4].0;
    let next = tail.epoch() + 1;
    let check = async |epoch, is_future: bool| {
        for (number, most) in [(0, 10), (1, 2), (3, 10), (u64::MAX, 0)] {
            let entries = if is_future { all.iter().take(most).cloned().collect() } else { Vec::new() };
            let page = read(&log, &room, Some(StreamPosition::new(epoch, number)), most).await;
            assert_eq!(page, Page { entries, tail, finished: false }, "after {epoch}-{number}, at most {most}");
        }
    };
    for (epoch, is_future) in [(next, false), (later, true), (FUTURE, true), (u64::MAX, true)] {
        check(epoch, is_future).await;
    }
    // Nothing was sent to the topic since this server has started.
    let () = server.command(&["HSET", ABOUT, "run", "another"]);
    for epoch in [next, later, u64::MAX] {
        check(epoch, false).await;
    }
    let () = server.command(&["UNLINK", ABOUT]);
    check(u64::MAX, false).await;
}

#[tokio::test]
async fn the_greatest_epoch_is_not_the_last_one() {
    let (server, log, room) = start!();
    append(&log, &room, &event("a")).await;
    for epoch in [u64::MAX, 18_000_000_000_000_000_000] {
        // There is no room for another one above.
        set_epoch(&server, epoch);
        let first = append(&log, &room, &event("b")).await;
        let second = append(&log, &room, &event("c")).await;
        assert_eq!(second, StreamPosition::new(first.epoch(), 2));
        assert_eq!(read_all(&log, &room).await.tail, second);
    }
}

#[tokio::test]
async fn a_page_ends_before_an_entry_that_was_removed() {
    let (server, log, room) = start!();
    let all = append_all(&log, &room, 9).await;
    let tail = all[8].0;
    for number in [1, 4, 6, 7, 9] {
        assert_eq!(server.command::<u32>(&["XDEL", STREAM, &format!("{}-{number}", tail.epoch())]), 1);
    }
    for (after, numbers) in [(0, 2..=3), (2, 3..=3), (3, 5..=5), (5, 8..=8)] {
        let page = read(&log, &room, Some(StreamPosition::new(tail.epoch(), after)), 100).await;
        let entries = all[numbers.start() - 1..*numbers.end()].to_vec();
        assert_eq!(page, Page { entries, tail, finished: false }, "after {after}");
    }
    // With a greater ID before the next one, the topic starts over.
    let () = server.command(&["XSETID", STREAM, &format!("{}-100", tail.epoch())]);
    let again = append(&log, &room, &event("again")).await;
    check_new_epoch(&log, tail, again, "again").await;
}

/// Entries that another program has added, with holes before them.
#[tokio::test]
async fn entries_of_another_program_do_not_stop_readers() {
    let (server, log, room) = start!();
    let all = append_all(&log, &room, 3).await;
    let epoch = all[0].0.epoch();
    let at = |number| StreamPosition::new(epoch, number);
    let at_next = |number| StreamPosition::new(epoch + 1, number);
    let hub = Hub::new(log.clone()).with_resync(Duration::from_secs(3600));
    let mut reader = hub.subscribe(&room, Resume::After(at(2).to_string().into_bytes().into())).await.unwrap();
    assert_eq!(item(&mut reader).await, format!("id: {}\n\n", at(2)));
    assert_eq!(item(&mut reader).await, format!("id: {}\ndata: 3\n\n", at(3)));
    for added in [at(7), at(8), at_next(0), at_next(3)] {
        let id = format!("{}-{}", added.epoch(), added.sequence());
        let _: String = server.command(&["XADD", STREAM, &id, "name", "value"]);
    }
    // However short a page is, its tail is the newest event.
    let added = [(at(7), Bytes::new()), (at(8), Bytes::new())];
    for most in 0..=2 {
        let page = read(&log, &room, Some(at(3)), most).await;
        let expected = Page { entries: added[..most].to_vec(), tail: at_next(3), finished: false };
        assert_eq!(page, expected, "at most {most}");
    }
    // One hint is enough.
    let _: String = server.command(&["XADD", STREAM, &format!("{}-0", u64::MAX), "name", "value"]);
    assert_eq!(server.command::<u32>(&["PUBLISH", "eventwire:wakes:{room}", ""]), 1);
    let one = r#"{"missed":1}"#;
    for (at, data) in [(at(6), r#"{"missed":3}"#), (at(7), one), (at(8), one), (at_next(2), "{}"), (at_next(3), one)] {
        assert_eq!(item(&mut reader).await, format!("event: gap\nid: {at}\ndata: {data}\n\n"));
    }
    let at = append(&log, &room, &event("again")).await;
    while item(&mut reader).await != format!("id: {at}\ndata: again\n\n") {}
}

/// Returns the next item of a reader.
async fn item(reader: &mut Reader<RedisLog>) -> String {
    let item = time::timeout(PATIENCE, reader.next()).await.expect("an item").expect("it goes on");
    String::from_utf8(item.into_bytes().into()).unwrap()
}

#[tokio::test]
async fn with_expiry_removes_a_topic_that_is_not_used() {
    let (server, _, room) = start!();
    let time_left = |key: &str| server.command::<i64>(&["PTTL", key]);
    let forever = open(&server);
    append_once(&forever, &room, "key", &event("a")).await.unwrap();
    assert_eq!((time_left(STREAM), time_left(ABOUT)), (-1, -1));
    // A key is known for a day.
    let day = 24 * 60 * 60 * 1000;
    assert!((day - 600_000..=day).contains(&time_left("eventwire:key:4:{room}key")));

    let log = open(&server).with_expiry(Duration::from_secs(3600));
    let refreshed = |what: &str| {
        for key in [STREAM, ABOUT] {
            assert!((3_000_000..=3_600_000).contains(&time_left(key)), "{key} after {what}");
            let () = server.command(&["PEXPIRE", key, "600000"]);
        }
    };
    append(&log, &room, &event("b")).await;
    refreshed("an event");
    append_once(&log, &room, "other", &event("c")).await.unwrap();
    refreshed("an event with a key");
    read_all(&log, &room).await;
    assert!(time_left(STREAM) <= 600_000, "to read is not to use");
    let before = end(&log, &room).await;
    refreshed("the end");

    let () = server.command(&["UNLINK", STREAM, ABOUT]);
    let short = open(&server).with_expiry(Duration::ZERO);
    let at = append(&short, &room, &event("d")).await;
    assert!(at.epoch() > before.epoch());
    wait_until("the topic expires", || server.command::<u32>(&["EXISTS", STREAM, ABOUT]) == 0).await;
    assert_eq!(read_all(&log, &room).await.tail, StreamPosition::new(0, 0));
    let again = append(&log, &room, &event("e")).await;
    check_new_epoch(&log, at, again, "e").await;
    // The longest time there is.
    append(&open(&server).with_expiry(Duration::MAX), &room, &event("f")).await;
    assert!(time_left(STREAM) > 1 << 49);
}

#[tokio::test]
async fn with_prefix_keeps_applications_apart() {
    let (server, _, room) = start!();
    let logs = ["one", "other"].map(|prefix| open(&server).with_prefix(prefix));
    let mut hints = [watch(&logs[0], &room).await, watch(&logs[1], &room).await];
    let mut appended = Vec::new();
    for (log, text) in logs.iter().zip(["of one", "of other"]) {
        appended.push(append_once(log, &room, "key", &event(text)).await.unwrap());
    }
    end(&logs[1], &room).await;
    assert_ne!(appended[0].epoch(), appended[1].epoch());
    assert_eq!(read_all(&logs[0], &room).await, page_of(appended[0], "of one"));
    assert_eq!(read_all(&logs[1], &room).await, Page { finished: true, ..page_of(appended[1], "of other") });
    for ((hints, at), text) in hints.iter_mut().zip(appended).zip(["of one", "of other"]) {
        check_hint(hints, at, text).await;
    }
    let mut keys: Vec<String> = server.command(&["KEYS", "*"]);
    keys.sort();
    let names = ["key:4:{room}key", "stream:{room}", "topic:{room}"];
    let expected = ["one", "other"].map(|prefix| names.map(|name| format!("{prefix}:{name}")));
    assert_eq!(keys, expected.concat());
}

#[tokio::test]
async fn an_entry_of_another_program_is_no_event() {
    let (server, log, room) = start!();
    let before = append_all(&log, &room, 3).await[2].0;
    // The server numbers it as if it were ours.
    let _: String = server.command(&["XADD", STREAM, "*", "name", "value", "other", "value"]);
    let page = read(&log, &room, Some(before), 10).await;
    let foreign = StreamPosition::new(before.epoch(), 4);
    assert_eq!(page, Page { entries: vec![(foreign, Bytes::new())], tail: foreign, finished: false });
    // Its position is not used again.
    let at = append(&log, &room, &event("after")).await;
    check_new_epoch(&log, foreign, at, "after").await;

    let epoch = (at.epoch() + 7).to_string();
    for fields in [["e", "not one block"], ["e", ""], ["E", "data: a\n\n"]] {
        let id = format!("{epoch}-{}", read(&log, &room, Some(at), 10).await.entries.len() + 1);
        let _: String = server.command(&["XADD", STREAM, &id, fields[0], fields[1]]);
    }
    let page = read(&log, &room, Some(at), 10).await;
    let texts: Vec<_> = page.entries.iter().map(|(_, bytes)| &bytes[..]).collect();
    assert_eq!(texts, [&b"not one block"[..], b"", b""]);
    let last = append(&log, &room, &event("last")).await;
    assert!(last.epoch() > at.epoch() + 7);
    check_new_epoch(&log, at, last, "last").await;

    // What has ended stays so.
    end(&log, &room).await;
    let _: String = server.command(&["XADD", STREAM, "*", "name", "value"]);
    let page = read_all(&log, &room).await;
    assert_eq!((page.tail, page.finished), (StreamPosition::new(last.epoch(), 2), true));
}

#[tokio::test]
async fn a_stream_of_another_program_is_replaced() {
    let (server, log, room) = start!();
    // Redis counts from 0 here.
    let _: String = server.command(&["XADD", STREAM, "*", "name", "value"]);
    let tail = read_all(&log, &room).await.tail;
    assert_eq!(tail, StreamPosition::new(0, 0));
    let at = append(&log, &room, &event("a")).await;
    check_new_epoch(&log, tail, at, "a").await;
}

#[tokio::test]
async fn a_key_of_another_type_is_an_error_and_stays() {
    let (server, log, _) = start!();
    let keyed = || async {
        let event = event("a");
        log.append(&room(), Entry::Event(&event), Some("key")).await
    };
    for key in [STREAM, ABOUT] {
        for exists in [false, true] {
            let () = server.command(&["FLUSHALL"]);
            if exists {
                append(&log, &room(), &event("a")).await;
            }
            let () = server.command(&["SET", key, "mine"]);
            check_refused(try_append(&log, &room(), "b").await, "Redis has refused the command: ");
            check_refused(keyed().await, "Redis has refused the command: ");
            let error = log.read(&room(), None, Limit { entries: 10, bytes: 1000 }).await.unwrap_err();
            check_message(&error, "Redis has refused the command: ");
            assert_eq!(server.command::<String>(&["GET", key]), "mine");
            assert_eq!(server.command::<u32>(&["EXISTS", STREAM, ABOUT]), if exists { 2 } else { 1 });
        }
    }
    let () = server.command(&["FLUSHALL"]);
    let _: u32 = server.command(&["LPUSH", "eventwire:key:4:{room}key", "mine"]);
    check_refused(keyed().await, "Redis has refused the command: ");
    assert_eq!(server.command::<Vec<String>>(&["KEYS", "*"]).len(), 1);
    // Other topics are not concerned, and the connection is the same.
    append(&log, &topic("other"), &event("a")).await;
}

#[tokio::test]
async fn a_replica_refuses_until_it_is_promoted() {
    let (master, log, _) = start!();
    let master_at = format!("127.0.0.1 {}", master.port());
    let (replica, standby, _) = start!("--replicaof", &master_at, "--repl-diskless-sync-delay", "0");
    let before = append_all(&log, &room(), 3).await[2].0;
    let has_all = || replica.command::<String>(&["HGET", ABOUT, "number"]) == "3";
    wait_until("the replica has everything", || replica.command::<u32>(&["EXISTS", ABOUT]) == 1 && has_all()).await;

    let is_replica = "cannot connect to Redis: the server is a replica";
    check_refused(try_append(&standby, &room(), "refused").await, is_replica);
    check_message(&standby.read(&room(), None, Limit { entries: 1, bytes: 1000 }).await.unwrap_err(), is_replica);
    assert!(standby.watch(&room()).await.is_err());

    let () = replica.command(&["REPLICAOF", "NO", "ONE"]);
    let at = append(&standby, &room(), &event("promoted")).await;
    check_new_epoch(&standby, before, at, "promoted").await;

    // The old master comes back as a replica, and is promoted again. It has the same run ID as before.
    let () = master.command(&["REPLICAOF", "127.0.0.1", &replica.port().to_string()]);
    wait_until("the old master has everything", || {
        master.command::<Option<String>>(&["HGET", ABOUT, "epoch"]) == Some(at.epoch().to_string())
    })
    .await;
    check_refused(try_append(&log, &room(), "refused").await, "Redis has refused the command: ReadOnly: ");
    check_refused(log.append(&room(), Entry::End, None).await, is_replica);
    let () = master.command(&["REPLICAOF", "NO", "ONE"]);
    let again = append(&log, &room(), &event("again")).await;
    check_new_epoch(&log, at, again, "again").await;
}

#[tokio::test]
async fn a_full_server_refuses_and_goes_on_later() {
    let (server, log, room) = start!();
    let (other, new) = (topic("other"), topic("new"));
    let before = append(&log, &room, &event("a")).await;
    append(&log, &other, &event("a")).await;
    let () = server.command(&["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    let () = server.command(&["CONFIG", "SET", "maxmemory", "1"]);
    // A topic that has to start over keeps what it has.
    let () = server.command(&["HDEL", "eventwire:topic:{other}", "run"]);
    let refused = event("refused");
    for (topic, entry, key) in [
        (&room, Entry::Event(&refused), None),
        (&room, Entry::Event(&refused), Some("key")),
        (&room, Entry::End, None),
        (&new, Entry::Event(&refused), None),
        (&new, Entry::End, None),
        (&other, Entry::Event(&refused), None),
    ] {
        check_refused(log.append(topic, entry, key).await, "Redis has refused the command: \"OOM\": ");
    }
    assert_eq!(read_all(&log, &other).await.entries.len(), 1);
    assert_eq!(read_all(&log, &room).await, page_of(before, "a"));
    assert_eq!(read_all(&log, &new).await.tail, StreamPosition::new(0, 0));
    let () = server.command(&["CONFIG", "SET", "maxmemory", "0"]);
    let at = append_once(&log, &room, "key", &event("b")).await;
    assert_eq!(at, Some(StreamPosition::new(before.epoch(), 2)));
    append(&log, &new, &event("a")).await;
}

/// A program that only reads finds that its server has become a replica, also if that replica never hears of its
/// master.
#[tokio::test]
async fn one_who_only_reads_leaves_a_replica() {
    let (server, log, _) = start!();
    append(&log, &room(), &event("a")).await;
    let wakes = watch(&log, &room()).await;
    let () = server.command(&["REPLICAOF", "127.0.0.1", "1"]);
    let reads = async {
        while log.read(&room(), None, Limit { entries: 1, bytes: 1000 }).await.is_ok() {
            time::sleep(Duration::from_millis(100)).await;
        }
    };
    time::timeout(PATIENCE, reads).await.expect("it is told");
    check_hints_end(wakes).await;
}

/// A user with these rights, whose password is `secret`.
fn user(server: &RedisServer, rights: &str) -> RedisLog {
    let mut command = vec!["ACL", "SETUSER", "writer", "reset", "on", ">secret"];
    command.extend(rights.split_whitespace());
    let () = server.command(&command);
    RedisLog::open(&format!("redis://writer:secret@127.0.0.1:{}", server.port())).unwrap()
}

/// The rights that the documentation names.
const RIGHTS: &str = "~eventwire:* &eventwire:* +evalsha +script|load +hmget +xrange +xrevrange +subscribe +unsubscribe \
                      +info +get +set +hset +hdel +xadd +del +time +pexpire +publish";

#[tokio::test]
async fn the_rights_in_the_documentation_are_enough() {
    let (server, ..) = start!("--stream-node-max-entries", "1");
    let log = user(&server, RIGHTS).with_max_events(1).with_expiry(PATIENCE);
    let mut wakes = watch(&log, &room()).await;
    append_all(&log, &room(), 3).await;
    log.append(&room(), Entry::Event(&event("a")), Some("key")).await.unwrap();
    log.append(&room(), Entry::End, None).await.unwrap();
    assert_eq!(read_all(&log, &room()).await.tail.sequence(), 4);
    time::timeout(PATIENCE, wakes.next()).await.unwrap().unwrap();
    drop(wakes);
    // Long enough for a check of the connection.
    let mut wakes = watch(&log, &room()).await;
    time::sleep(Duration::from_millis(5500)).await;
    read_all(&log, &room()).await;
    let nothing = time::timeout(Duration::from_millis(500), wakes.next()).await;
    assert!(nothing.is_err(), "the connection was closed");
}

/// The rights of a user have changed, or another one has begun the topic.
#[tokio::test]
async fn one_without_a_right_is_told_whether_the_event_is_stored() {
    let (refused, stored) =
        ("Redis has refused the command: ", "the event is stored, but Redis has refused a command: ");
    for (without, message) in [
        ("-hmget", refused),
        ("-xadd", refused),
        ("-get", refused),
        ("-hset", stored),
        ("-pexpire", stored),
        ("-set", stored),
        ("-publish", stored),
        ("resetchannels", stored),
    ] {
        let (server, log, room) = start!();
        let begun = append(&log, &room, &event("a")).await;
        let user = user(&server, &format!("{RIGHTS} {without}")).with_expiry(PATIENCE);
        let error = user.append(&room, Entry::Event(&event("b")), Some("key")).await.unwrap_err();
        check_message(&error, message);
        assert_eq!(error.may_be_stored(), message == stored, "{without}");
        let page = read(&log, &room, Some(begun), 10).await;
        if message == stored {
            assert_eq!(page, page_of(StreamPosition::new(begun.epoch(), 2), "b"), "{without}");
        } else {
            assert_eq!(page, Page { entries: Vec::new(), tail: begun, finished: false }, "{without}");
        }
    }
}

/// It has no replica, so it may be the old master of a network that has come apart.
#[tokio::test]
async fn a_master_without_its_replicas_refuses() {
    let (_server, log, room) = start!("--min-replicas-to-write", "1");
    check_refused(try_append(&log, &room, "a").await, "Redis has refused the command: ");
    assert_eq!(read_all(&log, &room).await.tail, StreamPosition::new(0, 0));
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let (server, ..) = start!();
    let proxy = Proxy::start(server.port()).await;
    proxy.set(Gate::Stalled);
    let log = RedisLog::open(&proxy.url()).unwrap();
    // Nothing was sent, apart from the greeting.
    check_refused(try_append(&log, &room(), "a").await, "cannot connect to Redis: ");
    // Those who wait together share one attempt, or this would take minutes.
    let all = join_all((0..100).map(|_| async {
        check_refused(log.read(&room(), None, Limit { entries: 1, bytes: 1000 }).await, "cannot connect to Redis: ");
    }));
    time::timeout(PATIENCE, all).await.expect("each call ends");
    time::timeout(PATIENCE, log.watch(&room())).await.expect("each call ends").err().unwrap();
}

#[tokio::test]
async fn an_append_that_is_not_answered_may_be_stored() {
    let (server, log, _) = start!();
    append(&log, &room(), &event("a")).await;
    let wakes = watch(&log, &room()).await;
    let () = server.command(&["CLIENT", "PAUSE", "60000", "WRITE"]);
    let error = try_append(&log, &room(), "b").await.unwrap_err();
    assert!(error.may_be_stored(), "{error}");
    check_message(&error, "no answer from Redis: ");
    // The connection is not used again, so no late answer is taken for another one.
    check_hints_end(wakes).await;
    // Reading is still possible.
    assert_eq!(read_all(&log, &room()).await.entries.len(), 1);
    let () = server.command(&["CLIENT", "UNPAUSE"]);
    let at = append(&log, &room(), &event("c")).await;
    assert_eq!(read_all(&log, &room()).await.tail, at);
}

#[test]
fn a_url_that_is_none_is_an_error() {
    for url in ["", "redis", "redis://", "http://localhost", "redis://localhost:port", "redis://localhost/db"] {
        match RedisLog::open(url) {
            Ok(log) => panic!("{url:?} is no URL of Redis: {log:?}"),
            refused => check_refused(refused, "cannot connect to Redis: "),
        }
    }
    for url in ["redis://user:hunter2@host:port", "redis://user:hunter2@host/db", "http://user:hunter2@host"] {
        let error = RedisLog::open(url).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error:?}");
    }
}

#[tokio::test]
async fn a_password_is_never_shown() {
    let (server, ..) = start!();
    let () = server.command(&["CONFIG", "SET", "requirepass", "right"]);
    let url = |password: &str| format!("redis://:{password}@127.0.0.1:{}", server.port());
    let log = RedisLog::open(&url("hunter2")).unwrap();
    let error = try_append(&log, &room(), "a").await.unwrap_err();
    for shown in [format!("{log:?}"), format!("{log:#?}"), format!("{error:?}"), error.to_string()] {
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    check_refused(Err::<(), _>(error), "cannot connect to Redis: ");
    assert!(!format!("{:?}", Hub::new(log)).contains("hunter2"));
    // None at all.
    check_refused(try_append(&open(&server), &room(), "a").await, "cannot connect to Redis: ");
    append(&RedisLog::open(&url("right")).unwrap(), &room(), &event("a")).await;
}

#[tokio::test]
async fn a_socket_of_unix_is_a_way_to_the_server() {
    let (server, ..) = start!("--unixsocket", "socket", "--unixsocketperm", "700");
    let path = server.folder().join("socket");
    let log = RedisLog::open(&format!("redis+unix://{}", path.display())).unwrap();
    let at = append(&log, &room(), &event("a")).await;
    assert_eq!(read_all(&open(&server), &room()).await.tail, at);
}

fn subscribers(server: &RedisServer) -> u32 {
    let (_, count): (String, u32) = server.command(&["PUBSUB", "NUMSUB", "eventwire:wakes:{room}"]);
    count
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_one_who_leaves_unsubscribes() {
    let (server, log, room) = start!();
    for _ in 0..100 {
        let (one, mut other) = (watch(&log, &room).await, watch(&log, &room).await);
        assert_eq!(subscribers(&server), 1);
        drop(one);
        append(&log, &room, &event("a")).await;
        next(&mut other).await;
        drop(other);
        // To watch again right away is a race with the one who has left.
        let mut again = watch(&log, &room).await;
        let at = append(&log, &room, &event("b")).await;
        check_hint(&mut again, at, "b").await;
    }
    wait_until("the connection unsubscribes", || subscribers(&server) == 0).await;
    // One who does not wait for the answer leaves, too.
    for _ in 0..100 {
        drop(log.watch(&room).now_or_never());
    }
    append(&log, &room, &event("c")).await;
    wait_until("the connection unsubscribes", || subscribers(&server) == 0).await;
}

/// The topics of one process leave together, and come together, as after a deployment.
#[tokio::test]
async fn many_who_leave_and_come_do_not_wait_for_each_other() {
    let (server, log, _) = start!();
    let topics: Vec<_> = (0..200).map(|number| topic(&format!("topic {number}"))).collect();
    let watch_all = || join_all(topics.iter().map(|topic| watch(&log, topic)));
    let mut all = watch_all().await;
    for _ in 0..5 {
        drop(all);
        all = watch_all().await;
    }
    // Some of them have stayed while others have left.
    all.truncate(100);
    let mut again = watch_all().await;
    for (topic, wakes) in topics.iter().zip(&mut again) {
        let at = append(&log, topic, &event("a")).await;
        assert!(matches!(next(wakes).await, Wake::Entry(hinted, _) if hinted == at));
    }
    let unsubscribed = calls(&server, "unsubscribe");
    assert!(unsubscribed <= 2 * 6, "each channel was unsubscribed on its own: {unsubscribed}");
    drop((all, again));
    wait_until("the connection unsubscribes", || server.command::<Vec<String>>(&["PUBSUB", "CHANNELS"]).is_empty())
        .await;
}

#[tokio::test]
async fn hints_end_with_their_connection() {
    let (server, log, room) = start!();
    for _ in 0..10 {
        let hints = [watch(&log, &room).await, watch(&log, &topic("other")).await];
        assert_eq!(server.command::<u32>(&["CLIENT", "KILL", "TYPE", "pubsub"]), 1);
        for hints in hints {
            check_hints_end(hints).await;
        }
        let mut again = watch(&log, &room).await;
        let at = append(&log, &room, &event("a")).await;
        check_hint(&mut again, at, "a").await;
    }
}

#[tokio::test]
async fn what_another_program_publishes_is_a_hint_that_says_nothing() {
    let (server, log, room) = start!();
    let mut wakes = watch(&log, &room).await;
    for message in ["", "text", "1-2", "a-1\ndata: a\n\n", "1-\ndata: a\n\n", "18446744073709551616-1\ndata: a\n\n"] {
        let _: u32 = server.command(&["PUBLISH", "eventwire:wakes:{room}", message]);
        assert!(matches!(next(&mut wakes).await, Wake::Changed), "{message:?}");
    }
}

#[tokio::test]
async fn a_script_that_is_forgotten_is_sent_again() {
    let (server, log, room) = start!();
    for number in 1..=5 {
        assert_eq!(append(&log, &room, &event("a")).await.sequence(), number);
        let () = server.command(&["SCRIPT", "FLUSH"]);
    }
}

#[tokio::test]
async fn any_number_of_events_can_be_kept() {
    let (server, _, room) = start!("--stream-node-max-entries", "1");
    for most in [usize::MAX, 1, 0] {
        let log = open(&server).with_max_events(most);
        let last = append_all(&log, &room, 3).await.pop().unwrap();
        assert_eq!(read_all(&log, &room).await.entries.last(), Some(&last), "the newest is kept, at most {most}");
    }
}

/// How often a command was called.
fn calls(server: &RedisServer, command: &str) -> u32 {
    let Some(stats) = server.info(&format!("cmdstat_{command}")) else { return 0 };
    let calls = stats.strip_prefix("calls=").and_then(|calls| calls.split(',').next());
    calls.unwrap().parse().unwrap()
}

#[tokio::test]
async fn an_event_is_sent_once_unless_it_has_a_key() {
    let (server, _, room) = start!();
    let proxy = Proxy::start(server.port()).await;
    let log = RedisLog::open(&proxy.url()).unwrap();
    let hub = Hub::new(log.clone());
    let first = hub.send(&room, &Event::new("1")).await.unwrap();

    let before = calls(&server, "evalsha");
    proxy.cut(Cut::InsideReply(0));
    match hub.send(&room, &Event::new("2")).await {
        Err(HubError::Log(error)) => {
            assert!(error.may_be_stored(), "{error}");
            check_message(&error, "no answer from Redis: ");
        }
        other => panic!("the answer was lost: {other:?}"),
    }
    // It was stored. One more that works comes after any that were still to come.
    let third = hub.send(&room, &Event::new("3")).await.unwrap();
    assert_eq!(calls(&server, "evalsha") - before, 2);
    assert_eq!(third, StreamPosition::new(first.epoch(), 3));

    let before = calls(&server, "evalsha");
    proxy.cut(Cut::InsideReply(0));
    let fourth = hub.send_once(&room, "key", &Event::new("4")).await.unwrap();
    assert_eq!(calls(&server, "evalsha") - before, 2);
    assert_eq!(fourth, StreamPosition::new(first.epoch(), 4));
    let page = read_all(&log, &room).await;
    assert_eq!((page.tail, page.entries.len()), (fourth, 4));
}

/// A page is right although epochs begin while it is read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_are_in_order_while_epochs_change() {
    let (server, log, room) = start!();
    let writing = task::spawn({
        let (writer, room) = (open(&server), room.clone());
        async move {
            for number in 1..=500 {
                append(&writer, &room, &event("a")).await;
                if number % 5 == 0 {
                    let deleted: &[&str] = [&[STREAM][..], &[ABOUT], &[STREAM, ABOUT]][number / 5 % 3];
                    let _: u32 = server.command(&[&["UNLINK"], deleted].concat());
                }
            }
            server
        }
    });
    let mut read_before = None;
    while !writing.is_finished() {
        for most in [1, 3, 100] {
            let page = read(&log, &room, read_before, most).await;
            let mut last = None;
            for (at, bytes) in &page.entries {
                assert_eq!((at.epoch(), &bytes[..5]), (page.tail.epoch(), &b"data:"[..]));
                assert!(last.is_none_or(|last| last + 1 == at.sequence()), "{page:?}");
                last = Some(at.sequence());
            }
            assert!(last.is_none_or(|last| last <= page.tail.sequence()), "{page:?}");
            read_before = page.entries.last().map(|(at, _)| *at).or(read_before);
        }
    }
    writing.await.unwrap();
}

/// The connection breaks at any time, and what was accepted is there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_accepted_is_stored_although_connections_break() {
    let (server, log, room) = start!();
    let writer = log.clone();
    let sending = task::spawn(async move {
        let (mut accepted, mut perhaps) = (Vec::new(), 0);
        for _ in 0..400 {
            match try_append(&writer, &self::room(), "a").await {
                Ok(at) => accepted.push(at.unwrap()),
                Err(error) => perhaps += usize::from(error.may_be_stored()),
            }
        }
        (accepted, perhaps)
    });
    while !sending.is_finished() {
        let _: u32 = server.command(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
        time::sleep(Duration::from_millis(2)).await;
    }
    let (accepted, perhaps) = sending.await.unwrap();
    let stored: Vec<_> = read_all(&log, &room).await.entries.into_iter().map(|(at, _)| at).collect();
    assert!(accepted.iter().all(|at| stored.contains(at)), "an accepted event is not stored");
    let unexpected = stored.len() - accepted.len();
    assert!(unexpected <= perhaps, "{unexpected} are stored that were not accepted, and may be {perhaps}");
}
