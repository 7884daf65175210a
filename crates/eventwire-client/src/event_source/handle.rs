//! Ends a delay early, from elsewhere.

use alloc::sync::{Arc, Weak};
use core::{mem, task::Waker};
use std::sync::Mutex;
#[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
use std::sync::PoisonError;

/// Ends the delay of an [`EventSource`](crate::EventSource) early;
/// [`EventSource::handle`](crate::EventSource::handle) returns it.
///
/// While a source is polled, nothing else can call its methods. A handle is separate: it can be cloned, stored, and
/// sent to another thread. It does not keep the source or its connection alive.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire_client::{EventSource, Item, connector_fn};
/// use futures_util::{StreamExt, stream};
/// # use std::{convert::Infallible, future, time::Duration};
/// # let timer = |_: Duration| future::pending();
/// # let connector = connector_fn(|attempt| async move {
/// #     let status = if attempt.number() == 1 { 502 } else { 200 };
/// #     let response = http::Response::builder().status(status).header("content-type", "text/event-stream");
/// #     Ok::<_, Infallible>(response.body(stream::empty::<Result<&'static str, Infallible>>()).unwrap())
/// # });
///
/// let mut source = EventSource::with_connector(connector, timer);
/// let handle = source.handle();
/// assert!(matches!(source.next().await, Some(Item::Reconnecting { .. })));
/// handle.reconnect_now(); // for example when the network is back
/// assert!(matches!(source.next().await, Some(Item::Open(_)))); // without the delay
/// # }).unwrap();
/// ```
#[derive(Clone, Debug)]
pub struct Handle(Weak<Delay>);

impl Handle {
    pub(super) fn new(delay: &Arc<Delay>) -> Handle {
        Handle(Arc::downgrade(delay))
    }

    /// Ends the delay before the next attempt now, so that the source connects when it is polled. The task that polls
    /// it is woken. It also ends a delay that the server has asked for by `Retry-After`.
    ///
    /// If the source is not waiting for a delay, nothing happens, and the next delay is complete. A source that has
    /// stopped does not start again; use [`restart`](crate::EventSource::restart) for that.
    ///
    /// There is no minimum delay: if each attempt fails, each call leads to another request. So limit the calls if
    /// they can come in quick succession, for example when the network comes and goes.
    pub fn reconnect_now(&self) {
        if let Some(waker) = self.0.upgrade().and_then(|delay| delay.replace(None)) {
            waker.wake();
        }
    }
}

/// The delay before an attempt: the waker of the task that waits for it, or `None` if nothing has to be waited for.
#[derive(Debug, Default)]
pub(super) struct Delay(Mutex<Option<Waker>>);

impl Delay {
    /// Begins a delay that nobody waits for yet.
    pub(super) fn begin(&self) {
        self.replace(Some(Waker::noop().clone()));
    }

    /// Returns whether a handle has ended the delay. If none has, the next one to do so wakes this task.
    pub(super) fn is_over(&self, waker: &Waker) -> bool {
        self.replace(Some(waker.clone())).is_none()
    }

    /// Does not keep the waker.
    pub(super) fn end(&self) {
        self.replace(None);
    }

    /// Not inlined, which keeps pages for browsers small. Wakers are other code, so the caller drops them, after the
    /// lock.
    #[inline(never)]
    fn replace(&self, waker: Option<Waker>) -> Option<Waker> {
        // It is never poisoned: nothing panics while it is held.
        #[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // There is one thread, so the lock is free. `lock` would add the text of a panic to each page, 160 bytes.
        #[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
        let Ok(mut slot) = self.0.try_lock() else { return None };
        mem::replace(&mut *slot, waker)
    }
}
