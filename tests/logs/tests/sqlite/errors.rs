//! What goes wrong: each time a message of one line, nothing lost that was accepted, and readers that stay.

use crate::{
    LogFile, SqliteLog, begins_after, check_refused, child, hub, is_installed, item, item_of, next_of, reader_after,
    room, say, told,
};
use eventwire_log_tests::{
    SmallDisk, TempFolder,
    calls::{append, append_all, event, read_all, topic, try_append, wait_until},
};
use rusqlite::TransactionBehavior;
use std::{
    fs,
    io::{Seek, SeekFrom, Write},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::Command,
};

/// A small file system of its own, which only root can have, and its folder.
fn small_disk(options: &str) -> Option<(SmallDisk, TempFolder)> {
    let folder = TempFolder::new();
    let disk = SmallDisk::mount(folder.path(), options);
    if disk.is_none() {
        say("SKIPPED: a file system of its own can only be mounted by root");
    }
    Some((disk?, folder))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_is_full() {
    let Some((_disk, folder)) = small_disk("size=2m") else { return };
    let path = folder.path().join("log.db");
    let ballast = folder.path().join("ballast");
    fs::write(&ballast, vec![1; 1 << 20]).unwrap();
    let log = SqliteLog::open(&path).unwrap();
    let hub = hub(log.clone());
    let mut last = append(&log, &room(), &event("first")).await;
    let mut reader = reader_after(&hub, &room(), last).await;
    let large = "x".repeat(20_000);
    let mut accepted = Vec::new();
    let error = loop {
        match try_append(&log, &room(), &large).await {
            Ok(at) => accepted.push(at.unwrap()),
            Err(error) => break error,
        }
        assert!(accepted.len() < 1000, "it does not get full");
    };
    assert!(!accepted.is_empty());
    check_refused::<()>(Err(error), &format!("the disk of {} is full: ", path.display()));
    // It stays full, and reading goes on, also for one who comes now.
    for _ in 0..5 {
        check_refused(try_append(&log, &room(), &large).await, "the disk of ");
    }
    for at in &accepted {
        assert_eq!(item(&mut reader).await, item_of(*at, &large));
        last = *at;
    }
    let mut other = reader_after(&hub, &room(), accepted[0]).await;
    if let Some(at) = accepted.get(1) {
        assert_eq!(item(&mut other).await, item_of(*at, &large));
    }
    assert_eq!(read_all(&log, &room()).await.tail, last);
    // There may be room for a small one.
    if let Ok(at) = try_append(&log, &room(), "small").await {
        last = at.unwrap();
        assert_eq!(item(&mut reader).await, item_of(last, "small"));
    }
    // As after a crash, another one opens it.
    if let Ok(another) = SqliteLog::open(&path) {
        assert_eq!(read_all(&another, &room()).await.tail, last);
    }

    fs::remove_file(ballast).unwrap();
    let at = append(&log, &room(), &event(&large)).await;
    assert_eq!(at, next_of(last));
    assert_eq!(item(&mut reader).await, item_of(at, &large));
    drop((reader, other, hub, log));
    let log = SqliteLog::open(&path).unwrap();
    assert_eq!(append(&log, &room(), &event("again")).await, next_of(at));
}

#[tokio::test]
async fn a_disk_that_is_full_from_the_start() {
    let Some((disk, folder)) = small_disk("size=64k") else { return };
    let _ = fs::write(folder.path().join("ballast"), vec![1; 60 << 10]);
    let path = folder.path().join("log.db");
    let error = SqliteLog::open(&path).unwrap_err();
    check_refused::<()>(Err(error), &format!("the disk of {} is full: ", path.display()));
    fs::remove_file(folder.path().join("ballast")).unwrap();
    disk.remount("size=4m");
    append(&SqliteLog::open(&path).unwrap(), &room(), &event("a")).await;
}

#[test]
fn no_file() {
    check_refused(SqliteLog::open(":memory:").map(|_| ()), "cannot open :memory:: a log needs a file. For tests, ");
}

#[tokio::test]
async fn a_file_system_that_is_read_only() {
    let Some((disk, folder)) = small_disk("size=2m") else { return };
    let path = folder.path().join("log.db");
    let at = append(&SqliteLog::open(&path).unwrap(), &room(), &event("a")).await;
    disk.remount("ro");
    for name in ["log.db", "new.db"] {
        let path = folder.path().join(name);
        let error = SqliteLog::open(&path).unwrap_err();
        check_refused::<()>(Err(error), &format!("cannot write to {}-eventwire or its folder: ", path.display()));
    }
    disk.remount("rw");
    assert_eq!(append(&SqliteLog::open(&path).unwrap(), &room(), &event("b")).await, next_of(at));
}

/// Tries to open a file, as a user without rights. The message is on the standard output.
#[test]
fn child_without_rights() {
    let Some(path) = told() else { return };
    let opened = SqliteLog::open(path);
    println!("OPENED: {}", opened.map_or_else(|error| error.to_string(), |_| "yes".to_owned()));
}

#[tokio::test]
async fn a_file_or_folder_that_is_read_only() {
    if !is_installed("setpriv") {
        return;
    }
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    // The modes of the folder, the file and the sidecar, and whether it can be opened.
    for (folder, mode, sidecar, is_open) in [
        (0o777, 0o666, 0o666, true),
        (0o755, 0o666, 0o666, false),
        (0o777, 0o444, 0o666, false),
        (0o777, 0o666, 0o444, false),
        (0o777, 0o000, 0o666, false),
        (0o700, 0o666, 0o666, false),
    ] {
        let file = LogFile::new();
        let at = append(&file.open(), &room(), &event("a")).await;
        set(&file.path(), mode);
        set(&file.beside("-eventwire"), sidecar);
        set(file.folder.path(), folder);
        let run = child("errors::child_without_rights", file.path().display().to_string());
        let mut other = Command::new("setpriv");
        other.args(["--reuid", "65534", "--regid", "65534", "--clear-groups"]).arg(run.get_program());
        other.args(run.get_args()).env(crate::CHILD, file.path());
        let output = other.output().unwrap();
        let shown = String::from_utf8(output.stdout).unwrap();
        if !output.status.success() {
            return say("SKIPPED: another user cannot run the test");
        }
        let (_, opened) = shown.split_once("OPENED: ").unwrap();
        let opened = opened.lines().next().unwrap();
        let name = format!("{folder:o} {mode:o} {sidecar:o}: {opened}");
        assert_eq!(opened == "yes", is_open, "{name}");
        let path = file.path().display().to_string();
        let path = if sidecar == 0o444 { format!("{path}-eventwire") } else { path };
        let begins = [format!("cannot write to {path} or its folder: "), format!("cannot open {path}: ")];
        assert!(is_open || begins.iter().any(|begin| opened.starts_with(begin)), "{name}");
        set(&file.path(), 0o666);
        assert_eq!(append(&file.open(), &room(), &event("b")).await, next_of(at), "{name}");
    }
}

/// After five seconds.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_of_another_program_that_does_not_end() {
    let (file, copied) = (LogFile::new(), LogFile::new());
    let log = file.open();
    let before = append(&log, &room(), &event("1")).await;
    let hub = hub(log.clone());
    let mut reader = reader_after(&hub, &room(), before).await;
    drop(copied.open());
    // It has to be written when it is opened.
    fs::remove_file(copied.beside("-eventwire")).unwrap();
    let (mut connection, mut other) = (file.connect(), copied.connect());
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let other = other.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
    let opening = tokio::task::spawn_blocking({
        let path = copied.path();
        move || SqliteLog::open(path)
    });
    let (room_, event_) = (room(), event("2"));
    let (appended, begun) =
        tokio::join!(eventwire_hub::Log::append(&log, &room_, eventwire_hub::Entry::Event(&event_), None), async {
            // Reading goes on.
            for _ in 0..10 {
                assert_eq!(read_all(&log, &room()).await.tail, before);
                assert_eq!(read_all(&log, &topic("other")).await.entries, []);
            }
            log.new_epoch().await
        });
    let locked = format!("{} is locked by another program: ", file.path().display());
    check_refused(appended, &locked);
    check_refused(begun, &locked);
    let error = opening.await.unwrap().unwrap_err();
    let locked = format!("{} is locked by another program: ", copied.path().display());
    check_refused::<()>(Err(error), &locked);
    drop((transaction, other));
    let at = append(&log, &room(), &event("3")).await;
    assert_eq!(at, next_of(before));
    assert_eq!(item(&mut reader).await, item_of(at, "3"));
    append(&copied.open(), &room(), &event("1")).await;
}

