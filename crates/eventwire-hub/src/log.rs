//! What a hub needs of an engine that stores events.

use crate::{stream_position::StreamPosition, topic::Topic};
use bytes::Bytes;
use eventwire::Encoded;
use futures_core::Stream;
use std::{error::Error, future::Future};

/// An engine that stores the events of topics, for all processes that share it. A [`Hub`](crate::Hub) does the rest.
///
/// Programs choose an engine when they start, [`Memory`](crate::Memory) or one of another crate, and pass it to
/// [`Hub::new`]. This page is for those who write one.
///
/// # What a log promises
///
/// A topic has one epoch at a time. Its entries are events with the numbers 1, 2, 3 and so on, and may have an end.
/// From these numbers, the hub finds what is missing, so a log need not say so. In return, it must keep these rules:
///
/// * **A position is used once.** A log that may have lost entries, with a crash or a failover, continues in an epoch
///   that the topic never had. So does one that no longer knows what the topic had.
/// * **Numbers have no holes**, except where entries were removed, usually from the oldest on.
/// * **An entry that was read stays the same.** Only accepted entries are read, and all readers see them at the same
///   positions.
/// * **Epoch 0 is not used.** `StreamPosition::new(0, 0)` is the tail of a topic that the log does not know.
/// * **Each call ends**, with an error if the engine does not answer in time.
///
/// `Log` cannot be used as `dyn Log`.
///
/// [`Hub::new`]: crate::Hub::new
pub trait Log: Send + Sync + 'static {
    /// Why the engine did not do what was asked.
    type Error: Error + Send + Sync + 'static;

    /// What [`watch`](Log::watch) returns.
    type Wakes: Stream<Item = Wake> + Send + 'static;

    /// Stores an event or the end, and returns once the engine has accepted it.
    ///
    /// An event gets the position after the tail, and creates the topic if there is none. The end has no number of its
    /// own: the position is that of the tail. `None` if the topic has ended, so that the event was not stored; to end
    /// it again is no error.
    ///
    /// A `key` is the caller's name for this entry. If an entry of the topic had the same key within the last 24 hours,
    /// nothing is stored, and its position is returned. So an append with a key can be repeated.
    ///
    /// # Errors
    ///
    /// After an error, the entry may be stored or not, and the log has not tried again.
    fn append(
        &self,
        topic: &Topic,
        entry: Entry<'_>,
        key: Option<&str>,
    ) -> impl Future<Output = Result<Option<StreamPosition>, Self::Error>> + Send;

    /// Returns the entries after a position, at most as many and as long as the limit says.
    ///
    /// They begin with the oldest one that is kept if there is no position, or if it is of another epoch. If the entry
    /// after it is no longer kept, they begin with the next one that is.
    ///
    /// A log whose epochs rise returns none if the position is of a later epoch than its own, which it may have lost,
    /// for example in a failover: the reader may have had every entry that is left.
    ///
    /// # Errors
    ///
    /// If the engine does not answer. A topic that it does not know is an empty page.
    fn read(
        &self,
        topic: &Topic,
        after: Option<StreamPosition>,
        limit: Limit,
    ) -> impl Future<Output = Result<Page, Self::Error>> + Send;

    /// Returns hints that the topic may have grown, from now on, in the order in which it grew. The topic need not
    /// exist.
    ///
    /// Where hints are lost, [`Wake::Changed`] takes their place, or the stream ends, for example with a connection;
    /// the hub then calls this again. That is quicker than what else it does about lost hints, which is to read
    /// [at intervals](crate::Hub::with_resync). Readers that wait for a topic which the log does not know rely on it:
    /// if the first hint is that of a first event, nothing was before it. Otherwise they get a gap event.
    ///
    /// # Errors
    ///
    /// If the engine does not answer.
    fn watch(&self, topic: &Topic) -> impl Future<Output = Result<Self::Wakes, Self::Error>> + Send;
}

/// What is [appended](Log::append) to a topic.
#[derive(Clone, Copy, Debug)]
pub enum Entry<'a> {
    /// One event without an ID. Its bytes are stored.
    Event(&'a Encoded),
    /// The end of the topic.
    End,
}

/// A hint that a topic may have grown. It may be late, or arrive twice: only [`Log::read`] decides what is there.
#[derive(Clone, Debug)]
pub enum Wake {
    /// The log has accepted an event at this position, with these bytes. It saves a read if it is the next one.
    Entry(StreamPosition, Bytes),
    /// Something has changed, such as the end, or hints were lost.
    Changed,
}

/// How much [`Log::read`] returns at most. The end of a topic is far away for a reader that was away for long, and its
/// events may be large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// How many entries. With 0, a page says only where the topic ends.
    pub entries: usize,
    /// How many bytes the entries have together. The first one is returned however large it is, unless there are to be
    /// none.
    pub bytes: usize,
}

/// A part of a topic, all of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The events, without holes, each with the bytes that were appended. A page ends before a hole, and the next page
    /// begins after it.
    pub entries: Vec<(StreamPosition, Bytes)>,
    /// The position of the newest event, which may come after those of this page, even in another epoch: the hub reads
    /// on until it is there. If the topic has had no event in its epoch, that before the first one. If the log does not
    /// know the topic, `StreamPosition::new(0, 0)`.
    pub tail: StreamPosition,
    /// Whether the topic has ended, after the event at the tail.
    pub finished: bool,
}

