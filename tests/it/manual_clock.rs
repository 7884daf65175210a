//! A simulated timer, a source of the items that the test sends, and the task that polls them.

use crate::stream_generator::Random;
use eventwire::Timer;
use futures_util::{Stream, StreamExt};
use std::{
    cell::{Cell, RefCell},
    collections::VecDeque,
    convert::Infallible,
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

/// A timer whose time the test advances. It counts the sleeps that it has created.
#[derive(Clone, Default)]
pub(crate) struct Clock {
    /// Whether [`Timer::now`] returns the time.
    pub(crate) is_told: bool,
    pub(crate) now: Rc<Cell<Duration>>,
    /// The duration by which the time from `now` was changed. It does not affect the sleeps.
    pub(crate) set: Rc<Cell<Duration>>,
    pub(crate) sleeps: Rc<Cell<usize>>,
    /// How often its sleeps were polled.
    pub(crate) polls: Rc<Cell<usize>>,
    /// Whether each poll of a sleep wakes its task at once although the sleep has not ended, as tokio's sleeps do
    /// when the task has used up its budget.
    pub(crate) is_distracted: Rc<Cell<bool>>,
    /// The wakers of pending sleeps, and when to wake them.
    pub(crate) wakers: Rc<RefCell<Vec<(Duration, Waker)>>>,
    /// The duration by which sleeps end too early, as those of browsers may do, but at most half of their time.
    pub(crate) early: Duration,
}

impl Clock {
    /// A timer with a clock and one without. The adapters must behave alike with both.
    pub(crate) fn both() -> [Clock; 2] {
        [false, true].map(|is_told| Clock { is_told, ..Clock::default() })
    }

    pub(crate) fn pass(&self, time: Duration) {
        self.now.set(self.now.get() + time);
        let due = |(until, _): &mut (Duration, Waker)| *until <= self.now.get();
        let due: Vec<_> = self.wakers.borrow_mut().extract_if(.., due).collect();
        due.iter().for_each(|(_, waker)| waker.wake_by_ref());
    }

    /// What `new` makes of a source and each of the two timers.
    pub(crate) fn with_both<T: Clone + Default, S>(new: impl Fn(Manual<T>, Clock) -> S) -> [(Clock, Manual<T>, S); 2] {
        Clock::both().map(|clock| {
            let source = Manual::default();
            (clock.clone(), source.clone(), new(source, clock))
        })
    }

    /// Returns the number of sleeps that will wake a task.
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
        // The clock starts at one day, so that a time is not mistaken for a duration.
        self.is_told.then(|| self.now.get() + self.set.get() + seconds(86400))
    }
}

/// Wakes the task that has polled it last. It must not be polled again after its end.
pub(crate) struct Sleep {
    clock: Clock,
    until: Duration,
    is_over: bool,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        assert!(!self.is_over, "polled after it was over");
        self.clock.polls.set(self.clock.polls.get() + 1);
        self.is_over = self.clock.now.get() >= self.until;
        if self.is_over {
            return Poll::Ready(());
        }
        if self.clock.is_distracted.get() {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        // The test has one sleep; others have been dropped.
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

/// A source of the items that the test sends. It ends when the test ends it, and must not be polled after that. It counts
/// how often it is polled.
#[derive(Clone, Default)]
pub(crate) struct Manual<T> {
    pub(crate) queue: Rc<RefCell<VecDeque<Option<T>>>>,
    pub(crate) polls: Rc<Cell<usize>>,
    has_ended: Rc<Cell<bool>>,
}

impl<T> Manual<T> {
    pub(crate) fn send(&self, item: impl Into<T>) {
        self.queue.borrow_mut().push_back(Some(item.into()));
    }

    pub(crate) fn end(&self) {
        self.queue.borrow_mut().push_back(None);
    }

    /// Returns whether nobody can poll it any longer, but for the test.
    #[cfg(feature = "http-body")]
    pub(crate) fn is_dropped(&self) -> bool {
        Rc::strong_count(&self.queue) == 1
    }
}

impl<T: Unpin> Stream for Manual<T> {
    type Item = Result<T, Infallible>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        assert!(!self.has_ended.get(), "the source is polled after its end");
        self.polls.set(self.polls.get() + 1);
        let Some(item) = self.queue.borrow_mut().pop_front() else { return Poll::Pending };
        self.has_ended.set(item.is_none());
        Poll::Ready(item.map(Ok))
    }
}

/// A task that records whether it has been woken.
pub(crate) struct Task(AtomicBool);

impl Task {
    /// A task that has not polled anything yet.
    pub(crate) fn woken() -> Arc<Task> {
        Arc::new(Task(true.into()))
    }

    /// Returns whether the task has been woken since the last call.
    pub(crate) fn is_woken(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }
}

impl Wake for Task {
    fn wake(self: Arc<Task>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Polls the stream until its task is not woken again, and passes on the items.
pub(crate) fn while_woken<S: Stream + Unpin>(task: &Arc<Task>, stream: &mut S, mut give: impl FnMut(S::Item)) {
    let waker = Waker::from(Arc::clone(task));
    while task.is_woken() {
        while let Poll::Ready(Some(item)) = stream.poll_next_unpin(&mut Context::from_waker(&waker)) {
            give(item);
        }
    }
}

/// When items come, by a clock that may be told and may end sleeps too early.
pub(crate) struct Timeline {
    pub(crate) clock: Clock,
    pub(crate) comes_at: Vec<u64>,
    /// When the stream moves to another task, which polls it first.
    moves: Vec<u64>,
}

impl Timeline {
    pub(crate) fn any(random: &mut Random) -> Timeline {
        let is_told = random.coin();
        let early = millis(if is_told { random.below(3) as u64 } else { 0 });
        let gaps = random.list(40, |random| if random.below(6) < 5 { random.below(4) } else { random.below(90) });
        let comes_at = gaps.iter().scan(0, |at, gap| {
            *at += *gap as u64;
            Some(*at)
        });
        Timeline {
            clock: Clock { is_told, early, ..Clock::default() },
            comes_at: comes_at.collect(),
            moves: random.list(4, |random| random.below(200) as u64),
        }
    }

    /// Polls the stream only when its task is woken, up to this time, and sends the items by their number. Returns what
    /// it yields, with the milliseconds.
    pub(crate) fn run<S: Stream + Unpin>(&self, stream: &mut S, end: u64, send: impl Fn(usize)) -> Vec<(u64, S::Item)> {
        let (mut task, mut found) = (Task::woken(), Vec::new());
        for now in 0..end {
            for (number, _) in self.comes_at.iter().enumerate().filter(|(_, at)| **at == now) {
                send(number);
                task.wake_by_ref();
            }
            if self.moves.contains(&now) {
                task = Task::woken();
            }
            while_woken(&task, stream, |item| {
                found.push((now, item));
                assert!(found.len() < 10_000, "it spins");
            });
            self.clock.pass(millis(1));
        }
        found
    }
}
