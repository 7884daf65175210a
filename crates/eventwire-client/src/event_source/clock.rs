//! The clock of a timeout.

use core::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use eventwire::Timer;
use pin_project_lite::pin_project;

/// A timeout consists of this many sleeps.
const PARTS: u32 = 4;

pin_project! {
    /// Measures a timeout, or sleeps once.
    ///
    /// A timeout is counted from when it is first polled. The clock cannot know how much of a sleep passed while
    /// nobody polled. So a timeout consists of several sleeps, and each begins when it is polled: a consumer that
    /// does not poll for an hour uses up only one of them.
    #[derive(Debug)]
    pub(super) struct Clock<S> {
        timeout: Option<Duration>,
        #[pin]
        sleep: Option<S>,
        parts_over: u32,
    }
}

impl<S> Clock<S> {
    /// Returns a clock that has stopped and has no timeout.
    pub(super) fn new() -> Clock<S> {
        Clock { timeout: None, sleep: None, parts_over: 0 }
    }

    /// Zero means no timeout.
    pub(super) fn set_timeout(self: Pin<&mut Self>, timeout: Duration) {
        *self.project().timeout = Some(timeout).filter(|timeout| !timeout.is_zero());
    }

    #[inline]
    pub(super) fn stop(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.sleep.set(None);
        *this.parts_over = 0;
    }

    /// Begins a sleep, which passes whether it is polled or not.
    pub(super) fn start<T: Timer<Sleep = S>>(self: Pin<&mut Self>, timer: &T, duration: Duration) {
        self.project().sleep.set(Some(timer.sleep(duration)));
    }

    /// Ready at the end of the sleep, which begins now unless it has begun.
    pub(super) fn poll_sleep<T>(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        timer: &T,
        duration: Duration,
    ) -> Poll<()>
    where
        T: Timer<Sleep = S>,
        S: Future<Output = ()>,
    {
        let mut sleep = self.project().sleep;
        if sleep.is_none() {
            sleep.set(Some(timer.sleep(duration)));
        }
        if let Some(begun) = sleep.as_mut().as_pin_mut() {
            ready!(begun.poll(context));
        }
        sleep.set(None);
        Poll::Ready(())
    }

    /// Ready with the timeout if the clock has not been stopped for that long. It remains ready until it is stopped.
    #[inline]
    pub(super) fn poll_timeout<T>(mut self: Pin<&mut Self>, context: &mut Context<'_>, timer: &T) -> Poll<Duration>
    where
        T: Timer<Sleep = S>,
        S: Future<Output = ()>,
    {
        let Some(timeout) = self.timeout else { return Poll::Pending };
        while self.parts_over < PARTS {
            ready!(self.as_mut().poll_sleep(context, timer, timeout / PARTS));
            *self.as_mut().project().parts_over += 1;
        }
        Poll::Ready(timeout)
    }
}
