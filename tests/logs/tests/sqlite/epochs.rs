//! When a topic begins a new epoch, and when it does not.

use crate::{
    LogFile, SqliteLog, begins_after, connect, copy, gap_before, hub, insert, item, item_of, next_of, plug::crash,
    reader_after, room,
};
use eventwire_hub::StreamPosition;
use eventwire_log_tests::calls::{append, append_all, end, event, next, read, read_all, topic, try_append, watch};
use eventwire_sqlite::Durability::{self, Full, Normal};
use std::{fs, io::Write as _, time::SystemTime};

/// The numbers go on in the same epoch.
#[track_caller]
fn check_same(before: StreamPosition, at: StreamPosition) {
    assert_eq!(at, next_of(before));
}

/// The position is the first one of a later epoch.
#[track_caller]
fn check_new(before: StreamPosition, at: StreamPosition) {
    assert!(begins_after(before, at), "{at} after {before}");
}

/// Writes into a file without replacing it.
fn write_into(path: &std::path::Path, bytes: &[u8]) {
    let mut file = fs::OpenOptions::new().write(true).truncate(true).open(path).unwrap();
    file.write_all(bytes).unwrap();
}

#[tokio::test]
async fn after_a_restart() {
    let file = LogFile::new();
    let mut before = append_all(&file.open(), &room(), 3).await[2].0;
    for text in ["4", "5"] {
        let log = file.open();
        let hub = hub(log.clone());
        let mut reader = reader_after(&hub, &room(), before).await;
        let at = append(&log, &room(), &event(text)).await;
        check_same(before, at);
        assert_eq!(item(&mut reader).await, item_of(at, text));
        before = at;
    }
    assert_eq!(read_all(&file.open(), &room()).await.entries.len(), 5);
}

/// What can happen to a file between two starts of a program, and whether it may have lost something.
#[tokio::test]
async fn after_a_change() {
    type Change = fn(&LogFile);
    fn sidecar(file: &LogFile, bytes: &[u8]) {
        write_into(&file.beside("-eventwire"), bytes);
    }
    let changes: [(&str, bool, Change); 12] = [
        ("none", false, |_| {}),
        ("a link", false, |file| {
            let other = file.folder.path().join("other.db");
            fs::rename(file.path(), &other).unwrap();
            std::os::unix::fs::symlink(&other, file.path()).unwrap();
            fs::rename(file.beside("-eventwire"), crate::beside(&other, "-eventwire")).unwrap();
        }),
        ("VACUUM", false, |file| file.run("VACUUM")),
        ("a copy in its place", true, |file| {
            let copied = file.folder.path().join("copy");
            copy(&file.path(), &copied);
            fs::rename(copied, file.path()).unwrap();
        }),
        ("both files are copies", true, |file| {
            for path in [file.path(), file.beside("-eventwire")] {
                let copied = file.folder.path().join("copy");
                copy(&path, &copied);
                fs::rename(copied, path).unwrap();
            }
        }),
        ("no sidecar", true, |file| fs::remove_file(file.beside("-eventwire")).unwrap()),
        ("an empty sidecar", true, |file| sidecar(file, b"")),
        ("a cut sidecar", true, |file| {
            let text = fs::read(file.beside("-eventwire")).unwrap();
            sidecar(file, &text[..text.len() / 2]);
        }),
        ("no text in the sidecar", true, |file| sidecar(file, &[0xFF; 900])),
        ("zeros in the sidecar", true, |file| sidecar(file, &[0; 4096])),
        ("a later version of the sidecar", true, |file| {
            let text = fs::read_to_string(file.beside("-eventwire")).unwrap();
            sidecar(file, text.replace("eventwire 1", "eventwire 2").as_bytes());
        }),
        ("the sidecar of a file with more", true, |file| {
            let text = fs::read_to_string(file.beside("-eventwire")).unwrap();
            let more = text.replace(" 3 - ", " 4 - ");
            assert_ne!(text, more);
            sidecar(file, more.as_bytes());
        }),
    ];
    for (name, is_new, change) in changes {
        let file = LogFile::new();
        let before = append_all(&file.open(), &room(), 3).await[2].0;
        change(&file);
        let log = file.open();
        let hub = hub(log.clone());
        let mut reader = reader_after(&hub, &room(), before).await;
        // Nothing is said before something is appended.
        assert_eq!(read_all(&log, &room()).await.tail, before, "{name}");
        let at = append(&log, &room(), &event("4")).await;
        if is_new {
            assert!(begins_after(before, at), "{name}: {at} after {before}");
            assert_eq!(item(&mut reader).await, gap_before(at), "{name}");
        } else {
            assert_eq!(at, next_of(before), "{name}");
        }
        assert_eq!(item(&mut reader).await, item_of(at, "4"), "{name}");
        drop((reader, hub, log));
        // It is mended.
        let log = file.open();
        let again = append(&log, &room(), &event("5")).await;
        assert_eq!(again, next_of(at), "{name}");
        // What was in earlier epochs is kept.
        assert_eq!(file.get::<i64>("SELECT count(*) FROM eventwire_entries"), 5, "{name}");
    }
}

