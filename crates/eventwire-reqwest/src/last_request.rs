//! What happened to the last request.

use crate::platform;
use eventwire::client::Resend;
use http::Method;
use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

/// What happened to the last request.
///
/// A connector and its [`Connecting`](crate::adapters::Connecting) future share it, and the future updates it. The
/// error alone is not enough: its type may be the user's, and the function that makes the requests may have failed.
#[derive(Debug)]
pub(crate) struct LastRequest(Arc<AtomicU8>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Fate {
    /// It was not sent: it is still being made, making it failed, or the connection could not be made.
    Unsent,
    /// It was sent or is being sent, and may be sent again.
    Idempotent,
    /// It was sent or is being sent, and must not be carried out twice.
    NotIdempotent,
    /// Like `NotIdempotent`, and the response came after a redirect, so the first server has carried out the
    /// request.
    Redirected,
    /// It cannot be sent.
    Impossible,
}

impl LastRequest {
    pub(crate) fn new() -> LastRequest {
        LastRequest(Arc::new(AtomicU8::new(Fate::Unsent as u8)))
    }

    /// Returns the same value for the next attempt, which has no request yet.
    pub(crate) fn of_next_attempt(&self) -> LastRequest {
        self.set(Fate::Unsent);
        LastRequest(Arc::clone(&self.0))
    }

    /// A request with this method is about to be sent.
    pub(crate) fn handle_start(&self, method: &Method) {
        self.set(match Resend::for_method(method.as_str()) {
            Resend::Always => Fate::Idempotent,
            _ => Fate::NotIdempotent,
        });
    }

    /// The response came from another URL.
    pub(crate) fn handle_redirect(&self) {
        if self.fate() == Fate::NotIdempotent {
            self.set(Fate::Redirected);
        }
    }

    /// There is no response.
    pub(crate) fn handle_error(&self, error: &reqwest::Error) {
        if error.is_builder() {
            self.set(Fate::Impossible);
        } else if platform::is_connect(error) {
            self.set(Fate::Unsent);
        }
    }

    pub(crate) fn was_sent(&self) -> bool {
        matches!(self.fate(), Fate::Idempotent | Fate::NotIdempotent | Fate::Redirected)
    }

    pub(crate) fn was_redirected(&self) -> bool {
        self.fate() == Fate::Redirected
    }

    pub(crate) fn is_impossible(&self) -> bool {
        self.fate() == Fate::Impossible
    }

    pub(crate) fn resend(&self) -> Resend {
        match self.fate() {
            // A timeout may end while the request is being made, which counts as a lost connection.
            Fate::Unsent | Fate::Idempotent | Fate::Impossible => Resend::Always,
            Fate::NotIdempotent | Fate::Redirected => Resend::UnlessSent,
        }
    }

    /// `Relaxed` is enough, because one task polls the connector and the future, or they take turns.
    fn set(&self, fate: Fate) {
        self.0.store(fate as u8, Ordering::Relaxed);
    }

    fn fate(&self) -> Fate {
        let fate = self.0.load(Ordering::Relaxed);
        [Fate::Unsent, Fate::Idempotent, Fate::Redirected, Fate::Impossible]
            .into_iter()
            .find(|known| *known as u8 == fate)
            .unwrap_or(Fate::NotIdempotent)
    }
}
