//! The laws of logs: for those of this workspace, and for broken ones, so that each law is seen to fail.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use bytes::Bytes;
use eventwire::Encoded;
use eventwire_hub::{Entry, History, Limit, Log, Memory, Page, StreamPosition, Topic, Wake};
use eventwire_log_tests::{
    PostgresServer, RedisServer, TempFolder,
    laws::{self, KEPT, LAWS, Store},
    log_laws,
};
use eventwire_postgres::PostgresLog;
use eventwire_redis::RedisLog;
use eventwire_sqlite::SqliteLog;
use futures_util::{
    StreamExt,
    future::ready,
    stream::{self, BoxStream},
};
use std::{
    collections::{BTreeSet, HashMap},
    convert::Infallible,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};
use tokio::task;

log_laws!(memory, || Some(InMemory::new()));
log_laws!(redis, InRedis::start);
log_laws!(sqlite, || Some(InFile::new()));
log_laws!(postgres, InPostgres::start);

struct InMemory {
    log: Memory,
    small: Memory,
}

impl InMemory {
    fn new() -> InMemory {
        InMemory { log: Memory::new(History::new()), small: Memory::new(History::new().with_max_events(KEPT)) }
    }
}

impl Store for InMemory {
    type Log = Memory;

    fn open(&self) -> Memory {
        self.log.clone()
    }

    fn open_small(&self) -> Memory {
        self.small.clone()
    }
}

struct InRedis(RedisServer);

impl InRedis {
    fn start() -> Option<InRedis> {
        // Redis removes whole nodes of a stream.
        RedisServer::start(&["--stream-node-max-entries", "10"]).map(InRedis)
    }
}

impl Store for InRedis {
    type Log = RedisLog;

    fn open(&self) -> RedisLog {
        RedisLog::open(&self.0.url()).unwrap()
    }

    fn open_small(&self) -> RedisLog {
        self.open().with_max_events(KEPT)
    }
}

/// A file in a folder of its own.
struct InFile(TempFolder);

impl InFile {
    fn new() -> InFile {
        InFile(TempFolder::new())
    }
}

impl Store for InFile {
    type Log = SqliteLog;

    fn open(&self) -> SqliteLog {
        SqliteLog::open(self.0.path().join("events.db")).unwrap()
    }

    fn open_small(&self) -> SqliteLog {
        self.open().with_max_events(KEPT)
    }
}

struct InPostgres(PostgresServer);

impl InPostgres {
    fn start() -> Option<InPostgres> {
        PostgresServer::start(&[]).map(InPostgres)
    }
}

impl Store for InPostgres {
    type Log = PostgresLog;

    fn open(&self) -> PostgresLog {
        PostgresLog::open(&self.0.url()).unwrap()
    }

    fn open_small(&self) -> PostgresLog {
        self.open().with_max_events(KEPT)
    }
}

/// What is wrong with a broken log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defect {
    None,
    CountsFromZero,
    NewEpochForEachAppend,
    ReplacesCr,
    ReplacesBrokenText,
    ReadsThePositionAgain,
    OneEntryAtLeast,
    IgnoresBytes,
    SkipsWhatIsTooLarge,
    NothingWithoutAPosition,
    ComparesNumbersOfOtherEpochs,
    StartsOverBeyondTheTail,
    StoresLater,
    StorePerLog,
    TailOfAnotherMoment,
    CreatesWhatIsRead,
    CreatesWhatIsWatched,
    TrimsNames,
    CutsNames,
    CutsEvents,
    EndHasANumber,
    EndTakesEvents,
    EndIsForgotten,
    EndsOnlyWhatExists,
    IgnoresKeys,
    JoinsTopicAndKey,
    CutsKeys,
    ForgetsKeysAtTheEnd,
    LooksForKeysTooEarly,
    KeepsEverything,
    KeepsHalf,
    RemovesTheNewest,
    NoHintWithKey,
    NoHintOfTheEnd,
    HintOfTheEndHasAPosition,
    HintsBeginLate,
    HintsHaveNoCr,
    OneWatcher,
    HintsStopWhenOneLeaves,
    ForgetsASlowWatcher,
}

/// No entries, only the tail.
const TAIL: Limit = Limit { entries: 0, bytes: 0 };

/// A [`Memory`] with a defect.
struct Broken {
    log: Memory,
    defect: Defect,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    keys: Mutex<HashMap<String, Option<StreamPosition>>>,
    watchers: AtomicUsize,
    left: AtomicUsize,
}

/// Counts those who no longer watch.
struct Leaving(Arc<Shared>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.left.fetch_add(1, Relaxed);
    }
}