impl Limit {
    /// No entries: only where the topic ends.
    pub(crate) const TAIL: Limit = Limit { entries: 0, bytes: 0 };
}

/// The tail of a topic that a log does not know.
pub(crate) const NOWHERE: StreamPosition = StreamPosition::new(0, 0);

impl Page {
    /// Returns where something is missing between a position and this page, or an error if the log has broken its
    /// rules.
    pub(crate) fn jump_from(&self, read: StreamPosition) -> Result<Option<Jump>, OutOfOrder> {
        let mut last: Option<StreamPosition> = None;
        for (at, _) in &self.entries {
            if at.epoch() == 0 || at.sequence() == 0 || last.is_some_and(|last| last.next() != Some(*at)) {
                return Err(OutOfOrder { at: *at });
            }
            last = Some(*at);
        }
        if last.is_some_and(|last| last.epoch() == self.tail.epoch() && last.sequence() > self.tail.sequence()) {
            return Err(OutOfOrder { at: self.tail });
        }
        let to = match self.entries.first() {
            Some((first, _)) if first.epoch() == read.epoch() && first.sequence() <= read.sequence() => {
                return Err(OutOfOrder { at: *first });
            }
            Some((first, _)) => StreamPosition::new(first.epoch(), first.sequence() - 1),
            None => self.tail,
        };
        if to == read {
            return Ok(None);
        }
        let missed = if to.epoch() == read.epoch() { to.sequence().checked_sub(read.sequence()) } else { None };
        Ok(Some(Jump { missed, to }))
    }
}

/// Missing entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Jump {
    /// How many, if that is known.
    pub(crate) missed: Option<u64>,
    /// The position after them.
    pub(crate) to: StreamPosition,
}

/// A log has returned entries that are not in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the log has returned entries out of order, at {at}")]
pub(crate) struct OutOfOrder {
    at: StreamPosition,
}

impl OutOfOrder {
    pub(crate) fn at(at: StreamPosition) -> OutOfOrder {
        OutOfOrder { at }
    }
}

#[cfg(test)]
mod tests {
    use super::{Jump, NOWHERE, OutOfOrder, Page};
    use crate::stream_position::StreamPosition;
    use bytes::Bytes;

    fn at(epoch: u64, sequence: u64) -> StreamPosition {
        StreamPosition::new(epoch, sequence)
    }

    /// Reads a page after a position, and compares with where something is missing.
    #[track_caller]
    fn check(
        entries: &[StreamPosition],
        tail: StreamPosition,
        read: StreamPosition,
        expected: Result<Option<(Option<u64>, StreamPosition)>, StreamPosition>,
    ) {
        let entries = entries.iter().map(|at| (*at, Bytes::new())).collect();
        let jump = Page { entries, tail, finished: false }.jump_from(read);
        let expected =
            expected.map(|jump| jump.map(|(missed, to)| Jump { missed, to })).map_err(|at| OutOfOrder { at });
        assert_eq!(jump, expected);
    }

    #[test]
    fn nothing_is_missing() {
        check(&[], at(7, 3), at(7, 3), Ok(None));
        check(&[], NOWHERE, NOWHERE, Ok(None));
        check(&[at(7, 4), at(7, 5)], at(7, 9), at(7, 3), Ok(None));
        check(&[at(7, 1)], at(7, 1), at(7, 0), Ok(None));
        // The next page is of another epoch.
        check(&[at(7, 4)], at(8, 3), at(7, 3), Ok(None));
    }

    #[test]
    fn something_is_missing() {
        check(&[at(7, 6)], at(7, 6), at(7, 3), Ok(Some((Some(2), at(7, 5)))));
        // All of it was removed.
        check(&[], at(7, 6), at(7, 3), Ok(Some((Some(3), at(7, 6)))));
        // The log has lost its end, or the reader has made up its position.
        check(&[], at(7, 3), at(7, 6), Ok(Some((None, at(7, 3)))));
        check(&[at(8, 1)], at(8, 1), at(7, 3), Ok(Some((None, at(8, 0)))));
        check(&[], at(8, 0), at(7, 3), Ok(Some((None, at(8, 0)))));
        check(&[], NOWHERE, at(7, 3), Ok(Some((None, NOWHERE))));
        check(&[at(7, 1)], at(7, 1), NOWHERE, Ok(Some((None, at(7, 0)))));
    }

    #[test]
    fn a_log_that_breaks_its_rules() {
        let max = at(7, u64::MAX);
        check(&[at(7, 4), at(7, 6)], at(7, 6), at(7, 3), Err(at(7, 6)));
        check(&[at(7, 4), at(7, 4)], at(7, 6), at(7, 3), Err(at(7, 4)));
        check(&[at(7, 4), at(8, 5)], at(8, 6), at(7, 3), Err(at(8, 5)));
        check(&[max, at(7, 0)], max, at(7, 3), Err(at(7, 0)));
        check(&[at(7, 3), at(7, 4)], at(7, 4), at(7, 3), Err(at(7, 3)));
        check(&[at(7, 4)], at(7, 3), at(7, 3), Err(at(7, 3)));
        check(&[at(7, 0)], at(7, 1), at(6, 3), Err(at(7, 0)));
        check(&[at(0, 1)], at(0, 1), NOWHERE, Err(at(0, 1)));
    }
}
