//! Topics in a log, and their readers in this process.

use crate::{
    audience::Seat,
    backoff::{Backoff, random_time},
    channel::Channel,
    follower::Follower,
    history::History,
    log::{Entry, Limit, Log, NOWHERE},
    merged::{MergeError, Merged, Merging},
    pages::Pages,
    reader::Reader,
    resume::{Origin, Resume},
    stream_position::StreamPosition,
    topic::Topic,
    topics::{Phase, Topics},
};
use eventwire::{Encoded, Event};
use http::StatusCode;
use std::{
    fmt,
    sync::{Arc, atomic::Ordering::Relaxed},
    time::Duration,
};
use tokio::{
    sync::watch,
    time::{self, Instant},
};

/// Topics in a [`Log`] that several processes share, and their readers in this process.
///
/// [`send`](Hub::send) stores an event in the log. [`subscribe`](Hub::subscribe) returns the stream of one reader, who
/// can continue where it was, in this process or another one. While a topic has readers, a task of this process follows
/// it in the log and feeds a [`Channel`]. Readers that are older or slower than the channel read the log, until they
/// have caught up.
///
/// **No silent hole:** a reader gets every event after its position, once and in order, or exactly one gap event at the
/// place where something is missing. A reader never gets an event that the log has not accepted.
///
/// ```
/// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
/// # runtime.block_on(async {
/// use eventwire::Event;
/// use eventwire_hub::{History, Hub, Memory, Resume, Topic};
/// use futures_util::StreamExt;
///
/// // Or one that outlives the process, such as `eventwire_sqlite::SqliteLog`.
/// let log = Memory::new(History::new());
/// let (hub, other) = (Hub::new(log.clone()), Hub::new(log));
/// let prices = Topic::new("prices")?;
///
/// let first = hub.send(&prices, &Event::new("41.7")).await?;
/// hub.send(&prices, &Event::new("41.8")).await?;
///
/// // A reader that has the first event returns, to another hub.
/// let mut reader = other
///     .subscribe(&prices, Resume::After(first.to_string().as_bytes().into()))
///     .await?;
/// reader.next().await; // the opening
/// assert!(reader.next().await.unwrap().as_ref().ends_with(b"data: 41.8\n\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A clone is the same hub. Change the settings before it is cloned. It needs a runtime of tokio with a clock. When the
/// last clone is dropped, the streams of its readers end.
pub struct Hub<L: Log> {
    log: Arc<L>,
    topics: Arc<Topics<L>>,
    settings: Settings,
}

#[derive(Clone, Copy, Debug)]
struct Settings {
    max_readers: usize,
    max_topics: usize,
    history: History,
    idle: Duration,
    resync: Duration,
    unknown: Unknown,
}

/// What [`Hub::subscribe`] does with a topic that the log does not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unknown {
    /// The reader waits for the first event.
    #[default]
    Wait,
    /// [`HubError::NotFound`].
    NotFound,
}

/// As good as never. `Duration::MAX` cannot be added to an instant.
const NEVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);
/// For how long [`Hub::send_once`] tries again.
const SEND_ONCE: Duration = Duration::from_secs(5);

impl<L: Log> Hub<L> {
    /// Creates a hub for the topics of a log.
    #[must_use]
    pub fn new(log: L) -> Hub<L> {
        let settings = Settings {
            max_readers: 10_000,
            max_topics: 1_000,
            history: History::new().with_max_bytes(256 << 10),
            idle: Duration::from_secs(60),
            resync: Duration::from_secs(30),
            unknown: Unknown::Wait,
        };
        Hub { log: Arc::new(log), topics: Arc::default(), settings }
    }

    /// Sets how many readers there can be, 10,000 by default. Others get [`HubError::Full`]. No reader is ever
    /// disconnected to make room for another one.
    #[must_use]
    pub fn with_max_readers(mut self, readers: usize) -> Hub<L> {
        self.settings.max_readers = readers;
        self
    }

    /// Sets how many topics can be followed at once, 1,000 by default. Readers of others get [`HubError::Full`].
    #[must_use]
    pub fn with_max_topics(mut self, topics: usize) -> Hub<L> {
        self.settings.max_topics = topics;
        self
    }

