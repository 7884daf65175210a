//! The thread that finds what was appended, by this process or another one, and wakes those who watch.

use crate::{database::Database, error::Error, page::position};
use bytes::Bytes;
use eventwire_hub::{StreamPosition, Topic, Wake};
use futures_core::stream::BoxStream;
use futures_util::stream;
use rusqlite::TransactionBehavior;
use std::{collections::HashMap, path::Path, sync::Arc, time::Duration};
use tokio::{
    sync::{
        Notify,
        broadcast::{self, error::RecvError},
        mpsc, oneshot,
    },
    time::{self, MissedTickBehavior},
};

/// A request to watch a topic.
pub(crate) struct Watch {
    pub(crate) topic: Topic,
    pub(crate) answer: oneshot::Sender<Result<BoxStream<'static, Wake>, Error>>,
}

/// How often to look for what other processes have appended.
const POLL: Duration = Duration::from_millis(20);
/// How many wake-ups wait for one who does not keep up.
const WAKES: usize = 64;
/// How many entries are looked through for those who watch, and how many bytes are in memory for them. If there are more,
/// all are told to read.
const MOST: i64 = 1000;
const MOST_BYTES: usize = 1 << 20;

pub(crate) struct Watcher {
    path: Arc<Path>,
    watched: HashMap<Topic, broadcast::Sender<Wake>>,
    /// `None` while nobody watches.
    looking: Option<Looking>,
}

/// What was there when it was last looked.
struct Looking {
    database: Database,
    /// Changes with each commit of another connection, also of another process.
    data_version: i64,
    appended: i64,
    removed: i64,
}

impl Watcher {
    pub(crate) fn new(path: Arc<Path>) -> Watcher {
        Watcher { path, watched: HashMap::new(), looking: None }
    }

    /// Looks whenever this process has committed, and at intervals, until nobody can watch any more.
    pub(crate) async fn run(mut self, mut requests: mpsc::Receiver<Watch>, committed: Arc<Notify>) {
        let mut polls = time::interval(POLL);
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                request = requests.recv() => match request {
                    Some(Watch { topic, answer }) => _ = answer.send(self.watch(topic)),
                    None => return,
                },
                () = committed.notified(), if self.looking.is_some() => self.look(),
                _ = polls.tick(), if self.looking.is_some() => self.look(),
            }
        }
    }

    fn watch(&mut self, topic: Topic) -> Result<BoxStream<'static, Wake>, Error> {
        if self.looking.is_none() {
            self.looking = Some(Looking::begin(&self.path)?);
        }
        let wakes = self.watched.entry(topic).or_insert_with(|| broadcast::channel(WAKES).0).subscribe();
        Ok(Box::pin(stream::unfold(wakes, async |mut wakes| {
            let wake = match wakes.recv().await {
                Ok(wake) => wake,
                Err(RecvError::Lagged(_)) => Wake::Changed,
                Err(RecvError::Closed) => return None,
            };
            Some((wake, wakes))
        })))
    }

    fn look(&mut self) {
        self.watched.retain(|_, wakes| wakes.receiver_count() > 0);
        if self.watched.is_empty() {
            self.looking = None;
            return;
        }
        let Some(looking) = &mut self.looking else { return };
        match looking.look(&self.watched) {
            Ok(Found::Nothing) => {}
            Ok(Found::Wakes(found)) => {
                for (topic, wake) in found {
                    if let Some(wakes) = self.watched.get(&topic) {
                        // It may have left just now.
                        let _ = wakes.send(wake);
                    }
                }
            }
            Ok(Found::Much) => {
                self.watched.values().for_each(|wakes| _ = wakes.send(Wake::Changed));
            }
            // The streams of those who watch end. They find the error when they watch again.
            Err(_) => {
                self.watched.clear();
                self.looking = None;
            }
        }
    }
}

enum Found {
    Nothing,
    Wakes(Vec<(Topic, Wake)>),
    /// Anything may have changed.
    Much,
}

impl Looking {
    fn begin(path: &Arc<Path>) -> Result<Looking, Error> {
        let database = Database::open(path)?;
        // If something is committed in between, it is found later.
        let data_version = database.query_number("PRAGMA data_version")?;
        let appended = database.query_number("SELECT appended FROM eventwire_log")?;
        let removed = database.query_number("SELECT removed FROM eventwire_log")?;
        Ok(Looking { database, data_version, appended, removed })
    }

    fn look(&mut self, watched: &HashMap<Topic, broadcast::Sender<Wake>>) -> Result<Found, Error> {
        if !self.database.is_current() {
            return Err(Error::cannot_open(&self.database.path, "another file has taken its place"));
        }
        let data_version = self.database.query_number("PRAGMA data_version")?;
        if data_version == self.data_version {
            return Ok(Found::Nothing);
        }
        let found = self.find(watched).map_err(|error| Error::sqlite(&self.database.path, &error))?;
        self.database.note(self.appended)?;
        self.data_version = data_version;
        Ok(found)
    }

    /// Finds what was appended since the last time.
    fn find(&mut self, watched: &HashMap<Topic, broadcast::Sender<Wake>>) -> rusqlite::Result<Found> {
        let looking = self.database.connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
        let (appended, removed) = looking
            .prepare_cached("SELECT appended, removed FROM eventwire_log")?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let is_much = removed != self.removed || !(0..=MOST).contains(&(appended - self.appended));
        let before = std::mem::replace(&mut self.appended, appended);
        self.removed = removed;
        if is_much {
            return Ok(Found::Much);
        }
        let (mut wakes, mut length) = (Vec::new(), 0);
        let mut entries = looking.prepare_cached(
            "SELECT name, entries.epoch, entries.number, entries.id
             FROM eventwire_entries AS entries, eventwire_topics AS topics
             WHERE entries.id > ? AND topics.id = topic ORDER BY entries.id",
        )?;
        let mut event = looking.prepare_cached("SELECT event FROM eventwire_entries WHERE id = ?")?;
        let mut rows = entries.query([before])?;
        while let Some(row) = rows.next()? {
            if let Some(topic) = topic(row.get_ref(0)?, watched) {
                let at: StreamPosition = position(row.get(1)?, row.get(2)?);
                let bytes =
                    event.query_row([row.get::<_, i64>(3)?], |row| Ok(Bytes::from(row.get::<_, Vec<u8>>(0)?)))?;
                length += bytes.len();
                if length > MOST_BYTES {
                    return Ok(Found::Much);
                }
                wakes.push((topic, Wake::Entry(at, bytes)));
            }
        }
        drop(rows);
        let mut ended = looking.prepare_cached("SELECT name FROM eventwire_topics WHERE ended > ?")?;
        let mut rows = ended.query([before])?;
        while let Some(row) = rows.next()? {
            wakes.extend(topic(row.get_ref(0)?, watched).map(|topic| (topic, Wake::Changed)));
        }
        Ok(Found::Wakes(wakes))
    }
}

/// Returns the topic with this name, if it is watched.
fn topic(name: rusqlite::types::ValueRef<'_>, watched: &HashMap<Topic, broadcast::Sender<Wake>>) -> Option<Topic> {
    // Another program could have written any name.
    let topic = Topic::new(name.as_str().ok()?).ok()?;
    watched.contains_key(&topic).then_some(topic)
}
