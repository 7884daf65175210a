//! How long a connection may be silent.

use super::{ConnectionError, clock::Clock};
use core::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use eventwire::Timer;

/// The timeouts of an event source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeouts {
    pub(super) idle: Option<Duration>,
    pub(super) event: Option<Duration>,
    /// How long reading the body of a refusal may take in total.
    pub(super) refusal: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts { idle: None, event: None, refusal: Duration::from_secs(5) }
    }
}

impl Timeouts {
    /// Ready if the body of a refusal has taken too long, in total or since its last byte.
    pub(super) fn poll_refusal<T: Timer>(
        &self,
        context: &mut Context<'_>,
        timer: &T,
        idle: Pin<&mut Clock<T::Sleep>>,
        whole: Pin<&mut Clock<T::Sleep>>,
    ) -> Poll<()> {
        match self.poll_idle(context, timer, idle) {
            Poll::Ready(_) => Poll::Ready(()),
            Poll::Pending => whole.poll_sleep(context, timer, self.refusal),
        }
    }

    /// Ready if there has been no data, or no event, for too long. `idleness` makes the error of the idle timeout.
    #[inline]
    pub(super) fn poll<T: Timer, E>(
        &self,
        context: &mut Context<'_>,
        timer: &T,
        idle: Pin<&mut Clock<T::Sleep>>,
        eventless: Pin<&mut Clock<T::Sleep>>,
        idleness: impl FnOnce(Duration) -> ConnectionError<E>,
    ) -> Poll<ConnectionError<E>> {
        match self.poll_idle(context, timer, idle) {
            Poll::Ready(timeout) => Poll::Ready(idleness(timeout)),
            Poll::Pending => self.poll_event(context, timer, eventless),
        }
    }

    /// Ready if there has been no event for too long. It remains ready until the clock is stopped.
    #[inline]
    pub(super) fn poll_event<T: Timer, E>(
        &self,
        context: &mut Context<'_>,
        timer: &T,
        eventless: Pin<&mut Clock<T::Sleep>>,
    ) -> Poll<ConnectionError<E>> {
        match self.event {
            Some(timeout) => {
                eventless.poll_timeout(context, timer, timeout).map(|()| ConnectionError::EventTimeout(timeout))
            }
            None => Poll::Pending,
        }
    }

    /// Ready with the timeout if there has been no data for too long.
    #[inline]
    pub(super) fn poll_idle<T: Timer>(
        &self,
        context: &mut Context<'_>,
        timer: &T,
        idle: Pin<&mut Clock<T::Sleep>>,
    ) -> Poll<Duration> {
        match self.idle {
            Some(timeout) => idle.poll_timeout(context, timer, timeout).map(|()| timeout),
            None => Poll::Pending,
        }
    }
}
