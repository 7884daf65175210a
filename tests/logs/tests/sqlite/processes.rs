//! Several processes on one file.

use crate::{LogFile, SqliteLog, child, hub, say, told};
use eventwire::Event;
use eventwire_hub::{Hub, Resume};
use eventwire_log_tests::calls::{append, event, read_all, topic};
use futures_util::StreamExt;
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    thread,
    time::{Duration, SystemTime},
};
use tokio::{task, time};

const PROCESSES: usize = 3;
const EVENTS: usize = 60;

fn now() -> u128 {
    SystemTime::UNIX_EPOCH.elapsed().unwrap().as_micros()
}

/// Waits until something is so, for all processes.
fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..30_000 {
        if is_so() {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
    panic!("{what}");
}

/// One of the processes. It appends events that say when, and follows all of them. It prints what it got.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child_that_appends_and_follows() {
    let Some(told) = told() else { return };
    let (number, path) = told.split_once(' ').unwrap();
    let folder = Path::new(path).parent().unwrap();
    let log = SqliteLog::open(path).unwrap();
    let hub = hub(log);
    // The topic is not there before all of them wait for it.
    let mut room = hub.subscribe(&topic("room"), Resume::Live).await.unwrap();
    let mut firsts = Vec::new();
    for first in 0..20 {
        firsts.push(hub.subscribe(&topic(&format!("first {first}")), Resume::Live).await.unwrap());
    }
    fs::write(folder.join(format!("ready {number}")), "").unwrap();
    let is_ready = || (0..PROCESSES).all(|other| folder.join(format!("ready {other}")).exists());
    wait_for("the others", is_ready);

    let sending = task::spawn({
        let (hub, number) = (hub.clone(), number.to_owned());
        async move {
            for _ in 0..EVENTS {
                hub.send(&topic("room"), &Event::new(format!("{number} {}", now()))).await.unwrap();
                time::sleep(Duration::from_millis(2)).await;
            }
            // Each process begins some of these topics.
            for first in 0..20 {
                if first % PROCESSES == number.parse::<usize>().unwrap() {
                    hub.send(&topic(&format!("first {first}")), &Event::new("1")).await.unwrap();
                }
            }
        }
    });
    let mut got = Vec::new();
    let mut delays = Vec::new();
    room.next().await.unwrap();
    while got.len() < PROCESSES * EVENTS {
        let item = time::timeout(Duration::from_secs(20), room.next()).await.expect("an event").unwrap();
        let received = now();
        let text = String::from_utf8(item.into_bytes().into()).unwrap();
        let (_, data) = text.split_once("\ndata: ").unwrap_or_else(|| panic!("{text:?}"));
        assert!(!text.contains("event: gap"), "{text:?}");
        let (sender, sent) = data.trim_end().split_once(' ').unwrap();
        if sender != number {
            delays.push(received.saturating_sub(sent.parse().unwrap()));
        }
        got.push(text.replace('\n', "/"));
    }
    sending.await.unwrap();
    for (first, mut reader) in firsts.into_iter().enumerate() {
        reader.next().await.unwrap();
        let item = time::timeout(Duration::from_secs(20), reader.next()).await.expect("an event").unwrap();
        let text = String::from_utf8(item.into_bytes().into()).unwrap();
        assert!(text.ends_with("-1\ndata: 1\n\n"), "first {first}: {text:?}");
    }
    delays.sort_unstable();
    let delays: Vec<_> = delays.iter().map(u128::to_string).collect();
    let output = format!("{}\n{}", delays.join(" "), got.join("\n"));
    fs::write(folder.join(format!("output {number}")), output).unwrap();
    // None closes the file while others still follow it.
    let is_done = || (0..PROCESSES).all(|other| folder.join(format!("output {other}")).exists());
    wait_for("the others", is_done);
}

fn start(test: &str, tell: &str) -> Child {
    child(test, tell).stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().unwrap()
}

