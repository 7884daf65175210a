//! A connection to one server, and those who watch topics on it.
//!
//! It consists of two TCP connections: one for appends, and one for pages and notifications. So an append that waits
//! for the disk, or for a lock, delays no reader.

use crate::{
    SCHEMA,
    address::{Address, Stream},
    error::{Error, Kind, describe},
    page,
    writer::{self, Append},
};
use eventwire_hub::{Limit, Page, StreamPosition, Wake, internal::Watchers};
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, future, stream};
use std::{
    hash::{BuildHasher, Hasher, RandomState},
    pin::pin,
    sync::{Arc, Weak},
    time::Duration,
};
use tokio::{sync::mpsc, time};
use tokio_postgres::{
    AsyncMessage, Client,
    error::SqlState,
    types::{ToSql, Type},
};

/// How long to wait for a connection.
pub(crate) const CONNECT: Duration = Duration::from_secs(3);
/// How long to wait for an answer.
pub(crate) const ANSWER: Duration = Duration::from_secs(5);
/// The same for the server.
const LIMIT: &str = "SET statement_timeout = '5s'";
/// How many bytes the events of a notification have, unless the first one has more.
const LARGE: usize = 1 << 20;
/// How many notifications are read at once.
const READS: usize = 32;
/// Why nothing is sent any more.
const BROKEN: &str = "the connection has just broken";
/// Begins a transaction that changes the tables, while no other one does.
const BEGIN: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT pg_advisory_xact_lock(hashtextextended('eventwire', 0))";
/// The steps from each version of the tables to the next one. The first one creates them.
const MIGRATIONS: &[&str] = &[SCHEMA];

/// One of a query.
pub(crate) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// When it breaks, there is another one, which is not this one: all that was watched has to be read again.
#[derive(Clone)]
pub(crate) struct Connection(Arc<Shared>);

struct Shared {
    reads: Client,
    appends: mpsc::UnboundedSender<Append>,
    /// By topic. They are closed when the connection has broken.
    watchers: Watchers,
}

/// A notification that somebody waits for.
struct Notice {
    topic: String,
    /// The position before the new entries.
    after: StreamPosition,
    /// How many there are.
    count: usize,
    has_ended: bool,
}

impl Connection {
    pub(crate) async fn open(address: &Address) -> Result<Connection, Error> {
        let watchers = Watchers::new();
        Connection::try_open(address, &watchers).await.inspect_err(|_| watchers.close())
    }

    async fn try_open(address: &Address, watchers: &Watchers) -> Result<Connection, Error> {
        let (notices, to_read) = mpsc::unbounded_channel();
        let (writes, reads) =
            future::try_join(connect(address, watchers, None), connect(address, watchers, Some(notices))).await?;
        let (appends, to_append) = mpsc::unbounded_channel();
        let connection = Connection(Arc::new(Shared { reads, appends, watchers: watchers.clone() }));
        tokio::spawn(hint(Arc::downgrade(&connection.0), to_read));

        // The server does not go on with what nobody waits for any more.
        in_time(writes.batch_execute(LIMIT)).await?;
        let channel = in_time(find_store(&writes)).await?;
        in_time(connection.0.reads.batch_execute(&format!("{LIMIT}; LISTEN {channel}"))).await?;
        // As if a topic had ended, whose name no topic has.
        let name = format!("\n{}", RandomState::new().build_hasher().finish());
        let mut wakes = connection.watch(&name);
        in_time(writes.batch_execute(&format!("NOTIFY {channel}, '1 0 0 t {name}'"))).await?;
        if !matches!(time::timeout(CONNECT, wakes.next()).await, Ok(Some(_))) {
            return Err(Error::connect(
                "notifications do not arrive. If this is PgBouncer, connect to Postgres itself, or set pool_mode = \
                 session: in transaction mode, LISTEN has no effect",
            ));
        }

        let watchers = watchers.clone();
        tokio::spawn(async move { writer::write(&writes, to_append, &watchers).await });
        Ok(connection)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.watchers.is_open()
    }

    /// Ends the connection after an error that does, and so the streams of those who watch.
    pub(crate) fn check<T>(&self, result: Result<T, Error>) -> Result<T, Error> {
        if result.as_ref().is_err_and(Error::ends_connection) {
            self.0.watchers.close();
        }
        result
    }

    /// Sends what is to be stored. Its answer comes elsewhere.
    pub(crate) fn append(&self, append: Append) {
        if let Err(error) = self.0.appends.send(append) {
            error.0.refuse(&Error::connect(BROKEN));
        }
    }

    pub(crate) async fn read(&self, topic: &str, after: Option<StreamPosition>, limit: Limit) -> Result<Page, Error> {
        self.check(in_time(page::read(&self.0.reads, topic, after, limit)).await)
    }

    /// Removes some of the events that are too many, or too old, in seconds. Returns how many.
    pub(crate) async fn remove(&self, max_events: Option<i64>, max_age: Option<f64>) -> Result<i64, Error> {
        let parameters: [Parameter<'_>; 2] = [(&max_events, Type::INT8), (&max_age, Type::FLOAT8)];
        Ok(in_time(self.0.reads.query_typed_one("SELECT eventwire_remove($1, $2)", &parameters)).await?.try_get(0)?)
    }

    /// Returns the wake-ups of a topic from now on.
    pub(crate) fn watch(&self, topic: &str) -> BoxStream<'static, Wake> {
        self.0.watchers.watch(topic, self.clone())
    }
}

/// Waits for an answer, but not for long.
pub(crate) async fn in_time<T, E: Into<Error>>(answer: impl Future<Output = Result<T, E>>) -> Result<T, Error> {
    match time::timeout(ANSWER, answer).await {
        Ok(result) => result.map_err(E::into),
        Err(_) => Err(Error::new(Kind::NoAnswer, "not in time")),
    }
}

