//! The channel that all readers of a stream share.

use crate::{
    History, Position, Resume, Stats, Subscription, UpToDate,
    cursor::Cursor,
    record::{Draft, Record},
    sync::{Arc, Mutex, MutexGuard},
    waiting::{self, Waiting},
};
use eventwire::{Decoder, Encoded, Event, Outgoing};
use std::{
    convert::Infallible,
    fmt,
    hash::{BuildHasher, Hasher, RandomState},
    sync::PoisonError,
};

/// One stream of events for any number of readers, who can return and continue where they were.
///
/// It is a handle: clones are the same channel. [`send`](Channel::send) gives an event the next ID, encodes it once,
/// and wakes the readers. [`subscribe`](Channel::subscribe) returns the stream of one reader. The last events are kept,
/// as many as [`History`] says; a reader is a cursor into them, so a slow reader delays nobody and needs no memory.
///
/// **No silent hole:** a reader gets every event after its position, once and in order, or exactly one gap event at the
/// place where something is missing.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire::Event;
/// use eventwire_hub::{Channel, History, Resume};
/// use futures_util::StreamExt;
///
/// let prices = Channel::new(History::new());
/// let at_first = prices.send(&Event::new("41.7"))?;
/// prices.send(&Event::new("41.8"))?;
///
/// // A reader that has the first event returns.
/// let mut reader = prices.subscribe(Resume::After(at_first.to_string().as_bytes().into()))?;
/// let opening = format!("id: {at_first}\n\n");
/// assert_eq!(reader.next().await.unwrap().as_ref(), opening.as_bytes());
/// assert!(reader.next().await.unwrap().as_ref().ends_with(b"data: 41.8\n\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap().unwrap();
/// ```
///
/// When the last handle is dropped, the streams of the readers end, after they have got what is kept.
#[derive(Clone, Debug)]
pub struct Channel {
    sender: Arc<Sender>,
}

/// What the handles share. When it is dropped, nobody is left who could send.
#[derive(Debug)]
struct Sender {
    shared: Arc<Shared>,
}

/// What the handles and the readers share.
pub(crate) struct Shared {
    state: Mutex<State>,
}

pub(crate) struct State {
    pub(crate) record: Record,
    pub(crate) waiting: Waiting,
    pub(crate) readers: usize,
    /// How many gap events readers were sent.
    pub(crate) gaps: u64,
    /// How many readers were ended because they were too slow.
    pub(crate) ended: u64,
}

impl Channel {
    /// Creates a channel with a random epoch.
    ///
    /// The random number comes from the standard library. `wasm32-unknown-unknown` has no source of random numbers:
    /// there, call [`restart`](Channel::restart) with an epoch of your own.
    #[must_use]
    pub fn new(history: History) -> Channel {
        let epoch = RandomState::new().build_hasher().finish();
        let state =
            State { record: Record::new(history, epoch), waiting: Waiting::default(), readers: 0, gaps: 0, ended: 0 };
        let shared = Arc::new(Shared { state: Mutex::new(state) });
        Channel { sender: Arc::new(Sender { shared }) }
    }

    /// Sends an event to all readers, including those that return later, and returns its position, which is its ID.
    ///
    /// # Errors
    ///
    /// [`SendError`] if the event has an ID already, or if the channel is finished.
    pub fn send(&self, event: &Event) -> Result<Position, SendError> {
        if event.has_id() {
            return Err(SendError::HasId);
        }
        let len = event.event_type().len() + event.data().len() + "event: \ndata: \n\n".len();
        let event = Draft::new(len, |bytes| event.encode(bytes));
        self.sender.shared.try_change(|record| record.push(event))
    }

