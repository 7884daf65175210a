//! The readers that wait for something new.

use std::{
    mem,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    task::Waker,
};

/// The wakers of all readers that wait. A wake-up takes all of them; a reader that wants another one registers again.
#[derive(Default)]
pub(crate) struct Waiting {
    /// How often all wakers were taken.
    round: u64,
    wakers: Vec<Option<Waker>>,
    /// The empty places of `wakers`.
    vacant: Vec<usize>,
    /// Empty; has room for the wakers of the next round.
    spare: Vec<Option<Waker>>,
}

/// Where a reader's waker is. It is there until the wakers of its round are taken.
#[derive(Debug)]
pub(crate) struct Ticket {
    round: u64,
    index: usize,
}

impl Waiting {
    /// Whether the waker of this ticket is still there, and wakes the same task as `waker`.
    pub(crate) fn will_wake(&self, ticket: Option<&Ticket>, waker: &Waker) -> bool {
        ticket
            .filter(|ticket| ticket.round == self.round)
            .and_then(|ticket| self.wakers[ticket.index].as_ref())
            .is_some_and(|registered| registered.will_wake(waker))
    }

    /// Whether the wakers of this ticket's round were taken.
    pub(crate) fn has_passed(&self, ticket: &Ticket) -> bool {
        ticket.round != self.round
    }

    /// Adds a waker.
    pub(crate) fn register(&mut self, waker: Waker) -> Ticket {
        let index = self.vacant.pop().unwrap_or_else(|| {
            self.wakers.push(None);
            self.wakers.len() - 1
        });
        self.wakers[index] = Some(waker);
        Ticket { round: self.round, index }
    }

    /// Removes a waker, if it is still there. Dropping it may run code of the task, so the caller does that without the
    /// lock.
    #[must_use]
    pub(crate) fn remove(&mut self, ticket: Option<Ticket>) -> Option<Waker> {
        let ticket = ticket.filter(|ticket| ticket.round == self.round)?;
        self.vacant.push(ticket.index);
        self.wakers[ticket.index].take()
    }

    /// Removes all wakers, to be [woken](wake) without the lock.
    #[must_use]
    pub(crate) fn take(&mut self) -> Vec<Option<Waker>> {
        if self.wakers.len() == self.vacant.len() {
            return Vec::new();
        }
        self.round += 1;
        self.vacant.clear();
        mem::replace(&mut self.wakers, mem::take(&mut self.spare))
    }

    /// Keeps the memory of wakers that were woken. Otherwise each event would allocate as much again.
    pub(crate) fn reuse(&mut self, wakers: Vec<Option<Waker>>) {
        self.spare = wakers;
    }
}

/// Wakes all wakers, and removes them. If one of them panics, the others are woken first.
pub(crate) fn wake(wakers: &mut Vec<Option<Waker>>) {
    let mut panic = None;
    for waker in wakers.drain(..).flatten() {
        if let Err(payload) = catch_unwind(AssertUnwindSafe(|| waker.wake())) {
            panic.get_or_insert(payload);
        }
    }
    if let Some(payload) = panic {
        resume_unwind(payload);
    }
}
