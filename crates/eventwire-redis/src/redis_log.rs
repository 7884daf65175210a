//! The log.

use crate::{
    connection::{self, Connection},
    error::Error,
};
use bytes::Bytes;
use eventwire_hub::{Entry, Limit, Log, Page, StreamPosition, Topic, Wake};
use futures_core::stream::BoxStream;
use futures_util::future;
use redis::{Client, IntoConnectionInfo, ProtocolVersion, Script, io::tcp::TcpSettings};
use std::{
    fmt,
    hash::{BuildHasher, Hasher, RandomState},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::sync::Mutex;

/// Topics in Redis: a [`Log`] for a [`Hub`](eventwire_hub::Hub).
///
/// A clone shares the connection, which is opened when it is first needed, and again after it has broken.
#[derive(Clone)]
pub struct RedisLog {
    client: Client,
    settings: Settings,
    append: Script,
    link: Arc<Link>,
}

#[derive(Clone, Debug)]
struct Settings {
    prefix: Arc<str>,
    max_events: usize,
    expiry: Option<Duration>,
}

/// The connection of all clones.
struct Link {
    state: Mutex<State>,
    /// How often a connection was attempted.
    attempts: AtomicU64,
}

enum State {
    None,
    Open(Connection),
    Failed(Error),
}

impl RedisLog {
    /// Creates a log from a URL, such as `redis://user:password@host:6379/0` or `redis+unix:///run/redis.sock`. It does
    /// not connect yet, so a program can start before Redis does.
    ///
    /// # Errors
    ///
    /// If the URL is not one of Redis.
    pub fn open(url: &str) -> Result<RedisLog, Error> {
        let info = url.into_connection_info().map_err(Error::connect)?;
        let redis = info.redis_settings().clone().set_protocol(ProtocolVersion::RESP3);
        let tcp = TcpSettings::default().set_nodelay(true);
        let client = Client::open(info.set_redis_settings(redis).set_tcp_settings(tcp)).map_err(Error::connect)?;
        Ok(RedisLog {
            client,
            settings: Settings { prefix: "eventwire".into(), max_events: 10_000, expiry: None },
            append: Script::new(include_str!("append.lua")),
            link: Arc::new(Link { state: Mutex::new(State::None), attempts: AtomicU64::new(0) }),
        })
    }

    /// Sets how the names of all keys and channels begin, by default with `eventwire`. Give each application that uses
    /// the same Redis another prefix: channels are the same in all of its databases.
    #[must_use]
    pub fn with_prefix(mut self, prefix: &str) -> RedisLog {
        self.settings.prefix = prefix.into();
        self
    }

    /// Sets how many events of each topic are kept at least, 10,000 by default. Redis removes older ones when it can
    /// remove many at once, so there can be some hundred more.
    #[must_use]
    pub fn with_max_events(mut self, events: usize) -> RedisLog {
        self.settings.max_events = events;
        self
    }

    /// Removes a topic for which nothing was sent for this time, in whole milliseconds. By default, topics are kept
    /// forever.
    ///
    /// If a topic goes on after that, it does so in another epoch, and its readers get a gap event.
    #[must_use]
    pub fn with_expiry(mut self, time: Duration) -> RedisLog {
        self.settings.expiry = Some(time.max(Duration::from_millis(1)));
        self
    }

    fn key(&self, kind: &str, topic: &Topic) -> String {
        // In a cluster, all keys of a topic are on one server, because they have the same text in braces.
        format!("{}:{kind}:{{{topic}}}", self.settings.prefix)
    }

    /// The key for the position of an entry that has a name. The length keeps those of different topics apart.
    fn name_key(&self, topic: &Topic, name: &str) -> String {
        format!("{}:key:{}:{{{topic}}}{name}", self.settings.prefix, topic.as_str().len())
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
        let result = Connection::open(&self.client).await.map_err(Error::connect);
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

    async fn try_append(
        &self,
        connection: &Connection,
        topic: &Topic,
        entry: Entry<'_>,
        key: Option<&str>,
    ) -> Result<Option<StreamPosition>, Error> {
        let mut script = self.append.prepare_invoke();
        script.key(self.key("stream", topic)).key(self.key("topic", topic));
        if let Some(name) = key {
            script.key(self.name_key(topic, name));
        }
        let event: &[u8] = if let Entry::Event(event) = entry { event.as_ref() } else { b"" };
        let expiry = self.settings.expiry.map_or(0, |time| time.as_millis().min(1 << 50) as u64);
        script.arg(&*connection.run).arg(event).arg(count(self.settings.max_events)).arg(expiry);
        script.arg(self.key("wakes", topic)).arg(format!("{:010}", random() % 10_000_000_000));
        let at: Option<String> = script.invoke_async(&mut connection.redis.clone()).await.map_err(Error::command)?;
        let Some(at) = at else { return Ok(None) };
        connection::position(&at).map(Some).ok_or_else(|| Error::unexpected("the position of an event is no position"))
    }

    async fn try_read(
        &self,
        connection: &Connection,
        topic: &Topic,
        after: Option<StreamPosition>,
        limit: Limit,
    ) -> Result<Page, Error> {
        type About = (Option<String>, Option<u64>, Option<u64>, Option<u8>);
        type Entries = Vec<(String, Vec<Bytes>)>;
        let stream = self.key("stream", topic);
        let mut redis = connection.redis.clone();
        // Not a transaction: when its memory is full, Redis refuses even one that only reads. So something may be
        // appended in between. The entries come last, because they then show it.
        let mut pipe = redis::pipe();
        pipe.cmd("HMGET").arg(self.key("topic", topic)).arg(&["run", "epoch", "number", "ended"]);
        pipe.cmd("XREVRANGE").arg(&stream).arg("+").arg("-").arg("COUNT").arg(1);
        let ((run, epoch, number, ended), last): (About, Entries) =
            pipe.query_async(&mut redis).await.map_err(Error::command)?;
        let mut entries = Entries::new();
        let mut from = after.map_or_else(
            || "-".to_owned(),
            |after| format!("{}-{}", after.epoch(), after.sequence().saturating_add(1)),
        );
        // How large entries are is known only when they are here. So there are few at first, and then as many as would
        // fit if they had the size of those that are here.
        let mut bytes = 0_usize;
        while entries.len() < limit.entries && (entries.is_empty() || bytes < limit.bytes) {
            let fit = (limit.bytes - bytes.min(limit.bytes)).saturating_mul(entries.len()) / bytes.max(1);
            let count = if entries.is_empty() { FEW } else { fit.clamp(1, MANY) }.min(limit.entries - entries.len());
            let mut range = redis::cmd("XRANGE");
            range.arg(&stream).arg(&from).arg("+").arg("COUNT").arg(count);
            let found: Entries = range.query_async(&mut redis).await.map_err(Error::command)?;
            let is_all = found.len() < count;
            for entry in found {
                bytes = bytes.saturating_add(entry.1.iter().skip(1).map(Bytes::len).sum());
                if bytes <= limit.bytes || entries.is_empty() {
                    entries.push(entry);
                }
            }
            let last = entries.last().and_then(|(id, _)| connection::position(id));
            match last.and_then(|at| Some((at.epoch(), at.sequence().checked_add(1)?))) {
                Some((epoch, next)) if !is_all => from = format!("{epoch}-{next}"),
                _ => break,
            }
        }

        // An ID without a number or an epoch is that of another program.
        let position = |id: &str| connection::position(id).filter(|at| at.epoch() != 0 && at.sequence() != 0);
        let mut entries: Vec<_> =
            entries.into_iter().filter_map(|(id, fields)| Some((position(&id)?, fields))).collect();
        // What is known about the topic can be evicted without the stream, and the other way round.
        let known = epoch.zip(number).map(|(epoch, number)| StreamPosition::new(epoch, number));
        let stored = [last.last().and_then(|(id, _)| position(id)), entries.last().map(|(at, _)| *at)];
        let stored = stored.into_iter().flatten().max_by_key(|at| (at.epoch(), at.sequence()));
        let tail = match (known, stored) {
            (Some(known), Some(at)) if known.epoch() == at.epoch() && known.sequence() >= at.sequence() => Some(known),
            _ => stored.or(known),
        };
        let tail = tail.unwrap_or(StreamPosition::new(0, 0));
        // Redis finds no entry after a later epoch. This is right if that one was lost, with a failover: the reader may
        // have had everything that is left. But if it is in the future, the clock was set back, or somebody has made it
        // up. The tail's epoch is then the later one, if this server has begun it.
        if let Some(after) = after.filter(|after| limit.entries > 0 && after.epoch() > tail.epoch())
            && known.is_some_and(|known| known.epoch() == tail.epoch())
            && run.as_deref() == Some(&*connection.run)
        {
            let time = redis::cmd("TIME").query_async(&mut connection.redis.clone()).await;
            let (seconds, micros): (u64, u64) = time.map_err(Error::command)?;
            if time_of(after.epoch()) > seconds * 100_000 + micros / 10 {
                return Box::pin(self.try_read(connection, topic, None, limit)).await;
            }
        }
        // Other programs can add and remove entries. A page is of one epoch and ends before a hole, and the next page
        // begins after it, so the hub finds what is missing. The tail is what is the newest, also if it is of another
        // epoch: otherwise the hub would not ask for the next page.
        if let Some(&(first, _)) = entries.first() {
            entries.retain(|(at, _)| at.epoch() == first.epoch());
            let is_next = |(index, (at, _)): &(usize, &(StreamPosition, _))| {
                at.sequence().checked_sub(first.sequence()) == Some(*index as u64)
            };
            let before_hole = entries.iter().enumerate().take_while(is_next).count();
            entries.truncate(before_hole);
        }
        let event = |fields| match <[Bytes; 2]>::try_from(fields) {
            Ok([name, event]) if name == "e" => event,
            // Not written by this crate: no event.
            _ => Bytes::new(),
        };
        let entries = entries.into_iter().map(|(at, fields)| (at, event(fields))).collect();
        // Another epoch may have begun in between.
        let finished = ended.is_some() && Some(tail.epoch()) == known.map(StreamPosition::epoch);
        Ok(Page { entries, tail, finished })
    }
}

/// How many entries are read at first, and how many at once.
const FEW: usize = 16;
const MANY: usize = 1000;

/// Returns when an epoch began, in units of 10 µs, as `append.lua` makes it: four random digits follow.
fn time_of(epoch: u64) -> u64 {
    epoch / 10_000
}

/// As the standard library seeds its hash maps.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A number of entries that Redis accepts: its numbers are signed. At 0, the newest one would go, too.
fn count(entries: usize) -> usize {
    entries.clamp(1, isize::MAX as usize)
}

impl Log for RedisLog {
    type Error = Error;
    type Wakes = BoxStream<'static, Wake>;

    async fn append(
        &self,
        topic: &Topic,
        entry: Entry<'_>,
        key: Option<&str>,
    ) -> Result<Option<StreamPosition>, Error> {
        let connection = self.connection().await?;
        let result = self.try_append(&connection, topic, entry, key).await;
        self.check(&connection, result).await
    }

    async fn read(&self, topic: &Topic, after: Option<StreamPosition>, limit: Limit) -> Result<Page, Error> {
        let connection = self.connection().await?;
        let reading = self.try_read(&connection, topic, after, limit);
        let (result, ()) = future::join(reading, connection.check()).await;
        self.check(&connection, result).await
    }

    async fn watch(&self, topic: &Topic) -> Result<BoxStream<'static, Wake>, Error> {
        let connection = self.connection().await?;
        let result = connection.watch(&self.key("wakes", topic)).await;
        self.check(&connection, result).await
    }
}

/// Not the URL: it may have a password.
impl fmt::Debug for RedisLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisLog").field("settings", &self.settings).finish_non_exhaustive()
    }
}
