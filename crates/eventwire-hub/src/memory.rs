//! A log in this process.

use crate::{
    history::History,
    log::{Entry, Limit, Log, NOWHERE, Page, Wake},
    random::random,
    ring::Ring,
    stream_position::StreamPosition,
    topic::Topic,
    watchers::Watchers,
};
use bytes::Bytes;
use futures_core::stream::BoxStream;
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    convert::Infallible,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A [`Log`] in the memory of this process: for a server that is one process, and for tests.
///
/// A clone is the same log. It keeps the last events of each topic, as many as a [`History`] says, and the topics that
/// were last written to; and the keys of [`Hub::send_once`](crate::Hub::send_once) for a day, so limit their length if
/// they come from a request. When the process ends, all is gone: readers that return to a new process get a gap event.
///
/// ```
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// # runtime.block_on(async {
/// use eventwire::Event;
/// use eventwire_hub::{History, Hub, Memory, Resume, Topic};
/// use futures_util::StreamExt;
///
/// let hub = Hub::new(Memory::new(History::new()));
/// let room = Topic::new("room/7")?;
/// let mut reader = hub.subscribe(&room, Resume::Earliest).await?;
/// let position = hub.send(&room, &Event::new("hello")).await?;
///
/// reader.next().await; // the opening
/// let hello = reader.next().await.unwrap();
/// assert_eq!(hello.as_ref(), format!("id: {position}\ndata: hello\n\n").as_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Memory {
    history: History,
    max_topics: usize,
    topics: Arc<Mutex<Topics>>,
}

#[derive(Default)]
struct Topics {
    kept: HashMap<Topic, Kept>,
    /// The topics by when they were last written to.
    by_age: BTreeMap<u64, Topic>,
    /// How often any topic was written to.
    writes: u64,
    watchers: Watchers,
}

struct Kept {
    epoch: u64,
    entries: Ring<Bytes>,
    finished: bool,
    /// The keys of the last 24 hours.
    keys: HashMap<Arc<str>, StreamPosition>,
    keys_by_age: VecDeque<(Instant, Arc<str>)>,
    /// The number of the last write in `by_age`.
    age: u64,
}

/// How long a key is known.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

impl Memory {
    /// Creates a log. The history is that of each topic.
    #[must_use]
    pub fn new(history: History) -> Memory {
        Memory { history, max_topics: 10_000, topics: Arc::default() }
    }

    /// Sets how many topics are kept at most, 10,000 by default. The one that was not written to for the longest time
    /// is forgotten, as if it had never been there.
    #[must_use]
    pub fn with_max_topics(mut self, topics: usize) -> Memory {
        self.max_topics = topics;
        self
    }

    fn topics(&self) -> MutexGuard<'_, Topics> {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn append(&self, topic: &Topic, entry: Entry<'_>, key: Option<&str>) -> Option<StreamPosition> {
        let topics = &mut *self.topics();
        topics.writes += 1;
        let age = topics.writes;
        let kept = topics.kept.entry(topic.clone()).or_insert_with(Kept::new);
        topics.by_age.remove(&kept.age);
        topics.by_age.insert(age, topic.clone());
        kept.age = age;
        if let Some(position) = key.and_then(|key| kept.position_of(key)) {
            return Some(position);
        }
        let wake = match entry {
            Entry::Event(_) if kept.finished => return None,
            Entry::Event(event) => {
                let event = Bytes::copy_from_slice(event.as_ref());
                kept.entries.push(event.clone());
                kept.entries.trim(self.history.max_events, self.history.max_bytes);
                Wake::Entry(kept.tail(), event)
            }
            Entry::End => {
                kept.finished = true;
                Wake::Changed
            }
        };
        let position = kept.tail();
        if let Some(key) = key {
            kept.name(key, position);
        }
        topics.watchers.wake(topic.as_str(), wake);
        while topics.kept.len() > self.max_topics.max(1)
            && let Some((_, oldest)) = topics.by_age.pop_first()
        {
            topics.kept.remove(&oldest);
        }
        Some(position)
    }

    fn read(&self, topic: &Topic, after: Option<StreamPosition>, limit: Limit) -> Page {
        let topics = self.topics();
        let Some(kept) = topics.kept.get(topic) else {
            return Page { entries: Vec::new(), tail: NOWHERE, finished: false };
        };
        let read = after.filter(|after| after.epoch() == kept.epoch).map_or(0, StreamPosition::sequence);
        let mut bytes = 0;
        let fits = |(index, (_, entry)): &(usize, (u64, &Bytes))| {
            bytes += entry.len();
            *index == 0 || bytes <= limit.bytes
        };
        let entries = kept.entries.all_after(read).take(limit.entries).enumerate().take_while(fits);
        let entries = entries
            .map(|(_, entry)| entry)
            .map(|(number, bytes)| (StreamPosition::new(kept.epoch, number), bytes.clone()))
            .collect();
        Page { entries, tail: kept.tail(), finished: kept.finished }
    }
}

impl Kept {
    /// A topic with a random epoch.
    fn new() -> Kept {
        Kept {
            epoch: random().max(1),
            entries: Ring::new(0),
            finished: false,
            keys: HashMap::new(),
            keys_by_age: VecDeque::new(),
            age: 0,
        }
    }

    fn tail(&self) -> StreamPosition {
        StreamPosition::new(self.epoch, self.entries.newest())
    }

    fn name(&mut self, key: &str, position: StreamPosition) {
        let key = Arc::<str>::from(key);
        self.keys_by_age.push_back((Instant::now(), Arc::clone(&key)));
        self.keys.insert(key, position);
    }

    fn position_of(&mut self, key: &str) -> Option<StreamPosition> {
        while let Some((stored, oldest)) = self.keys_by_age.front()
            && stored.elapsed() > DAY
        {
            self.keys.remove(oldest);
            self.keys_by_age.pop_front();
        }
        self.keys.get(key).copied()
    }
}

impl Log for Memory {
    type Error = Infallible;
    type Wakes = BoxStream<'static, Wake>;

    async fn append(
        &self,
        topic: &Topic,
        entry: Entry<'_>,
        key: Option<&str>,
    ) -> Result<Option<StreamPosition>, Infallible> {
        Ok(self.append(topic, entry, key))
    }

    async fn read(&self, topic: &Topic, after: Option<StreamPosition>, limit: Limit) -> Result<Page, Infallible> {
        Ok(self.read(topic, after, limit))
    }

    async fn watch(&self, topic: &Topic) -> Result<BoxStream<'static, Wake>, Infallible> {
        Ok(self.topics().watchers.watch(topic.as_str(), ()))
    }
}

/// Not the events: they may be large, or secret.
impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut memory = f.debug_struct("Memory");
        memory.field("history", &self.history).field("max_topics", &self.max_topics);
        memory.field("topics", &self.topics().kept.len()).finish_non_exhaustive()
    }
}
