//! The thread that writes.

use crate::{
    database::{self, Database, PATIENCE},
    error::Error,
    page::position,
    retention::Retention,
};
use bytes::Bytes;
use eventwire_hub::{StreamPosition, Topic};
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior};
use std::{
    collections::BTreeSet,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tokio::{
    sync::{Notify, mpsc, oneshot},
    time,
};

/// What a power cut may lose. Nothing that was accepted is lost if only the process ends, also if it is killed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Nothing that was accepted: each commit waits until the disk has stored it.
    #[default]
    Full,
    /// The last events. A commit does not wait for the disk, so it is faster. When the file is opened after a power
    /// cut, all topics begin a new epoch, and readers get a gap event.
    Normal,
}

/// What the log is set to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) durability: Durability,
    pub(crate) retention: Retention,
}

/// An entry, and who waits for its position.
pub(crate) type Request = (Append, oneshot::Sender<Result<Option<StreamPosition>, Error>>);

pub(crate) struct Append {
    pub(crate) topic: Topic,
    /// `None` is the end.
    pub(crate) event: Option<Bytes>,
    pub(crate) key: Option<Box<[u8]>>,
}

/// How many requests one transaction has at most.
const MOST: usize = 256;
/// How often to look for events that are too old or too many.
const RETENTION: Duration = Duration::from_secs(2);
/// For how long events are removed, before those who append have their turn.
const REMOVING: Duration = Duration::from_millis(50);

pub(crate) struct Writer {
    path: Arc<Path>,
    /// `None` if it could not be opened again.
    database: Option<Database>,
    settings: Arc<Mutex<Settings>>,
    /// What the connection is set to.
    durability: Durability,
    committed: Arc<Notify>,
    /// When to look for events that are too old or too many.
    remove_at: Instant,
}

impl Writer {
    pub(crate) fn new(database: Database, settings: Arc<Mutex<Settings>>, committed: Arc<Notify>) -> Writer {
        let path = Arc::clone(&database.path);
        let (durability, remove_at) = (Durability::Full, Instant::now());
        Writer { path, database: Some(database), settings, durability, committed, remove_at }
    }

    /// Writes until nobody can ask for anything any more, and closes the file.
    pub(crate) async fn run(mut self, mut requests: mpsc::Receiver<Request>) {
        let mut gathered = Vec::new();
        loop {
            match time::timeout_at(self.remove_at.into(), requests.recv_many(&mut gathered, MOST)).await {
                Ok(0) => break,
                Ok(_) => self.write(gathered.drain(..)),
                Err(_) => {}
            }
            if self.remove_at <= Instant::now() {
                // If there is more, those who ask come first. If it fails now, it may not the next time.
                let is_more = self.remove().unwrap_or(false);
                self.remove_at = Instant::now() + if is_more { Duration::ZERO } else { RETENTION };
            }
        }
        if let Some(database) = self.database {
            database.close();
        }
    }

    fn settings(&self) -> Settings {
        *self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the connection, to the file that is there now.
    fn database(&mut self) -> Result<&mut Database, Error> {
        let durability = self.settings().durability;
        let database = match self.database.take().filter(Database::is_current) {
            Some(database) => database,
            None => {
                self.durability = Durability::Full;
                Database::open(&self.path)?
            }
        };
        let database = self.database.insert(database);
        if durability != self.durability {
            database.set_durability(durability)?;
            self.durability = durability;
        }
        Ok(database)
    }

    /// Removes what is too old or too much, of all topics: events get old, and other programs append without removing
    /// anything. Returns whether there may be more.
    fn remove(&mut self) -> Result<bool, Error> {
        let retention = self.settings().retention;
        if retention.keeps_all() {
            return Ok(false);
        }
        let connection = &self.database()?.connection;
        let mut names = connection.prepare_cached("SELECT name FROM eventwire_topics")?;
        let names: Vec<String> = names.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let started = Instant::now();
        for topic in names {
            if retention.apply(connection, &topic)? || started.elapsed() > REMOVING {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Writes a group in one transaction, so that all of it waits for the disk once.
    fn write(&mut self, group: impl Iterator<Item = Request>) {
        // One who has stopped waiting, or was told that it took too long, does not want it any more.
        let (appends, answers): (Vec<_>, Vec<_>) = group.filter(|(_, answer)| !answer.is_closed()).unzip();
        if appends.is_empty() {
            return;
        }
        let retention = self.settings().retention;
        let results = self.database().and_then(|database| append_all(database, &appends, retention));
        self.committed.notify_one();
        if results.is_err() {
            // Whatever was wrong with it, the next one opens it again.
            self.database = None;
        }
        // One who has stopped waiting does not take the answer.
        match results {
            Ok(results) => answers.into_iter().zip(results).for_each(|(answer, result)| _ = answer.send(result)),
            Err(error) => answers.into_iter().for_each(|answer| _ = answer.send(Err(error.clone()))),
        }
    }
}

type Results = Vec<Result<Option<StreamPosition>, Error>>;

fn append_all(database: &mut Database, appends: &[Append], retention: Retention) -> Result<Results, Error> {
    let writing = database.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut results = Vec::with_capacity(appends.len());
    let mut topics = BTreeSet::new();
    for append in appends {
        results.push(match try_append(&writing, append) {
            Ok(at) => Ok(at),
            // Only this one is refused: SQLite takes back what it has done.
            Err(error) if is_refusal(&error) => Err(error.into()),
            // Dropped here, the transaction does nothing.
            Err(error) => return Err(error.into()),
        });
        topics.insert(&append.topic);
    }
    for topic in topics {
        retention.apply(&writing, topic.as_str())?;
    }
    let appended = database::appended(&writing)?;
    writing.commit().map_err(|error| Error::from(error).while_committing())?;
    database.note(appended).map_err(Error::although_stored)?;
    Ok(results)
}

fn is_refusal(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{ConstraintViolation, TooBig};
    matches!(error.sqlite_error_code(), Some(ConstraintViolation | TooBig))
}

/// Appends, unless the key is known or the topic has ended. What that means is said in `schema.sql`.
fn try_append(connection: &Connection, append: &Append) -> rusqlite::Result<Option<StreamPosition>> {
    let Append { topic, event, key } = append;
    let (name, key) = (topic.as_str(), key.as_deref());
    let mut insert =
        connection.prepare_cached("INSERT INTO eventwire_append_block (topic, event, key) VALUES (?, ?, ?)")?;
    if let Err(error) = insert.execute((name, event.as_deref(), key)) {
        let has_ended = "SELECT EXISTS (SELECT 1 FROM eventwire_topics WHERE name = ? AND ended IS NOT NULL)";
        let has_ended = is_refusal(&error) && connection.query_row(has_ended, [name], |row| row.get(0))?;
        return if has_ended { Ok(None) } else { Err(error) };
    }
    let at_key = "SELECT epoch, number FROM eventwire_keys
         WHERE key = ?2 AND topic = (SELECT id FROM eventwire_topics WHERE name = ?1)";
    let position_of = |row: &Row<'_>| Ok(position(row.get(0)?, row.get(1)?));
    let mut known = None;
    if key.is_some() {
        known = connection.prepare_cached(at_key)?.query_row((name, key), position_of).optional()?;
    }
    if known.is_none() {
        let at_tail = "SELECT epoch, number FROM eventwire_topics WHERE name = ?";
        known = Some(connection.prepare_cached(at_tail)?.query_row([name], position_of)?);
    }
    Ok(known)
}

/// How long an answer may take: a transaction may wait for another program, and there may be another one before it.
pub(crate) const ANSWER: Duration = PATIENCE.saturating_mul(3);