#[tokio::test]
async fn with_another_name_and_its_sidecar_it_is_the_same_file() {
    let file = LogFile::new();
    let before = append_all(&file.open(), &room(), 3).await[2].0;
    let other = file.folder.path().join("other.db");
    fs::rename(file.path(), &other).unwrap();
    fs::rename(file.beside("-eventwire"), crate::beside(&other, "-eventwire")).unwrap();
    check_same(before, append(&SqliteLog::open(&other).unwrap(), &room(), &event("4")).await);
}

/// Who has got to know a position, before a backup is written over the file.
#[tokio::test]
async fn restored_in_place() {
    for known_by in ["append", "read", "watch", "nobody"] {
        let file = LogFile::new();
        let before = append_all(&file.open(), &room(), 3).await[2].0;
        let backup = fs::read(file.path()).unwrap();
        if known_by == "append" {
            append(&file.open(), &room(), &event("lost")).await;
        } else {
            // The position is not noted when another program appends it, but when somebody gets to know it.
            let log = file.open();
            let mut wakes = watch(&log, &room()).await;
            if known_by != "watch" {
                drop(wakes);
                // A connection that is opened later would note it, too.
                read(&log, &room(), None, 0).await;
                file.insert("room", "lost");
                if known_by == "read" {
                    read(&log, &room(), None, 0).await;
                }
            } else {
                file.insert("room", "lost");
                next(&mut wakes).await;
            }
        }
        assert!(!file.beside("-wal").exists());
        write_into(&file.path(), &backup);
        let log = file.open();
        assert_eq!(read_all(&log, &room()).await.tail, before);
        let at = append(&log, &room(), &event("again")).await;
        match known_by {
            "nobody" => check_same(before, at),
            _ => assert!(begins_after(before, at), "known by {known_by}: {at}"),
        }
    }
}

#[tokio::test]
async fn a_reader_of_a_restored_file_gets_what_is_left_of_its_epoch_first() {
    let file = LogFile::new();
    let all = append_all(&file.open(), &room(), 5).await;
    let backup = fs::read(file.path()).unwrap();
    let lost = append_all(&file.open(), &room(), 2).await;
    write_into(&file.path(), &backup);
    let log = file.open();
    let hub = hub(log.clone());
    let mut behind = reader_after(&hub, &room(), all[2].0).await;
    let mut ahead = reader_after(&hub, &room(), lost[1].0).await;
    for (at, text) in [(all[3].0, "4"), (all[4].0, "5")] {
        assert_eq!(item(&mut behind).await, item_of(at, text));
    }
    let at = append(&log, &room(), &event("6")).await;
    for reader in [&mut behind, &mut ahead] {
        assert_eq!(item(reader).await, gap_before(at));
        assert_eq!(item(reader).await, item_of(at, "6"));
    }
    // A page ends where the epoch changes.
    assert_eq!(read_all(&log, &room()).await.entries, all);
    assert_eq!(read(&log, &room(), Some(lost[1].0), 10).await.entries, [(at, event("6").into_bytes())]);
}

/// Ends a crash of the machine by hand: the sidecar names another boot.
fn restart_machine(file: &LogFile) {
    let path = file.beside("-eventwire");
    let text = fs::read_to_string(&path).unwrap();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    write_into(&path, text.replace(boot.trim(), "11111111-2222-3333-4444-555555555555").as_bytes());
}

