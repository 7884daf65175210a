//! A connection to one server, and those who watch topics on it.
//!
//! It is two of TCP: one for appends, and one for pages and notifications. So an append that waits for the disk, or for
//! a lock, delays no reader.

use crate::{
    SCHEMA,
    address::Address,
    error::{Error, describe},
    writer::{self, Append},
};
use bytes::Bytes;
use eventwire_hub::{StreamPosition, Wake};
use futures_core::stream::BoxStream;
use futures_util::{StreamExt, future, stream};
use std::{
    collections::HashMap,
    hash::{BuildHasher, Hasher, RandomState},
    str,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};
use tokio::{
    sync::{
        Notify,
        broadcast::{self, error::RecvError},
        mpsc,
    },
    task::AbortHandle,
    time,
};
use tokio_postgres::{
    AsyncMessage, Client, Row, Socket,
    error::SqlState,
    types::{ToSql, Type},
};

/// How long to wait for a connection.
const CONNECT: Duration = Duration::from_secs(3);
/// How long to wait for an answer.
pub(crate) const ANSWER: Duration = Duration::from_secs(5);
/// How many wake-ups wait for one who does not keep up.
const WAKES: usize = 64;
/// How many notifications are answered by one query.
const NOTICES: usize = 1000;
/// How large an event of a wake-up may be. Larger ones are read as a page.
const LARGE: i32 = 64 << 10;
/// The version of [`SCHEMA`].
const VERSION: i32 = 1;

/// One of a query.
pub(crate) type Parameter<'a> = (&'a (dyn ToSql + Sync), Type);

/// When it breaks, there is another one, which is not this one: all that was watched has to be read again.
#[derive(Clone)]
pub(crate) struct Connection(Arc<Shared>);

struct Shared {
    reads: Client,
    appends: mpsc::UnboundedSender<Append>,
    watchers: Arc<Watchers>,
}

struct Watchers {
    /// By topic. `None` when the connection has broken.
    by_topic: Mutex<Option<HashMap<String, broadcast::Sender<Wake>>>>,
    notices: mpsc::UnboundedSender<Notice>,
    /// What the notification of a new connection says, and that it has come.
    token: String,
    has_token: Notify,
    /// The tasks that read and write the sockets.
    sockets: Mutex<Vec<AbortHandle>>,
}

/// A notification that somebody waits for.
enum Notice {
    Entries { topic: String, epoch: i64, first: i64, last: i64 },
    Changed { topic: String },
}

impl Connection {
    pub(crate) async fn open(address: &Address) -> Result<Connection, Error> {
        let (notices, to_read) = mpsc::unbounded_channel();
        let watchers = Arc::new(Watchers {
            by_topic: Mutex::new(Some(HashMap::new())),
            notices,
            token: format!("check {}", RandomState::new().build_hasher().finish()),
            has_token: Notify::new(),
            sockets: Mutex::default(),
        });
        let result = Connection::prepare(address, &watchers, to_read).await;
        if result.is_err() {
            watchers.close();
        }
        result.map_err(Error::while_connecting)
    }

