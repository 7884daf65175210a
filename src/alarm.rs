//! The time of silence.

use crate::timer::Timer;
use core::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use pin_project_lite::pin_project;

pin_project! {
    /// A sleep that is restarted again and again.
    ///
    /// With tokio, making, polling and dropping a sleep takes 105 ns, resetting and polling one 60 ns, and reading the
    /// clock 18 ns. So if the timer has a clock, a restart only notes the time, and leaves the sleep that is running.
    /// Once that is half over, the next restart makes a new one, so a busy stream makes two sleeps in each interval and
    /// is never woken by them. The sleep that is left is polled all the same, because it may have been polled without effect:
    /// tokio's sleeps return at once, and wake the task, if the task has used up its budget.
    #[derive(Debug)]
    pub(super) struct Alarm<S> {
        #[pin]
        sleep: Option<S>,
        // When the sleep is over, and when the alarm is due, by the timer's clock. Without a clock, they are the same.
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

    /// Counts `interval` anew. Ready if it is over at once.
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
            // Not even half over. More than the interval is left only if the clock was set back.
            return Poll::Pending;
        }
        self.as_mut().begin(timer.sleep(interval));
        self.poll(context, timer, interval)
    }

    /// Ready when the interval has passed since the last restart. It must be restarted then.
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
            // A clock that was set back does not put it off again and again.
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
