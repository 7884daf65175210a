//! The log.

use crate::{
    database::{self, Database},
    error::{Error, Kind},
    page,
    watcher::{Watch, Watcher},
    writer::{ANSWER, Append, Durability, Request, Settings, Writer},
};
use eventwire_hub::{Entry, Limit, Log, Page, StreamPosition, Topic, Wake};
use futures_core::stream::BoxStream;
use std::{
    fmt,
    future::Future,
    io,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};
use tokio::{
    runtime,
    sync::{Notify, mpsc, oneshot},
    task, time,
};

/// Topics in one SQLite file: a [`Log`] for a [`Hub`](eventwire_hub::Hub).
///
/// A clone is the same log, with the same settings. Other processes of the machine can open the same file.
///
/// When the last clone is dropped, this waits until what is being written is written, and closes the file.
#[derive(Clone)]
pub struct SqliteLog {
    shared: Arc<Shared>,
}

struct Shared {
    path: Arc<Path>,
    settings: Arc<Mutex<Settings>>,
    // They are dropped in this order. The one who writes is the last to close the file, so that it sees that nobody
    // else has it.
    /// Connections that nobody reads from just now.
    idle: Mutex<Vec<Database>>,
    watcher: Worker<Watch>,
    writer: Worker<Request>,
}

/// A thread that answers requests. To drop it is to wait until it has ended.
struct Worker<R> {
    /// `None` when it is dropped.
    requests: Option<mpsc::Sender<R>>,
    thread: Option<JoinHandle<()>>,
}

/// How many requests wait for the thread that writes, before those who ask have to wait, too.
const REQUESTS: usize = 1024;
/// Why a thread does not answer any more.
const ENDED: &str = "its thread has panicked";
/// How many connections are kept for those who read: as many as a hub has at once.
const IDLE: usize = 32;

impl SqliteLog {
    /// Opens the file, or creates it. Its folder must exist. `:memory:` is refused: for tests, there is
    /// [`Memory`](eventwire_hub::Memory).
    ///
    /// SQLite keeps two more files next to it, `FILE-wal` and `FILE-shm`, and this crate a third one,
    /// [`FILE-eventwire`](crate#what-begins-a-new-epoch). The file can have other tables: those of this crate begin
    /// with `eventwire_`.
    ///
    /// # Errors
    ///
    /// If it cannot be opened or written, is locked by another program for five seconds, is damaged, or has tables of
    /// another version of this crate.
    pub fn open(path: impl AsRef<Path>) -> Result<SqliteLog, Error> {
        let path = Arc::<Path>::from(path.as_ref());
        SqliteLog::try_open(&path).map_err(|error| error.of(&path))
    }

    fn try_open(path: &Path) -> Result<SqliteLog, Error> {
        if path == Path::new(":memory:") {
            return Err(Error::new(Kind::CannotOpen, "a log needs a file. For tests, there is eventwire_hub::Memory"));
        }
        let path = Arc::<Path>::from(database::resolve(path)?);
        let database = Database::open(&path)?;
        let (settings, committed) = (Arc::<Mutex<Settings>>::default(), Arc::new(Notify::new()));
        let writer = Writer::new(database, Arc::clone(&settings), Arc::clone(&committed));
        let watcher = Watcher::new(Arc::clone(&path));
        let writer = Worker::start("eventwire-writer", |requests| writer.run(requests))?;
        let watcher = Worker::start("eventwire-watcher", |requests| watcher.run(requests, committed))?;
        Ok(SqliteLog { shared: Arc::new(Shared { path, settings, idle: Mutex::default(), watcher, writer }) })
    }

    /// Sets what a power cut may lose, by default nothing. On other systems than Linux, [`Durability::Normal`] is the
    /// same as [`Durability::Full`], because a log could not find out later that the machine was started again.
    #[must_use]
    pub fn with_durability(self, durability: Durability) -> SqliteLog {
        self.shared.settings().durability = durability;
        self
    }

    /// Sets how many events of each topic are kept, and removes older ones. By default, all are kept.
    ///
    /// One event is always kept. After a new epoch has begun, up to as many of the one before are kept as well.
    #[must_use]
    pub fn with_max_events(self, events: usize) -> SqliteLog {
        self.shared.settings().retention.max_events = Some(events);
        self
    }