    /// Sets how much of each topic is kept in this process, by default 1,024 events and 256 KiB. Readers that need more
    /// read the log.
    #[must_use]
    pub fn with_history(mut self, history: History) -> Hub<L> {
        self.settings.history = history;
        self
    }

    /// Sets for how long a topic is followed after its last reader has left, by default one minute.
    #[must_use]
    pub fn with_idle(mut self, time: Duration) -> Hub<L> {
        self.settings.idle = time.min(NEVER);
        self
    }

    /// Sets how often a topic is read even if the log has not said that it has grown, by default every 30 seconds. That
    /// is how late an event can be if the log loses a wake-up.
    #[must_use]
    pub fn with_resync(mut self, interval: Duration) -> Hub<L> {
        self.settings.resync = interval.clamp(Duration::from_millis(1), NEVER);
        self
    }

    /// Sets what happens if a reader subscribes to a topic that the log does not know.
    #[must_use]
    pub fn with_unknown(mut self, unknown: Unknown) -> Hub<L> {
        self.settings.unknown = unknown;
        self
    }

    /// Stores an event in the log, and returns its position once the log has accepted it.
    ///
    /// # Errors
    ///
    /// [`HubError::HasId`] if the event has an ID already, [`HubError::Finished`] if the topic has ended, and
    /// [`HubError::Log`] if the log has failed. In the last case, **the event may be stored or not**: the answer can be
    /// lost with a connection. It is not sent again, because readers could get it twice. To repeat it safely, use
    /// [`send_once`](Hub::send_once).
    pub async fn send(&self, topic: &Topic, event: &Event) -> Result<StreamPosition, HubError<L::Error>> {
        let event = encode(event)?;
        let at = self.log.append(topic, Entry::Event(&event), None).await.map_err(failed)?;
        at.ok_or(HubError::Finished)
    }

    /// Stores an event in the log unless an event of this topic had the same key within the last 24 hours, and returns
    /// the position that it got.
    ///
    /// The key is any text that is the same when a caller sends the same event again, such as a request's
    /// `Idempotency-Key`. If the log fails, this tries again, because the key makes that safe. After five seconds it
    /// makes a last attempt.
    ///
    /// # Errors
    ///
    /// As for [`send`](Hub::send). After [`HubError::Log`], call it again with the same key.
    pub async fn send_once(
        &self,
        topic: &Topic,
        key: &str,
        event: &Event,
    ) -> Result<StreamPosition, HubError<L::Error>> {
        let event = encode(event)?;
        let give_up = Instant::now() + SEND_ONCE;
        let mut backoff = Backoff::new(SEND_ONCE);
        loop {
            match self.log.append(topic, Entry::Event(&event), Some(key)).await {
                Ok(at) => return at.ok_or(HubError::Finished),
                Err(error) if Instant::now() >= give_up => return Err(failed(error)),
                Err(_) => time::sleep(backoff.next()).await,
            }
        }
    }

    /// Ends a topic. Readers get all of its events, and then the end; one that returns with the ID of the newest event
    /// is [told](HubError::UpToDate) not to come back.
    ///
    /// # Errors
    ///
    /// [`HubError::Log`] if the log has failed. To end a topic twice is no error, so this can be repeated.
    pub async fn finish(&self, topic: &Topic) -> Result<(), HubError<L::Error>> {
        self.log.append(topic, Entry::End, None).await.map_err(failed)?;
        Ok(())
    }

    /// Returns the position of a topic's newest event in the log, or `None` if the log does not know the topic.
    ///
    /// A page that shows a snapshot needs a position from *before* its data was read; see [`Channel::position`]. If
    /// there is none, begin without one.
    ///
    /// ```
    /// # let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    /// # runtime.block_on(async {
    /// use eventwire::Event;
    /// use eventwire_hub::{History, Hub, Memory, Topic};
    ///
    /// let (hub, prices) = (Hub::new(Memory::new(History::new())), Topic::new("prices")?);
    /// assert_eq!(hub.position(&prices).await?, None);
    /// let sent = hub.send(&prices, &Event::new("41.7")).await?;
    /// assert_eq!(hub.position(&prices).await?, Some(sent));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`HubError::Log`] if the log has failed.
    pub async fn position(&self, topic: &Topic) -> Result<Option<StreamPosition>, HubError<L::Error>> {
        let tail = self.log.read(topic, None, Limit::TAIL).await.map_err(failed)?.tail;
        Ok(Some(tail).filter(|tail| *tail != NOWHERE))
    }

