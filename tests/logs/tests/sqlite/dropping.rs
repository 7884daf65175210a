//! What is left when a log, a call or a reader is dropped, and what happens if there are very many.

use crate::{LogFile, SqliteLog, hub, room};
use eventwire_hub::{Entry, Limit, Log, StreamPosition};
use eventwire_log_tests::calls::{PATIENCE, append, append_all, event, next, read, read_all, topic, wait_until, watch};
use futures_util::{FutureExt, StreamExt, future::join_all};
use std::{thread, time::Duration};
use tokio::{runtime, task, time};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_clone_closes_the_file() {
    let file = LogFile::new();
    let log = file.open();
    let clones: Vec<_> = (0..5).map(|_| log.clone()).collect();
    append_all(&log, &room(), 3).await;
    let room_ = room();
    join_all(clones.iter().map(|clone| read_all(clone, &room_))).await;
    let mut wakes = watch(&log, &room()).await;
    drop(log);
    assert!(file.beside("-wal").exists());
    drop(clones);
    for end in ["-wal", "-shm"] {
        assert!(!file.beside(end).exists(), "{end}");
    }
    // Hints that are there already come before the end.
    let ended = async { while wakes.next().await.is_some() {} };
    time::timeout(PATIENCE, ended).await.expect("the hints end");
}

#[tokio::test]
async fn hubs_close_the_file_as_well() {
    let file = LogFile::new();
    let hub = hub(file.open());
    let mut reader = hub.subscribe(&room(), eventwire_hub::Resume::Live).await.unwrap();
    hub.send(&room(), &eventwire::Event::new("1")).await.unwrap();
    reader.next().await.unwrap();
    drop((reader, hub));
    // A task of the hub may have to end first.
    wait_until("it is closed", || !file.beside("-wal").exists()).await;
}

/// What was asked before is done.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_dropped_harms_nothing() {
    let file = LogFile::new();
    let log = file.open();
    for number in 0..50 {
        let dropped = event(&format!("dropped {number}"));
        let at_once = log.append(&room(), Entry::Event(&dropped), None).now_or_never();
        assert!(at_once.is_none_or(|appended| appended.is_ok()));
        drop(log.read(&room(), None, Limit { entries: 10, bytes: 1000 }).now_or_never());
        drop(log.watch(&room()).now_or_never());
        drop(log.new_epoch().now_or_never().filter(|_| false));
        let kept = event(&format!("kept {number}"));
        time::timeout(PATIENCE, append(&log, &room(), &kept)).await.unwrap();
    }
    let mut texts = Vec::new();
    let mut after = None;
    loop {
        let page = read(&log, &room(), after, 1000).await;
        let Some((last, _)) = page.entries.last() else { break };
        after = Some(*last);
        texts.extend(page.entries.into_iter().map(|(_, event)| String::from_utf8(event.into()).unwrap()));
    }
    let kept: Vec<_> = (0..50).map(|number| format!("data: kept {number}\n\n")).collect();
    assert_eq!(texts.iter().filter(|text| text.contains("kept")).cloned().collect::<Vec<_>>(), kept);
    // In their order, and none of them twice.
    texts.retain(|text| text.contains("dropped"));
    let count = texts.len();
    texts.dedup();
    assert!(texts.len() == count && count <= 50);
}

