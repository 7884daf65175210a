//! The laws of logs: for those of this workspace, and for broken ones, so that each law is seen to fail.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

use bytes::Bytes;
use eventwire::Encoded;
use eventwire_hub::{Entry, History, Log, Memory, Page, StreamPosition, Topic, Wake};
use eventwire_log_tests::{
    RedisServer,
    laws::{self, KEPT, LAWS, Store},
    log_laws,
};
use eventwire_redis::RedisLog;
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

/// What is wrong with a broken log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    CountsFromZero,
    LeavesHoles,
    NewEpochForEachAppend,
    ReplacesCr,
    ReplacesBrokenText,
    ReadsThePositionAgain,
    OneEntryMore,
    OneEntryAtLeast,
    NothingWithoutAPosition,
    ComparesNumbersOfOtherEpochs,
    StartsOverBeyondTheTail,
    StoresLater,
    StorePerLog,
    TailOfAnotherMoment,
    CreatesWhatIsRead,
    CreatesWhatIsWatched,
    OneTopic,
    TrimsNames,
    CutsNames,
    CutsEvents,
    EndHasANumber,
    EndTakesEvents,
    EndIsForgotten,
    EndsOnlyWhatExists,
    IgnoresKeys,
    KeysOfAllTopics,
    JoinsTopicAndKey,
    CutsKeys,
    ForgetsKeysAtTheEnd,
    LooksForKeysTooEarly,
    KeepsEverything,
    KeepsHalf,
    RemovesTheNewest,
    NoHint,
    NoHintWithKey,
    NoHintOfTheEnd,
    HintOfTheEndHasAPosition,
    HintsBeginLate,
    HintsHaveOtherBytes,
    HintsHaveLineEndsReplaced,
    OneWatcher,
    HintsStopWhenOneLeaves,
    ForgetsASlowWatcher,
}

/// A [`Memory`] with a fault.
struct Broken {
    log: Memory,
    fault: Fault,
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
    fn is(&self, fault: Fault) -> bool {
        self.fault == fault
    }

    fn topic(&self, topic: &Topic) -> Topic {
        let name = topic.as_str();
        let name = match self.fault {
            Fault::OneTopic => "one",
            Fault::TrimsNames if !name.trim().is_empty() => name.trim(),
            Fault::CutsNames if name.is_ascii() => &name[..name.len().min(255)],
            _ => name,
        };
        Topic::new(name).unwrap()
    }

    fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let replaced =
            |from, to| String::from_utf8(bytes.to_vec()).map_or(bytes.to_vec(), |text| text.replace(from, to).into());
        match self.fault {
            Fault::ReplacesCr => replaced("\r", "\n"),
            Fault::ReplacesBrokenText => String::from_utf8_lossy(bytes).into_owned().into(),
            Fault::CutsEvents => bytes[..bytes.len().min(1 << 20)].to_vec(),
            _ => bytes.to_vec(),
        }
    }

    fn position(&self, at: StreamPosition) -> StreamPosition {
        match self.fault {
            Fault::CountsFromZero => StreamPosition::new(at.epoch(), at.sequence().saturating_sub(1)),
            Fault::LeavesHoles => StreamPosition::new(at.epoch(), at.sequence() * 2),
            Fault::NewEpochForEachAppend => StreamPosition::new(at.epoch().wrapping_add(at.sequence()), at.sequence()),
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
        let bytes = if let Entry::Event(event) = entry { self.bytes(event.as_ref()) } else { Vec::new() };
        let event = Encoded::from_bytes(bytes.clone().into());
        // Text that is cut is stored as well as it can be.
        let event = event.unwrap_or(Encoded::from_bytes(Bytes::from_static(b"\n\n")).unwrap());
        let entry = if let Entry::Event(_) = entry { Entry::Event(&event) } else { Entry::End };
        let page = self.log.read(&topic, None, usize::MAX).await?;

        let joined = match (self.fault, key) {
            (Fault::KeysOfAllTopics, Some(key)) => Some(key.to_owned()),
            (Fault::JoinsTopicAndKey, Some(key)) => Some(format!("{{{topic}}}{key}")),
            (Fault::LooksForKeysTooEarly, Some(key)) => Some(format!("{} {topic}{key}", topic.as_str().len())),
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
        let key = match key {
            Some(_) if self.is(Fault::IgnoresKeys) => None,
            Some(_) if self.is(Fault::ForgetsKeysAtTheEnd) && page.finished => None,
            Some(key) if self.is(Fault::CutsKeys) => Some(key.trim()),
            key => key,
        };
        if matches!(entry, Entry::End) {
            match self.fault {
                Fault::EndHasANumber if !page.finished => {
                    self.log.append(&topic, Entry::Event(&event), None).await?;
                }
                Fault::EndIsForgotten => return Ok(Some(page.tail)),
                Fault::EndsOnlyWhatExists if page.tail.epoch() == 0 => return Ok(Some(page.tail)),
                _ => {}
            }
        }
        if self.is(Fault::EndTakesEvents) && page.finished {
            return Ok(Some(page.tail));
        }
        if self.is(Fault::StoresLater)
            && page.tail.epoch() != 0
            && !page.finished
            && let Entry::Event(event) = entry
        {
            let (log, event) = (self.log.clone(), event.clone());
            task::spawn(async move {
                task::yield_now().await;
                log.append(&topic, Entry::Event(&event), None).await
            });
            return Ok(Some(StreamPosition::new(page.tail.epoch(), page.tail.sequence() + 1)));
        }
        let at = self.log.append(&topic, entry, key).await?;
        Ok(at.map(|at| self.position(at)))
    }

    async fn read(&self, topic: &Topic, after: Option<StreamPosition>, most: usize) -> Result<Page, Infallible> {
        let topic = self.topic(topic);
        let mut tail = self.log.read(&topic, None, 0).await?;
        if self.is(Fault::CreatesWhatIsRead) && tail.tail.epoch() == 0 {
            self.log.append(&topic, Entry::End, None).await?;
        }
        let (mut after, mut most) = (after, most);
        match (self.fault, after) {
            (Fault::ReadsThePositionAgain, Some(at)) => {
                after = Some(StreamPosition::new(at.epoch(), at.sequence().saturating_sub(1)));
            }
            (Fault::ComparesNumbersOfOtherEpochs, Some(at)) if tail.tail.epoch() != 0 => {
                after = Some(StreamPosition::new(tail.tail.epoch(), at.sequence()));
            }
            (Fault::StartsOverBeyondTheTail, Some(at)) if at.sequence() > tail.tail.sequence() => after = None,
            (Fault::NothingWithoutAPosition, None) => after = Some(tail.tail),
            (Fault::OneEntryMore, _) => most = most.saturating_add(1),
            (Fault::OneEntryAtLeast, _) => most = most.max(1),
            _ => {}
        }
        if self.is(Fault::TailOfAnotherMoment) {
            task::yield_now().await;
        }
        let mut page = self.log.read(&topic, after, most).await?;
        if self.is(Fault::TailOfAnotherMoment) {
            std::mem::swap(&mut tail.entries, &mut page.entries);
            page = tail;
        }
        for (at, _) in &mut page.entries {
            *at = self.position(*at);
        }
        if page.tail.epoch() != 0 {
            page.tail = self.position(page.tail);
        }
        match self.fault {
            Fault::RemovesTheNewest => page.entries.retain(|(at, _)| at.sequence() <= KEPT as u64),
            Fault::KeepsHalf => page.entries.retain(|(at, _)| page.tail.sequence() - at.sequence() < KEPT as u64 / 2),
            _ => {}
        }
        Ok(page)
    }

    async fn watch(&self, topic: &Topic) -> Result<BoxStream<'static, Wake>, Infallible> {
        let topic = self.topic(topic);
        let tail = self.log.read(&topic, None, 0).await?.tail;
        if self.is(Fault::CreatesWhatIsWatched) && tail.epoch() == 0 {
            self.log.append(&topic, Entry::End, None).await?;
        }
        let wakes = self.log.watch(&topic).await?;
        let (fault, shared, log) = (self.fault, Arc::clone(&self.shared), self.log.clone());
        let watcher = shared.watchers.fetch_add(1, Relaxed);
        Ok(match fault {
            Fault::NoHint => stream::pending().boxed(),
            Fault::HintsBeginLate if tail.epoch() == 0 => stream::pending().boxed(),
            Fault::OneWatcher if watcher > 0 => stream::pending().boxed(),
            Fault::HintsStopWhenOneLeaves => {
                let leaving = Leaving(shared);
                wakes.filter(move |_| ready(leaving.0.left.load(Relaxed) == 0)).boxed()
            }
            Fault::NoHintOfTheEnd => wakes.filter(|wake| ready(matches!(wake, Wake::Entry(..)))).boxed(),
            Fault::ForgetsASlowWatcher => {
                let keeps_up = |wake: &Wake| ready(matches!(wake, Wake::Entry(..)));
                wakes.take_while(keeps_up).chain(stream::pending()).boxed()
            }
            Fault::NoHintWithKey => {
                let with_key = |wake: &Wake| matches!(wake, Wake::Entry(_, bytes) if bytes.ends_with(b"key\n\n"));
                wakes.filter(move |wake| ready(!with_key(wake))).boxed()
            }
            Fault::HintOfTheEndHasAPosition => wakes
                .then(move |wake| {
                    let (log, topic) = (log.clone(), topic.clone());
                    async move {
                        let tail = log.read(&topic, None, 0).await.unwrap().tail;
                        let next = StreamPosition::new(tail.epoch(), tail.sequence() + 1);
                        if let Wake::Changed = wake { Wake::Entry(next, Bytes::new()) } else { wake }
                    }
                })
                .boxed(),
            Fault::HintsHaveOtherBytes | Fault::HintsHaveLineEndsReplaced => wakes
                .map(move |wake| match wake {
                    Wake::Entry(at, _) if fault == Fault::HintsHaveOtherBytes => Wake::Entry(at, Bytes::from("a\n\n")),
                    Wake::Entry(at, bytes) => {
                        let bytes: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != b'\r').collect();
                        Wake::Entry(at, bytes.into())
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
        let log = if self.is(Fault::StorePerLog) { Memory::new(History::new()) } else { self.log.clone() };
        Broken { log, fault: self.fault, shared: Arc::clone(&self.shared) }
    }

    fn open_small(&self) -> Broken {
        let most = if self.is(Fault::KeepsEverything) { 100_000 } else { KEPT };
        Broken { log: Memory::new(History::new().with_max_events(most)), ..self.open() }
    }
}

/// Whether a log with a fault keeps a law.
fn keeps(law: &'static str, fault: Fault) -> bool {
    // The clock goes on as soon as nothing else can happen, so what is waited for in vain takes no time.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    let store = Broken { log: Memory::new(History::new()), fault, shared: Arc::default() };
    runtime.block_on(async { task::spawn(laws::check(law, store)).await.is_ok() })
}

#[test]
fn a_log_without_a_fault_keeps_all_laws() {
    for law in LAWS {
        assert!(keeps(law, Fault::None), "{law}");
    }
}

/// Each law finds at least one fault, and each fault is found by the law that is for it.
#[test]
fn each_law_fails_for_a_broken_log() {
    let found_by = [
        (Fault::CountsFromZero, "what_is_read_is_what_was_appended"),
        (Fault::LeavesHoles, "what_is_read_is_what_was_appended"),
        (Fault::NewEpochForEachAppend, "what_is_read_is_what_was_appended"),
        (Fault::ReplacesCr, "what_is_read_is_what_was_appended"),
        (Fault::ReplacesBrokenText, "what_is_read_is_what_was_appended"),
        (Fault::ReadsThePositionAgain, "a_read_begins_after_any_position"),
        (Fault::OneEntryMore, "a_read_begins_after_any_position"),
        (Fault::OneEntryAtLeast, "a_read_begins_after_any_position"),
        (Fault::NothingWithoutAPosition, "a_read_begins_after_any_position"),
        (Fault::ComparesNumbersOfOtherEpochs, "a_read_after_a_position_of_another_epoch_begins_with_the_oldest"),
        (Fault::StartsOverBeyondTheTail, "a_read_begins_after_any_position"),
        (Fault::StoresLater, "an_append_is_read_by_others_at_once"),
        (Fault::StorePerLog, "an_append_is_read_by_others_at_once"),
        (Fault::TailOfAnotherMoment, "a_page_is_of_one_moment"),
        (Fault::CreatesWhatIsRead, "an_unknown_topic_is_empty"),
        (Fault::CreatesWhatIsWatched, "an_unknown_topic_is_empty"),
        (Fault::OneTopic, "names_of_topics_are_any_text"),
        (Fault::TrimsNames, "names_of_topics_are_any_text"),
        (Fault::CutsNames, "names_of_topics_are_any_text"),
        (Fault::CutsEvents, "large_events_are_kept_whole"),
        (Fault::EndHasANumber, "an_ended_topic_accepts_nothing"),
        (Fault::EndTakesEvents, "an_ended_topic_accepts_nothing"),
        (Fault::EndIsForgotten, "an_ended_topic_accepts_nothing"),
        (Fault::EndsOnlyWhatExists, "a_topic_can_end_before_it_begins"),
        (Fault::EndHasANumber, "a_topic_can_end_before_it_begins"),
        (Fault::EndHasANumber, "the_end_is_one_moment"),
        (Fault::IgnoresKeys, "a_key_names_one_entry"),
        (Fault::CutsKeys, "a_key_names_one_entry"),
        (Fault::KeysOfAllTopics, "a_key_belongs_to_one_topic"),
        (Fault::JoinsTopicAndKey, "a_key_belongs_to_one_topic"),
        (Fault::ForgetsKeysAtTheEnd, "a_key_is_known_after_the_end"),
        (Fault::LooksForKeysTooEarly, "a_key_is_stored_once_by_many_writers"),
        (Fault::StorePerLog, "two_writers_share_one_order"),
        (Fault::StoresLater, "two_writers_share_one_order"),
        (Fault::KeepsEverything, "the_oldest_entries_go_first"),
        (Fault::KeepsHalf, "the_oldest_entries_go_first"),
        (Fault::RemovesTheNewest, "the_oldest_entries_go_first"),
        (Fault::NoHint, "each_append_is_hinted"),
        (Fault::NoHintWithKey, "each_append_is_hinted"),
        (Fault::HintsHaveOtherBytes, "each_append_is_hinted"),
        (Fault::HintsHaveLineEndsReplaced, "each_append_is_hinted"),
        (Fault::NoHintOfTheEnd, "the_end_is_hinted"),
        (Fault::HintOfTheEndHasAPosition, "the_end_is_hinted"),
        (Fault::HintsBeginLate, "a_topic_is_watched_before_it_exists"),
        (Fault::OneWatcher, "each_watcher_gets_hints"),
        (Fault::HintsStopWhenOneLeaves, "hints_come_after_other_watchers_have_left"),
        (Fault::ForgetsASlowWatcher, "a_slow_watcher_is_told_that_it_missed_something"),
    ];
    for (fault, law) in found_by {
        assert!(!keeps(law, fault), "{law} does not find {fault:?}");
    }
    let with_a_fault: BTreeSet<_> = found_by.iter().map(|(_, law)| *law).collect();
    assert_eq!(with_a_fault, LAWS.iter().copied().collect());
}
