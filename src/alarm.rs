//! A restartable sleep, for timeouts and keep-alives.

use crate::timer::Timer;
use alloc::{sync::Arc, task::Wake};
use core::{
    pin::Pin,
    sync::atomic::{AtomicBool, Ordering},
    task::{Context, Poll, Waker, ready},
    time::Duration,
};
use pin_project_lite::pin_project;

pin_project! {
    /// A sleep that is restarted often.
    ///
    /// With tokio, it takes 105 ns to create, poll and drop a sleep, 60 ns to reset and poll one, 27 ns to poll one,
    /// and 18 ns to read the clock. So if the timer has a clock, a restart only stores the time and keeps the running
    /// sleep. After half of its duration, the next restart creates a new sleep. A busy stream therefore creates two
    /// sleeps per interval, is never woken by them, and does not poll them while they are sure to wake its task
    /// ([`Relay`]).
    ///
    /// For example, an interval of 10 seconds that is restarted after 4 and after 6 seconds:
    ///
    /// ```text
    /// 0       4   6       10          16
    /// |-------|---|.......|               the first sleep, kept at 4, replaced at 6
    ///             |-------------------|   the second sleep, until the alarm is due
    /// ```
    ///
    /// At 4, more than half of the first sleep is left, but not at 6. Without the restart at 6, it would end at 10,
    /// when the alarm is due at 14, and [`poll`](Alarm::poll) would sleep for what is left.
    #[derive(Debug)]
    pub(super) struct Alarm<S> {
        #[pin]
        sleep: Option<S>,
        // Only if the timer has a clock: without one, each restart makes a new sleep.
        relay: Option<Arc<Relay>>,
        // When the sleep ends, and when the alarm is due, by the timer's clock. Without a clock, the two are equal.
        wakes: Duration,
        due: Duration,
    }
}

impl<S> Alarm<S> {
    pub(super) fn stopped() -> Alarm<S> {
        Alarm { sleep: None, relay: None, wakes: Duration::ZERO, due: Duration::ZERO }
    }

    pub(super) fn stop(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.sleep.set(None);
        *this.relay = None;
    }

    /// Restarts the interval. Ready if it has already passed.
    #[inline]
    pub(super) fn restart<T>(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        timer: &T,
        interval: Duration,
    ) -> Poll<()>
    where
        T: Timer<Sleep = S>,
        S: Future<Output = ()>,
    {
        let this = self.as_mut().project();
        let now = timer.now();
        *this.due = now.unwrap_or_default().saturating_add(interval);
        if let Some(now) = now
            && let left = this.wakes.saturating_sub(now)
            && left > interval / 2
            && left <= interval
            && self.as_mut().poll_sleep(context).is_pending()
        {
            // Less than half of the sleep has passed. More than the interval can be left only if the clock was set
            // back.
            return Poll::Pending;
        }
        let relay = now.map(|_| Relay::new(context.waker()));
        self.as_mut().begin(timer.sleep(interval), relay);
        self.poll(context, timer, interval)
    }

    /// Ready when the interval has passed since the last restart. The alarm must then be restarted.
    pub(super) fn poll<T>(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        timer: &T,
        interval: Duration,
    ) -> Poll<()>
    where
        T: Timer<Sleep = S>,
        S: Future<Output = ()>,
    {
        ready!(self.as_mut().poll_sleep(context));
        if let Some(now) = timer.now()
            && self.due > now
        {
            let this = self.as_mut().project();
            // A clock that was set back must not delay the alarm again and again.
            *this.due = (*this.due).min(now.saturating_add(interval));
            let left = this.due.saturating_sub(now);
            self.as_mut().begin(timer.sleep(left), Some(Relay::new(context.waker())));
            ready!(self.as_mut().poll_sleep(context));
        }
        self.stop();
        Poll::Ready(())
    }

    fn begin(self: Pin<&mut Self>, sleep: S, relay: Option<Arc<Relay>>) {
        let mut this = self.project();
        this.sleep.set(Some(sleep));
        *this.relay = relay;
        *this.wakes = *this.due;
    }

    /// Polls the sleep, unless it is certain to wake the task.
    fn poll_sleep(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()>
    where
        S: Future<Output = ()>,
    {
        let this = self.project();
        let Some(sleep) = this.sleep.as_pin_mut() else { return Poll::Ready(()) };
        let Some(relay) = this.relay else { return sleep.poll(context) };
        if !relay.task.will_wake(context.waker()) {
            *relay = Relay::new(context.waker());
        } else if relay.is_armed.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        // Before the poll, during which the sleep may wake the task.
        relay.is_armed.store(true, Ordering::Release);
        sleep.poll(&mut Context::from_waker(&Waker::from(Arc::clone(relay))))
    }
}

/// Wakes the task for a sleep, and remembers that it did.
///
/// A pending sleep need not be polled again before it has woken the task, which it does even if the poll had no effect:
/// if the task has used up its budget, tokio's sleeps return immediately and wake the task. A task that has another
/// waker at each poll costs a relay for each.
#[derive(Debug)]
struct Relay {
    task: Waker,
    /// Whether the sleep was polled, and has not woken the task since.
    is_armed: AtomicBool,
}

impl Relay {
    fn new(task: &Waker) -> Arc<Relay> {
        Arc::new(Relay { task: task.clone(), is_armed: AtomicBool::new(false) })
    }
}

impl Wake for Relay {
    fn wake(self: Arc<Relay>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Relay>) {
        self.is_armed.store(false, Ordering::Release);
        self.task.wake_by_ref();
    }
}