/// One that waits does not keep the file open when its runtime ends.
#[test]
fn a_runtime_that_ends_leaves_nothing_behind() {
    let file = LogFile::new();
    for _ in 0..3 {
        let runtime = runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build().unwrap();
        let log = file.open();
        for number in 0..100 {
            let log = log.clone();
            runtime.spawn(async move {
                loop {
                    append(&log, &topic(&format!("topic {number}")), &event("a")).await;
                    read(&log, &room(), None, 1).await;
                }
            });
        }
        thread::sleep(Duration::from_millis(30));
        drop(log);
        drop(runtime);
        assert!(!file.beside("-wal").exists());
    }
    assert_eq!(file.get::<String>("PRAGMA integrity_check"), "ok");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_append_at_once() {
    const EACH: u64 = 4000;
    let file = LogFile::new();
    let log = file.open();
    let texts: Vec<_> = (0..EACH).map(|number| event(&number.to_string())).collect();
    let room = room();
    let appended = join_all(texts.iter().map(|event| log.append(&room, Entry::Event(event), None))).await;
    let positions: Vec<_> = appended.into_iter().map(|at| at.unwrap().unwrap()).collect();
    // Of one task, so in the order in which they were polled first; all have a position of their own.
    let page = read_all(&log, &room).await;
    assert_eq!(page.tail, StreamPosition::new(positions[0].epoch(), EACH));
    for (at, event) in positions.iter().zip(&texts) {
        let (stored, bytes) = &page.entries[usize::try_from(at.sequence() - 1).unwrap()];
        assert_eq!((stored, bytes.as_ref()), (at, event.as_ref()));
    }
}

/// Larger together than what one transaction has.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_events_at_once() {
    let file = LogFile::new();
    let log = file.open();
    let large = event(&"x".repeat(1 << 20));
    let room = room();
    let appended = join_all((0..12).map(|_| log.append(&room, Entry::Event(&large), None))).await;
    assert!(appended.into_iter().all(|at| at.unwrap().is_some()));
    let page = log.read(&room, None, Limit { entries: 100, bytes: 3 << 20 }).await.unwrap();
    assert_eq!((page.entries.len(), page.tail.sequence()), (2, 12));
}

/// Each page is of one moment, and nothing is read that is taken back later.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_topic_is_read_while_many_append() {
    const SENDERS: usize = 200;
    const EACH: usize = 5;
    let file = LogFile::new();
    let log = file.open();
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| {
            let log = log.clone();
            task::spawn(async move {
                let mut positions = Vec::new();
                for number in 0..EACH {
                    positions.push(append(&log, &room(), &event(&format!("{sender} {number}"))).await.sequence());
                }
                assert!(positions.is_sorted(), "{positions:?}");
            })
        })
        .collect();
    let mut wakes = watch(&log, &room()).await;
    let (mut read_so_far, room) = (Vec::new(), room());
    while read_so_far.len() < SENDERS * EACH {
        let after = read_so_far.last().map(|(at, _)| *at);
        let (page, other) = tokio::join!(read(&log, &room, after, 50), read(&log, &room, None, 0));
        for (at, event) in page.entries {
            assert_eq!(at.sequence(), read_so_far.len() as u64 + 1);
            read_so_far.push((at, event));
        }
        assert!(other.tail.sequence() <= (SENDERS * EACH) as u64);
        if page.tail.sequence() == read_so_far.len() as u64 && read_so_far.len() < SENDERS * EACH {
            next(&mut wakes).await;
        }
    }
    for sender in senders {
        sender.await.unwrap();
    }
    assert_eq!(read_all(&log, &room).await.entries, read_so_far);
}

/// The program may change its folder, and the path need not be the shortest.
#[tokio::test]
async fn a_path_can_be_any() {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};
    let folder = LogFile::new();
    let names: [&[u8]; 7] =
        [b"a b", b"a?mode=ro", b"%41#x", b"file:x", b"'\";--", "\u{FC}\u{1F600}".as_bytes(), b"no text \xFF"];
    for name in names {
        let path = folder.folder.path().join(OsStr::from_bytes(name));
        let log = SqliteLog::open(&path).unwrap();
        let at = append(&log, &room(), &event("1")).await;
        drop(log);
        assert!(path.is_file(), "{path:?}");
        let around = folder.folder.path().join(".").join("..").join(folder.folder.path().file_name().unwrap());
        let again = SqliteLog::open(around.join(OsStr::from_bytes(name))).unwrap();
        assert_eq!(append(&again, &room(), &event("2")).await, crate::next_of(at));
    }
}