#[test]
fn three_processes_see_the_same_and_soon() {
    let file = LogFile::new();
    let children: Vec<_> = (0..PROCESSES)
        .map(|number| {
            let tell = format!("{number} {}", file.path().display());
            start("processes::child_that_appends_and_follows", &tell)
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let outputs: Vec<_> = (0..PROCESSES)
        .map(|number| fs::read_to_string(file.folder.path().join(format!("output {number}"))).unwrap())
        .collect();
    let outputs: Vec<_> = outputs.iter().map(|output| output.split_once('\n').unwrap()).collect();
    for (_, got) in &outputs {
        assert_eq!(*got, outputs[0].1, "not the same order");
    }
    // Each process sends its own in order.
    for number in 0..PROCESSES {
        let sent = outputs[0].1.lines().filter_map(|line| line.split_once(&format!("/data: {number} ")));
        let times: Vec<u128> = sent.map(|(_, time)| time.trim_end_matches('/').parse().unwrap()).collect();
        assert!(times.len() == EVENTS && times.is_sorted(), "{times:?}");
    }
    let mut delays: Vec<u64> =
        outputs.iter().flat_map(|(delays, _)| delays.split(' ')).map(|delay| delay.parse().unwrap()).collect();
    delays.sort_unstable();
    let at = |percent: usize| delays[(delays.len() - 1) * percent / 100] / 1000;
    say(&format!("from one process to a reader of another: p50 {} ms, p99 {} ms, max {} ms", at(50), at(99), at(100)));
    // Ten times the promise, for a machine that does much else. It looks every 20 ms.
    assert!(at(50) < 500, "{delays:?}");
    assert!(!file.beside("-wal").exists(), "the last one closes the file");
}

/// Opens the file together with others, and appends.
#[tokio::test]
async fn child_that_opens() {
    let Some(told) = told() else { return };
    let path = PathBuf::from(told);
    wait_for("the start", || path.with_file_name("start").exists());
    let log = SqliteLog::open(&path).unwrap();
    append(&log, &topic("room"), &event("a")).await;
}

#[tokio::test]
async fn processes_that_open_at_once_make_the_tables_once() {
    for _ in 0..3 {
        let file = LogFile::new();
        let told = file.path().display().to_string();
        let mut children: Vec<_> = (0..5).map(|_| start("processes::child_that_opens", &told)).collect();
        thread::sleep(Duration::from_millis(30));
        fs::write(file.path().with_file_name("start"), "").unwrap();
        assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
        let page = read_all(&file.open(), &topic("room")).await;
        assert_eq!((page.entries.len(), page.tail.sequence()), (5, 5), "one epoch");
        assert_eq!(file.get::<String>("PRAGMA integrity_check"), "ok");
    }
}

/// In one process as well.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logs_of_one_process_that_open_at_once_make_the_tables_once() {
    let file = LogFile::new();
    let path = file.path();
    let logs: Vec<_> = thread::scope(|scope| {
        let opening: Vec<_> = (0..8).map(|_| scope.spawn(|| SqliteLog::open(&path).unwrap())).collect();
        opening.into_iter().map(|log| log.join().unwrap()).collect()
    });
    for log in &logs {
        append(log, &topic("room"), &event("a")).await;
    }
    assert_eq!(read_all(&logs[0], &topic("room")).await.tail.sequence(), 8);
}

/// A process that writes all the time leaves room for others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_process_does_not_keep_others_out() {
    let file = LogFile::new();
    let (busy, other) = (file.open(), file.open());
    let writing: Vec<_> = (0..20)
        .map(|sender| {
            let busy = busy.clone();
            task::spawn(async move {
                loop {
                    append(&busy, &topic(&format!("busy {sender}")), &event("a")).await;
                }
            })
        })
        .collect();
    let mut longest = Duration::ZERO;
    for _ in 0..20 {
        let started = time::Instant::now();
        append(&other, &topic("other"), &event("a")).await;
        longest = longest.max(started.elapsed());
    }
    say(&format!("an append beside a process that is busy took at most {} ms", longest.as_millis()));
    for writing in writing {
        writing.abort();
        let _ = writing.await;
    }
    let _: Hub<SqliteLog> = Hub::new(other);
}