    /// Sends an item to the readers that are connected now: an event, a block, a comment, or blocks that are encoded
    /// already. It has no ID, and readers that return do not get it.
    ///
    /// Use it for what is soon out of date, such as who is typing. Readers get it after the event that was sent before
    /// it. A reader that is too slow may miss it, and is not told: the channel keeps as many such items as fit into a
    /// quarter of its [`History`], and at least one.
    ///
    /// # Errors
    ///
    /// [`SendError`] if the item sets an ID or is larger than the history, or if the channel is finished.
    pub fn send_transient(&self, item: impl Into<Outgoing>) -> Result<(), SendError> {
        let bytes = item.into().into_bytes();
        if Blocks::of(&bytes).set_id {
            return Err(SendError::HasId);
        }
        // An item is one or more complete blocks, so this cannot fail.
        let Ok(blocks) = Encoded::from_bytes(bytes) else { return Ok(()) };
        self.sender.shared.try_change(|record| record.push_transient(blocks))
    }

    /// Adds an event that was numbered elsewhere, in a log that several processes follow, and sends it to all readers.
    ///
    /// The position must be the one after the newest event. Call [`restart`](Channel::restart) first if the log has
    /// another epoch, or if events of the log were skipped.
    ///
    /// # Errors
    ///
    /// [`AppendError`] if the position is not the next one, if the blocks are not exactly one event without an ID, or
    /// if the channel is finished.
    pub fn append(&self, at: Position, event: &Encoded) -> Result<(), AppendError> {
        if Blocks::of(event.as_ref()) != (Blocks { events: 1, others: 0, set_id: false }) {
            return Err(AppendError::NotOneEvent);
        }
        let event = Draft::new(event.as_ref().len(), |bytes| bytes.extend_from_slice(event.as_ref()));
        self.sender.shared.try_change(|record| {
            let expected = record.next_position().ok_or(AppendError::Finished)?;
            if at != expected {
                return Err(AppendError::OutOfOrder { expected });
            }
            record.push(event).map(drop).map_err(|_| AppendError::Finished)
        })
    }

    /// Forgets the history, and continues after this position: what follows is not connected with what was before.
    ///
    /// Readers that have not read up to exactly this position get one gap event. A channel that was finished is open
    /// again.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::Event;
    /// use eventwire_hub::{Channel, History, Position, Resume};
    /// use futures_util::StreamExt;
    ///
    /// let channel = Channel::new(History::new());
    /// channel.restart(Position::new(7, 40)); // the log that it follows has an epoch 7, and 40 events
    /// channel.append(Position::new(7, 41), &Event::new("a").encoded())?;
    ///
    /// let mut reader = channel.subscribe(Resume::After(b"0000000000000007-38".into()))?;
    /// reader.next().await;
    /// let gap = reader.next().await.unwrap();
    /// assert_eq!(gap.as_ref(), b"event: gap\nid: 0000000000000007-40\ndata: {\"missed\":2}\n\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    pub fn restart(&self, after: Position) {
        self.sender.shared.change(|record| record.restart(after));
    }

    /// Ends the stream. Readers get what is kept, and then the end; one that returns with the ID of the newest event is
    /// [told](UpToDate) not to come back.
    ///
    /// Events that are sent afterwards are an error.
    pub fn finish(&self) {
        self.sender.shared.change(Record::finish);
    }

    /// Returns the position of the newest event.
    ///
    /// Read it *before* you read the data of a page, and send the page with it. If the page then opens the stream with
    /// the parameter `last_event_id=POSITION`, which [`Resume::from_request`] reads, it gets every change that it may
    /// not show yet.
    #[must_use]
    pub fn position(&self) -> Position {
        self.sender.shared.lock().record.newest()
    }

    /// Returns the stream of a reader, which begins where `resume` says.
    ///
    /// | the reader sends | the channel has | [`Start`] | the stream |
    /// |---|---|---|---|
    /// | no ID, [`Resume::Live`] | anything | `Live` | opening, new events |
    /// | no ID, [`Resume::Earliest`] | all its events | `Complete` | opening, all events, new events |
    /// | | lost some | `Gap` | opening, gap event, what is kept, new events |
    /// | the ID of the newest event | not finished | `Complete` | opening, new events |
    /// | | finished | | [`UpToDate`] |
    /// | the ID of an event whose successor is kept | anything | `Complete` | opening, what was missed, new events |
    /// | an older ID, or one of another epoch | anything | `Gap` | opening, gap event, what is kept, new events |
    /// | any other ID | anything | `Gap` | opening, gap event, new events |
    ///
    /// The *opening* is a block with the ID that the reader has, or with that of the place where it begins, and with
    /// the [reconnection time](Subscription::with_retry) if one is set. If the reader's ID is not one of a channel,
    /// there is none to repeat, and the gap event comes first.
    ///
    /// After the new events comes the end, if the channel is finished.
    ///
    /// [`Start`]: crate::Start
    ///
    /// # Errors
    ///
    /// [`UpToDate`] if the channel is finished and the reader has everything. Answer with status 204, to which the
    /// error converts: it tells browsers not to reconnect.
    pub fn subscribe(&self, resume: Resume<'_>) -> Result<Subscription, UpToDate> {
        let (subscription, is_up_to_date) = self.open(&resume);
        if is_up_to_date { Err(UpToDate) } else { Ok(subscription) }
    }

    /// Returns the stream of a reader, and whether it has everything of a stream that has ended.
    pub(crate) fn open(&self, resume: &Resume<'_>) -> (Subscription, bool) {
        let (cursor, start, is_up_to_date) = Cursor::new(&self.sender.shared, resume);
        (Subscription::new(cursor, start), is_up_to_date)
    }

    /// Returns how many readers the channel has, and what it keeps.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.sender.shared.stats()
    }
}

