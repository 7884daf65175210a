//! What an event source does when a decision, the connector or the timer panics: the panic continues, and the source
//! can be polled again.
//!
//! Both guards are forgotten unless there is a panic, so they cost nothing otherwise.

#[cfg(panic = "unwind")]
use super::Contents;
use super::{Connector, EventSource, Stopped, link::Phase};
use crate::StopReason;
#[cfg(panic = "unwind")]
use alloc::boxed::Box;
use bytes::Bytes;
use core::mem;
use eventwire::{Event, Timer};

impl<C: Connector, T: Timer, D> EventSource<C, T, D> {
    /// Calls a function that polls the connector or the timer, and leaves the phase if there is a panic.
    #[inline(always)]
    pub(super) fn guard<R>(&mut self, poll: impl FnOnce(&mut Self) -> R) -> R {
        let guard = LeavePhase(self);
        let polled = poll(guard.0);
        mem::forget(guard);
        polled
    }
}

/// Leaves the phase in which there is a panic: its future must not be polled again, and its response may be gone.
struct LeavePhase<'a, C: Connector, T: Timer, D>(&'a mut EventSource<C, T, D>);

impl<C: Connector, T: Timer, D> Drop for LeavePhase<'_, C, T, D> {
    fn drop(&mut self) {
        let source = &mut *self.0;
        // The rest in the decoder can still be returned.
        if let Phase::Ended { .. } = source.link.phase {
            return;
        }
        source.reconnect.handle_disconnect(source.waited);
        // The rest of the chunk may begin inside an event.
        source.chunk = Bytes::new();
        source.decoder.reset();
        source.delay.end();
        // Not logged: the log may be what panics, and a second panic would abort.
        source.link.as_mut().leave(match source.reconnect.stop_reason() {
            Some(StopReason::Finished) => Phase::stopped(Stopped::new(StopReason::Finished, None)),
            // Nobody knows whether the stream is complete.
            Some(reason) => Phase::stopped(Stopped::failed(reason, None)),
            None => Phase::Between { error: None },
        });
    }
}

/// Keeps an event that is lost in a panic. Its ID has become the last event ID, so it would not be sent again.
pub(super) struct KeepEvent<'a, C: Connector, T: Timer, D> {
    pub(super) event: &'a Event,
    pub(super) source: &'a mut EventSource<C, T, D>,
}

#[cfg(panic = "unwind")]
impl<C: Connector, T: Timer, D> Drop for KeepEvent<'_, C, T, D> {
    fn drop(&mut self) {
        let contents = mem::replace(&mut self.source.contents, Contents::Events);
        self.source.contents = Contents::After(Box::new((self.event.clone(), contents)));
    }
}
