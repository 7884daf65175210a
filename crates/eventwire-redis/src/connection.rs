//! A connection to one server, and those who watch topics on it.
//!
//! It consists of two TCP connections. Redis limits how much waits for a client that has subscribed to a channel, by default to 32 MB,
//! and closes its connection beyond that. Pages can be larger, so the answers to commands have their own connection.

use crate::error::Error;
use bytes::Bytes;
use eventwire_hub::{StreamPosition, Wake, internal::Watchers};
use futures_core::stream::BoxStream;
use redis::{
    AsyncConnectionConfig, Client, ErrorKind, FromRedisValue, PushInfo, PushKind, RedisResult, Value,
    aio::MultiplexedConnection,
};
use std::{
    convert::Infallible,
    mem, str,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{runtime::Handle, sync};

/// How long to wait for a connection.
const CONNECT: Duration = Duration::from_secs(3);
/// How long to wait for an answer.
const ANSWER: Duration = Duration::from_secs(5);
/// How often to check a connection.
const CHECK: Duration = Duration::from_secs(5);

/// A connection to one server. When it breaks, there is another one, which is not this one: all that was watched has to
/// be read again.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(crate) redis: MultiplexedConnection,
    wakes: MultiplexedConnection,
    /// Which server it is, and which start of it.
    pub(crate) run: Arc<str>,
    /// By channel. They are closed when the connection has broken.
    watchers: Watchers,
    shared: Arc<Shared>,
}

struct Shared {
    /// Shared by those who subscribe, and held alone while channels are unsubscribed, so that the last one who does it
    /// is right. After a connection has broken, a thousand topics are subscribed at once.
    subscribing: sync::RwLock<()>,
    /// Channels that somebody has left, and that may be unwatched. They are unsubscribed together.
    left: Mutex<Vec<String>>,
    checked: Mutex<Instant>,
}

impl Connection {
    pub(crate) async fn open(client: &Client) -> RedisResult<Connection> {
        let watchers = Watchers::new();
        let pushed = watchers.clone();
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT))
            .set_response_timeout(Some(ANSWER))
            .set_push_sender(move |push| {
                wake(&pushed, push);
                Ok::<_, Infallible>(())
            });
        let connect = async || client.get_multiplexed_async_connection_with_config(&config).await;
        let (mut redis, mut wakes) = (connect().await?, connect().await?);
        let (run, other) = (server(&mut redis).await?, server(&mut wakes).await?);
        if run.is_none() || other.is_none() {
            return Err((ErrorKind::Io, "the server is a replica").into());
        }
        let Some(run) = run.filter(|run| Some(run) == other.as_ref()) else {
            return Err((ErrorKind::Io, "the server has just been replaced").into());
        };
        let shared = Arc::new(Shared {
            subscribing: sync::RwLock::default(),
            left: Mutex::default(),
            checked: Mutex::new(Instant::now()),
        });
        Ok(Connection { redis, wakes, run, watchers, shared })
    }

    /// Whether it is the same connection.
    pub(crate) fn is(&self, other: &Connection) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.watchers.is_open()
    }

    /// Ends the streams of those who watch.
    pub(crate) fn close(&self) {
        self.watchers.close();
    }

    /// Closes it if there are no wake-ups any more, or if the server has become a replica, which looks in both cases as
    /// if nothing happened. Does nothing if that was checked recently.
    pub(crate) async fn check(&self) {
        if self.shared.is_check_due() {
            match server(&mut self.wakes.clone()).await {
                Ok(Some(run)) if run == self.run => {}
                _ => self.close(),
            }
        }
    }

    /// Returns the wake-ups on a channel from now on.
    pub(crate) async fn watch(&self, channel: &str) -> Result<BoxStream<'static, Wake>, Error> {
        let subscribing = self.shared.subscribing.read().await;
        let leaving = Leaving { connection: self.clone(), channel: channel.to_owned() };
        let wakes = self.watchers.watch(channel, leaving);
        self.wakes.clone().subscribe(channel).await.map_err(Error::command)?;
        drop(subscribing);
        Ok(wakes)
    }
}

/// Returns the run ID of the server of a connection, or `None` if it is a replica.
async fn server(redis: &mut MultiplexedConnection) -> RedisResult<Option<Arc<str>>> {
    let about: String = redis::cmd("INFO").query_async(redis).await?;
    let find = |name| about.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let run = find("run_id:").ok_or((ErrorKind::UnexpectedReturnType, "the server has no run_id"))?;
    Ok((find("role:") != Some("slave")).then(|| run.into()))
}

impl Shared {
    fn left(&self) -> MutexGuard<'_, Vec<String>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_check_due(&self) -> bool {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = checked.elapsed() > CHECK;
        if is_due {
            *checked = Instant::now();
        }
        is_due
    }
}

/// Passes on what Redis has sent to a connection.
fn wake(watchers: &Watchers, push: PushInfo) {
    match push.kind {
        PushKind::Disconnection => watchers.close(),
        PushKind::Message => {
            let Ok([channel, message]) = <[Value; 2]>::try_from(push.data) else { return };
            let Ok(channel) = String::from_redis_value(channel) else { return };
            let Value::BulkString(message) = message else { return };
            watchers.wake(&channel, read(Bytes::from(message)));
        }
        _ => {}
    }
}

/// Reads what the script publishes: a position, a line end, and an event; or nothing.
fn read(message: Bytes) -> Wake {
    let Some(line) = message.iter().position(|byte| *byte == b'\n') else { return Wake::Changed };
    match str::from_utf8(&message[..line]).ok().and_then(position) {
        Some(at) => Wake::Entry(at, message.slice(line + 1..)),
        None => Wake::Changed,
    }
}

/// Reads an ID of a stream.
pub(crate) fn position(id: &str) -> Option<StreamPosition> {
    let (epoch, number) = id.split_once('-')?;
    Some(StreamPosition::new(epoch.parse().ok()?, number.parse().ok()?))
}

/// Unsubscribes from a channel that nobody watches.
struct Leaving {
    connection: Connection,
    channel: String,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        // Outside of a runtime, it stays subscribed until somebody else leaves the channel, or the connection breaks.
        if let Ok(runtime) = Handle::try_current()
            && self.connection.is_open()
        {
            self.connection.shared.left().push(mem::take(&mut self.channel));
            let mut connection = self.connection.clone();
            runtime.spawn(async move {
                let alone = connection.shared.subscribing.write().await;
                // Somebody may have come back.
                let mut unwatched = mem::take(&mut *connection.shared.left());
                unwatched.retain(|channel| !connection.watchers.is_watched(channel));
                if !unwatched.is_empty() && connection.is_open() {
                    // If it fails, the connection is gone.
                    let _ = connection.wakes.unsubscribe(unwatched).await;
                }
                drop(alone);
            });
        }
    }
}