impl Broken {
    fn is(&self, defect: Defect) -> bool {
        self.defect == defect
    }

    fn topic(&self, topic: &Topic) -> Topic {
        let name = topic.as_str();
        let name = match self.defect {
            Defect::TrimsNames if !name.trim().is_empty() => name.trim(),
            Defect::CutsNames if name.is_ascii() => &name[..name.len().min(255)],
            _ => name,
        };
        Topic::new(name).unwrap()
    }

    fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let replaced =
            |from, to| String::from_utf8(bytes.to_vec()).map_or(bytes.to_vec(), |text| text.replace(from, to).into());
        match self.defect {
            Defect::ReplacesCr => replaced("\r", "\n"),
            Defect::ReplacesBrokenText => String::from_utf8_lossy(bytes).into_owned().into(),
            Defect::CutsEvents => bytes[..bytes.len().min(1 << 20)].to_vec(),
            _ => bytes.to_vec(),
        }
    }

    fn position(&self, at: StreamPosition) -> StreamPosition {
        match self.defect {
            Defect::CountsFromZero => StreamPosition::new(at.epoch(), at.sequence().saturating_sub(1)),
            Defect::NewEpochForEachAppend => StreamPosition::new(at.epoch().wrapping_add(at.sequence()), at.sequence()),
            _ => at,
        }
    }
}

impl Log for Broken {
    type Error = Infallible;
    type Wakes = BoxStream<'static, Wake>;

    async fn append(
        &self,
        topic: &Topic,
        entry: Entry<'_>,
        key: Option<&str>,
    ) -> Result<Option<StreamPosition>, Infallible> {
        let topic = self.topic(topic);
        let page = self.log.read(&topic, None, Limit { entries: usize::MAX, bytes: usize::MAX }).await?;
        // An event that is cut, and so is none, is stored as an empty block.
        let empty = Encoded::from_bytes(Bytes::from_static(b"\n\n")).unwrap();
        let (event, is_end) = match entry {
            Entry::Event(event) => (Encoded::from_bytes(self.bytes(event.as_ref()).into()).unwrap_or(empty), false),
            Entry::End => (empty, true),
        };
        let entry = if is_end { Entry::End } else { Entry::Event(&event) };
        match self.defect {
            Defect::EndTakesEvents if page.finished => return Ok(Some(page.tail)),
            Defect::EndIsForgotten if is_end => return Ok(Some(page.tail)),
            Defect::EndsOnlyWhatExists if is_end && page.tail.epoch() == 0 => return Ok(Some(page.tail)),
            Defect::EndHasANumber if is_end && !page.finished => {
                self.log.append(&topic, Entry::Event(&event), None).await?;
            }
            Defect::StoresLater if !is_end && !page.finished && page.tail.epoch() != 0 => {
                let log = self.log.clone();
                task::spawn(async move {
                    task::yield_now().await;
                    log.append(&topic, Entry::Event(&event), None).await
                });
                return Ok(Some(StreamPosition::new(page.tail.epoch(), page.tail.sequence() + 1)));
            }
            _ => {}
        }
        let joined = match (self.defect, key) {
            (Defect::JoinsTopicAndKey, Some(key)) => Some(format!("{{{topic}}}{key}")),
            (Defect::LooksForKeysTooEarly, Some(key)) => Some(format!("{} {topic}{key}", topic.as_str().len())),
            _ => None,
        };
        if let Some(joined) = joined {
            let stored = self.shared.keys.lock().unwrap().get(&joined).copied();
            if let Some(at) = stored {
                return Ok(at);
            }
            task::yield_now().await;
            let at = self.log.append(&topic, entry, None).await?;
            self.shared.keys.lock().unwrap().insert(joined, at);
            return Ok(at);
        }
        let key = match self.defect {
            Defect::IgnoresKeys => None,
            Defect::ForgetsKeysAtTheEnd if page.finished => None,
            Defect::CutsKeys => key.map(str::trim),
            _ => key,
        };
        let at = self.log.append(&topic, entry, key).await?;
        Ok(at.map(|at| self.position(at)))
    }

