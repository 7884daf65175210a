//! What a channel remembers, and what a reader gets next. No locks and no wakers: only the rules.

use crate::{
    history::History,
    log::NOWHERE,
    numbered_event::{Draft, NumberedEvent},
    resume::Origin,
    ring::Ring,
    stream_position::StreamPosition,
};
use eventwire::Encoded;

/// The last events of a stream, and the transient items between them.
pub(crate) struct Record {
    limits: History,
    epoch: u64,
    /// The position before the first event of all, if the record began before there was an epoch. Readers that began
    /// with it have missed nothing.
    created_after: Option<StreamPosition>,
    /// The sequence number at which this record began: its first event has the next one.
    begin: u64,
    events: Ring<NumberedEvent>,
    transients: Ring<Transient>,
    is_finished: bool,
}

struct Transient {
    /// The number of the event before it.
    after: u64,
    blocks: Encoded,
}

impl AsRef<[u8]> for Transient {
    fn as_ref(&self) -> &[u8] {
        self.blocks.as_ref()
    }
}

/// Where a reader is.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) progress: Progress,
    /// The number of the last transient item that it has got, or that was sent before it came.
    transient: u64,
    state: State,
}

/// How far a reader is, which is what its last event ID says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It has everything up to this position, which may be one of another epoch.
    UpTo(StreamPosition),
    /// Its ID says nothing. It is told that events are missing, and gets what comes after this position.
    Unknown { after: StreamPosition },
}

impl Progress {
    /// The position in the reader's last event ID.
    pub(crate) fn position(self) -> Option<StreamPosition> {
        if let Progress::UpTo(position) = self { Some(position) } else { None }
    }

    /// The position after which the reader continues.
    pub(crate) fn continues_after(self) -> StreamPosition {
        let (Progress::UpTo(position) | Progress::Unknown { after: position }) = self;
        position
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Events are missing from the start, so the reader is not too slow. With a log, they may be: the reader was told
    /// that there is no topic, and one may have come and gone since.
    BeginsWithGap,
    Reading,
}

/// Whether a reader finds in a log what the record does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogState {
    /// There is no log.
    None,
    /// The log may have it.
    Unread,
    /// The reader has read all of the log, and the record has not changed since.
    Read,
}