#[tokio::test]
async fn after_a_restart_of_the_machine() {
    // The durability, whether the process was killed, and whether another program has opened the file first.
    for (durability, is_killed, is_opened, is_new) in [
        (Full, true, false, false),
        (Full, false, false, false),
        (Normal, false, false, false),
        (Normal, true, false, true),
        (Normal, true, true, true),
    ] {
        let name = format!("{durability:?}, killed: {is_killed}, opened: {is_opened}");
        let file = LogFile::new();
        let before = if is_killed {
            *crash(&file, durability, 3).last().unwrap()
        } else {
            append_all(&file.open().with_durability(durability), &room(), 3).await[2].0
        };
        let is_noted = !fs::read_to_string(file.beside("-eventwire")).unwrap().trim_end().ends_with(" -");
        assert_eq!(is_noted, durability == Normal && is_killed, "{name}");
        restart_machine(&file);
        if is_opened {
            // The last one who closes it removes the write-ahead log.
            file.run("SELECT * FROM eventwire_log");
            assert!(!file.beside("-wal").exists());
        }
        let log = file.open();
        let at = append(&log, &room(), &event("after")).await;
        if is_new {
            assert!(begins_after(before, at), "{name}: {at} after {before}");
        } else {
            assert_eq!(at, next_of(before), "{name}");
        }
        drop(log);
        check_same(at, append(&file.open(), &room(), &event("next")).await);
    }
}

#[tokio::test]
async fn a_crash_of_the_process_is_the_same_epoch() {
    for durability in [Full, Normal] {
        let file = LogFile::new();
        let before = *crash(&file, durability, 5).last().unwrap();
        let log = file.open();
        let hub = hub(log.clone());
        let mut reader = reader_after(&hub, &room(), before).await;
        let at = append(&log, &room(), &event("after")).await;
        check_same(before, at);
        assert_eq!(item(&mut reader).await, item_of(at, "after"));
    }
}

/// While the log writes without waiting for the disk, the sidecar says so, on the disk.
#[tokio::test]
async fn the_durability_can_change() {
    let file = LogFile::new();
    let text = || fs::read_to_string(file.beside("-eventwire")).unwrap();
    let log = file.open();
    append(&log, &room(), &event("1")).await;
    assert!(text().trim_end().ends_with(" -"));
    let log = log.with_durability(Normal);
    append(&log, &room(), &event("2")).await;
    assert!(!text().trim_end().ends_with(" -"));
    // What was not synced before may not be now.
    let log = log.with_durability(Durability::Full);
    append(&log, &room(), &event("3")).await;
    assert!(!text().trim_end().ends_with(" -"));
    // Another one has the file, which does not wait for the disk either.
    let other = file.open().with_durability(Normal);
    append(&other, &room(), &event("4")).await;
    drop(log);
    assert!(!text().trim_end().ends_with(" -"));
    drop(other);
    assert!(text().trim_end().ends_with(" -"));
}

#[tokio::test]
async fn new_epoch_is_for_all_topics() {
    let file = LogFile::new();
    let log = file.open();
    let other = topic("other");
    let (before, before_other) = (append(&log, &room(), &event("1")).await, append(&log, &other, &event("1")).await);
    end(&log, &topic("ended")).await;
    let hub = hub(log.clone());
    let mut reader = reader_after(&hub, &room(), before).await;
    log.new_epoch().await.unwrap();
    assert_eq!(read_all(&log, &room()).await.tail, before);
    let at = append(&log, &room(), &event("2")).await;
    check_new(before, at);
    check_same(at, append(&log, &room(), &event("3")).await);
    check_new(before_other, append(&log, &other, &event("2")).await);
    assert_eq!(item(&mut reader).await, gap_before(at));
    assert_eq!(item(&mut reader).await, item_of(at, "2"));
    // Also through another log, and for a program that appends by SQL.
    file.open().new_epoch().await.unwrap();
    file.insert("room", "4");
    check_new(at, read_all(&log, &room()).await.tail);
    assert!(read_all(&log, &topic("ended")).await.finished);
    assert_eq!(log.clone().new_epoch().await.map_err(|error| error.to_string()), Ok(()));
}

