//! What happened to the last request.

use crate::{Resend, Verdict};
use alloc::sync::Arc;
use std::sync::Mutex;
#[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
use std::sync::PoisonError;

/// What happened to the last request. An event source shares it with the [`Attempt`](super::Attempt), through which
/// the connector updates it: a timeout may end while the request is being made, and the type of the error may be the
/// user's.
#[derive(Clone, Debug, Default)]
pub(super) struct LastRequest(Arc<Mutex<Last>>);

#[derive(Clone, Copy, Debug)]
struct Last {
    fate: Fate,
    resend: Resend,
    /// Whether another request would fail in the same way.
    is_permanent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// No server acted on it.
    Unsent,
    /// It may have been sent.
    Sent,
    /// A server has carried it out, or may have, and has answered with a redirect.
    CarriedOut,
}

/// A connector need not report anything.
impl Default for Last {
    fn default() -> Last {
        Last { fate: Fate::Sent, resend: Resend::Always, is_permanent: false }
    }
}

impl LastRequest {
    pub(super) fn handle_start(&self, resend: Resend) {
        self.update(|last| (last.fate, last.resend) = (Fate::Sent, resend));
    }

    pub(super) fn handle_unsent(&self) {
        self.update(|last| {
            // An earlier server may have carried it out.
            if last.fate != Fate::CarriedOut {
                last.fate = Fate::Unsent;
            }
        });
    }

    pub(super) fn handle_carried_out(&self) {
        self.update(|last| last.fate = Fate::CarriedOut);
    }

    pub(super) fn handle_permanent_error(&self) {
        self.update(|last| last.is_permanent = true);
    }

    pub(super) fn resend(&self) -> Resend {
        self.update(|_| {}).resend
    }

    /// Returns what it means that there is no response.
    pub(super) fn error_verdict(&self) -> Verdict {
        match self.update(|_| {}) {
            Last { is_permanent: true, .. } => Verdict::Fail,
            Last { fate: Fate::Unsent, .. } => Verdict::TurnedAway,
            Last { fate: Fate::Sent | Fate::CarriedOut, .. } => Verdict::RetryIfAllowed,
        }
    }

    pub(super) fn was_carried_out(&self) -> bool {
        self.update(|_| {}).fate == Fate::CarriedOut
    }

    fn update(&self, change: impl FnOnce(&mut Last)) -> Last {
        // It is never poisoned: nothing panics while it is held.
        #[cfg(not(all(target_family = "wasm", not(target_feature = "atomics"))))]
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // As in `Delay`.
        #[cfg(all(target_family = "wasm", not(target_feature = "atomics")))]
        let Ok(mut last) = self.0.try_lock() else { return Last::default() };
        change(&mut last);
        *last
    }
}

#[cfg(test)]
mod tests {
    use super::LastRequest;
    use crate::{Resend, Verdict};

    #[test]
    fn the_verdict_on_an_error() {
        let request = LastRequest::default();
        assert_eq!((request.error_verdict(), request.resend()), (Verdict::RetryIfAllowed, Resend::Always));
        request.handle_unsent();
        assert_eq!(request.error_verdict(), Verdict::TurnedAway);
        request.handle_start(Resend::UnlessSent);
        assert_eq!((request.error_verdict(), request.resend()), (Verdict::RetryIfAllowed, Resend::UnlessSent));
        // A server has carried the POST out, and the next one cannot be reached.
        request.handle_carried_out();
        request.handle_unsent();
        assert_eq!((request.error_verdict(), request.was_carried_out()), (Verdict::RetryIfAllowed, true));
        request.handle_permanent_error();
        assert_eq!((request.error_verdict(), request.resend()), (Verdict::Fail, Resend::UnlessSent));
    }
}