/// Opens one connection of TCP, and starts the task that reads and writes it.
async fn connect(
    address: &Address,
    watchers: &Watchers,
    notices: Option<mpsc::UnboundedSender<Notice>>,
) -> Result<Client, Error> {
    let (client, connection) = address.connect().await?;
    tokio::spawn(run(connection, watchers.clone(), notices));
    Ok(client)
}

/// Reads and writes a socket until it breaks, or until the watchers are closed. Only one of the two sockets passes on
/// notifications: PgBouncer could bring them on the other one.
async fn run(mut connection: Stream, watchers: Watchers, notices: Option<mpsc::UnboundedSender<Notice>>) {
    // Anybody can notify under this name, too. Only `close` ends the stream.
    let closed = watchers.watch("", ()).for_each(|_| future::ready(()));
    let mut messages = stream::poll_fn(|cx| connection.poll_message(cx)).take_until(closed);
    while let Some(Ok(message)) = messages.next().await {
        if let AsyncMessage::Notification(notification) = message
            && let Some(notices) = &notices
            && let Some(notice) = notice(notification.payload())
            && watchers.is_watched(&notice.topic)
        {
            // The task that reads them ends only with the connection.
            let _ = notices.send(notice);
        }
    }
    watchers.close();
}

/// Finds the tables. If they are not of this version, makes them so. Returns the channel.
async fn find_store(client: &Client) -> Result<String, Error> {
    let about = "SELECT pg_is_in_recovery(), current_setting('server_encoding')";
    let about = client.query_typed_one(about, &[]).await?;
    if about.try_get(0)? {
        return Err(Error::connect("the server is a standby"));
    }
    let encoding: &str = about.try_get(1)?;
    if encoding != "UTF8" {
        return Err(Error::connect(&format!("the encoding of the database is {encoding}, and events are UTF-8")));
    }
    if !find_steps(client).await?.is_empty() {
        client.batch_execute(BEGIN).await?;
        // Somebody else may just have done it.
        for step in find_steps(client).await? {
            client.batch_execute(step).await.map_err(|error| match error.code() {
                Some(&(SqlState::INSUFFICIENT_PRIVILEGE | SqlState::INVALID_SCHEMA_NAME)) => Error::connect(&format!(
                    "the tables do not exist, and cannot be created: {}. Run eventwire_postgres::SCHEMA as a role that \
                     may create them",
                    describe(&error)
                )),
                _ => error.into(),
            })?;
        }
        client.batch_execute("COMMIT").await?;
    }
    let channel = "SELECT 'eventwire_' || 'eventwire_topics'::regclass::oid";
    Ok(client.query_typed_one(channel, &[]).await?.try_get(0)?)
}

/// Returns what leads from the tables that are there to those of this version.
async fn find_steps(client: &Client) -> Result<&'static [&'static str], Error> {
    // Not `to_regclass`, which may know only what was there when the transaction began.
    let are_there = "SELECT EXISTS (
        SELECT FROM pg_tables WHERE tablename = 'eventwire_log' AND schemaname = ANY (current_schemas(false)))";
    let version = if client.query_typed_one(are_there, &[]).await?.try_get(0)? {
        client.query_typed_one("SELECT version FROM eventwire_log", &[]).await?.try_get::<_, i32>(0)?
    } else {
        0
    };
    usize::try_from(version).ok().and_then(|version| MIGRATIONS.get(version..)).ok_or_else(|| {
        Error::connect(&format!(
            "the tables are of version {version}, and this release of eventwire-postgres knows version {}: use a newer \
             release",
            MIGRATIONS.len()
        ))
    })
}

/// Reads what `eventwire_append_all` notifies.
fn notice(payload: &str) -> Option<Notice> {
    let [epoch, number, count, has_ended, topic] = payload.splitn(5, ' ').collect::<Vec<_>>().try_into().ok()?;
    Some(Notice {
        topic: topic.to_owned(),
        after: StreamPosition::new(epoch.parse().ok()?, number.parse().ok()?),
        count: count.parse().ok()?,
        has_ended: has_ended == "t",
    })
}

/// Reads the entries of notifications, and wakes those who watch. A notification has no room for an event.
async fn hint(shared: Weak<Shared>, notices: mpsc::UnboundedReceiver<Notice>) {
    let notices = stream::unfold(notices, async |mut notices| Some((notices.recv().await?, notices)));
    // The queries do not wait for each other, and their answers come in order.
    let read = notices.map(|notice| {
        let connection = shared.upgrade().map(Connection);
        async move {
            let (connection, mut wakes) = (connection?, Vec::new());
            if notice.count > 0 {
                // More than that would not wait for one who watches.
                let limit = Limit { entries: notice.count.min(Watchers::WAITING - 1), bytes: LARGE };
                let page = connection.read(&notice.topic, Some(notice.after), limit).await;
                // If they are gone, with their topic, the page has what came later. It must not look like the first
                // event.
                let (after, last) = (notice.after, notice.after.sequence().saturating_add(notice.count as u64));
                let is_new = |at: StreamPosition| at.epoch() == after.epoch() && at.sequence() <= last;
                let entries = page.into_iter().flat_map(|page| page.entries).filter(|(at, _)| is_new(*at));
                wakes.extend(entries.map(|(at, event)| Wake::Entry(at, event)));
            }
            if notice.has_ended || wakes.len() < notice.count {
                wakes.push(Wake::Changed);
            }
            Some((connection, notice.topic, wakes))
        }
    });
    let mut read = pin!(read.buffered(READS));
    while let Some(Some((connection, topic, wakes))) = read.next().await {
        wakes.into_iter().for_each(|wake| connection.0.watchers.wake(&topic, wake));
    }
}
