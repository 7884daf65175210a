//! A reader's place in a channel.

use crate::log::NOWHERE;
use crate::{
    Lag, Resume, StreamPosition,
    channel::Shared,
    record::{Item, Missed, Next, Place, Record, Told},
    sync::{Arc, RwLockReadGuard},
    waiting::Ticket,
};
use eventwire::Encoded;
use std::{
    str,
    sync::atomic::Ordering::Relaxed,
    task::{Context, Poll},
};

/// A place in a channel's history, which is all that a reader has.
#[derive(Debug)]
pub(crate) struct Cursor {
    shared: Arc<Shared>,
    place: Place,
    ticket: Option<Ticket>,
    lag: Lag,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Events are missing from the start. The reader is told so, even where a reader that lags is not. Beside a log,
    /// they may be: the reader was told that there is no topic, and one may have come and gone since.
    BeginsWithGap,
    Reading,
}

/// Where a reader begins: a [`Resume`] whose ID has been read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    Live,
    Earliest,
    /// After a position, or with an ID that is none.
    After(Option<StreamPosition>),
}

/// What a reader gets.
#[derive(Debug)]
pub(crate) enum Part {
    Event(Encoded),
    Transient(Encoded),
    Gap(Missed),
    /// The stream ends here, although the topic may go on: the reader was too slow (see [`Lag::End`]), or the hub no
    /// longer follows the topic. The reader has to return.
    Cut,
}

impl Cursor {
    /// Returns a new reader, and whether it has everything of a stream that has ended.
    pub(crate) fn new(shared: &Arc<Shared>, from: Origin) -> (Cursor, bool) {
        let record = shared.record();
        let told = told(&record, from);
        let begins_with_gap = !matches!(from, Origin::Live) && record.missed(told).is_some();
        let state = if begins_with_gap { State::BeginsWithGap } else { State::Reading };
        Cursor::at(shared, record, told, from, state)
    }

    /// Returns a new reader that can read elsewhere what is missing here; see [`poll_or_behind`].
    ///
    /// [`poll_or_behind`]: Cursor::poll_or_behind
    pub(crate) fn beside_a_log(shared: &Arc<Shared>, from: Origin) -> (Cursor, bool) {
        let record = shared.record();
        let told = match from {
            // The log may have more than the record.
            Origin::After(Some(position)) => Told::UpTo(position),
            _ => told(&record, from),
        };
        let state = match from {
            Origin::After(Some(NOWHERE)) => State::BeginsWithGap,
            _ => State::Reading,
        };
        Cursor::at(shared, record, told, from, state)
    }

    fn at(
        shared: &Arc<Shared>,
        record: RwLockReadGuard<'_, Record>,
        told: Told,
        from: Origin,
        state: State,
    ) -> (Cursor, bool) {
        let is_up_to_date =
            record.is_finished() && matches!(from, Origin::After(_)) && told == Told::UpTo(record.newest());
        let place = record.place(told);
        shared.readers.fetch_add(1, Relaxed);
        let cursor = Cursor { shared: Arc::clone(shared), place, ticket: None, lag: Lag::default(), state };
        (cursor, is_up_to_date)
    }

    pub(crate) fn set_lag(&mut self, lag: Lag) {
        self.lag = lag;
    }

    pub(crate) fn told(&self) -> Told {
        self.place.told
    }

    /// Returns what the reader gets next. `item` chooses which form of an event.
    ///
    /// At the end it waits as well, because the channel can go on; see [`Channel::restart`](crate::Channel::restart).
    pub(crate) fn poll(
        &mut self,
        context: &mut Context<'_>,
        item: impl FnOnce(&Item) -> Encoded,
    ) -> Poll<Option<Part>> {
        let record = self.shared.record();
        let part = match record.next(&mut self.place) {
            Next::Event(event) => Part::Event(item(event)),
            Next::Transient(blocks) => Part::Transient(blocks.clone()),
            Next::Gap(Missed::TooSlow(_)) if self.lag == Lag::End && self.state == State::Reading => {
                self.shared.ended.fetch_add(1, Relaxed);
                Part::Cut
            }
            Next::Gap(missed) => {
                self.shared.gaps.fetch_add(1, Relaxed);
                Part::Gap(missed)
            }
            Next::Nothing => {
                wait(&self.shared, &mut self.ticket, record, context);
                return Poll::Pending;
            }
            Next::End => {
                wait(&self.shared, &mut self.ticket, record, context);
                return Poll::Ready(None);
            }
        };
        self.state = State::Reading;
        Poll::Ready(Some(part))
    }

