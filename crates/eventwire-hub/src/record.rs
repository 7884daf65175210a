//! What a channel remembers, and what a reader gets next. No locks and no wakers: only the rules.

use crate::{History, SendError, StreamPosition, blocks::Blocks};
use bytes::Bytes;
use eventwire::Encoded;
use std::collections::VecDeque;

/// The last events of a stream, and the transient items between them.
pub(crate) struct Record {
    limits: History,
    epoch: u64,
    /// The position before the first event of all, if the record began before there was an epoch. Readers that began
    /// with it have missed nothing.
    created_after: Option<StreamPosition>,
    /// The number before the first event that this record can have had.
    begin: u64,
    /// The number of the newest event.
    newest: u64,
    /// The last events, up to the newest one. Their numbers have no holes.
    events: Ring<Item>,
    transients: Ring<Transient>,
    /// How many transient items were removed, which is the number of the first one that is kept.
    transients_removed: u64,
    is_finished: bool,
}

/// An event as it is sent: the line with its ID, and the rest.
pub(crate) struct Item {
    encoded: Encoded,
    /// The length of the line with its ID.
    id_line: usize,
}

impl Item {
    pub(crate) fn whole(&self) -> Encoded {
        self.encoded.clone()
    }

    #[expect(clippy::expect_used, reason = "the end of a block is the end of its rest")]
    pub(crate) fn without_id(&self) -> Encoded {
        let bytes = self.whole().into_bytes();
        Encoded::from_bytes(bytes.slice(self.id_line..)).expect("a block")
    }
}

struct Transient {
    /// The number of the event before it.
    after: u64,
    blocks: Encoded,
}

/// Where a reader is.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) told: Told,
    /// The number of the next transient item that it may get.
    transient: u64,
}

/// What a reader has been told, so what its last event ID says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Everything up to this position, which may be one of another epoch.
    UpTo(StreamPosition),
    /// Its ID says nothing. It is told so, and gets what comes after this position.
    Nothing { after: StreamPosition },
}

impl Told {
    /// The position in the reader's last event ID.
    pub(crate) fn position(self) -> Option<StreamPosition> {
        if let Told::UpTo(position) = self { Some(position) } else { None }
    }
}

/// What a reader gets next.
pub(crate) enum Next<'a> {
    Event(&'a Item),
    Transient(&'a Encoded),
    /// Events are missing here.
    Gap(Missed),
    /// Nothing yet.
    Nothing,
    /// Nothing ever again.
    End,
}

/// What is known about missing events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missed {
    /// As many have left the history before the reader got them.
    TooSlow(u64),
    /// As many were before the beginning of the history.
    Skipped(u64),
    Unknown,
}

impl Missed {
    pub(crate) fn count(self) -> Option<u64> {
        match self {
            Missed::TooSlow(count) | Missed::Skipped(count) => Some(count),
            Missed::Unknown => None,
        }
    }
}

impl Record {
    pub(crate) fn new(limits: History, epoch: u64) -> Record {
        Record {
            limits,
            epoch,
            created_after: None,
            begin: 0,
            newest: 0,
            events: Ring::new(),
            transients: Ring::new(),
            transients_removed: 0,
            is_finished: false,
        }
    }

    fn position(&self, number: u64) -> StreamPosition {
        StreamPosition::new(self.epoch, number)
    }

    pub(crate) fn newest(&self) -> StreamPosition {
        self.position(self.newest)
    }

    pub(crate) fn oldest(&self) -> Option<StreamPosition> {
        (self.events.len() > 0).then(|| self.position(self.before_oldest() + 1))
    }

    /// The number before that of the oldest event that is kept.
    fn before_oldest(&self) -> u64 {
        // At most as many are kept as there were.
        self.newest - self.events.len() as u64
    }

