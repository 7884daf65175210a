//! The time that a connection is silent.

use crate::timer::Timer;
use core::{
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use pin_project_lite::pin_project;

/// In how many parts a timeout is counted.
const PARTS: u32 = 4;

pin_project! {
    /// Counts the time from when it is first polled, until it is stopped.
    ///
    /// There is no telling how much of a sleep has passed while nobody polled. So a timeout is several sleeps, of which each begins
    /// when it is polled: a consumer that goes away for an hour uses up one of them.
    #[derive(Debug)]
    pub(super) struct Clock<S> {
        #[pin]
        sleep: Option<S>,
        parts_over: u32,
    }
}

impl<S> Clock<S> {
    pub(super) fn stopped() -> Clock<S> {
        Clock { sleep: None, parts_over: 0 }
    }

    #[inline]
    pub(super) fn stop(self: Pin<&mut Self>) {
        let mut this = self.project();
        this.sleep.set(None);
        *this.parts_over = 0;
    }

    /// Ready when it has run for so long; the timeout is returned. Without one it never is.
    pub(super) fn poll_timeout<T>(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        timer: &T,
        timeout: Option<Duration>,
    ) -> Poll<Duration>
    where
        T: Timer<Sleep = S>,
        S: Future<Output = ()>,
    {
        let Some(timeout) = timeout else { return Poll::Pending };
        let mut this = self.project();
        while *this.parts_over < PARTS {
            if this.sleep.is_none() {
                this.sleep.set(Some(timer.sleep(timeout / PARTS)));
            }
            if let Some(sleep) = this.sleep.as_mut().as_pin_mut() {
                ready!(sleep.poll(context));
            }
            this.sleep.set(None);
            *this.parts_over += 1;
        }
        Poll::Ready(timeout)
    }
}
