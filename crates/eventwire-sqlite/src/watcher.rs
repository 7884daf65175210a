//! The thread that finds what was appended, by this process or another one, and wakes those who watch.

use crate::{
    database::{self, Database},
    error::{Error, Kind},
    page::position,
};
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
/// How many entries are looked through for those who watch. If there are more, all are told to read.
const MOST: i64 = 1000;
/// How many bytes the events have that are sent to them. Beyond that, they are told to read.
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
    /// How much had been appended.
    appended: i64,
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
                    Some(Watch { answer, .. }) if answer.is_closed() => {}
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
        let appended = database::appended(&database.connection)?;
        Ok(Looking { database, appended })
    }

    fn look(&mut self, watched: &HashMap<Topic, broadcast::Sender<Wake>>) -> Result<Found, Error> {
        if !self.database.is_current() {
            return Err(Error::new(Kind::CannotOpen, "another file has taken its place"));
        }
        let found = self.find(watched)?;
        self.database.note(self.appended)?;
        Ok(found)
    }

    /// Finds what was appended since the last time.
    fn find(&mut self, watched: &HashMap<Topic, broadcast::Sender<Wake>>) -> rusqlite::Result<Found> {
        let looking = self.database.connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
        let before = self.appended;
        self.appended = database::appended(&looking)?;
        if self.appended == before {
            return Ok(Found::Nothing);
        }
        let (mut wakes, mut length, mut left) = (Vec::new(), 0, self.appended - before);
        if !(1..=MOST).contains(&left) {
            return Ok(Found::Much);
        }
        let mut entries = looking.prepare_cached(
            "SELECT name, entries.epoch, entries.number, entries.id
             FROM eventwire_entries AS entries, eventwire_topics AS topics
             WHERE entries.id > ? AND topics.id = topic ORDER BY entries.id",
        )?;
        let mut event = looking.prepare_cached("SELECT event FROM eventwire_entries WHERE id = ?")?;
        let mut rows = entries.query([before])?;
        while let Some(row) = rows.next()? {
            left -= 1;
            let Some(topic) = topic(row.get_ref(0)?, watched) else { continue };
            let at: StreamPosition = position(row.get(1)?, row.get(2)?);
            let bytes = event.query_row([row.get::<_, i64>(3)?], |row| Ok(Bytes::from(row.get::<_, Vec<u8>>(0)?)))?;
            length += bytes.len();
            wakes.push((topic, if length > MOST_BYTES { Wake::Changed } else { Wake::Entry(at, bytes) }));
        }
        drop(rows);
        let mut ended = looking.prepare_cached("SELECT name FROM eventwire_topics WHERE ended > ?")?;
        let mut rows = ended.query([before])?;
        while let Some(row) = rows.next()? {
            left -= 1;
            wakes.extend(topic(row.get_ref(0)?, watched).map(|topic| (topic, Wake::Changed)));
        }
        // Something was removed already: an event, or a topic with all that it had.
        Ok(if left > 0 { Found::Much } else { Found::Wakes(wakes) })
    }
}

/// Returns the topic with this name, if it is watched.
fn topic(name: rusqlite::types::ValueRef<'_>, watched: &HashMap<Topic, broadcast::Sender<Wake>>) -> Option<Topic> {
    // Another program could have written any name.
    let topic = Topic::new(name.as_str().ok()?).ok()?;
    watched.contains_key(&topic).then_some(topic)
}
