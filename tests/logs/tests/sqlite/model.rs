//! A log in a file, and one in memory, do the same. Only epochs differ.

use crate::{LogFile, SqliteLog, copy};
use bytes::Bytes;
use eventwire_hub::{Entry, History, Limit, Log, Memory, Page, StreamPosition};
use eventwire_log_tests::calls::{event, topic};
use proptest::prelude::*;
use std::fs;
use tokio::runtime;

#[derive(Clone, Debug)]
enum Step {
    Append {
        room: usize,
        length: usize,
        key: Option<u8>,
    },
    End {
        room: usize,
    },
    Read {
        room: usize,
        after: Option<usize>,
        entries: usize,
        bytes: usize,
    },
    Reopen,
    Copy,
    NewEpoch,
    Remove {
        room: usize,
    },
    /// Another program's SQL.
    Insert {
        room: usize,
        key: Option<u8>,
    },
}

const ROOMS: usize = 3;

fn step() -> impl Strategy<Value = Step> {
    let key = || prop::option::weighted(0.3, 0..4_u8);
    let read = (0..ROOMS, prop::option::of(0..12_usize), 0..8_usize, 0..300_usize);
    prop_oneof![
        12 => (0..ROOMS, 0..100_usize, key()).prop_map(|(room, length, key)| Step::Append { room, length, key }),
        5 => (0..ROOMS, key()).prop_map(|(room, key)| Step::Insert { room, key }),
        1 => (0..ROOMS).prop_map(|room| Step::End { room }),
        20 => read.prop_map(|(room, after, entries, bytes)| Step::Read { room, after, entries, bytes }),
        1 => Just(Step::Reopen),
        1 => Just(Step::Copy),
        1 => Just(Step::NewEpoch),
        1 => (0..ROOMS).prop_map(|room| Step::Remove { room }),
    ]
}

/// One topic in both logs.
struct Room {
    name: String,
    /// Where each event is, in memory and in the file.
    positions: Vec<(StreamPosition, StreamPosition)>,
    keys: [bool; 4],
    /// The position of the end.
    end: Option<StreamPosition>,
}

impl Room {
    fn new(room: usize) -> Room {
        Room { name: format!("room {room}"), positions: Vec::new(), keys: [false; 4], end: None }
    }
}

struct Twins {
    file: LogFile,
    log: Option<SqliteLog>,
    memory: Memory,
    rooms: Vec<Room>,
    /// How often each topic was removed: in memory, another one takes its place.
    removed: [usize; ROOMS],
    last_epoch: u64,
    /// Whether each topic begins an epoch with its next event.
    begins: [bool; ROOMS],
}

impl Twins {
    fn new() -> Twins {
        let file = LogFile::new();
        let log = Some(file.open());
        let rooms = (0..ROOMS).map(Room::new).collect();
        Twins {
            file,
            log,
            memory: Memory::new(History::new()),
            rooms,
            removed: [0; ROOMS],
            last_epoch: 0,
            begins: [true; ROOMS],
        }
    }

    fn log(&self) -> &SqliteLog {
        self.log.as_ref().unwrap()
    }

    async fn append(&mut self, room: usize, text: &str, key: Option<u8>, by_sql: bool) {
        let Room { name, end, keys, .. } = &self.rooms[room];
        let (topic, in_memory) = (topic(name), topic(&format!("{name} {}", self.removed[room])));
        let (event, key_text) = (event(text), key.map(|key| key.to_string()));
        let is_known = key.is_some_and(|key| keys[usize::from(key)]);
        let expected = self.memory.append(&in_memory, Entry::Event(&event), key_text.as_deref()).await.unwrap();
        let at = if by_sql {
            let sql = "INSERT INTO eventwire_append (topic, data, key) VALUES (?, ?, ?)";
            let appended = self.file.connect().execute(sql, (topic.as_str(), text, &key_text));
            assert_eq!(appended.is_err(), end.is_some() && !is_known, "{appended:?}");
            let tail = self.log().read(&topic, None, Limit { entries: 0, bytes: 0 }).await.unwrap().tail;
            expected.map(|_| tail)
        } else {
            self.log().append(&topic, Entry::Event(&event), key_text.as_deref()).await.unwrap()
        };
        assert_eq!(at.is_some(), expected.is_some());
        let (Some(at), Some(expected)) = (at, expected) else { return };
        let positions = &mut self.rooms[room].positions;
        if let Some((_, known)) = positions.iter().find(|(in_memory, _)| *in_memory == expected) {
            assert!(is_known, "an event without a new key got a position that was used");
            assert!(by_sql || at == *known);
            return;
        }
        match positions.last() {
            Some((_, last)) if !self.begins[room] => {
                assert_eq!((at.epoch(), at.sequence()), (last.epoch(), last.sequence() + 1));
            }
            _ => {
                assert!(at.epoch() > self.last_epoch && at.sequence() == 1, "{at} after {}", self.last_epoch);
                self.last_epoch = at.epoch();
            }
        }
        self.begins[room] = false;
        positions.push((expected, at));
        if let Some(key) = key {
            self.rooms[room].keys[usize::from(key)] = true;
        }
    }

