//! The log.

use crate::{
    address::Address,
    connection::Connection,
    error::{Error, Kind},
    writer::Append,
};
use eventwire_hub::{Entry, Limit, Log, Page, StreamPosition, Topic, Wake};
use futures_core::stream::BoxStream;
use std::{
    fmt,
    sync::{Arc, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::{Mutex, oneshot};

/// Topics in Postgres: a [`Log`] for a [`Hub`](eventwire_hub::Hub).
///
/// A clone shares the connection, which is opened when it is first needed, and again after it has broken.
#[derive(Clone)]
pub struct PostgresLog {
    address: Address,
    max_events: Option<i64>,
    max_age: Option<Duration>,
    link: Arc<Link>,
}

/// The connection of all clones.
#[derive(Default)]
struct Link {
    /// The last attempt, if there was one, and when it was over.
    connection: Mutex<Option<(Instant, Result<Connection, Error>)>>,
    /// When old events were last removed.
    removed: std::sync::Mutex<Option<Instant>>,
}

/// How often each process removes old events of all topics.
const REMOVE: Duration = Duration::from_secs(60);

impl PostgresLog {
    /// Creates a log from a URL, such as `postgres://user:password@host:5432/database?sslmode=require`. Write an `@` in
    /// the password as `%40`.
    ///
    /// It does not connect yet, so a program can start before Postgres does. To find a wrong password at the start,
    /// call [`Hub::position`](eventwire_hub::Hub::position) once.
    ///
    /// # Errors
    ///
    /// If the URL is not one of Postgres, or if the certificates that it names cannot be read.
    pub fn open(url: &str) -> Result<PostgresLog, Error> {
        Ok(PostgresLog { address: Address::parse(url)?, max_events: None, max_age: None, link: Arc::default() })
    }

    /// Sets how many events of each topic are kept at least. By default, all are kept.
    ///
    /// Older ones are removed with appends to the topic, when there are 1,000 too many, or twice as many as are to be
    /// kept; and once a minute, those of all topics.
    #[must_use]
    pub fn with_max_events(mut self, events: usize) -> PostgresLog {
        self.max_events = Some(i64::try_from(events).unwrap_or(i64::MAX).max(1));
        self
    }

    /// Sets how old events may become. They are removed once a minute, also the newest event of a topic. By default,
    /// events are kept forever.
    #[must_use]
    pub fn with_max_age(mut self, age: Duration) -> PostgresLog {
        self.max_age = Some(age);
        self
    }

    /// Returns the connection, or opens one. Those who wait for the same attempt share its result.
    async fn connection(&self) -> Result<Connection, Error> {
        let since = Instant::now();
        let mut last = self.link.connection.lock().await;
        match &*last {
            Some((_, Ok(connection))) if connection.is_open() => return Ok(connection.clone()),
            Some((at, Err(error))) if *at >= since => return Err(error.clone()),
            _ => {}
        }
        let result = Connection::open(&self.address).await.map_err(Error::while_connecting);
        *last = Some((Instant::now(), result.clone()));
        result
    }

    /// Removes events that are too many or too old, if that is due.
    fn remove(&self, connection: &Connection) {
        let mut removed = self.link.removed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = removed.is_none_or(|removed| removed.elapsed() >= REMOVE);
        if !is_due || (self.max_events.is_none() && self.max_age.is_none()) {
            return;
        }
        *removed = Some(Instant::now());
        let (connection, max_events) = (connection.clone(), self.max_events);
        let max_age = self.max_age.map(|age| age.as_secs_f64());
        // If it fails, there is another time.
        tokio::spawn(async move { while connection.remove(max_events, max_age).await.is_ok_and(|count| count > 0) {} });
    }
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
            max_events: self.max_events,
            since,
            answer,
        });
        // Without an answer, the task that stores was ended, with its runtime.
        let result = answered.await.unwrap_or_else(|_| Err(Error::new(Kind::NoAnswer, "the runtime has ended")));
        self.remove(&connection);
        connection.check(result)
    }

    async fn read(&self, topic: &Topic, after: Option<StreamPosition>, limit: Limit) -> Result<Page, Error> {
        let connection = self.connection().await?;
        let page = connection.read(topic.as_str(), after, limit).await;
        self.remove(&connection);
        page
    }

    async fn watch(&self, topic: &Topic) -> Result<BoxStream<'static, Wake>, Error> {
        Ok(self.connection().await?.watch(topic.as_str()))
    }
}

/// Not the URL: it may have a password.
impl fmt::Debug for PostgresLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PostgresLog")
            .field("max_events", &self.max_events)
            .field("max_age", &self.max_age)
            .finish_non_exhaustive()
    }
}