    /// Returns the stream of a reader, which begins where `resume` says, as described for [`Channel::subscribe`].
    ///
    /// One thing differs. If the reader's ID is above the newest one, the log may have lost its end, and will continue
    /// in another epoch. So the gap event comes with the next event, not at once. With a log whose epochs rise, such as
    /// that on Redis, this also holds for an ID of a later epoch, unless the log knows that it has never had that
    /// epoch, for example because it is in the future.
    ///
    /// # Errors
    ///
    /// [`HubError::UpToDate`], [`Full`](HubError::Full), [`NotFound`](HubError::NotFound), or
    /// [`Log`](HubError::Log). The error converts to the status with which to answer.
    ///
    /// # Panics
    ///
    /// Outside of a runtime of tokio, where it cannot start the task that follows the topic.
    pub async fn subscribe(&self, topic: &Topic, resume: Resume<'_>) -> Result<Reader<L>, HubError<L::Error>> {
        let (reader, is_up_to_date) = self.open(topic, Origin::new(&resume)).await?;
        if is_up_to_date { Err(HubError::UpToDate) } else { Ok(reader) }
    }

    /// Returns one stream of several topics; see [`Merged`]. It counts as one reader for each topic.
    ///
    /// # Errors
    ///
    /// As for [`subscribe`](Hub::subscribe), and [`HubError::Merge`] if the topics cannot be merged. Their names are
    /// part of the event IDs, so they have at most 64 of the characters `A-Z a-z 0-9 _ . -`.
    pub async fn subscribe_merged(
        &self,
        topics: impl IntoIterator<Item = &Topic>,
        resume: Resume<'_>,
    ) -> Result<Merged<Reader<L>>, HubError<L::Error>> {
        let mut merging = Merging::new(&resume);
        for topic in topics {
            let from = merging.begin(topic.as_str())?;
            merging.add(topic.as_str(), self.open(topic, from).await?);
        }
        Ok(merging.finish()?)
    }

    /// Returns how many readers there are.
    #[must_use]
    pub fn readers(&self) -> usize {
        self.topics.readers.load(Relaxed)
    }

    /// Returns how many topics are followed.
    #[must_use]
    pub fn topics(&self) -> usize {
        self.topics.followed().len()
    }

    /// Returns the stream of a reader, and whether it has everything of a topic that has ended.
    async fn open(&self, topic: &Topic, from: Origin) -> Result<(Reader<L>, bool), HubError<L::Error>> {
        let (channel, mut phase, seat) = self.take_seat(topic)?;
        let phase = phase.wait_for(|phase| !matches!(phase, Phase::Starting)).await;
        match phase.as_deref() {
            Ok(Phase::Failed(error)) => return Err(HubError::Log(Arc::clone(error))),
            Ok(Phase::OutOfOrder) => return Err(HubError::OutOfOrder),
            Ok(Phase::Starting | Phase::Following) => {}
            // The follower's task has panicked, in the log.
            Err(_) => return Err(full()),
        }
        if self.settings.unknown == Unknown::NotFound && channel.position() == NOWHERE {
            return Err(HubError::NotFound);
        }
        let (cursor, is_up_to_date) = channel.open_with_log(from);
        Ok((Reader::new(topic.clone(), self.pages(), cursor, seat), is_up_to_date))
    }

    fn pages(&self) -> Pages<L> {
        Pages { log: Arc::clone(&self.log), permits: Arc::clone(&self.topics.permits), resync: self.settings.resync }
    }

