//! A connection to one server, and those who watch topics on it.
//!
//! It is two of TCP. Redis limits how much waits for a client that has subscribed to a channel, by default to 32 MB,
//! and closes its connection beyond that. Pages can be larger, so the answers to commands have their own connection.

use crate::error::Error;
use bytes::Bytes;
use eventwire_hub::{StreamPosition, Wake};
use futures_core::stream::BoxStream;
use futures_util::stream;
use redis::{
    AsyncConnectionConfig, Client, ErrorKind, FromRedisValue, PushInfo, PushKind, RedisResult, Value,
    aio::MultiplexedConnection,
};
use std::{
    collections::HashMap,
    convert::Infallible,
    mem, str,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::{
    runtime::Handle,
    sync::{
        self,
        broadcast::{self, error::RecvError},
    },
};

/// How long to wait for a connection.
const CONNECT: Duration = Duration::from_secs(3);
/// How long to wait for an answer.
const ANSWER: Duration = Duration::from_secs(5);
/// How often to check a connection.
const CHECK: Duration = Duration::from_secs(5);
/// How many wake-ups wait for one who does not keep up.
const WAKES: usize = 64;

/// A connection to one server. When it breaks, there is another one, which is not this one: all that was watched has to
/// be read again.
#[derive(Clone)]
pub(crate) struct Connection {
    pub(crate) redis: MultiplexedConnection,
    wakes: MultiplexedConnection,
    /// Which server it is, and which start of it.
    pub(crate) run: Arc<str>,
    watchers: Arc<Watchers>,
}

struct Watchers {
    /// By channel. `None` when the connection has broken.
    by_channel: Mutex<Option<HashMap<String, broadcast::Sender<Wake>>>>,
    /// Shared by those who subscribe, and held alone while channels are unsubscribed, so that the last one who does it
    /// is right. After a connection has broken, a thousand topics are subscribed at once.
    subscribing: sync::RwLock<()>,
    /// Channels that somebody has left, and that may be unwatched. They are unsubscribed together.
    left: Mutex<Vec<String>>,
    checked: Mutex<Instant>,
}

impl Connection {
    pub(crate) async fn open(client: &Client) -> RedisResult<Connection> {
        let watchers = Arc::new(Watchers {
            by_channel: Mutex::new(Some(HashMap::new())),
            subscribing: sync::RwLock::default(),
            left: Mutex::default(),
            checked: Mutex::new(Instant::now()),
        });
        let pushed = Arc::clone(&watchers);
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(CONNECT))
            .set_response_timeout(Some(ANSWER))
            .set_push_sender(move |push| {
                pushed.push(push);
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
        Ok(Connection { redis, wakes, run, watchers })
    }

    /// Whether it is the same connection.
    pub(crate) fn is(&self, other: &Connection) -> bool {
        Arc::ptr_eq(&self.watchers, &other.watchers)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.watchers.by_channel().is_some()
    }

    /// Ends the streams of those who watch.
    pub(crate) fn close(&self) {
        self.watchers.by_channel().take();
    }

    /// Closes it if there are no wake-ups any more, or if the server has become a replica, which looks in both cases as
    /// if nothing happened. Does nothing if that was checked recently.
    pub(crate) async fn check(&self) {
        if self.watchers.is_check_due() {
            match server(&mut self.wakes.clone()).await {
                Ok(Some(run)) if run == self.run => {}
                _ => self.close(),
            }
        }
    }

    /// Returns the wake-ups on a channel from now on.
    pub(crate) async fn watch(&self, channel: &str) -> Result<BoxStream<'static, Wake>, Error> {
        let subscribing = self.watchers.subscribing.read().await;
        let Some(wakes) = self.watchers.add(channel) else {
            return Err(Error::connect((ErrorKind::Io, "the connection has just broken").into()));
        };
        let leaving = Leaving { connection: self.clone(), channel: channel.to_owned() };
        let watching = Watching { wakes, _leaving: leaving };
        self.wakes.clone().subscribe(channel).await.map_err(Error::command)?;
        drop(subscribing);
        Ok(Box::pin(stream::unfold(watching, async |mut watching| {
            let wake = match watching.wakes.recv().await {
                Ok(wake) => wake,
                Err(RecvError::Lagged(_)) => Wake::Changed,
                Err(RecvError::Closed) => return None,
            };
            Some((wake, watching))
        })))
    }
}

/// Returns the run ID of the server of a connection, or `None` if it is a replica.
async fn server(redis: &mut MultiplexedConnection) -> RedisResult<Option<Arc<str>>> {
    let about: String = redis::cmd("INFO").query_async(redis).await?;
    let find = |name| about.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
    let run = find("run_id:").ok_or((ErrorKind::UnexpectedReturnType, "the server has no run_id"))?;
    Ok((find("role:") != Some("slave")).then(|| run.into()))
}

impl Watchers {
    fn by_channel(&self) -> MutexGuard<'_, Option<HashMap<String, broadcast::Sender<Wake>>>> {
        self.by_channel.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, channel: &str) -> Option<broadcast::Receiver<Wake>> {
        let mut by_channel = self.by_channel();
        let wakes = by_channel.as_mut()?.entry(channel.to_owned()).or_insert_with(|| broadcast::channel(WAKES).0);
        Some(wakes.subscribe())
    }

    fn left(&self) -> MutexGuard<'_, Vec<String>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes the channels that nobody watches any more, and returns them.
    fn remove_unwatched(&self) -> Vec<String> {
        let mut left = mem::take(&mut *self.left());
        let mut by_channel = self.by_channel();
        let Some(by_channel) = by_channel.as_mut() else { return Vec::new() };
        left.retain(|channel| {
            let is_unwatched = by_channel.get(channel).is_some_and(|wakes| wakes.receiver_count() == 0);
            is_unwatched && by_channel.remove(channel).is_some()
        });
        left
    }

    fn is_check_due(&self) -> bool {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = checked.elapsed() > CHECK;
        if is_due {
            *checked = Instant::now();
        }
        is_due
    }

    fn push(&self, push: PushInfo) {
        match push.kind {
            PushKind::Disconnection => {
                self.by_channel().take();
            }
            PushKind::Message => {
                let Ok([channel, message]) = <[Value; 2]>::try_from(push.data) else { return };
                let Ok(channel) = String::from_redis_value(channel) else { return };
                let Value::BulkString(message) = message else { return };
                if let Some(by_channel) = &*self.by_channel()
                    && let Some(wakes) = by_channel.get(&channel)
                {
                    // Nobody may watch any more.
                    let _ = wakes.send(wake(Bytes::from(message)));
                }
            }
            _ => {}
        }
    }
}

/// Reads what the script publishes: a position, a line end, and an event; or nothing.
fn wake(message: Bytes) -> Wake {
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

/// One who watches a channel. The order matters: the task that unsubscribes must not count this receiver.
struct Watching {
    wakes: broadcast::Receiver<Wake>,
    _leaving: Leaving,
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
            self.connection.watchers.left().push(mem::take(&mut self.channel));
            let mut connection = self.connection.clone();
            runtime.spawn(async move {
                let alone = connection.watchers.subscribing.write().await;
                let unwatched = connection.watchers.remove_unwatched();
                if !unwatched.is_empty() {
                    // If it fails, the connection is gone.
                    let _ = connection.wakes.unsubscribe(unwatched).await;
                }
                drop(alone);
            });
        }
    }
}