    pub(crate) fn events(&self) -> usize {
        self.events.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.events.bytes + self.transients.bytes
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// The position of the next event. `None` if there cannot be one.
    pub(crate) fn next_position(&self) -> Option<StreamPosition> {
        let next = self.newest.checked_add(1).filter(|_| !self.is_finished)?;
        Some(self.position(next))
    }

    /// Adds the event of the next position.
    pub(crate) fn push(&mut self, next: StreamPosition, event: Draft) {
        self.newest = next.sequence();
        self.events.push(event.at(next));
        while self.events.len() > self.limits.max_events.max(1) || self.has_too_many_bytes() {
            self.events.pop();
        }
    }

    /// Adds an item for the readers that are connected now.
    ///
    /// Such items take at most a quarter of each limit, so that readers which return do not lose more than that.
    pub(crate) fn push_transient(&mut self, blocks: Encoded) -> Result<(), SendError> {
        let History { max_events, max_bytes } = self.limits;
        if self.is_finished {
            return Err(SendError::Finished);
        }
        if blocks.as_ref().len() > max_bytes / 4 {
            return Err(SendError::TooLarge);
        }
        self.transients.push(Transient { after: self.newest, blocks });
        while self.transients.len() > (max_events / 4).max(1) || self.transients.bytes > max_bytes / 4 {
            self.transients.pop();
            self.transients_removed += 1;
        }
        while self.has_too_many_bytes() {
            self.events.pop();
        }
        Ok(())
    }

    /// Whether an event has to go. The newest one never has to.
    fn has_too_many_bytes(&self) -> bool {
        self.bytes() > self.limits.max_bytes && self.events.len() > 1
    }

    pub(crate) fn finish(&mut self) {
        self.is_finished = true;
    }

    /// Forgets everything. The next event is the one after this position.
    pub(crate) fn restart(&mut self, after: StreamPosition) {
        self.epoch = after.epoch();
        self.created_after = None;
        self.begin = after.sequence();
        self.newest = after.sequence();
        self.events = Ring::new();
        self.transients_removed += self.transients.len() as u64;
        self.transients = Ring::new();
        self.is_finished = false;
    }

    /// Continues in an epoch, whose first event is the first one of all.
    pub(crate) fn create(&mut self, epoch: u64) {
        self.created_after = Some(self.newest());
        self.epoch = epoch;
    }

    /// The place of a reader that connects now: it gets no transient item from before.
    pub(crate) fn place(&self, told: Told) -> Place {
        Place { told, transient: self.transients_removed + self.transients.len() as u64 }
    }

    /// Whether there is or was an event with this position, or it is that before the first one.
    pub(crate) fn has_had(&self, position: StreamPosition) -> bool {
        position.epoch() == self.epoch && position.sequence() <= self.newest
    }

    /// Moves a reader that began before there was an epoch to the beginning of that epoch.
    pub(crate) fn enter_epoch(&self, place: &mut Place) {
        if self.created_after.is_some_and(|before| place.told == Told::UpTo(before)) {
            place.told = Told::UpTo(self.position(0));
        }
    }

    /// Whether events are missing between what a reader has been told and what it gets next.
    pub(crate) fn missed(&self, told: Told) -> Option<Missed> {
        let Some(position) = told.position().filter(|position| self.has_had(*position)) else {
            return Some(Missed::Unknown);
        };
        let read = position.sequence();
        match self.before_oldest().checked_sub(read)? {
            0 => None,
            count if read < self.begin => Some(Missed::Skipped(count)),
            count => Some(Missed::TooSlow(count)),
        }
    }

    /// Moves a reader on by what it gets next.
    pub(crate) fn next(&self, place: &mut Place) -> Next<'_> {
        let before_oldest = self.before_oldest();
        if let Some(missed) = self.missed(place.told) {
            let end = match place.told {
                Told::Nothing { after } if self.has_had(after) => after.sequence().max(before_oldest),
                _ => before_oldest,
            };
            place.told = Told::UpTo(self.position(end));
            return Next::Gap(missed);
        }
        let (Told::UpTo(read) | Told::Nothing { after: read }) = place.told;
        let read = read.sequence();
        place.transient = place.transient.max(self.transients_removed);
        if let Some(transient) = self.transients.get(place.transient - self.transients_removed)
            && transient.after <= read
        {
            place.transient += 1;
            return Next::Transient(&transient.blocks);
        }
        if let Some(item) = self.events.get(read - before_oldest) {
            place.told = Told::UpTo(self.position(read + 1));
            return Next::Event(item);
        }
        if self.is_finished { Next::End } else { Next::Nothing }
    }
}

/// An event that is encoded, with room for the line with its ID. So only the ID has to be written once its position is
/// known.
pub(crate) struct Draft(Vec<u8>);

/// The length of the longest line with an ID.
const ID_LINE: usize = "id: ".len() + StreamPosition::MAX_LEN + "\n".len();

impl Draft {
    /// `write` appends one block without an ID, of about `len` bytes.
    pub(crate) fn new(len: usize, write: impl FnOnce(&mut Vec<u8>)) -> Draft {
        let mut bytes = Vec::with_capacity(ID_LINE + len);
        bytes.resize(ID_LINE, 0);
        write(&mut bytes);
        // The event is kept, so it must not have much unused capacity.
        bytes.shrink_to(bytes.len() + bytes.len() / 8);
        Draft(bytes)
    }

    /// `None` if the blocks are not exactly one event without an ID.
    pub(crate) fn of(event: &Encoded) -> Option<Draft> {
        let event = event.as_ref();
        Blocks::are_one_event(event).then(|| Draft::new(event.len(), |bytes| bytes.extend_from_slice(event)))
    }

    #[expect(clippy::expect_used, reason = "what was written ends with a blank line")]
    pub(crate) fn at(mut self, position: StreamPosition) -> Item {
        self.0[ID_LINE - 1] = b'\n';
        let start = position.write_before(&mut self.0[..ID_LINE - 1]) - "id: ".len();
        self.0[start..start + "id: ".len()].copy_from_slice(b"id: ");
        let encoded = Encoded::from_bytes(Bytes::from(self.0).slice(start..)).expect("a block");
        Item { encoded, id_line: ID_LINE - start }
    }
}

/// A queue that knows the length of its contents in bytes.
struct Ring<T> {
    items: VecDeque<T>,
    bytes: usize,
}

trait Len {
    /// In bytes.
    fn len(&self) -> usize;
}

impl Len for Item {
    fn len(&self) -> usize {
        self.encoded.as_ref().len()
    }
}

impl Len for Transient {
    fn len(&self) -> usize {
        self.blocks.as_ref().len()
    }
}

impl<T: Len> Ring<T> {
    fn new() -> Ring<T> {
        Ring { items: VecDeque::new(), bytes: 0 }
    }

    fn len(&self) -> usize {
        self.items.len()
    }

    fn push(&mut self, item: T) {
        self.bytes += item.len();
        self.items.push_back(item);
    }

    fn pop(&mut self) {
        if let Some(item) = self.items.pop_front() {
            self.bytes -= item.len();
        }
    }

    /// The item that is `ahead` items after the oldest one.
    fn get(&self, ahead: u64) -> Option<&T> {
        self.items.get(usize::try_from(ahead).ok()?)
    }
}