    async fn read(&self, room: usize, after: Option<usize>, limit: Limit) {
        let Room { name, positions, end, .. } = &self.rooms[room];
        let after = after.filter(|_| !positions.is_empty()).map(|after| positions[after % positions.len()]);
        let in_memory = topic(&format!("{name} {}", self.removed[room]));
        let expected = self.memory.read(&in_memory, after.map(|(at, _)| at), limit).await.unwrap();
        let page = self.log().read(&topic(name), after.map(|(_, at)| at), limit).await.unwrap();
        let in_file = |at: StreamPosition| positions.iter().find(|(in_memory, _)| *in_memory == at).unwrap().1;
        // A page of the file ends where an epoch begins.
        let mut entries: Vec<(StreamPosition, Bytes)> = Vec::new();
        for (at, bytes) in expected.entries {
            let at = in_file(at);
            if entries.last().is_some_and(|(last, _)| last.epoch() != at.epoch()) {
                break;
            }
            entries.push((at, bytes));
        }
        let tail = end.or_else(|| positions.last().map(|(_, at)| *at)).unwrap_or(StreamPosition::new(0, 0));
        assert_eq!(page, Page { entries, tail, finished: expected.finished });
        assert_eq!(page.tail.epoch() == 0, expected.tail.epoch() == 0);
    }

    async fn step(&mut self, step: Step) {
        match step {
            Step::Append { room, length, key } => self.append(room, &"x".repeat(length), key, false).await,
            Step::Insert { room, key } => self.append(room, "by SQL", key, true).await,
            Step::End { room } => {
                let name = &self.rooms[room].name;
                let in_memory = topic(&format!("{name} {}", self.removed[room]));
                let expected = self.memory.append(&in_memory, Entry::End, None).await.unwrap().unwrap();
                let at = self.log().append(&topic(name), Entry::End, None).await.unwrap().unwrap();
                let last = self.rooms[room].positions.last();
                assert_eq!(last.map_or(0, |(in_memory, _)| in_memory.sequence()), expected.sequence());
                match (self.rooms[room].end, last) {
                    (Some(end), _) => assert_eq!(at, end),
                    (None, Some((_, last))) if !self.begins[room] => assert_eq!(at, *last),
                    // Something may be missing before it.
                    _ => {
                        assert!(at.epoch() > self.last_epoch && at.sequence() == 0, "{at} after {}", self.last_epoch);
                        self.last_epoch = at.epoch();
                    }
                }
                self.rooms[room].end = Some(at);
            }
            Step::Read { room, after, entries, bytes } => self.read(room, after, Limit { entries, bytes }).await,
            Step::Reopen => {
                self.log = None;
                self.log = Some(self.file.open());
            }
            Step::Copy => {
                self.log = None;
                let copied = self.file.folder.path().join("copy.db");
                copy(&self.file.path(), &copied);
                fs::rename(copied, self.file.path()).unwrap();
                self.log = Some(self.file.open());
                self.begins = [true; ROOMS];
            }
            Step::NewEpoch => {
                self.log().new_epoch().await.unwrap();
                self.begins = [true; ROOMS];
            }
            Step::Remove { room } => {
                self.file.run(&format!("DELETE FROM eventwire_topics WHERE name = '{}'", self.rooms[room].name));
                self.removed[room] += 1;
                self.rooms[room] = Room::new(room);
                self.begins[room] = true;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_file_does_what_memory_does(steps in prop::collection::vec(step(), 80)) {
        runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(async {
            let mut twins = Twins::new();
            for step in steps {
                twins.step(step).await;
            }
        });
    }
}