    async fn read(&self, topic: &Topic, after: Option<StreamPosition>, limit: Limit) -> Result<Page, Infallible> {
        let topic = self.topic(topic);
        let mut tail = self.log.read(&topic, None, TAIL).await?;
        if self.is(Defect::CreatesWhatIsRead) && tail.tail.epoch() == 0 {
            self.log.append(&topic, Entry::End, None).await?;
        }
        let (mut after, mut limit) = (after, limit);
        match (self.defect, after) {
            (Defect::ReadsThePositionAgain, Some(at)) => {
                after = Some(StreamPosition::new(at.epoch(), at.sequence().saturating_sub(1)));
            }
            (Defect::ComparesNumbersOfOtherEpochs, Some(at)) if tail.tail.epoch() != 0 => {
                after = Some(StreamPosition::new(tail.tail.epoch(), at.sequence()));
            }
            (Defect::StartsOverBeyondTheTail, Some(at)) if at.sequence() > tail.tail.sequence() => after = None,
            (Defect::NothingWithoutAPosition, None) => after = Some(tail.tail),
            (Defect::OneEntryAtLeast, _) => limit.entries = limit.entries.max(1),
            (Defect::IgnoresBytes, _) => limit.bytes = usize::MAX,
            _ => {}
        }
        if self.is(Defect::TailOfAnotherMoment) {
            task::yield_now().await;
        }
        let mut page = self.log.read(&topic, after, limit).await?;
        if self.is(Defect::TailOfAnotherMoment) {
            std::mem::swap(&mut tail.entries, &mut page.entries);
            page = tail;
        }
        for (at, _) in &mut page.entries {
            *at = self.position(*at);
        }
        if page.tail.epoch() != 0 {
            page.tail = self.position(page.tail);
        }
        match self.defect {
            Defect::SkipsWhatIsTooLarge => page.entries.retain(|(_, event)| event.len() <= limit.bytes),
            Defect::RemovesTheNewest => page.entries.retain(|(at, _)| at.sequence() <= KEPT as u64),
            Defect::KeepsHalf => page.entries.retain(|(at, _)| page.tail.sequence() - at.sequence() < KEPT as u64 / 2),
            _ => {}
        }
        Ok(page)
    }

    async fn watch(&self, topic: &Topic) -> Result<BoxStream<'static, Wake>, Infallible> {
        let topic = self.topic(topic);
        let tail = self.log.read(&topic, None, TAIL).await?.tail;
        if self.is(Defect::CreatesWhatIsWatched) && tail.epoch() == 0 {
            self.log.append(&topic, Entry::End, None).await?;
        }
        let wakes = self.log.watch(&topic).await?;
        let (defect, shared, log) = (self.defect, Arc::clone(&self.shared), self.log.clone());
        let watcher = shared.watchers.fetch_add(1, Relaxed);
        Ok(match defect {
            Defect::HintsBeginLate if tail.epoch() == 0 => stream::pending().boxed(),
            Defect::OneWatcher if watcher > 0 => stream::pending().boxed(),
            Defect::HintsStopWhenOneLeaves => {
                let leaving = Leaving(shared);
                wakes.filter(move |_| ready(leaving.0.left.load(Relaxed) == 0)).boxed()
            }
            Defect::NoHintOfTheEnd => wakes.filter(|wake| ready(matches!(wake, Wake::Entry(..)))).boxed(),
            Defect::ForgetsASlowWatcher => {
                let keeps_up = |wake: &Wake| ready(matches!(wake, Wake::Entry(..)));
                wakes.take_while(keeps_up).chain(stream::pending()).boxed()
            }
            Defect::NoHintWithKey => {
                let with_key = |wake: &Wake| matches!(wake, Wake::Entry(_, bytes) if bytes.ends_with(b"key\n\n"));
                wakes.filter(move |wake| ready(!with_key(wake))).boxed()
            }
            Defect::HintOfTheEndHasAPosition => wakes
                .then(move |wake| {
                    let (log, topic) = (log.clone(), topic.clone());
                    async move {
                        let tail = log.read(&topic, None, TAIL).await.unwrap().tail;
                        let next = StreamPosition::new(tail.epoch(), tail.sequence() + 1);
                        if let Wake::Changed = wake { Wake::Entry(next, Bytes::new()) } else { wake }
                    }
                })
                .boxed(),
            Defect::HintsHaveNoCr => wakes
                .map(|wake| match wake {
                    Wake::Entry(at, bytes) => {
                        Wake::Entry(at, bytes.into_iter().filter(|byte| *byte != b'\r').collect())
                    }
                    Wake::Changed => Wake::Changed,
                })
                .boxed(),
            _ => wakes,
        })
    }
}

impl Store for Broken {
    type Log = Broken;

    fn open(&self) -> Broken {
        let log = if self.is(Defect::StorePerLog) { Memory::new(History::new()) } else { self.log.clone() };
        Broken { log, defect: self.defect, shared: Arc::clone(&self.shared) }
    }

    fn open_small(&self) -> Broken {
        let most = if self.is(Defect::KeepsEverything) { 100_000 } else { KEPT };
        Broken { log: Memory::new(History::new().with_max_events(most)), ..self.open() }
    }
}

