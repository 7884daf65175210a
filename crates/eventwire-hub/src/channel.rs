//! The channel that all readers of a stream share.

use crate::{
    blocks::Blocks,
    cursor::Cursor,
    history::History,
    numbered_event::Draft,
    random::random,
    record::{LogState, Record},
    resume::{Origin, Resume},
    shared::Shared,
    stats::Stats,
    stream_position::StreamPosition,
    subscription::Subscription,
    sync::Arc,
    up_to_date::UpToDate,
};
use bytes::Bytes;
use eventwire::{Encoded, Event, Outgoing};

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

impl Channel {
    /// Creates a channel with a random epoch.
    ///
    /// The random number comes from the standard library. `wasm32-unknown-unknown` has no source of random numbers:
    /// there, call [`restart`](Channel::restart) with an epoch of your own.
    #[must_use]
    pub fn new(history: History) -> Channel {
        let shared = Arc::new(Shared::new(Record::new(history, random())));
        Channel { sender: Arc::new(Sender { shared }) }
    }

    /// Sends an event to all readers, including those that return later, and returns its position, which is its ID.
    ///
    /// # Errors
    ///
    /// [`SendError`] if the event has an ID already, or if the channel is finished.
    pub fn send(&self, event: &Event) -> Result<StreamPosition, SendError> {
        if event.has_id() {
            return Err(SendError::HasId);
        }
        let len = event.event_type().len() + event.data().len() + "event: \ndata: \n\n".len();
        let event = Draft::new(len, |bytes| event.encode(bytes));
        self.sender.shared.try_change(|record| {
            let next = record.next_position().ok_or(SendError::Finished)?;
            record.push(next, event);
            Ok(next)
        })
    }

    /// Sends an item to the readers that are connected now: an event, a block, a comment, or blocks that are encoded
    /// already. It has no ID, and readers that return do not get it.
    ///
    /// Use it for short-lived information, such as a typing indicator. Readers get it after the event that was sent
    /// before it. A reader that is too slow may miss it, and is not told: such items may take at most a quarter of the
    /// bytes of the [`History`], and are at most a quarter of its number of events, or one. So they never displace more
    /// than a quarter of what is kept for readers that return.
    ///
    /// # Errors
    ///
    /// [`SendError`] if the item sets an ID, if it has more than a quarter of the bytes that the history may have, or
    /// if the channel is finished.
    pub fn send_transient(&self, item: impl Into<Outgoing>) -> Result<(), SendError> {
        let bytes = item.into().into_bytes();
        if Blocks::of(&bytes).set_id {
            return Err(SendError::HasId);
        }
        // Copied, because they may be a small part of a large buffer.
        #[expect(clippy::expect_used, reason = "everything that can be sent is one or more complete blocks")]
        let blocks = Encoded::from_bytes(Bytes::copy_from_slice(&bytes)).expect("complete blocks");
        self.sender.shared.try_change(|record| {
            if record.is_finished() {
                return Err(SendError::Finished);
            }
            if blocks.as_ref().len() > record.max_transient_bytes() {
                return Err(SendError::TooLarge);
            }
            record.push_transient(blocks);
            Ok(())
        })
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
    pub fn append(&self, at: StreamPosition, event: &Encoded) -> Result<(), AppendError> {
        let event = Draft::of(event).ok_or(AppendError::NotOneEvent)?;
        self.sender.shared.try_change(|record| {
            let expected = record.next_position().ok_or(AppendError::Finished)?;
            if at != expected {
                return Err(AppendError::OutOfOrder { expected });
            }
            record.push(at, event);
            Ok(())
        })
    }

    /// Forgets the history, and continues after this position: what follows is not connected with what was before.
    ///
    /// Readers that have not read up to exactly this position get one gap event. A channel that was finished is open
    /// again. A log that has lost its end needs a new epoch, and an epoch that was left must not be used again: events
    /// with the same IDs could not be told from each other.
    ///
    /// # Errors
    ///
    /// [`AppendError::OutOfOrder`] if the position is before the newest event, in the same epoch.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::Event;
    /// use eventwire_hub::{Channel, History, StreamPosition, Resume};
    /// use futures_util::StreamExt;
    ///
    /// let channel = Channel::new(History::new());
    /// // The log that it follows has an epoch 7, and 40 events.
    /// channel.restart(StreamPosition::new(7, 40))?;
    /// channel.append(StreamPosition::new(7, 41), &Event::new("a").encoded())?;
    ///
    /// let mut reader = channel.subscribe(Resume::After(b"0000000000000007-38".into()))?;
    /// reader.next().await;
    /// let gap = reader.next().await.unwrap();
    /// assert_eq!(
    ///     gap.as_ref(),
    ///     b"event: gap\nid: 0000000000000007-40\ndata: {\"missed\":2}\n\n"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    pub fn restart(&self, after: StreamPosition) -> Result<(), AppendError> {
        self.sender.shared.try_change(|record| {
            let newest = record.newest();
            if after != newest && record.has_had(after) {
                return Err(AppendError::OutOfOrder { expected: newest });
            }
            record.restart(after);
            Ok(())
        })
    }

