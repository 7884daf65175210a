//! A file that is replaced or deleted while a log has it open.

use crate::{LogFile, copy, gap_before, hub, item, item_of, reader_after, room};
use eventwire_log_tests::calls::{append, append_again, append_all, event, read, read_all, topic, watch};
use std::fs;
use std::time::Duration;
use tokio::time;

/// The log has connections of all kinds: for those who read, who watch, and for the one who writes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn by_a_backup() {
    for checkpointed in [false, true] {
        let file = LogFile::new();
        let log = file.open();
        let before = append_all(&log, &room(), 5).await;
        let backup = file.folder.path().join("backup.db");
        file.run(&format!("VACUUM INTO '{}'", backup.display()));
        // More than the backup has, also in other tables, so that pages of both files would not fit.
        for number in 0..300 {
            append(&log, &topic(&format!("topic {}", number % 50)), &event(&"x".repeat(1000))).await;
        }
        if checkpointed {
            let _: i64 = file.get("PRAGMA wal_checkpoint(FULL)");
        }
        let lost = append(&log, &room(), &event("lost")).await;
        let hub = hub(log.clone());
        let mut reader = reader_after(&hub, &room(), lost).await;
        let _wakes = watch(&log, &topic("other")).await;
        read_all(&log, &room()).await;

        fs::rename(&backup, file.path()).unwrap();
        let at = append_again(&log, &room(), "after").await;
        assert!(at.epoch() > lost.epoch() && at.sequence() == 1, "{at} after {lost}");
        assert_eq!(item(&mut reader).await, gap_before(at));
        assert_eq!(item(&mut reader).await, item_of(at, "after"));
        let page = read_all(&log, &room()).await;
        assert_eq!(page.entries, before);
        assert_eq!(read(&log, &room(), Some(before[4].0), 10).await.entries, [(at, event("after").into_bytes())]);
        assert_eq!(file.get::<String>("PRAGMA integrity_check"), "ok");
        for number in 0..200 {
            append(&log, &topic(&format!("topic {}", number % 50)), &event(&"y".repeat(1000))).await;
        }
        let next = append(&log, &room(), &event("next")).await;
        assert_eq!(item(&mut reader).await, item_of(next, "next"));
        assert_eq!(file.get::<String>("PRAGMA integrity_check"), "ok");
        drop((reader, hub, log));
        // Nothing is in a write-ahead log that has no name any more.
        assert_eq!(read_all(&file.open(), &room()).await.tail, next);
        assert_eq!(file.get::<String>("PRAGMA integrity_check"), "ok");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn by_nothing() {
    let file = LogFile::new();
    let log = file.open();
    let lost = append_all(&log, &room(), 5).await[4].0;
    let hub = hub(log.clone());
    let mut reader = reader_after(&hub, &room(), lost).await;
    fs::remove_file(file.path()).unwrap();
    let at = append_again(&log, &room(), "after").await;
    assert!(at.epoch() > lost.epoch() && at.sequence() == 1, "{at} after {lost}");
    assert_eq!(item(&mut reader).await, gap_before(at));
    assert_eq!(item(&mut reader).await, item_of(at, "after"));
    drop((reader, hub, log));
    assert_eq!(read_all(&file.open(), &room()).await.tail, at);
}

/// Again and again, while others write and read.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn while_it_is_used() {
    let file = LogFile::new();
    let log = file.open();
    append_all(&log, &room(), 5).await;
    let backup = file.folder.path().join("backup.db");
    let replacement = file.folder.path().join("replacement.db");
    file.run(&format!("VACUUM INTO '{}'", backup.display()));
    let mut tasks = Vec::new();
    for task in 0..3 {
        let log = log.clone();
        tasks.push(tokio::spawn(async move {
            loop {
                let topic = topic(&format!("topic {task}"));
                let text = event(&"x".repeat(2000));
                let _ = eventwire_hub::Log::append(&log, &topic, eventwire_hub::Entry::Event(&text), None).await;
                let limit = eventwire_hub::Limit { entries: 3, bytes: 10_000 };
                let _ = eventwire_hub::Log::read(&log, &topic, None, limit).await;
                let _ = eventwire_hub::Log::watch(&log, &topic).await;
            }
        }));
    }
    let mut epochs = vec![0];
    for _ in 0..20 {
        time::sleep(Duration::from_millis(20)).await;
        copy(&backup, &replacement);
        fs::rename(&replacement, file.path()).unwrap();
        let at = append_again(&log, &room(), "after").await;
        assert!(at.epoch() > *epochs.last().unwrap(), "{at} after {epochs:?}");
        epochs.push(at.epoch());
        assert!(read_all(&log, &room()).await.entries.len() >= 5);
        assert_eq!(file.get::<String>("PRAGMA integrity_check"), "ok");
    }
    tasks.iter().for_each(tokio::task::JoinHandle::abort);
    for task in tasks {
        let _ = task.await;
    }
    let at = append_again(&log, &room(), "last").await;
    drop(log);
    assert_eq!(read_all(&file.open(), &room()).await.tail, at);
    assert_eq!(file.get::<String>("PRAGMA integrity_check"), "ok");
}