/// What a reader gets next.
pub(crate) enum Next<'a> {
    Event(&'a NumberedEvent),
    Transient(&'a Encoded),
    /// Events are missing here.
    Gap(Missed),
    /// The log may have the next event. The reader stays where it is.
    InLog,
    /// Nothing yet.
    Nothing,
    /// Nothing ever again.
    End,
}

/// What is known about missing events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missed {
    /// As many have left the history while the reader was there.
    TooSlow(u64),
    /// As many were gone when the reader came, or were never in the history.
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
            events: Ring::new(0),
            transients: Ring::new(0),
            is_finished: false,
        }
    }

    fn position(&self, number: u64) -> StreamPosition {
        StreamPosition::new(self.epoch, number)
    }

    pub(crate) fn newest(&self) -> StreamPosition {
        self.position(self.events.newest())
    }

    pub(crate) fn oldest(&self) -> Option<StreamPosition> {
        (self.events.len() > 0).then(|| self.position(self.events.before_oldest() + 1))
    }

    pub(crate) fn events(&self) -> usize {
        self.events.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.events.bytes() + self.transients.bytes()
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.is_finished
    }

    /// The position of the next event. `None` if there cannot be one.
    pub(crate) fn next_position(&self) -> Option<StreamPosition> {
        self.newest().next().filter(|_| !self.is_finished)
    }

    /// Adds the event of the [next position](Record::next_position).
    pub(crate) fn push(&mut self, next: StreamPosition, event: Draft) {
        debug_assert_eq!(Some(next), self.next_position());
        self.events.push(event.at(next));
        self.trim_events();
    }

    /// How many bytes a transient item may have, and all of them together: a quarter of the history, so that readers
    /// which return do not lose more than that.
    pub(crate) fn max_transient_bytes(&self) -> usize {
        self.limits.max_bytes / 4
    }

    /// Adds an item for the readers that are connected now. It must not be too large.
    pub(crate) fn push_transient(&mut self, blocks: Encoded) {
        self.transients.push(Transient { after: self.events.newest(), blocks });
        self.transients.trim(self.limits.max_events / 4, self.max_transient_bytes());
        self.trim_events();
    }

    fn trim_events(&mut self) {
        self.events.trim(self.limits.max_events, self.limits.max_bytes - self.transients.bytes());
    }

    pub(crate) fn finish(&mut self) {
        self.is_finished = true;
    }

    /// Forgets everything. The next event is the one after this position.
    pub(crate) fn restart(&mut self, after: StreamPosition) {
        self.epoch = after.epoch();
        self.created_after = None;
        self.begin = after.sequence();
        self.events = Ring::new(after.sequence());
        self.transients = Ring::new(self.transients.newest());
        self.is_finished = false;
    }

    /// Continues in an epoch, whose first event is the first one of all.
    pub(crate) fn create(&mut self, epoch: u64) {
        self.created_after = Some(self.newest());
        self.epoch = epoch;
    }

    /// The place of a reader that connects now: it gets no transient item from before.
    pub(crate) fn place(&self, from: Origin, log: LogState) -> Place {
        let progress = match from {
            Origin::Live => Progress::UpTo(self.newest()),
            Origin::Earliest => Progress::UpTo(self.position(0)),
            // The log may have more than the record.
            Origin::After(Some(position))
                if log != LogState::None || position.epoch() != self.epoch || self.has_had(position) =>
            {
                Progress::UpTo(position)
            }
            // What is kept may be what the reader has already: to send it again could go on forever.
            Origin::After(_) => Progress::Unknown { after: self.newest() },
        };
        let mut place = Place { progress, transient: self.transients.newest(), state: State::Reading };
        let begins_with_gap = match log {
            LogState::None => self.missed(&place).is_some(),
            LogState::Unread | LogState::Read => from == Origin::After(Some(NOWHERE)),
        };
        if begins_with_gap {
            place.state = State::BeginsWithGap;
        }
        place
    }

    /// Whether there is or was an event with this position, or it is that before the first one.
    pub(crate) fn has_had(&self, position: StreamPosition) -> bool {
        position.epoch() == self.epoch && position.sequence() <= self.events.newest()
    }

    /// Whether events are missing between a reader's progress and what it gets next.
    fn missed(&self, place: &Place) -> Option<Missed> {
        let Some(position) = place.progress.position().filter(|position| self.has_had(*position)) else {
            return Some(Missed::Unknown);
        };
        let read = position.sequence();
        match self.events.before_oldest().checked_sub(read)? {
            0 => None,
            count if read < self.begin || place.state == State::BeginsWithGap => Some(Missed::Skipped(count)),
            count => Some(Missed::TooSlow(count)),
        }
    }

    /// Moves a reader on by what it gets next.
    pub(crate) fn next(&self, place: &mut Place, log: LogState) -> Next<'_> {
        // A reader that began before there was an epoch.
        if self.created_after.is_some_and(|before| place.progress == Progress::UpTo(before))
            && place.state == State::Reading
        {
            place.progress = Progress::UpTo(self.position(0));
        }
        if let Some(missed) = self.missed(place) {
            let before_oldest = self.position(self.events.before_oldest());
            let has_all_after = |after| self.has_had(after) && after.sequence() >= before_oldest.sequence();
            let after = match (log, place.progress) {
                (LogState::None, Progress::Unknown { after }) if has_all_after(after) => after,
                (LogState::None, _) => before_oldest,
                (_, Progress::Unknown { after }) => after,
                (LogState::Unread, Progress::UpTo(_)) => return Next::InLog,
                (LogState::Read, Progress::UpTo(_)) if !self.is_finished => return Next::Nothing,
                (LogState::Read, Progress::UpTo(_)) if missed == Missed::Unknown => return Next::End,
                // What is missing is nowhere any more, and nothing else will come.
                (LogState::Read, Progress::UpTo(_)) => before_oldest,
            };
            place.move_to(after);
            return Next::Gap(missed);
        }
        let read = place.progress.continues_after().sequence();
        place.transient = place.transient.max(self.transients.before_oldest());
        if let Some(transient) = self.transients.next_after(place.transient)
            && transient.after <= read
        {
            place.transient += 1;
            place.state = State::Reading;
            return Next::Transient(&transient.blocks);
        }
        if let Some(event) = self.events.next_after(read) {
            place.move_to(self.position(read + 1));
            return Next::Event(event);
        }
        if self.is_finished { Next::End } else { Next::Nothing }
    }
}

impl Place {
    /// Continues after a position.
    pub(crate) fn move_to(&mut self, position: StreamPosition) {
        self.progress = Progress::UpTo(position);
        self.state = State::Reading;
    }
}
