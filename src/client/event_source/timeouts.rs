//! How long a connection may be silent.

use super::{ConnectionError, clock::Clock};
use crate::Timer;
use core::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

/// How long a connection may be silent; as long as it likes, unless set.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timeouts {
    pub(super) idle: Option<Duration>,
    pub(super) event: Option<Duration>,
}

impl Timeouts {
    /// Ready when there has been no byte, or no event, for too long.
    #[inline]
    pub(super) fn poll<T: Timer, E>(
        &self,
        context: &mut Context<'_>,
        timer: &T,
        idle: Pin<&mut Clock<T::Sleep>>,
        eventless: Pin<&mut Clock<T::Sleep>>,
    ) -> Poll<ConnectionError<E>> {
        match self.poll_idle(context, timer, idle) {
            Poll::Pending => self.poll_event(context, timer, eventless),
            idle => idle,
        }
    }

    /// Ready when there has been no event for too long.
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

    #[inline]
    pub(super) fn poll_idle<T: Timer, E>(
        &self,
        context: &mut Context<'_>,
        timer: &T,
        idle: Pin<&mut Clock<T::Sleep>>,
    ) -> Poll<ConnectionError<E>> {
        match self.idle {
            Some(timeout) => idle.poll_timeout(context, timer, timeout).map(|()| ConnectionError::IdleTimeout(timeout)),
            None => Poll::Pending,
        }
    }
}