    /// Sets how many bytes the events of each topic have together, and removes the oldest ones beyond. By default, all
    /// are kept. The newest event is always kept.
    #[must_use]
    pub fn with_max_bytes(self, bytes: usize) -> SqliteLog {
        self.shared.settings().retention.max_bytes = Some(bytes);
        self
    }

    /// Sets how long events are kept. Within some seconds, older ones are removed. By default, they are kept forever.
    #[must_use]
    pub fn with_max_age(self, age: Duration) -> SqliteLog {
        self.shared.settings().retention.max_age = Some(age);
        self
    }

    /// Begins a new epoch of all topics: each one has it with its next event, and its readers get a gap event before.
    ///
    /// Call it after the file was restored together with its folder or disk, which the log
    /// [cannot see](crate#what-begins-a-new-epoch).
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub async fn new_epoch(&self) -> Result<(), Error> {
        self.blocking(|database| database.begin_lineage()).await
    }

    /// Waits for the answer of a thread.
    async fn ask<R, T>(
        &self,
        worker: &Worker<R>,
        request: impl FnOnce(oneshot::Sender<Result<T, Error>>) -> R,
    ) -> Result<T, Error> {
        let (answer, answered) = oneshot::channel();
        self.in_time(async {
            if let Some(requests) = &worker.requests {
                // It fails if the thread is gone, and then there is no answer either.
                let _ = requests.send(request(answer)).await;
            }
            answered.await.unwrap_or_else(|_| Err(Error::new(Kind::NoAnswer, ENDED)))
        })
        .await
    }

    /// Uses a connection in a thread that may wait for the disk.
    async fn blocking<T: Send + 'static>(
        &self,
        run: impl FnOnce(&mut Database) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let shared = Arc::clone(&self.shared);
        let running = task::spawn_blocking(move || shared.with_idle(run));
        self.in_time(async { running.await.unwrap_or_else(|_| Err(Error::new(Kind::NoAnswer, ENDED))) }).await
    }

    async fn in_time<T>(&self, answer: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let late = |_| Err(Error::new(Kind::NoAnswer, "the disk may be slow or gone"));
        time::timeout(ANSWER, answer).await.unwrap_or_else(late).map_err(|error| error.of(&self.shared.path))
    }
}

impl Shared {
    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Database>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_idle<T>(&self, run: impl FnOnce(&mut Database) -> Result<T, Error>) -> Result<T, Error> {
        let idle = self.idle().pop();
        let mut database = idle.filter(Database::is_current).map_or_else(|| Database::open(&self.path), Ok)?;
        let result = run(&mut database)?;
        let mut idle = self.idle();
        if idle.len() < IDLE {
            idle.push(database);
        }
        Ok(result)
    }
}

impl<R: Send + 'static> Worker<R> {
    fn start<F>(name: &str, run: impl FnOnce(mpsc::Receiver<R>) -> F) -> io::Result<Worker<R>>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (requests, receiver) = mpsc::channel(REQUESTS);
        let runtime = runtime::Builder::new_current_thread().enable_time().build()?;
        let running = run(receiver);
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || runtime.block_on(running))?;
        Ok(Worker { requests: Some(requests), thread: Some(thread) })
    }
}

impl<R> Drop for Worker<R> {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Log for SqliteLog {
    type Error = Error;
    type Wakes = BoxStream<'static, Wake>;

    async fn append(
        &self,
        topic: &Topic,
        entry: Entry<'_>,
        key: Option<&str>,
    ) -> Result<Option<StreamPosition>, Error> {
        let event = match entry {
            Entry::Event(event) => Some(event.clone().into_bytes()),
            Entry::End => None,
        };
        let append = Append { topic: topic.clone(), event, key: key.map(|key| key.as_bytes().into()) };
        self.ask(&self.shared.writer, |answer| (append, answer)).await
    }

    async fn read(&self, topic: &Topic, after: Option<StreamPosition>, limit: Limit) -> Result<Page, Error> {
        let topic = topic.clone();
        self.blocking(move |database| page::read(database, &topic, after, limit)).await
    }

    async fn watch(&self, topic: &Topic) -> Result<BoxStream<'static, Wake>, Error> {
        self.ask(&self.shared.watcher, |answer| Watch { topic: topic.clone(), answer }).await
    }
}

/// Not the events: they may be secret.
impl fmt::Debug for SqliteLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shared { path, .. } = &*self.shared;
        f.debug_struct("SqliteLog")
            .field("path", path)
            .field("settings", &*self.shared.settings())
            .finish_non_exhaustive()
    }
}