    /// Admits a reader, and has the topic followed.
    #[expect(clippy::type_complexity, reason = "it is taken apart at once")]
    fn take_seat(
        &self,
        topic: &Topic,
    ) -> Result<(Channel, watch::Receiver<Phase<L::Error>>, Seat), HubError<L::Error>> {
        let mut followed = self.topics.followed();
        if self.topics.readers.load(Relaxed) >= self.settings.max_readers {
            return Err(full());
        }
        if !followed.contains_key(topic) {
            if followed.len() >= self.settings.max_topics {
                let idle = followed.iter().find(|(_, followed)| followed.audience.is_empty());
                let idle = idle.map(|(topic, _)| topic.clone()).ok_or_else(full)?;
                followed.remove(&idle);
            }
            let Settings { history, idle, .. } = self.settings;
            let new = Follower::spawn(self.pages(), topic.clone(), history, idle, Arc::downgrade(&self.topics));
            followed.insert(topic.clone(), new);
        }
        let followed = &followed[topic];
        let seat = Seat::new(Arc::clone(&self.topics.readers), Arc::clone(&followed.audience));
        Ok((followed.channel.clone(), followed.phase.clone(), seat))
    }
}

fn encode<E>(event: &Event) -> Result<Encoded, HubError<E>> {
    if event.has_id() { Err(HubError::HasId) } else { Ok(event.encoded()) }
}

fn failed<E>(error: E) -> HubError<E> {
    HubError::Log(Arc::new(error))
}

/// They return at different times.
fn full<E>() -> HubError<E> {
    HubError::Full { retry_after: Duration::from_secs(5) + random_time(Duration::from_secs(10)) }
}

impl<L> Clone for Hub<L>
where
    L: Log,
{
    fn clone(&self) -> Hub<L> {
        Hub { log: Arc::clone(&self.log), topics: Arc::clone(&self.topics), settings: self.settings }
    }
}

impl<L: Log> fmt::Debug for Hub<L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hub = f.debug_struct("Hub");
        hub.field("readers", &self.readers())
            .field("topics", &self.topics())
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Why a [`Hub`] did not do what was asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HubError<E> {
    /// The topic has ended, and the reader has every event. Answer with status 204, or it asks again forever.
    #[error("the reader has every event, and the topic has ended")]
    UpToDate,
    /// There are as many [readers](Hub::with_max_readers) or [topics](Hub::with_max_topics) as there can be. Answer
    /// with status 503, and with the header `Retry-After` in seconds.
    #[error("there are too many readers or topics: try again in {} s", retry_after.as_secs())]
    Full {
        /// When a reader should try again. It differs from reader to reader.
        retry_after: Duration,
    },
    /// The log does not know the topic, and the hub does not [wait](Unknown) for it. Answer with status 404.
    #[error("unknown topic")]
    NotFound,
    /// The log has failed. If something was sent, it may be stored or not. Answer with status 503.
    #[error("the log has failed")]
    Log(#[source] Arc<E>),
    /// The log has returned entries out of order, so it has an error itself. Answer with status 503.
    #[error("the log has returned entries out of order")]
    OutOfOrder,
    /// The event that was sent has an ID, although the log numbers the events.
    #[error("the event has an ID, but the log sets the IDs")]
    HasId,
    /// The topic of the event that was sent has [ended](Hub::finish). Answer with status 409.
    #[error("the topic has ended")]
    Finished,
    /// The topics cannot be merged. If the request has their names, answer with status 400.
    #[error(transparent)]
    Merge(MergeError),
}

impl<E> From<MergeError> for HubError<E> {
    fn from(error: MergeError) -> HubError<E> {
        if error == MergeError::UpToDate { HubError::UpToDate } else { HubError::Merge(error) }
    }
}

/// The status with which to answer, without the cause and the time to try again: [log the one and send the
/// other](crate::serving_many#errors).
impl<E> From<HubError<E>> for StatusCode {
    fn from(error: HubError<E>) -> StatusCode {
        match error {
            HubError::UpToDate => StatusCode::NO_CONTENT,
            HubError::Full { .. } | HubError::Log(_) | HubError::OutOfOrder => StatusCode::SERVICE_UNAVAILABLE,
            HubError::NotFound => StatusCode::NOT_FOUND,
            HubError::HasId => StatusCode::INTERNAL_SERVER_ERROR,
            HubError::Finished => StatusCode::CONFLICT,
            HubError::Merge(error) => error.into(),
        }
    }
}
