//! A reader's place in a channel.

use crate::{
    Lag, Position, Resume, Start,
    channel::Shared,
    record::{Item, Missed, Next, Place, Record, Told},
    sync::Arc,
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
    /// Events are missing from the start. The reader is told so, even where a reader that lags is not.
    BeginsWithGap,
    Reading,
    Ended,
}

/// Where a reader begins: a [`Resume`] whose ID has been read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin {
    Live,
    Earliest,
    /// After a position, or with an ID that is none.
    After(Option<Position>),
}

/// What a reader gets.
#[derive(Debug)]
pub(crate) enum Part {
    Event(Encoded),
    Transient(Encoded),
    Gap(Missed),
    /// The reader was too slow, and its stream ends; see [`Lag::End`].
    TooSlow,
}

impl Cursor {
    /// Returns a new reader, how it starts, and whether it has everything of a stream that has ended.
    pub(crate) fn new(shared: &Arc<Shared>, from: Origin) -> (Cursor, Start, bool) {
        let record = shared.record();
        let told = told(&record, from);
        let start = match from {
            Origin::Live => Start::Live,
            _ if record.missed(told).is_some() => Start::Gap,
            _ => Start::Complete,
        };
        let is_up_to_date =
            record.is_finished() && matches!(from, Origin::After(_)) && told == Told::UpTo(record.newest());
        let place = record.place(told);
        shared.readers.fetch_add(1, Relaxed);
        let state = if start == Start::Gap { State::BeginsWithGap } else { State::Reading };
        let cursor = Cursor { shared: Arc::clone(shared), place, ticket: None, lag: Lag::default(), state };
        (cursor, start, is_up_to_date)
    }

    pub(crate) fn set_lag(&mut self, lag: Lag) {
        self.lag = lag;
    }

    pub(crate) fn told(&self) -> Told {
        self.place.told
    }

    /// Returns what the reader gets next. `item` chooses which form of an event.
    pub(crate) fn poll(
        &mut self,
        context: &mut Context<'_>,
        item: impl FnOnce(&Item) -> Encoded,
    ) -> Poll<Option<Part>> {
        if self.state == State::Ended {
            return Poll::Ready(None);
        }
        let record = self.shared.record();
        let part = match record.next(&mut self.place) {
            Next::Event(event) => Some(Part::Event(item(event))),
            Next::Transient(blocks) => Some(Part::Transient(blocks.clone())),
            Next::Gap(Missed::TooSlow(_)) if self.lag == Lag::End && self.state == State::Reading => {
                self.shared.ended.fetch_add(1, Relaxed);
                self.state = State::Ended;
                return Poll::Ready(Some(Part::TooSlow));
            }
            Next::Gap(missed) => {
                self.shared.gaps.fetch_add(1, Relaxed);
                Some(Part::Gap(missed))
            }
            Next::Nothing => {
                let mut waiting = self.shared.waiting();
                if !waiting.will_wake(self.ticket.as_ref(), context.waker()) {
                    let waker = context.waker().clone();
                    let old = waiting.remove(self.ticket.take());
                    self.ticket = Some(waiting.register(waker));
                    drop((waiting, record));
                    // It may be the last of its task, whose future may have a reader of this channel.
                    drop(old);
                }
                return Poll::Pending;
            }
            Next::End => None,
        };
        self.state = if part.is_some() { State::Reading } else { State::Ended };
        Poll::Ready(part)
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
        Origin::Earliest => Some(Position::new(newest.epoch(), 0)),
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
