//! What happened to the last request.

use crate::{Resend, Verdict};
use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

/// What happened to the last request. An event source shares it with the [`Attempt`](super::Attempt), through which
/// the connector updates it: a timeout may end while the request is being made, and the type of the error may be the
/// user's.
#[derive(Clone, Debug)]
pub(super) struct LastRequest(Arc<Last>);

/// Atomic, because the attempt can be in another thread.
#[derive(Debug)]
struct Last {
    /// Whether it may have been sent to the last server.
    was_sent: AtomicBool,
    /// Whether an earlier server may have carried it out, and has answered with a redirect.
    was_carried_out: AtomicBool,
    /// Whether another request would fail in the same way.
    is_permanent: AtomicBool,
    /// The place in `RESENDS`.
    resend: AtomicU8,
}

const RESENDS: [Resend; 6] =
    [Resend::Always, Resend::UnlessSent, Resend::UntilProgress, Resend::WithCursor, Resend::Never, Resend::Unknown];

/// A connector need not report anything.
impl Default for LastRequest {
    fn default() -> LastRequest {
        LastRequest(Arc::new(Last {
            was_sent: true.into(),
            was_carried_out: false.into(),
            is_permanent: false.into(),
            resend: AtomicU8::new(Resend::Always as u8),
        }))
    }
}

impl LastRequest {
    pub(super) fn handle_start(&self, resend: Resend) {
        self.0.was_sent.store(true, Relaxed);
        self.0.resend.store(resend as u8, Relaxed);
    }

    pub(super) fn handle_unsent(&self) {
        self.0.was_sent.store(false, Relaxed);
    }

    pub(super) fn handle_carried_out(&self) {
        self.0.was_carried_out.store(true, Relaxed);
    }

    pub(super) fn handle_permanent_error(&self) {
        self.0.is_permanent.store(true, Relaxed);
    }

    pub(super) fn resend(&self) -> Resend {
        RESENDS.get(usize::from(self.0.resend.load(Relaxed))).copied().unwrap_or(Resend::Unknown)
    }

    pub(super) fn was_carried_out(&self) -> bool {
        self.0.was_carried_out.load(Relaxed)
    }

    /// Returns what it means that there is no response.
    pub(super) fn error_verdict(&self) -> Verdict {
        if self.0.is_permanent.load(Relaxed) {
            Verdict::Fail
        } else if self.0.was_sent.load(Relaxed) || self.was_carried_out() {
            Verdict::RetryIfAllowed
        } else {
            Verdict::TurnedAway
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LastRequest, RESENDS};
    use crate::{Resend, Verdict};

    #[test]
    fn the_verdict_on_an_error() {
        for (place, resend) in RESENDS.into_iter().enumerate() {
            assert_eq!(place, resend as usize);
        }
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