    async fn prepare(
        address: &Address,
        watchers: &Arc<Watchers>,
        to_read: mpsc::UnboundedReceiver<Notice>,
    ) -> Result<Connection, Error> {
        let (writes, reads) = future::try_join(connect(address, watchers), connect(address, watchers)).await?;
        let channel = in_time(find_store(&writes)).await??;
        in_time(reads.batch_execute(&format!("LISTEN {channel}"))).await??;
        let token: [Parameter<'_>; 2] = [(&channel, Type::TEXT), (&watchers.token, Type::TEXT)];
        in_time(writes.query_typed("SELECT pg_notify($1, $2)", &token)).await??;
        if time::timeout(CONNECT, watchers.has_token.notified()).await.is_err() {
            return Err(Error::connect(
                "notifications do not arrive. If this is PgBouncer, connect to Postgres itself, or set pool_mode = \
                 session: in transaction mode, LISTEN has no effect",
            ));
        }
        let (appends, mut to_append) = mpsc::unbounded_channel();
        let connection = Connection(Arc::new(Shared { reads, appends, watchers: Arc::clone(watchers) }));
        tokio::spawn(hint(Arc::downgrade(&connection.0), to_read));
        let watchers = Arc::clone(watchers);
        tokio::spawn(async move {
            if let Err(error) = writer::write(&writes, &mut to_append).await {
                watchers.close();
                to_append.close();
                while let Some(append) = to_append.recv().await {
                    writer::refuse([append], &error);
                }
            }
        });
        Ok(connection)
    }

    /// Whether it is the same connection.
    pub(crate) fn is(&self, other: &Connection) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn is_open(&self) -> bool {
        self.0.watchers.by_topic().is_some()
    }

    /// Ends the streams of those who watch.
    pub(crate) fn close(&self) {
        self.0.watchers.close();
    }

    /// Sends what is to be stored. Its answer comes elsewhere.
    pub(crate) fn append(&self, append: Append) {
        if let Err(error) = self.0.appends.send(append) {
            writer::refuse([error.0], &just_broken());
        }
    }

    /// Sends a query that changes nothing, or nothing of importance.
    pub(crate) async fn query(&self, query: &str, parameters: &[Parameter<'_>]) -> Result<Vec<Row>, Error> {
        Ok(in_time(self.0.reads.query_typed(query, parameters)).await??)
    }

    /// Returns the wake-ups of a topic from now on.
    pub(crate) fn watch(&self, topic: &str) -> Result<BoxStream<'static, Wake>, Error> {
        let wakes = self.0.watchers.add(topic).ok_or_else(just_broken)?;
        let leaving = Leaving { connection: self.clone(), topic: topic.to_owned() };
        let watching = Watching { wakes, _leaving: leaving };
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

fn just_broken() -> Error {
    Error::connect("the connection has just broken")
}

async fn in_time<T>(answer: impl Future<Output = T>) -> Result<T, Error> {
    time::timeout(ANSWER, answer).await.map_err(|_| Error::no_answer("not in time"))
}

/// Opens one connection of TCP, and starts the task that reads and writes it.
async fn connect(address: &Address, watchers: &Arc<Watchers>) -> Result<Client, Error> {
    let connected = time::timeout(CONNECT, address.connect()).await;
    let (client, connection) =
        connected.map_err(|_| Error::connect("not in time"))?.map_err(|error| Error::connect(&describe(&error)))?;
    let socket = tokio::spawn(run(connection, Arc::clone(watchers)));
    watchers.sockets.lock().unwrap_or_else(PoisonError::into_inner).push(socket.abort_handle());
    Ok(client)
}

/// Reads and writes a socket until it is closed.
async fn run<S>(mut connection: tokio_postgres::Connection<Socket, S>, watchers: Arc<Watchers>)
where
    S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin,
{
    let mut messages = stream::poll_fn(|cx| connection.poll_message(cx));
    while let Some(Ok(message)) = messages.next().await {
        if let AsyncMessage::Notification(notification) = message {
            watchers.push(notification.payload());
        }
    }
    watchers.close();
}

/// Finds the tables, and makes them if there are none. Returns the channel.
async fn find_store(client: &Client) -> Result<String, Error> {
    const FIND: &str = "SELECT pg_is_in_recovery(), to_regclass('eventwire_log') IS NOT NULL";
    let found = client.query_typed_one(FIND, &[]).await?;
    if found.try_get(0)? {
        return Err(Error::connect("the server is a standby"));
    }
    if !found.try_get::<_, bool>(1)?
        && let Err(error) = client.batch_execute(SCHEMA).await
    {
        client.batch_execute("ROLLBACK").await?;
        match error.code() {
            // Somebody else has just made them.
            Some(&SqlState::DUPLICATE_TABLE) => {}
            Some(&(SqlState::INSUFFICIENT_PRIVILEGE | SqlState::INVALID_SCHEMA_NAME)) => {
                return Err(Error::connect(&format!(
                    "its tables are not there, and cannot be made: {}. Run eventwire_postgres::SCHEMA as a role that \
                     may create them",
                    describe(&error)
                )));
            }
            _ => return Err(error.into()),
        }
    }
    let about = client.query_typed_one("SELECT version, eventwire_channel() FROM eventwire_log", &[]).await?;
    match about.try_get(0)? {
        VERSION => Ok(about.try_get(1)?),
        version => Err(Error::connect(&format!(
            "the tables are of version {version}, and this release of eventwire-postgres knows version {VERSION}: use \
             the release that has made them"
        ))),
    }
}

impl Watchers {
    fn by_topic(&self) -> MutexGuard<'_, Option<HashMap<String, broadcast::Sender<Wake>>>> {
        self.by_topic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        self.by_topic().take();
        for socket in &*self.sockets.lock().unwrap_or_else(PoisonError::into_inner) {
            socket.abort();
        }
    }

    fn add(&self, topic: &str) -> Option<broadcast::Receiver<Wake>> {
        let mut by_topic = self.by_topic();
        let wakes = by_topic.as_mut()?.entry(topic.to_owned()).or_insert_with(|| broadcast::channel(WAKES).0);
        Some(wakes.subscribe())
    }

    fn is_watched(&self, topic: &str) -> bool {
        self.by_topic().as_ref().is_some_and(|by_topic| by_topic.contains_key(topic))
    }

    /// Reads what a notification says.
    fn push(&self, payload: &str) {
        if *payload == self.token {
            self.has_token.notify_one();
        } else if let Some(notice) = notice(payload)
            && self.is_watched(notice.topic())
        {
            // The task ends only with the connection.
            let _ = self.notices.send(notice);
        }
    }

    fn wake(&self, topic: &str, wake: Wake) {
        if let Some(wakes) = self.by_topic().as_ref().and_then(|by_topic| by_topic.get(topic)) {
            // Nobody may watch any more.
            let _ = wakes.send(wake);
        }
    }
}

/// Reads what `eventwire_append_all` notifies.
fn notice(payload: &str) -> Option<Notice> {
    if let Some(topic) = payload.strip_prefix("end ") {
        return Some(Notice::Changed { topic: topic.to_owned() });
    }
    let mut words = payload.splitn(4, ' ');
    let mut number = || words.next()?.parse::<i64>().ok();
    let (epoch, first, last) = (number()?, number()?, number()?);
    let topic = words.next()?.to_owned();
    // More of them would not wait for one who watches.
    let is_short = last.checked_sub(first).is_some_and(|more| (0..WAKES as i64).contains(&more));
    Some(if is_short { Notice::Entries { topic, epoch, first, last } } else { Notice::Changed { topic } })
}

impl Notice {
    fn topic(&self) -> &str {
        match self {
            Notice::Entries { topic, .. } | Notice::Changed { topic } => topic,
        }
    }
}

/// Reads the entries of notifications, and wakes those who watch.
async fn hint(shared: Weak<Shared>, mut notices: mpsc::UnboundedReceiver<Notice>) {
    let mut found = Vec::new();
    while notices.recv_many(&mut found, NOTICES).await > 0 {
        let Some(shared) = shared.upgrade() else { return };
        if try_hint(&Connection(shared), &found).await.is_none() {
            return;
        }
        found.clear();
    }
}

/// `None` if the connection has broken.
async fn try_hint(connection: &Connection, notices: &[Notice]) -> Option<()> {
    const READ: &str = "SELECT n.place, e.number, CASE WHEN octet_length(e.event) <= $5 THEN e.event END
        FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[])
            WITH ORDINALITY AS n (topic, epoch, first, last, place)
        JOIN eventwire_entries e ON e.topic = n.topic AND e.epoch = n.epoch AND e.number BETWEEN n.first AND n.last
        ORDER BY n.place, e.number";
    let (mut topics, mut epochs, mut firsts, mut lasts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for notice in notices {
        let (epoch, first, last) = match notice {
            Notice::Entries { epoch, first, last, .. } => (*epoch, *first, *last),
            // No entry.
            Notice::Changed { .. } => (0, 0, 0),
        };
        topics.push(notice.topic());
        epochs.push(epoch);
        firsts.push(first);
        lasts.push(last);
    }
    let parameters: [Parameter<'_>; 5] = [
        (&topics, Type::TEXT_ARRAY),
        (&epochs, Type::INT8_ARRAY),
        (&firsts, Type::INT8_ARRAY),
        (&lasts, Type::INT8_ARRAY),
        (&LARGE, Type::INT4),
    ];
    let rows = match connection.query(READ, &parameters).await {
        Ok(rows) => rows,
        Err(error) => {
            if error.ends_connection() {
                connection.close();
                return None;
            }
            Vec::new()
        }
    };
    let mut rows = rows.iter().peekable();
    for (place, notice) in (1..).zip(notices) {
        let watchers = &connection.0.watchers;
        if let Notice::Entries { topic, epoch, first, last } = notice {
            let mut next = *first;
            while let Some(row) = rows.next_if(|row| row.get::<_, i64>(0) == place) {
                let number: i64 = row.get(1);
                if let Some(event) = row.get::<_, Option<&[u8]>>(2)
                    && number == next
                {
                    let at = StreamPosition::new(*epoch as u64, number as u64);
                    watchers.wake(topic, Wake::Entry(at, Bytes::copy_from_slice(event)));
                    next += 1;
                }
            }
            if next > *last {
                continue;
            }
        }
        watchers.wake(notice.topic(), Wake::Changed);
    }
    Some(())
}

/// One who watches a topic. The order matters: what removes the topic must not count this receiver.
struct Watching {
    wakes: broadcast::Receiver<Wake>,
    _leaving: Leaving,
}

/// Removes a topic that nobody watches.
struct Leaving {
    connection: Connection,
    topic: String,
}

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(by_topic) = &mut *self.connection.0.watchers.by_topic()
            && by_topic.get(&self.topic).is_some_and(|wakes| wakes.receiver_count() == 0)
        {
            by_topic.remove(&self.topic);
        }
    }
}