/// A file, what is done to it, and how the message begins after its name.
#[tokio::test]
async fn files_that_cannot_be_opened() {
    fn overwrite(file: &LogFile, at: u64, bytes: &[u8]) {
        let mut file = fs::OpenOptions::new().write(true).open(file.path()).unwrap();
        file.seek(SeekFrom::Start(at)).unwrap();
        file.write_all(bytes).unwrap();
    }
    type Change = fn(&LogFile);
    let damaged = ("", " is damaged or not a SQLite file, so restore a backup: ");
    let cannot_open = ("cannot open ", ": ");
    let version = ("cannot open ", ": ");
    let changes: [(&str, (&str, &str), &str, Change); 11] = [
        ("another header", damaged, "not a database", |file| overwrite(file, 0, &[7; 100])),
        ("damaged pages", damaged, "malformed", |file| {
            let length = file.path().metadata().unwrap().len();
            overwrite(file, 4096, &vec![7; usize::try_from(length).unwrap() - 4096]);
        }),
        ("a damaged first page", damaged, "malformed", |file| overwrite(file, 100, &[7; 3996])),
        ("cut off", damaged, "malformed", |file| {
            fs::OpenOptions::new().write(true).open(file.path()).unwrap().set_len(4096).unwrap();
        }),
        ("text", damaged, "not a database", |file| fs::write(file.path(), "no database ".repeat(100)).unwrap()),
        ("a folder", cannot_open, "unable to open database file", |file| {
            fs::remove_file(file.path()).unwrap();
            fs::create_dir(file.path()).unwrap();
        }),
        ("no folder", cannot_open, "No such file or directory", |file| {
            fs::remove_dir_all(file.folder.path()).unwrap();
        }),
        ("a later version", version, "version 2, and this release of eventwire-sqlite knows 1", |file| {
            file.run("UPDATE eventwire_log SET version = 2");
        }),
        ("an earlier version", version, "version 0, and this release of eventwire-sqlite knows 1", |file| {
            file.run("UPDATE eventwire_log SET version = 0");
        }),
        ("a table with the same name", ("cannot use ", ": "), "no such column: version", |file| {
            fs::remove_file(file.path()).unwrap();
            file.run("CREATE TABLE eventwire_log (x)");
        }),
        ("UTF-16", cannot_open, "its text is in UTF-16le, and events are UTF-8", |file| {
            fs::remove_file(file.path()).unwrap();
            file.run("PRAGMA encoding = 'UTF-16le'; CREATE TABLE users (name TEXT)");
        }),
    ];
    for (name, (before, after), cause, change) in changes {
        let file = LogFile::new();
        let log = file.open();
        append_all(&log, &room(), 20).await;
        append(&log, &room(), &event(&"x".repeat(20_000))).await;
        drop(log);
        change(&file);
        let error = SqliteLog::open(file.path()).unwrap_err();
        let shown = error.to_string();
        assert!(shown.contains(cause), "{name}: {shown}");
        check_refused::<()>(Err(error), &format!("{before}{}{after}", file.path().display()));
    }
}

