//! What happened to the last request.

use crate::reconnect::{resend::Resend, verdict::Verdict};
use alloc::sync::Arc;
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};

/// What happened to the last request. An event source shares it with the [`Attempt`](crate::Attempt), through which
/// the connector updates it: a timeout may end while the request is being made, and the type of the error may be the
/// user's.
#[derive(Clone, Debug)]
pub(super) struct LastRequest(Arc<Last>);

/// Atomic, because the attempt can be in another thread.
#[derive(Debug)]
struct Last {
    /// A [`Fate`].
    fate: AtomicU8,
    /// Whether another request would fail in the same way.
    is_permanent: AtomicBool,
    /// The place in `RESENDS`, or `UNREPORTED`.
    resend: AtomicU8,
}

/// In this order: a later one says more of what a server may have done.
#[derive(Clone, Copy, Debug)]
enum Fate {
    /// No server acted on it: it is still being made, or its connection could not be made.
    Unsent,
    /// It was sent, or is being sent.
    Sent,
    /// A server may have carried it out, and has answered with a redirect.
    CarriedOut,
}

const RESENDS: [Resend; 6] =
    [Resend::Always, Resend::UnlessSent, Resend::UntilProgress, Resend::WithCursor, Resend::Never, Resend::Unknown];
const UNREPORTED: u8 = u8::MAX;

/// A connector need not report anything.
impl Default for LastRequest {
    fn default() -> LastRequest {
        LastRequest(Arc::new(Last {
            fate: AtomicU8::new(Fate::Sent as u8),
            is_permanent: false.into(),
            resend: AtomicU8::new(UNREPORTED),
        }))
    }
}

impl LastRequest {
    /// After a request that was carried out, nothing changes: another attempt would repeat that one too.
    pub(super) fn handle_start(&self, resend: Resend) {
        self.handle_sent();
        if !self.was_carried_out() {
            self.0.resend.store(resend as u8, Relaxed);
        }
    }

    /// There is a request, which may be sent from now on.
    pub(super) fn handle_sent(&self) {
        self.0.fate.fetch_max(Fate::Sent as u8, Relaxed);
    }

    pub(super) fn handle_unsent(&self) {
        // An earlier server may have carried it out.
        let _ = self.0.fate.compare_exchange(Fate::Sent as u8, Fate::Unsent as u8, Relaxed, Relaxed);
    }

    /// A request that may always be sent again may be carried out twice.
    pub(super) fn handle_carried_out(&self) {
        if self.reported() != Some(Resend::Always) {
            self.0.fate.store(Fate::CarriedOut as u8, Relaxed);
        }
    }

    pub(super) fn handle_permanent_error(&self) {
        self.0.is_permanent.store(true, Relaxed);
    }

    pub(super) fn resend(&self) -> Resend {
        self.reported().unwrap_or(Resend::Always)
    }

    fn reported(&self) -> Option<Resend> {
        RESENDS.get(usize::from(self.0.resend.load(Relaxed))).copied()
    }

    pub(super) fn was_carried_out(&self) -> bool {
        self.0.fate.load(Relaxed) == Fate::CarriedOut as u8
    }

    pub(super) fn is_unsent(&self) -> bool {
        self.0.fate.load(Relaxed) == Fate::Unsent as u8
    }

    /// Returns what it means that there is no response.
    pub(super) fn error_verdict(&self) -> Verdict {
        if self.0.is_permanent.load(Relaxed) {
            Verdict::Fail
        } else if self.is_unsent() {
            Verdict::NotProcessed
        } else {
            Verdict::RetryIfAllowed
        }
    }
}