    /// Ends the stream. Readers get what is kept, and then the end; one that returns with the ID of the newest event is
    /// [told](UpToDate) not to come back.
    ///
    /// Events that are sent afterwards are an error.
    pub fn finish(&self) {
        self.sender.shared.finish();
    }

    /// Returns the position of the newest event.
    ///
    /// Read it *before* you read the data of a page, and send the page with it. If the page then opens the stream with
    /// the parameter `last_event_id=POSITION`, which [`Resume::from_request`] reads, it gets every change that it may
    /// not show yet.
    #[must_use]
    pub fn position(&self) -> StreamPosition {
        self.sender.shared.record().newest()
    }

    /// Returns the stream of a reader, which begins where `resume` says.
    ///
    #[doc = include_str!("../docs/what-a-reader-gets.md")]
    ///
    /// # Errors
    ///
    /// [`UpToDate`] if the channel is finished and the reader has everything. Answer with status 204, to which the
    /// error converts: it tells browsers not to reconnect.
    pub fn subscribe(&self, resume: Resume<'_>) -> Result<Subscription, UpToDate> {
        let (subscription, is_up_to_date) = self.open(Origin::new(&resume));
        if is_up_to_date { Err(UpToDate) } else { Ok(subscription) }
    }

    /// Returns the stream of a reader, and whether it has everything of a stream that has ended.
    pub(crate) fn open(&self, from: Origin) -> (Subscription, bool) {
        let (cursor, is_up_to_date) = Cursor::new(&self.sender.shared, from, LogState::None);
        (Subscription::new(cursor), is_up_to_date)
    }

    /// Returns the cursor of a reader that can read in a log what is missing here, and whether it has everything of a
    /// stream that has ended.
    pub(crate) fn open_with_log(&self, from: Origin) -> (Cursor, bool) {
        Cursor::new(&self.sender.shared, from, LogState::Unread)
    }

    /// Continues in an epoch, whose first event is the first one of all.
    pub(crate) fn create(&self, epoch: u64) {
        let _ = self.sender.shared.try_change(|record| {
            record.create(epoch);
            Ok::<_, ()>(())
        });
    }

    /// Returns how many readers the channel has, and what it keeps.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.sender.shared.stats()
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.shared.finish();
    }
}

/// Why an event or an item was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// It has an ID, although the channel numbers its events itself. To forward an event from another stream, build a
    /// new one with its data and type.
    #[error("the item has an ID, but the channel sets the IDs")]
    HasId,
    /// The channel is [finished](Channel::finish), or its epoch has no number left.
    #[error("the channel is finished")]
    Finished,
    /// The [transient item](Channel::send_transient) is too large.
    #[error("the item has more than a quarter of the bytes that the history may have")]
    TooLarge,
}

/// Why an event was not [appended](Channel::append).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AppendError {
    /// The position is not the one after the newest event. To [restart](Channel::restart), it may be that of the newest
    /// event or any later one.
    #[error("the position is out of order: {expected} was expected")]
    OutOfOrder {
        /// The first position that is in order.
        expected: StreamPosition,
    },
    /// The blocks are not one event, or it has an ID.
    #[error("the blocks are not exactly one event without an ID")]
    NotOneEvent,
    /// The channel is [finished](Channel::finish).
    #[error("the channel is finished")]
    Finished,
}
