//! What an event source does when a decision, the connector or the timer panics: the panic continues, and the source
//! can be polled again.
//!
//! Both guards are forgotten unless there is a panic, so they cost nothing otherwise.

use super::{
    Connector, Contents, EventSource, Stopped,
    link::{Link, Phase},
};
use crate::{Event, Timer};
use alloc::boxed::Box;
use core::mem;

/// Leaves the phase in which there is a panic: its future must not be polled again, and its response may be gone.
pub(super) struct LeavePhase<'a, C: Connector, T: Timer, D>(pub(super) &'a mut EventSource<C, T, D>);

impl<C: Connector, T: Timer, D> Drop for LeavePhase<'_, C, T, D> {
    fn drop(&mut self) {
        let source = &mut *self.0;
        // The rest in the decoder can still be returned.
        if let Phase::Ended { .. } = source.link.phase {
            return;
        }
        source.reconnect.handle_disconnect(source.waited);
        source.decoder.reset();
        match source.reconnect.stop_reason() {
            // Nobody knows whether the stream is complete.
            Some(reason) => source.stop(Stopped::failed(reason, None)),
            None => source.link.set(Link::between(None)),
        }
    }
}

/// Keeps an event about which a decision panics. Its ID has become the last event ID, so it would be lost.
pub(super) struct KeepEvent<'a> {
    pub(super) event: &'a Event,
    pub(super) contents: &'a mut Contents,
}

impl Drop for KeepEvent<'_> {
    fn drop(&mut self) {
        if let Some(unwinding) = Unwinding::NOW {
            let contents = mem::replace(self.contents, Contents::Events);
            *self.contents = Contents::After(Box::new((self.event.clone(), contents)), unwinding);
        }
    }
}

/// Shows that a panic can be survived. Where it cannot, as on wasm, this type has no value, so the compiler removes the
/// code that needs one: 120 bytes of a page for browsers.
#[derive(Debug)]
pub(super) struct Unwinding(Possible);

#[cfg(panic = "unwind")]
type Possible = ();
#[cfg(not(panic = "unwind"))]
type Possible = core::convert::Infallible;

impl Unwinding {
    #[cfg(panic = "unwind")]
    const NOW: Option<Unwinding> = Some(Unwinding(()));
    #[cfg(not(panic = "unwind"))]
    const NOW: Option<Unwinding> = None;
}
