//! What happened to the last request.

use crate::{Body, FetchError};
use eventwire_client::Resend;
use http::{Response, header::RETRY_AFTER};
use std::{cell::Cell, rc::Rc};

/// What happened to the last request.
///
/// A connector and its [`Connecting`](crate::adapters::Connecting) future share it, and the future updates it. The
/// error alone is not enough: its type may be the user's, and the function that makes the requests may have failed.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastRequest(Rc<Cell<Fate>>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Fate {
    /// It was not sent: it is still being made, or making it failed.
    #[default]
    Unsent,
    /// It was sent or is being sent.
    Sent(Resend),
    /// There is a response.
    Answered { resend: Resend, is_redirected: bool, has_retry_after: bool },
    /// It is not valid, was aborted, or has a response that the browser hides.
    Impossible,
}

impl LastRequest {
    /// Returns the same value for the next attempt, which has no request yet.
    pub(crate) fn of_next_attempt(&self) -> LastRequest {
        self.0.set(Fate::Unsent);
        self.clone()
    }

    /// A request is about to be sent.
    pub(crate) fn handle_start(&self, resend: Resend) {
        self.0.set(Fate::Sent(resend));
    }

    /// There is a response.
    pub(crate) fn handle_response(&self, response: &Response<Body>) {
        self.0.set(Fate::Answered {
            resend: self.resend(),
            is_redirected: response.body().is_redirected(),
            has_retry_after: response.headers().contains_key(RETRY_AFTER),
        });
    }

    /// There is no response.
    pub(crate) fn handle_error(&self, error: &FetchError) {
        if error.is_permanent() {
            self.0.set(Fate::Impossible);
        }
    }

    /// Returns whether the request may have reached the server, which `fetch` does not report.
    pub(crate) fn was_sent(&self) -> bool {
        matches!(self.0.get(), Fate::Sent(_) | Fate::Answered { .. })
    }

    /// Returns whether the request was redirected, so that the first server has carried it out.
    pub(crate) fn was_redirected(&self) -> bool {
        matches!(self.0.get(), Fate::Answered { is_redirected: true, .. })
    }

    /// Returns whether the server has said when to send the next request.
    pub(crate) fn is_put_off(&self) -> bool {
        matches!(self.0.get(), Fate::Answered { has_retry_after: true, .. })
    }

    pub(crate) fn is_impossible(&self) -> bool {
        self.0.get() == Fate::Impossible
    }

    pub(crate) fn resend(&self) -> Resend {
        match self.0.get() {
            Fate::Sent(resend) | Fate::Answered { resend, .. } => resend,
            // A timeout may end while the request is being made, which counts as a lost connection.
            Fate::Unsent | Fate::Impossible => Resend::Always,
        }
    }
}