/// Only events are damaged: their topic cannot be read, and others can.
#[tokio::test]
async fn damage_to_one_event() {
    let file = LogFile::new();
    let log = file.open();
    append(&log, &room(), &event("1")).await;
    append(&log, &topic("damaged"), &event(&"y".repeat(40_000))).await;
    drop(log);
    // A page with a part of the event begins with the number of the next one.
    let bytes = fs::read(file.path()).unwrap();
    let page = bytes.chunks(4096).position(|page| page[4..4000].iter().all(|byte| *byte == b'y')).unwrap();
    let mut damaged = fs::OpenOptions::new().write(true).open(file.path()).unwrap();
    damaged.seek(SeekFrom::Start(page as u64 * 4096)).unwrap();
    damaged.write_all(&[0xFF; 4]).unwrap();
    drop(damaged);
    let log = file.open();
    let limit = eventwire_hub::Limit { entries: 10, bytes: 1000 };
    let result = eventwire_hub::Log::read(&log, &topic("damaged"), None, limit).await;
    check_refused(result.map(|page| page.tail), &format!("{} is damaged", file.path().display()));
    append(&log, &room(), &event("2")).await;
    assert_eq!(read_all(&log, &room()).await.entries.len(), 2);
}

/// What is written over the sidecar while a log is open does not stop it.
#[tokio::test]
async fn a_sidecar_that_is_damaged_while_the_file_is_open() {
    for damage in [&b""[..], b"x", &[0xFF; 500]] {
        let file = LogFile::new();
        let log = file.open();
        let before = append(&log, &room(), &event("1")).await;
        let mut sidecar = fs::OpenOptions::new().write(true).truncate(true).open(file.beside("-eventwire")).unwrap();
        sidecar.write_all(damage).unwrap();
        let first = try_append(&log, &room(), "2").await;
        if let Err(error) = &first {
            assert!(error.may_be_stored(), "{error}");
        }
        let at = append(&log, &room(), &event("3")).await;
        assert!(begins_after(before, at), "{at}");
        assert_eq!(append(&log, &room(), &event("4")).await, next_of(at));
        assert!(read_all(&log, &room()).await.tail == next_of(at));
    }
}

/// The folder is away for a while, as a disk is that is not mounted.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_folder_that_is_away() {
    let parent = TempFolder::new();
    let (folder, away) = (parent.path().join("here"), parent.path().join("away"));
    fs::create_dir(&folder).unwrap();
    let log = SqliteLog::open(folder.join("log.db")).unwrap();
    let before = append(&log, &room(), &event("1")).await;
    let hub = hub(log.clone());
    let mut reader = reader_after(&hub, &room(), before).await;
    fs::rename(&folder, &away).unwrap();
    check_refused(try_append(&log, &room(), "lost").await, "cannot open ");
    check_refused(log.new_epoch().await, "cannot open ");
    fs::rename(&away, &folder).unwrap();
    wait_until("it is back", || folder.exists()).await;
    let at = append(&log, &room(), &event("2")).await;
    assert_eq!(at, next_of(before));
    assert_eq!(item(&mut reader).await, item_of(at, "2"));
}