impl Shared {
    /// Locks the state. It is complete at all times, so it does not matter if a thread panicked while it had the lock.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stats(&self) -> Stats {
        let state = self.lock();
        Stats {
            readers: state.readers,
            events: state.record.events(),
            bytes: state.record.bytes(),
            before_oldest: state.record.before_oldest(),
            newest: state.record.newest(),
            gaps: state.gaps,
            ended: state.ended,
        }
    }

    fn change(&self, change: impl FnOnce(&mut Record)) {
        let Ok(()) = self.try_change(|record| {
            change(record);
            Ok::<_, Infallible>(())
        });
    }

    /// Changes the record and wakes the readers, without the lock, unless there is an error.
    fn try_change<T, E>(&self, change: impl FnOnce(&mut Record) -> Result<T, E>) -> Result<T, E> {
        let mut state = self.lock();
        let result = change(&mut state.record)?;
        let mut wakers = state.waiting.take();
        drop(state);
        if !wakers.is_empty() {
            waiting::wake(&mut wakers);
            self.lock().waiting.reuse(wakers);
        }
        Ok(result)
    }
}

/// Not the events: they may be large, or secret.
impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stats().fmt(f)
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.shared.change(Record::abandon);
    }
}

/// What bytes contain.
#[derive(Debug, Default, PartialEq, Eq)]
struct Blocks {
    events: usize,
    /// Comments, and blocks without data.
    others: usize,
    set_id: bool,
}

impl Blocks {
    fn of(mut bytes: &[u8]) -> Blocks {
        let mut blocks = Blocks::default();
        let mut decoder = Decoder::new().with_max_event_size(usize::MAX);
        while let Ok(Some(item)) = decoder.decode_block(&mut bytes) {
            match item.block() {
                Some(block) if block.data().is_some() => blocks.events += 1,
                _ => blocks.others += 1,
            }
            blocks.set_id |= item.block().is_some_and(|block| block.id().is_some());
        }
        blocks
    }
}

/// Why an event or an item was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// It has an ID. The channel numbers its events itself, and an item without a position must not change the
    /// reader's.
    #[error("the item has an ID, but the channel sets the IDs")]
    HasId,
    /// The channel is [finished](Channel::finish).
    #[error("the channel is finished")]
    Finished,
    /// The [transient item](Channel::send_transient) has more bytes than the history may have.
    #[error("the item has more bytes than the history may have")]
    TooLarge,
}

/// Why an event was not [appended](Channel::append).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The position is not the one after the newest event.
    #[error("the next position is {expected}")]
    OutOfOrder {
        /// The position that is next.
        expected: Position,
    },
    /// The blocks are not one event, or it has an ID.
    #[error("the blocks are not exactly one event without an ID")]
    NotOneEvent,
    /// The channel is [finished](Channel::finish).
    #[error("the channel is finished")]
    Finished,
}
