//! Pulling the plug, as far as a process can: it is killed, and its files are copied at any moment.

use crate::{LogFile, SqliteLog, begins_after, child, copy, gap_before, hub, item, item_of, reader_after, room, told};
use eventwire_hub::StreamPosition;
use eventwire_log_tests::calls::{append, event, read_all, topic, try_append};
use eventwire_sqlite::Durability::{self, Full, Normal};
use futures_util::future::join_all;
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, SystemTime},
};
use tokio::{task, time};

/// The process that is killed. Each of some senders appends, and says what was accepted: the topic, the position, and the
/// text.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn child_that_appends() {
    let Some(told) = told() else { return };
    let told: Vec<_> = told.splitn(4, ' ').collect();
    let durability = if told[0] == "Full" { Full } else { Normal };
    let [senders, each] = [told[1], told[2]].map(|number| number.parse::<usize>().unwrap());
    let log = SqliteLog::open(told[3]).unwrap().with_durability(durability);
    let start = read_all(&log, &topic("room")).await.tail;
    join_all((0..senders).map(|sender| {
        let log = log.clone();
        task::spawn(async move {
            let name = if sender % 2 == 0 { "room".to_owned() } else { format!("other {sender}") };
            for number in 1..=each {
                let text = format!("{start} {sender} {number}");
                let at = append(&log, &topic(&name), &event(&text)).await;
                // In one call, so that no line is cut.
                std::io::stdout().write_all(format!("ACCEPTED {name}:{at}:{text}\n").as_bytes()).unwrap();
            }
        })
    }))
    .await;
    println!("DONE");
    time::sleep(Duration::from_secs(60)).await;
}

/// What was accepted: the topic, the position and the text.
type Accepted = (String, String, String);

struct Victim {
    process: Child,
    lines: Receiver<String>,
}

impl Victim {
    fn start(path: &Path, durability: Durability, senders: usize, each: usize) -> Victim {
        let tell = format!("{durability:?} {senders} {each} {}", path.display());
        let mut process =
            child("plug::child_that_appends", tell).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let output = BufReader::new(process.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Victim { process, lines }
    }

    /// Waits for the next one. `None` if all is appended.
    fn accepted(&self) -> Option<Accepted> {
        while let Ok(line) = self.lines.recv() {
            match line.split_once("ACCEPTED ") {
                Some((_, accepted)) => return Some(parse(accepted)),
                None if line == "DONE" => return None,
                None => {}
            }
        }
        panic!("it has ended");
    }

    /// All that it has said so far.
    fn drain(&self) -> Vec<Accepted> {
        let lines = self.lines.try_iter().collect::<Vec<_>>();
        lines.iter().filter_map(|line| Some(parse(line.split_once("ACCEPTED ")?.1))).collect()
    }

    /// Ends it at once. Returns what it has said since.
    fn kill(mut self) -> Vec<Accepted> {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
        self.lines.iter().filter_map(|line| Some(parse(line.split_once("ACCEPTED ")?.1))).collect()
    }
}

fn parse(accepted: &str) -> Accepted {
    let mut parts = accepted.splitn(3, ':').map(str::to_owned);
    (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap())
}

/// Appends some events in a process that is killed then. Returns their positions.
pub(crate) fn crash(file: &LogFile, durability: Durability, events: usize) -> Vec<StreamPosition> {
    let victim = Victim::start(&file.path(), durability, 1, events);
    let mut accepted = Vec::new();
    while let Some((_, at, _)) = victim.accepted() {
        accepted.push(at.parse().unwrap());
    }
    victim.kill();
    assert!(file.beside("-wal").exists());
    accepted
}

/// Everything that was accepted is stored at its position, in one epoch, without holes. Returns the tail of the room.
async fn check_stored(log: &SqliteLog, accepted: &BTreeMap<(String, String), String>) -> StreamPosition {
    let topics: BTreeSet<_> = accepted.keys().map(|(name, _)| name.as_str()).collect();
    for name in topics {
        let page = read_all(log, &topic(name)).await;
        let epoch = page.tail.epoch();
        let numbers = (1..=page.tail.sequence()).map(|number| StreamPosition::new(epoch, number));
        assert!(page.entries.iter().map(|(at, _)| *at).eq(numbers), "{name} has holes, or is cut");
        let stored: BTreeMap<_, _> = page.entries.iter().map(|(at, event)| (at.to_string(), event.as_ref())).collect();
        for ((_, at), text) in accepted.iter().filter(|((of, _), _)| of == name) {
            let expected = event(text);
            assert_eq!(stored.get(at).copied(), Some(expected.as_ref()), "{name} at {at}");
        }
    }
    read_all(log, &room()).await.tail
}

/// How often, by default or as an environment variable says.
fn times(default: u32) -> u32 {
    env::var("EVENTWIRE_TEST_PLUGS").map_or(default, |times| times.parse().unwrap())
}

fn random_below(most: u64) -> u64 {
    // Good enough to choose a moment.
    let nanos = u64::from(SystemTime::UNIX_EPOCH.elapsed().unwrap().subsec_nanos());
    (nanos / 7).wrapping_mul(6_364_136_223_846_793_005) % most
}

/// The same file again and again, with readers that stay.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_at_any_point() {
    for durability in [Full, Normal] {
        let file = LogFile::new();
        let mut accepted = BTreeMap::new();
        let mut tail: Option<StreamPosition> = None;
        for _ in 0..times(15) {
            let victim = Victim::start(&file.path(), durability, 6, usize::MAX);
            let mut said: Vec<_> = victim.accepted().into_iter().collect();
            thread::sleep(Duration::from_micros(random_below(15_000)));
            said.extend(victim.kill());
            for (name, at, text) in said {
                assert_eq!(accepted.insert((name, at.clone()), text), None, "{at} was used twice");
            }
            let log = file.open();
            let stored = check_stored(&log, &accepted).await;
            if let Some(before) = tail {
                assert_eq!(stored.epoch(), before.epoch());
                let hub = hub(log.clone());
                let mut reader = reader_after(&hub, &room(), before).await;
                for number in before.sequence() + 1..=stored.sequence() {
                    let id = format!("id: {}\n", StreamPosition::new(before.epoch(), number));
                    let item = item(&mut reader).await;
                    assert!(item.starts_with(&id), "{item:?} instead of {id:?}");
                }
            }
            tail = Some(stored);
        }
        assert_eq!(file.get::<String>("PRAGMA integrity_check"), "ok");
    }
}