#[tokio::test]
async fn an_ended_topic_stays_ended_in_a_copy() {
    let file = LogFile::new();
    let log = file.open();
    let at = append(&log, &room(), &event("1")).await;
    end(&log, &room()).await;
    drop(log);
    fs::remove_file(file.beside("-eventwire")).unwrap();
    let log = file.open();
    assert_eq!(try_append(&log, &room(), "late").await.unwrap(), None);
    let page = read_all(&log, &room()).await;
    assert_eq!((page.tail, page.finished), (at, true));
    assert_eq!(end(&log, &room()).await, at);
}

fn now() -> u64 {
    u64::try_from(SystemTime::UNIX_EPOCH.elapsed().unwrap().as_millis()).unwrap() * 1_000_000
}

/// Otherwise a file that takes the place of this one would begin a lower epoch.
#[tokio::test]
async fn epochs_are_those_of_the_clock_also_if_many_topics_begin_at_once() {
    let file = LogFile::new();
    drop(file.open());
    let mut connection = file.connect();
    let transaction = connection.transaction().unwrap();
    for number in 0..1000 {
        insert(&transaction, &format!("topic {number}"), "a").unwrap();
    }
    transaction.commit().unwrap();
    assert_eq!(file.get::<i64>("SELECT count(DISTINCT epoch) FROM eventwire_topics"), 1000);
    const FALLING: &str = "SELECT count(*) FROM eventwire_topics AS a, eventwire_topics AS b
        WHERE b.id = a.id + 1 AND b.epoch <= a.epoch";
    assert_eq!(file.get::<i64>(FALLING), 0, "epochs rise");
    let greatest: i64 = file.get("SELECT max(epoch) FROM eventwire_topics");
    let ahead = i128::from(greatest) - i128::from(now());
    assert!((-60_000_000_000..1_000_000_000).contains(&ahead), "{ahead} ns ahead");
    let log = file.open();
    let at = append(&log, &room(), &event("a")).await;
    assert!(at.epoch() > greatest.cast_unsigned(), "{at} after {greatest}");
}

#[tokio::test]
async fn epochs_rise_although_the_clock_is_set_back() {
    let mut chosen = Vec::new();
    // In two copies of a file.
    for _ in 0..2 {
        let file = LogFile::new();
        let before = append(&file.open(), &room(), &event("a")).await;
        const FUTURE: u64 = 4_000_000_000_000_000_000;
        file.run(&format!("UPDATE eventwire_log SET last_epoch = {FUTURE}, lineage = lineage + 1"));
        let log = file.open();
        let at = append(&log, &room(), &event("b")).await;
        check_new(before, at);
        assert!((FUTURE + 1..FUTURE + 10_000_000_002).contains(&at.epoch()), "{at}");
        chosen.push(at);
        check_same(at, append(&log, &room(), &event("c")).await);
    }
    assert_ne!(chosen[0], chosen[1]);
}

/// A topic that was removed does not use positions again.
#[tokio::test]
async fn a_topic_that_was_removed_begins_a_new_epoch() {
    let file = LogFile::new();
    let log = file.open();
    let before = append_all(&log, &room(), 3).await[2].0;
    let kept = append(&log, &topic("other"), &event("1")).await;
    end(&log, &room()).await;
    let hub = hub(log.clone());
    file.run("DELETE FROM eventwire_topics WHERE name = 'room'");
    let page = read_all(&log, &room()).await;
    assert_eq!((page.entries.len(), page.tail, page.finished), (0, StreamPosition::new(0, 0), false));
    for table in ["entries", "keys"] {
        let of_room =
            format!("SELECT count(*) FROM eventwire_{table} WHERE topic NOT IN (SELECT id FROM eventwire_topics)");
        assert_eq!(file.get::<i64>(&of_room), 0);
    }
    let mut reader = reader_after(&hub, &room(), before).await;
    let at = append(&log, &room(), &event("again")).await;
    check_new(before, at);
    assert_eq!(item(&mut reader).await, gap_before(at));
    assert_eq!(item(&mut reader).await, item_of(at, "again"));
    check_same(kept, append(&log, &topic("other"), &event("2")).await);
    // While somebody reads it.
    connect(&file.path()).execute("DELETE FROM eventwire_topics WHERE name = 'room'", []).unwrap();
    let again = append(&log, &room(), &event("and again")).await;
    check_new(at, again);
    assert_eq!(item(&mut reader).await, gap_before(again));
    assert_eq!(item(&mut reader).await, item_of(again, "and again"));
}
