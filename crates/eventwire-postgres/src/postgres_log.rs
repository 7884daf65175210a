//! The log.

use crate::{
    address::Address,
    connection::{Connection, Parameter},
    error::Error,
    writer::Append,
};
use bytes::Bytes;
use eventwire_hub::{Entry, Limit, Log, Page, StreamPosition, Topic, Wake};
use futures_core::stream::BoxStream;
use std::{
    fmt,
    sync::{
        Arc, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};
use tokio::sync::{Mutex, oneshot};
use tokio_postgres::{Row, types::Type};

/// Topics in Postgres: a [`Log`] for a [`Hub`](eventwire_hub::Hub).
///
/// A clone shares the connection, which is opened when it is first needed, and again after it has broken.
#[derive(Clone)]
pub struct PostgresLog {
    address: Address,
    settings: Settings,
    link: Arc<Link>,
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    max_events: Option<i64>,
    max_age: Option<Duration>,
}

/// The connection of all clones.
struct Link {
    state: Mutex<State>,
    /// How often a connection was attempted.
    attempts: AtomicU64,
    /// When old events were last removed.
    removed: std::sync::Mutex<Option<Instant>>,
}

enum State {
    None,
    Open(Connection),
    Failed(Error),
}

/// How often each process removes old events of all topics.
const REMOVE: Duration = Duration::from_secs(60);

impl PostgresLog {
    /// Creates a log from a URL, such as `postgres://user:password@host:5432/database?sslmode=require`. It does not
    /// connect yet, so a program can start before Postgres does.
    ///
    /// # Errors
    ///
    /// If the URL is not one of Postgres, or if the certificates that it names cannot be read.
    pub fn open(url: &str) -> Result<PostgresLog, Error> {
        Ok(PostgresLog {
            address: Address::parse(url)?,
            settings: Settings { max_events: None, max_age: None },
            link: Arc::new(Link {
                state: Mutex::new(State::None),
                attempts: AtomicU64::new(0),
                removed: std::sync::Mutex::default(),
            }),
        })
    }

    /// Sets how many events of each topic are kept at least. By default, all are kept.
    ///
    /// Older ones are removed with appends to the topic, when there are 1,000 too many, or twice as many as are to be
    /// kept; and once a minute, those of all topics.
    #[must_use]
    pub fn with_max_events(mut self, events: usize) -> PostgresLog {
        self.settings.max_events = Some(count(events).max(1));
        self
    }

    /// Sets how old events may become. They are removed once a minute, also the newest event of a topic. By default,
    /// events are kept forever.
    #[must_use]
    pub fn with_max_age(mut self, age: Duration) -> PostgresLog {
        self.settings.max_age = Some(age);
        self
    }

    /// Returns the connection, or opens one. Those who wait for the same attempt share its result.
    async fn connection(&self) -> Result<Connection, Error> {
        let attempts = self.link.attempts.load(Relaxed);
        let mut state = self.link.state.lock().await;
        match &*state {
            State::Open(connection) if connection.is_open() => return Ok(connection.clone()),
            State::Failed(error) if self.link.attempts.load(Relaxed) != attempts => return Err(error.clone()),
            _ => {}
        }
        let result = Connection::open(&self.address).await;
        self.link.attempts.fetch_add(1, Relaxed);
        *state = match &result {
            Ok(connection) => State::Open(connection.clone()),
            Err(error) => State::Failed(error.clone()),
        };
        result
    }

    /// Replaces the connection after an error that ends it.
    async fn check<T>(&self, connection: &Connection, result: Result<T, Error>) -> Result<T, Error> {
        if let Err(error) = &result
            && error.ends_connection()
        {
            connection.close();
            let mut state = self.link.state.lock().await;
            if matches!(&*state, State::Open(open) if open.is(connection)) {
                *state = State::None;
            }
        }
        result
    }

    /// Removes events that are too many or too old, if that is due.
    fn remove(&self, connection: &Connection) {
        let Settings { max_events, max_age } = self.settings;
        if max_events.is_none() && max_age.is_none() {
            return;
        }
        let mut removed = self.link.removed.lock().unwrap_or_else(PoisonError::into_inner);
        if removed.is_some_and(|removed| removed.elapsed() < REMOVE) {
            return;
        }
        *removed = Some(Instant::now());
        let connection = connection.clone();
        let max_age = max_age.map(|age| age.as_secs_f64());
        tokio::spawn(async move {
            const SOME: &str = "SELECT eventwire_remove($1, $2)";
            let parameters: [Parameter<'_>; 2] = [(&max_events, Type::INT8), (&max_age, Type::FLOAT8)];
            // If it fails, there is another time.
            while let Ok(rows) = connection.query(SOME, &parameters).await
                && rows.first().is_some_and(|row| row.get::<_, i64>(0) > 0)
            {}
        });
    }

    async fn try_read(
        &self,
        connection: &Connection,
        topic: &Topic,
        after: Option<StreamPosition>,
        limit: Limit,
    ) -> Result<Page, Error> {
        // One statement, so all is of one moment.
        const READ: &str = "SELECT t.epoch, t.number, t.ended, e.epoch, e.number, e.event
            FROM eventwire_topics t LEFT JOIN LATERAL (
                SELECT * FROM (
                    SELECT f.*, sum(octet_length(f.event)) OVER (ORDER BY f.epoch, f.number) AS bytes FROM (
                        SELECT epoch, number, event FROM eventwire_entries
                        WHERE topic = $1 AND (epoch, number) > ($2, $3) AND (epoch, number) <= (t.epoch, t.number)
                        ORDER BY epoch, number LIMIT $4
                    ) f
                ) s WHERE s.bytes <= $5 OR s.bytes = octet_length(s.event)
            ) e ON true
            WHERE t.name = $1 ORDER BY e.epoch, e.number";
        let after = after.unwrap_or(StreamPosition::new(0, 0));
        let (epoch, number) = (clamp(after.epoch()), clamp(after.sequence()));
        let rows = connection
            .query(
                READ,
                &[
                    (&topic.as_str(), Type::TEXT),
                    (&epoch, Type::INT8),
                    (&number, Type::INT8),
                    (&count(limit.entries), Type::INT8),
                    (&count(limit.bytes), Type::INT8),
                ],
            )
            .await?;
        page(&rows).map_err(|error| Error::unexpected(&error.to_string()))
    }
}

/// A part of a position as Postgres has it: its numbers are signed. Somebody has made up a greater one.
fn clamp(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn page(rows: &[Row]) -> Result<Page, tokio_postgres::Error> {
    let Some(row) = rows.first() else {
        return Ok(Page { entries: Vec::new(), tail: StreamPosition::new(0, 0), finished: false });
    };
    let at = |epoch: i64, number: i64| StreamPosition::new(epoch as u64, number as u64);
    let tail = at(row.try_get(0)?, row.try_get(1)?);
    let finished = row.try_get(2)?;
    let mut entries: Vec<(StreamPosition, Bytes)> = Vec::with_capacity(rows.len());
    for row in rows {
        // A topic without entries is one row without an entry.
        let Some(epoch) = row.try_get(3)? else { break };
        let at = at(epoch, row.try_get(4)?);
        // A page is of one epoch and ends before a hole, and the next page begins after it, so the hub finds what is
        // missing.
        let is_next = |last: StreamPosition| (last.epoch(), last.sequence() + 1) == (at.epoch(), at.sequence());
        if entries.last().is_some_and(|(last, _)| !is_next(*last)) {
            break;
        }
        entries.push((at, Bytes::copy_from_slice(row.try_get(5)?)));
    }
    Ok(Page { entries, tail, finished })
}

impl Log for PostgresLog {
    type Error = Error;
    type Wakes = BoxStream<'static, Wake>;

    async fn append(
        &self,
        topic: &Topic,
        entry: Entry<'_>,
        key: Option<&str>,
    ) -> Result<Option<StreamPosition>, Error> {
        let since = Instant::now();
        let connection = self.connection().await?;
        let event = if let Entry::Event(event) = entry { Some(event.clone().into_bytes()) } else { None };
        let (answer, answered) = oneshot::channel();
        connection.append(Append {
            topic: topic.clone(),
            event,
            key: key.map(|key| key.as_bytes().into()),
            max_events: self.settings.max_events,
            since,
            answer,
        });
        // Without an answer, the task that stores was ended, with its runtime.
        let result = answered.await.unwrap_or_else(|_| Err(Error::no_answer("the runtime has ended")));
        self.remove(&connection);
        self.check(&connection, result).await
    }

    async fn read(&self, topic: &Topic, after: Option<StreamPosition>, limit: Limit) -> Result<Page, Error> {
        let connection = self.connection().await?;
        let result = self.try_read(&connection, topic, after, limit).await;
        self.remove(&connection);
        self.check(&connection, result).await
    }

    async fn watch(&self, topic: &Topic) -> Result<BoxStream<'static, Wake>, Error> {
        let connection = self.connection().await?;
        let result = connection.watch(topic.as_str());
        self.check(&connection, result).await
    }
}

/// Not the URL: it may have a password.
impl fmt::Debug for PostgresLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresLog").field("settings", &self.settings).finish_non_exhaustive()
    }
}
