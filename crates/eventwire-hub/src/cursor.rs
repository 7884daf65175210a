//! A reader's place in a channel.

use crate::{
    gap::Lag,
    numbered_event::NumberedEvent,
    record::{LogState, Missed, Next, Place, Progress, Record},
    resume::Origin,
    shared::Shared,
    stream_position::StreamPosition,
    sync::{Arc, RwLockReadGuard},
    waiting::Ticket,
};
use eventwire::Encoded;
use std::{
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
}

/// What a reader finds in a channel.
#[derive(Debug)]
pub(crate) enum Found {
    Part(Part),
    /// The log may have what comes next. The reader is [moved](Cursor::move_to) by what it reads there.
    InLog,
    End,
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
    pub(crate) fn new(shared: &Arc<Shared>, from: Origin, log: LogState) -> (Cursor, bool) {
        let record = shared.record();
        let is_up_to_date = record.is_finished() && from == Origin::After(Some(record.newest()));
        let place = record.place(from, log);
        shared.readers.fetch_add(1, Relaxed);
        (Cursor { shared: Arc::clone(shared), place, ticket: None, lag: Lag::default() }, is_up_to_date)
    }

    pub(crate) fn set_lag(&mut self, lag: Lag) {
        self.lag = lag;
    }

    pub(crate) fn progress(&self) -> Progress {
        self.place.progress
    }

    /// Returns what the reader gets next. `form` chooses which form of an event.
    ///
    /// At the end it waits as well, because the channel can go on; see [`Channel::restart`](crate::Channel::restart).
    pub(crate) fn poll(
        &mut self,
        context: &mut Context<'_>,
        log: LogState,
        form: impl FnOnce(&NumberedEvent) -> Encoded,
    ) -> Poll<Found> {
        let Cursor { shared, place, ticket, lag } = self;
        let record = shared.record();
        let log = match log {
            LogState::Read if has_changed(shared, ticket.as_ref()) => LogState::Unread,
            log => log,
        };
        let part = |part| Poll::Ready(Found::Part(part));
        let found = match record.next(place, log) {
            Next::Event(event) => return part(Part::Event(form(event))),
            Next::Transient(blocks) => return part(Part::Transient(blocks.clone())),
            Next::Gap(Missed::TooSlow(_)) if *lag == Lag::End => {
                shared.ended.fetch_add(1, Relaxed);
                return part(Part::Cut);
            }
            Next::Gap(missed) => {
                shared.gaps.fetch_add(1, Relaxed);
                return part(Part::Gap(missed));
            }
            Next::InLog => Poll::Ready(Found::InLog),
            Next::Nothing => Poll::Pending,
            Next::End => Poll::Ready(Found::End),
        };
        // Also while it reads the log, so that no change is missed in between.
        wait(shared, ticket, record, context);
        found
    }

    /// Continues after a position that the reader has read in the log.
    pub(crate) fn move_to(&mut self, position: StreamPosition) {
        self.place.move_to(position);
    }

    /// Continues after a position in the log, before which events are missing.
    pub(crate) fn skip_to(&mut self, position: StreamPosition) {
        self.place.move_to(position);
        self.shared.gaps.fetch_add(1, Relaxed);
    }
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

impl Drop for Cursor {
    fn drop(&mut self) {
        self.shared.readers.fetch_sub(1, Relaxed);
        let mut waiting = self.shared.waiting();
        let waker = waiting.remove(self.ticket.take());
        drop(waiting);
        drop(waker);
    }
}