/// Whether a log with a defect keeps a law.
fn keeps(law: &'static str, defect: Defect) -> bool {
    // The clock goes on as soon as nothing else can happen, so what is waited for in vain takes no time.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let store = Broken { log: Memory::new(History::new()), defect, shared: Arc::default() };
    runtime.block_on(async { task::spawn(laws::check(law, store)).await.is_ok() })
}

#[test]
fn a_log_without_a_defect_keeps_all_laws() {
    for law in LAWS {
        assert!(keeps(law, Defect::None), "{law}");
    }
}

/// Each law finds at least one defect, and each defect is found by the law that is for it.
#[test]
fn each_law_fails_for_a_broken_log() {
    let found_by = [
        (Defect::CountsFromZero, "what_is_read_is_what_was_appended"),
        (Defect::NewEpochForEachAppend, "what_is_read_is_what_was_appended"),
        (Defect::ReplacesCr, "what_is_read_is_what_was_appended"),
        (Defect::ReplacesBrokenText, "what_is_read_is_what_was_appended"),
        (Defect::ReadsThePositionAgain, "a_read_begins_after_any_position"),
        (Defect::OneEntryAtLeast, "a_read_begins_after_any_position"),
        (Defect::IgnoresBytes, "a_page_has_at_most_so_many_bytes"),
        (Defect::SkipsWhatIsTooLarge, "a_page_has_at_most_so_many_bytes"),
        (Defect::NothingWithoutAPosition, "a_read_begins_after_any_position"),
        (Defect::ComparesNumbersOfOtherEpochs, "a_read_after_a_position_of_another_epoch_begins_with_the_oldest"),
        (Defect::StartsOverBeyondTheTail, "a_read_begins_after_any_position"),
        (Defect::StoresLater, "an_append_is_read_by_others_at_once"),
        (Defect::StorePerLog, "an_append_is_read_by_others_at_once"),
        (Defect::TailOfAnotherMoment, "a_page_is_of_one_moment"),
        (Defect::CreatesWhatIsRead, "an_unknown_topic_is_empty"),
        (Defect::CreatesWhatIsWatched, "an_unknown_topic_is_empty"),
        (Defect::TrimsNames, "names_of_topics_are_any_text"),
        (Defect::CutsNames, "names_of_topics_are_any_text"),
        (Defect::CutsEvents, "large_events_are_kept_whole"),
        (Defect::EndHasANumber, "an_ended_topic_accepts_nothing"),
        (Defect::EndTakesEvents, "an_ended_topic_accepts_nothing"),
        (Defect::EndIsForgotten, "an_ended_topic_accepts_nothing"),
        (Defect::EndsOnlyWhatExists, "a_topic_can_end_before_it_begins"),
        (Defect::EndHasANumber, "a_topic_can_end_before_it_begins"),
        (Defect::EndHasANumber, "the_end_is_one_moment"),
        (Defect::IgnoresKeys, "a_key_names_one_entry"),
        (Defect::CutsKeys, "a_key_names_one_entry"),
        (Defect::JoinsTopicAndKey, "a_key_belongs_to_one_topic"),
        (Defect::ForgetsKeysAtTheEnd, "a_key_is_known_after_the_end"),
        (Defect::LooksForKeysTooEarly, "a_key_is_stored_once_by_many_writers"),
        (Defect::StorePerLog, "two_writers_share_one_order"),
        (Defect::StoresLater, "two_writers_share_one_order"),
        (Defect::KeepsEverything, "the_oldest_entries_go_first"),
        (Defect::KeepsHalf, "the_oldest_entries_go_first"),
        (Defect::RemovesTheNewest, "the_oldest_entries_go_first"),
        (Defect::NoHintWithKey, "each_append_is_hinted"),
        (Defect::HintsHaveNoCr, "each_append_is_hinted"),
        (Defect::NoHintOfTheEnd, "the_end_is_hinted"),
        (Defect::HintOfTheEndHasAPosition, "the_end_is_hinted"),
        (Defect::HintsBeginLate, "a_topic_is_watched_before_it_exists"),
        (Defect::OneWatcher, "each_watcher_gets_hints"),
        (Defect::HintsStopWhenOneLeaves, "hints_come_after_other_watchers_have_left"),
        (Defect::ForgetsASlowWatcher, "a_slow_watcher_is_told_that_it_missed_something"),
    ];
    for (defect, law) in found_by {
        assert!(!keeps(law, defect), "{law} does not find {defect:?}");
    }
    let with_a_defect: BTreeSet<_> = found_by.iter().map(|(_, law)| *law).collect();
    assert_eq!(with_a_defect, LAWS.iter().copied().collect());
}
