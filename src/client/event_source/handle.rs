//! The type [`Handle`].

use alloc::sync::Arc;
use core::{
    mem,
    task::{Context, Waker},
};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Ends the delay of an [`EventSource`](super::EventSource) early;
/// [`EventSource::handle`](super::EventSource::handle) returns it.
///
/// While a source is polled, nothing else can call its methods. A handle is separate: it can be cloned, stored, and
/// sent to another thread. It does not keep the source or its connection alive.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire::client::{EventSource, Item, connector_fn};
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
pub struct Handle(Arc<Mutex<State>>);

#[derive(Debug)]
enum State {
    /// The source is not waiting.
    Idle,
    /// The source waits, and this wakes the task that polls it.
    Waiting(Waker),
    Over,
}

impl Handle {
    pub(super) fn new() -> Handle {
        Handle(Arc::new(Mutex::new(State::Idle)))
    }

    /// Ends the delay before the next attempt now, so that the source connects when it is polled. The task that polls
    /// it is woken.
    ///
    /// If the source is not waiting for a delay, nothing happens: it is not remembered for the next delay. A source
    /// that has stopped does not start again; use [`restart`](super::EventSource::restart) for that.
    pub fn reconnect_now(&self) {
        let mut state = self.state();
        if let State::Waiting(_) = *state {
            let state_before = mem::replace(&mut *state, State::Over);
            // The waker is other code, which may take the lock again.
            drop(state);
            if let State::Waiting(waker) = state_before {
                waker.wake();
            }
        }
    }

    /// A delay begins.
    pub(super) fn wait(&self) -> Wait {
        // The first poll of the delay replaces this waker.
        *self.state() = State::Waiting(Waker::noop().clone());
        Wait(self.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A delay that the handles of its source can end. Dropping it is its end.
pub(super) struct Wait(Handle);

impl Wait {
    /// Returns whether a handle has ended the delay. If not, the next handle that does wakes this task.
    pub(super) fn is_over(&self, context: &Context<'_>) -> bool {
        match &mut *self.0.state() {
            State::Waiting(waker) => {
                waker.clone_from(context.waker());
                false
            }
            _ => true,
        }
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        // Does not keep the task's waker.
        *self.0.state() = State::Idle;
    }
}
