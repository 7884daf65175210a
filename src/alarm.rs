//! A restartable sleep, for timeouts and keep-alives.

use crate::timer::Timer;
use core::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use pin_project_lite::pin_project;

pin_project! {
    /// A sleep that is restarted often.
    ///
    /// With tokio, it takes 105 ns to create, poll and drop a sleep, 60 ns to reset and poll one, and 18 ns to read
    /// the clock. So if the timer has a clock, a restart only stores the time and keeps the running sleep. After
    /// half of its duration, the next restart creates a new sleep. A busy stream therefore creates two sleeps per
    /// interval and is never woken by them. The old sleep is polled anyway, because an earlier poll may have had no
    /// effect: if the task has used up its budget, tokio's sleeps return immediately and wake the task.
    #[derive(Debug)]
    pub(super) struct Alarm<S> {
        #[pin]
        sleep: Option<S>,
        // When the sleep ends, and when the alarm is due, by the timer's clock. Without a clock, the two are equal.
        wakes: Duration,
        due: Duration,
    }
}

impl<S> Alarm<S> {
    pub(super) fn stopped() -> Alarm<S> {
        Alarm { sleep: None, wakes: Duration::ZERO, due: Duration::ZERO }
    }

    pub(super) fn stop(self: Pin<&mut Self>) {
        self.project().sleep.set(None);
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
        self.as_mut().begin(timer.sleep(interval));
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
            self.as_mut().begin(timer.sleep(left));
            ready!(self.as_mut().poll_sleep(context));
        }
        self.stop();
        Poll::Ready(())
    }

    fn begin(self: Pin<&mut Self>, sleep: S) {
        let mut this = self.project();
        this.sleep.set(Some(sleep));
        *this.wakes = *this.due;
    }

    fn poll_sleep(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()>
    where
        S: Future<Output = ()>,
    {
        self.project().sleep.as_pin_mut().map_or(Poll::Ready(()), |sleep| sleep.poll(context))
    }
}