/// One file after the other, while a process writes.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copied_at_any_moment() {
    for (round, durability) in (0..times(10)).zip([Full, Normal].into_iter().cycle()) {
        let (file, copied) = (LogFile::new(), LogFile::new());
        let victim = Victim::start(&file.path(), durability, 6, usize::MAX);
        let mut said: Vec<_> = victim.accepted().into_iter().collect();
        thread::sleep(Duration::from_micros(random_below(60_000)));
        said.extend(victim.drain());
        let before: BTreeMap<_, _> = said.into_iter().map(|(name, at, text)| ((name, at), text)).collect();
        // While somebody reads, what is moved into the database stays in the write-ahead log, too.
        let mut reader = file.connect();
        let reading = reader.transaction().unwrap();
        let _: i64 = reading.query_row("SELECT count(*) FROM eventwire_log", [], |row| row.get(0)).unwrap();
        let ends: &[&str] = match round % 3 {
            0 => &["", "-wal"],
            1 => &["", "-wal", "-shm"],
            _ => &["", "-wal", "-shm", "-eventwire"],
        };
        for end in ends {
            copy(&file.beside(end), &copied.beside(end));
        }
        drop(reading);
        let after = victim.kill();

        let log = copied.open();
        let tail = check_stored(&log, &before).await;
        assert_eq!(copied.get::<String>("PRAGMA integrity_check"), "ok");
        // One who has read what is not in the copy.
        let beyond = after.iter().filter(|(name, ..)| name == "room").map(|(_, at, _)| at.parse().unwrap());
        let beyond = beyond.max_by_key(|at: &StreamPosition| at.sequence()).unwrap_or(tail);
        let beyond = if beyond.sequence() > tail.sequence() { beyond } else { tail };
        let hub = hub(log.clone());
        let mut reader = reader_after(&hub, &room(), beyond).await;
        let at = try_append(&log, &room(), "after").await.unwrap().unwrap();
        assert!(begins_after(tail, at), "{at} after {tail}");
        assert_eq!(item(&mut reader).await, gap_before(at));
        assert_eq!(item(&mut reader).await, item_of(at, "after"));
        assert!(fs::metadata(copied.beside("-eventwire")).is_ok());
    }
}
