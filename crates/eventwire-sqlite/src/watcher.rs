//! The thread that finds what was appended, by this process or another one, and wakes those who watch.

use crate::{
    database::{self, Database},
    error::{Error, Kind},
    page::position,
};
use eventwire_hub::{Topic, Wake, internal::Watchers};
use futures_core::stream::BoxStream;
use rusqlite::{Row, TransactionBehavior};
use std::{path::Path, sync::Arc, time::Duration};
use tokio::{
    sync::{Notify, mpsc, oneshot},
    time::{self, MissedTickBehavior},
};

/// A request to watch a topic.
pub(crate) struct Watch {
    pub(crate) topic: Topic,
    pub(crate) answer: oneshot::Sender<Result<BoxStream<'static, Wake>, Error>>,
}

/// How often to look for what other processes have appended.
const POLL: Duration = Duration::from_millis(20);
/// How many entries are looked through for those who watch. If there are more, all are told to read.
const MOST: i64 = 10_000;
/// How many bytes the events have that are sent to them. Beyond that, they are told to read.
const MOST_BYTES: usize = 1 << 20;

pub(crate) struct Watcher {
    path: Arc<Path>,
    /// `None` while nobody watches.
    looking: Option<Looking>,
}

/// What was there when it was last looked.
struct Looking {
    database: Database,
    /// How much had been appended.
    appended: i64,
    /// By the names of topics. Their streams end with it.
    watchers: Watchers,
}

impl Watcher {
    pub(crate) fn new(path: Arc<Path>) -> Watcher {
        Watcher { path, looking: None }
    }

    /// Looks whenever this process has committed, and at intervals, until nobody can watch any more.
    pub(crate) async fn run(mut self, mut requests: mpsc::Receiver<Watch>, committed: Arc<Notify>) {
        let mut polls = time::interval(POLL);
        polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                request = requests.recv() => match request {
                    Some(Watch { answer, .. }) if answer.is_closed() => {}
                    Some(Watch { topic, answer }) => _ = answer.send(self.watch(&topic)),
                    None => return,
                },
                () = committed.notified(), if self.looking.is_some() => self.look(),
                _ = polls.tick(), if self.looking.is_some() => self.look(),
            }
        }
    }

    fn watch(&mut self, topic: &Topic) -> Result<BoxStream<'static, Wake>, Error> {
        let looking = match self.looking.take() {
            Some(looking) => looking,
            None => Looking::begin(&self.path)?,
        };
        Ok(self.looking.insert(looking).watchers.watch(topic.as_str(), ()))
    }

    fn look(&mut self) {
        // After an error, the streams of those who watch end. They find it when they watch again.
        self.looking.take_if(|looking| looking.watchers.is_empty() || looking.look().is_err());
    }
}

impl Looking {
    fn begin(path: &Arc<Path>) -> Result<Looking, Error> {
        let database = Database::open(path)?;
        let appended = database::appended(&database.connection)?;
        Ok(Looking { database, appended, watchers: Watchers::new() })
    }

    /// Wakes those who watch a topic to which something was appended since the last time.
    fn look(&mut self) -> Result<(), Error> {
        if !self.database.is_current() {
            return Err(Error::new(Kind::CannotOpen, "another file has taken its place"));
        }
        let found = self.find()?;
        self.database.note(self.appended)?;
        match found {
            Some(wakes) => wakes.into_iter().for_each(|(topic, wake)| self.watchers.wake(&topic, wake)),
            None => self.watchers.wake_all(),
        }
        Ok(())
    }

    /// Finds what was appended since the last time to topics that somebody watches. `None` if it is much, or if some of
    /// it was removed since, so anything may have changed.
    fn find(&mut self) -> rusqlite::Result<Option<Vec<(String, Wake)>>> {
        let looking = self.database.connection.transaction_with_behavior(TransactionBehavior::Deferred)?;
        let before = self.appended;
        self.appended = database::appended(&looking)?;
        let (mut wakes, mut length, mut left) = (Vec::new(), 0, self.appended - before);
        if left == 0 {
            return Ok(Some(wakes));
        }
        if !(1..=MOST).contains(&left) {
            return Ok(None);
        }
        let watched = |row: &Row<'_>| {
            // Another program could have written any name.
            let name = row.get_ref(0).ok()?.as_str().ok()?;
            self.watchers.is_watched(name).then(|| name.to_owned())
        };
        let mut entries = looking.prepare_cached(
            "SELECT name, entries.epoch, entries.number, entries.id
             FROM eventwire_entries AS entries, eventwire_topics AS topics
             WHERE entries.id > ? AND topics.id = topic ORDER BY entries.id",
        )?;
        let mut event = looking.prepare_cached("SELECT event FROM eventwire_entries WHERE id = ?")?;
        let mut rows = entries.query([before])?;
        while let Some(row) = rows.next()? {
            left -= 1;
            let Some(topic) = watched(row) else { continue };
            let at = position(row.get(1)?, row.get(2)?);
            let bytes: Vec<u8> = event.query_row([row.get::<_, i64>(3)?], |row| row.get(0))?;
            length += bytes.len();
            wakes.push((topic, if length > MOST_BYTES { Wake::Changed } else { Wake::Entry(at, bytes.into()) }));
        }
        let mut ended = looking.prepare_cached("SELECT name FROM eventwire_topics WHERE ended > ?")?;
        let mut rows = ended.query([before])?;
        while let Some(row) = rows.next()? {
            left -= 1;
            wakes.extend(watched(row).map(|topic| (topic, Wake::Changed)));
        }
        Ok((left == 0).then_some(wakes))
    }
}
