//! A timer whose time the test moves.

use eventwire::Timer;
use std::{
    cell::{Cell, RefCell},
    pin::Pin,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Duration,
};

pub(crate) const fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(crate) const fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// A timer whose time the test moves, and how many sleeps it has made.
#[derive(Clone, Default)]
pub(crate) struct Clock {
    /// Whether [`Timer::now`] tells the time.
    pub(crate) is_told: bool,
    pub(crate) now: Rc<Cell<Duration>>,
    /// By how much the time that is told was set, by which the sleeps do not go.
    pub(crate) set: Rc<Cell<Duration>>,
    pub(crate) sleeps: Rc<Cell<usize>>,
    /// Whether each poll of a sleep wakes its task at once although the sleep is not over, as tokio's sleeps do when
    /// the task has used up its budget.
    pub(crate) is_distracted: Rc<Cell<bool>>,
    /// Who is to be woken, and when.
    pub(crate) wakers: Rc<RefCell<Vec<(Duration, Waker)>>>,
    /// Sleeps are over too early by so much, as those of browsers may be, but not before half of their time.
    pub(crate) early: Duration,
}

impl Clock {
    /// One that tells the time and one that does not: they send the same.
    pub(crate) fn both() -> [Clock; 2] {
        [false, true].map(|is_told| Clock { is_told, ..Clock::default() })
    }

    pub(crate) fn pass(&self, time: Duration) {
        self.now.set(self.now.get() + time);
        let due = |(until, _): &mut (Duration, Waker)| *until <= self.now.get();
        let due: Vec<_> = self.wakers.borrow_mut().extract_if(.., due).collect();
        due.iter().for_each(|(_, waker)| waker.wake_by_ref());
    }

    /// How many sleeps there are that will wake somebody.
    pub(crate) fn sleeping(&self) -> usize {
        self.wakers.borrow().len()
    }
}

impl Timer for Clock {
    type Sleep = Sleep;

    fn sleep(&self, duration: Duration) -> Sleep {
        self.sleeps.set(self.sleeps.get() + 1);
        let until = self.now.get().saturating_add(duration - self.early.min(duration / 2));
        Sleep { clock: self.clone(), until, is_over: false }
    }

    fn now(&self) -> Option<Duration> {
        // Since a day before the test, so that a time is not mistaken for a duration.
        self.is_told.then(|| self.now.get() + self.set.get() + seconds(86400))
    }
}

/// Wakes whoever has polled it last, and must not be polled again when it is over.
pub(crate) struct Sleep {
    clock: Clock,
    until: Duration,
    is_over: bool,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        assert!(!self.is_over, "polled after it was over");
        self.is_over = self.clock.now.get() >= self.until;
        if self.is_over {
            return Poll::Ready(());
        }
        if self.clock.is_distracted.get() {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        // The one sleep of the test; others have been dropped.
        let mut wakers = self.clock.wakers.borrow_mut();
        wakers.clear();
        wakers.push((self.until, context.waker().clone()));
        drop(wakers);
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let mut wakers = self.clock.wakers.borrow_mut();
        wakers.retain(|(until, _)| *until != self.until);
    }
}

/// A task, and whether it has been woken.
#[derive(Default)]
pub(crate) struct Task(pub(crate) AtomicBool);

impl Wake for Task {
    fn wake(self: Arc<Task>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