    /// Returns what the reader gets next, or that it has to read the next event elsewhere. It is then at the same place
    /// as before, and is [moved](Cursor::move_to) by what it reads.
    ///
    /// If there is nothing [to read](ToRead) elsewhere, it waits until the channel changes.
    pub(crate) fn poll_or_behind(
        &mut self,
        context: &mut Context<'_>,
        to_read: ToRead,
        item: impl FnOnce(&Item) -> Encoded,
    ) -> Poll<Local> {
        let record = self.shared.record();
        if let Told::Nothing { after } = self.place.told {
            self.place.told = Told::UpTo(after);
            self.shared.gaps.fetch_add(1, Relaxed);
            return Poll::Ready(Local::Part(Part::Gap(Missed::Unknown)));
        }
        let is_behind = if self.state == State::BeginsWithGap {
            record.newest() != NOWHERE
        } else {
            record.enter_epoch(&mut self.place);
            record.missed(self.place.told).is_some()
        };
        if is_behind {
            if to_read == ToRead::Something || has_changed(&self.shared, self.ticket.as_ref()) {
                // Also while it reads elsewhere, so that no change is missed in between.
                wait(&self.shared, &mut self.ticket, record, context);
                return Poll::Ready(Local::Behind);
            }
            if !record.is_finished() {
                wait(&self.shared, &mut self.ticket, record, context);
                return Poll::Pending;
            }
            if record.missed(self.place.told) == Some(Missed::Unknown) {
                wait(&self.shared, &mut self.ticket, record, context);
                return Poll::Ready(Local::End);
            }
        }
        Poll::Ready(match record.next(&mut self.place) {
            Next::Event(event) => Local::Part(Part::Event(item(event))),
            Next::Transient(blocks) => Local::Part(Part::Transient(blocks.clone())),
            // What is missing is nowhere any more, and nothing else will come.
            Next::Gap(missed) => {
                self.shared.gaps.fetch_add(1, Relaxed);
                Local::Part(Part::Gap(missed))
            }
            Next::Nothing => {
                wait(&self.shared, &mut self.ticket, record, context);
                return Poll::Pending;
            }
            Next::End => {
                wait(&self.shared, &mut self.ticket, record, context);
                Local::End
            }
        })
    }

    /// Continues after a position that the reader has read elsewhere.
    pub(crate) fn move_to(&mut self, position: StreamPosition) {
        self.place.told = Told::UpTo(position);
        self.state = State::Reading;
    }

    pub(crate) fn count_gap(&self) {
        self.shared.gaps.fetch_add(1, Relaxed);
    }
}

/// Whether a reader that is behind can read something elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ToRead {
    Something,
    /// It has read everything that is there, since the channel has last changed.
    Nothing,
}

/// What a reader finds in a channel.
pub(crate) enum Local {
    Part(Part),
    /// The next event is not here.
    Behind,
    End,
}

/// Whether the record has changed since a reader has waited with this ticket.
fn has_changed(shared: &Shared, ticket: Option<&Ticket>) -> bool {
    ticket.is_none_or(|ticket| shared.waiting().has_passed(ticket))
}

/// Has the reader's task woken when the record changes, which nobody can do meanwhile.
fn wait(shared: &Shared, ticket: &mut Option<Ticket>, record: RwLockReadGuard<'_, Record>, context: &mut Context<'_>) {
    let mut waiting = shared.waiting();
    if !waiting.will_wake(ticket.as_ref(), context.waker()) {
        let waker = context.waker().clone();
        let old = waiting.remove(ticket.take());
        *ticket = Some(waiting.register(waker));
        drop((waiting, record));
        // It may be the last of its task, whose future may have a reader of this channel.
        drop(old);
    }
}

impl Origin {
    pub(crate) fn new(resume: &Resume<'_>) -> Origin {
        match resume {
            Resume::Live => Origin::Live,
            Resume::Earliest => Origin::Earliest,
            Resume::After(id) => Origin::After(str::from_utf8(id).ok().and_then(|id| id.parse().ok())),
        }
    }
}

/// What a reader that begins there has been told.
fn told(record: &Record, from: Origin) -> Told {
    let newest = record.newest();
    let position = match from {
        Origin::Live => Some(newest),
        Origin::Earliest => Some(StreamPosition::new(newest.epoch(), 0)),
        Origin::After(position) => position,
    };
    match position {
        Some(position) if position.epoch() != newest.epoch() || record.has_had(position) => Told::UpTo(position),
        // What is kept may be what the reader has already: to send it again could go on forever.
        _ => Told::Nothing { after: newest },
    }
}

impl Drop for Cursor {
    fn drop(&mut self) {
        self.shared.readers.fetch_sub(1, Relaxed);
        let mut waiting = self.shared.waiting();
        let waker = waiting.remove(self.ticket.take());
        drop(waiting);
        drop(waker);
    }
}
