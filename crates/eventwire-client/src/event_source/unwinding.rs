//! What an event source does when a decision, the connector or the timer panics: the panic continues, and the source
//! can be polled again.

use core::mem;

/// Calls a function, and `repair` if it panics. The guard is forgotten otherwise, so it costs nothing.
#[inline(always)]
pub(super) fn guard<S, R>(state: &mut S, call: impl FnOnce(&mut S) -> R, repair: impl FnMut(&mut S)) -> R {
    let guard = Guard { state, repair };
    let returned = call(guard.state);
    mem::forget(guard);
    returned
}

struct Guard<'a, S, F: FnMut(&mut S)> {
    state: &'a mut S,
    repair: F,
}

impl<S, F: FnMut(&mut S)> Drop for Guard<'_, S, F> {
    fn drop(&mut self) {
        (self.repair)(self.state);
    }
}
