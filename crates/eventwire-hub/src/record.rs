//! What a channel remembers, and what a reader gets next. No locks and no wakers: only the rules.

use crate::{History, Position, SendError};
use bytes::Bytes;
use eventwire::Encoded;
use std::collections::VecDeque;

/// The last events of a stream, and the transient items between them.
pub(crate) struct Record {
    limits: History,
    /// The position of the newest event.
    newest: Position,
    /// The last events, up to the newest one. Their numbers have no holes.
    events: Ring<Item>,
    transients: Ring<Transient>,
    /// How many transient items were removed, which is the number of the first one that is kept.
    transients_removed: u64,
    life: Life,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Open,
    /// The stream has ended, and readers that return are told so.
    Finished,
    /// Nobody is left who could send.
    Abandoned,
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
    UpTo(Position),
    /// Its ID says nothing. It is told so, and gets what comes after this position.
    Nothing { after: Position },
}

impl Told {
    /// The position in the reader's last event ID.
    pub(crate) fn position(self) -> Option<Position> {
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
    /// As many events have left the history before the reader got them.
    Count(u64),
    Unknown,
}

impl Missed {
    pub(crate) fn count(self) -> Option<u64> {
        if let Missed::Count(count) = self { Some(count) } else { None }
    }
}

impl Record {
    pub(crate) fn new(limits: History, epoch: u64) -> Record {
        Record {
            limits,
            newest: Position::new(epoch, 0),
            events: Ring::new(),
            transients: Ring::new(),
            transients_removed: 0,
            life: Life::Open,
        }
    }

    pub(crate) fn newest(&self) -> Position {
        self.newest
    }

    /// The position before the oldest event that is kept.
    pub(crate) fn before_oldest(&self) -> Position {
        // At most as many are kept as there were.
        Position::new(self.newest.epoch(), self.newest.sequence() - self.events.len() as u64)
    }

    pub(crate) fn events(&self) -> usize {
        self.events.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.events.bytes + self.transients.bytes
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.life == Life::Finished
    }

    /// The position of the next event. `None` if there cannot be one.
    pub(crate) fn next_position(&self) -> Option<Position> {
        let next = self.newest.sequence().checked_add(1).filter(|_| !self.is_finished())?;
        Some(Position::new(self.newest.epoch(), next))
    }

    /// Adds an event at the next position, and returns that.
    pub(crate) fn push(&mut self, event: Draft) -> Result<Position, SendError> {
        self.newest = self.next_position().ok_or(SendError::Finished)?;
        self.events.push(event.at(self.newest));
        while self.events.len() > self.limits.max_events.max(1) || self.has_too_many_bytes() {
            self.events.pop();
        }
        Ok(self.newest)
    }

    /// Adds an item for the readers that are connected now.
    ///
    /// Such items take at most a quarter of each limit, so that they do not displace all events.
    pub(crate) fn push_transient(&mut self, blocks: Encoded) -> Result<(), SendError> {
        if self.is_finished() {
            return Err(SendError::Finished);
        }
        if blocks.as_ref().len() > self.limits.max_bytes {
            return Err(SendError::TooLarge);
        }
        self.transients.push(Transient { after: self.newest.sequence(), blocks });
        while self.transients.len() > (self.limits.max_events / 4).max(1)
            || (self.transients.bytes > self.limits.max_bytes / 4 && self.transients.len() > 1)
        {
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
        self.life = Life::Finished;
    }

    pub(crate) fn abandon(&mut self) {
        if self.life == Life::Open {
            self.life = Life::Abandoned;
        }
    }

    /// Forgets everything. The next event is the one after this position.
    pub(crate) fn restart(&mut self, after: Position) {
        self.newest = after;
        self.events = Ring::new();
        self.transients_removed += self.transients.len() as u64;
        self.transients = Ring::new();
        self.life = Life::Open;
    }

    /// The place of a reader that connects now: it gets no transient item from before.
    pub(crate) fn place(&self, told: Told) -> Place {
        Place { told, transient: self.transients_removed + self.transients.len() as u64 }
    }

    /// Whether events are missing between what a reader has been told and what it gets next.
    pub(crate) fn missed(&self, told: Told) -> Option<Missed> {
        let (first, last) = (self.before_oldest(), self.newest);
        match told {
            Told::Nothing { .. } => Some(Missed::Unknown),
            // The epoch is the same, and no event after the position has been removed.
            Told::UpTo(position) if (first..=last).contains(&position) => None,
            Told::UpTo(position) if position.epoch() == first.epoch() && position < first => {
                Some(Missed::Count(first.sequence() - position.sequence()))
            }
            // Of another epoch, or of an event that there never was.
            Told::UpTo(_) => Some(Missed::Unknown),
        }
    }

    /// Moves a reader on by what it gets next.
    pub(crate) fn next(&self, place: &mut Place) -> Next<'_> {
        let before_oldest = self.before_oldest();
        if let Some(missed) = self.missed(place.told) {
            place.told = Told::UpTo(match place.told {
                Told::Nothing { after } if (before_oldest..=self.newest).contains(&after) => after,
                _ => before_oldest,
            });
            return Next::Gap(missed);
        }
        let (Told::UpTo(at) | Told::Nothing { after: at }) = place.told;
        place.transient = place.transient.max(self.transients_removed);
        if let Some(transient) = self.transients.get(place.transient - self.transients_removed)
            && transient.after <= at.sequence()
        {
            place.transient += 1;
            return Next::Transient(&transient.blocks);
        }
        if let Some(item) = self.events.get(at.sequence() - before_oldest.sequence()) {
            place.told = Told::UpTo(Position::new(at.epoch(), at.sequence() + 1));
            return Next::Event(item);
        }
        if self.life == Life::Open { Next::Nothing } else { Next::End }
    }
}

/// An event that is encoded, with room for the line with its ID. So only the ID has to be written once its position is
/// known.
pub(crate) struct Draft(Vec<u8>);

/// The length of the longest line with an ID.
const ID_LINE: usize = "id: ".len() + Position::MAX_LEN + "\n".len();

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

    #[expect(clippy::expect_used, reason = "what was written ends with a blank line")]
    fn at(mut self, position: Position) -> Item {
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
