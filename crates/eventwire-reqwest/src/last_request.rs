//! What happened to the last request.

use crate::platform;
use eventwire_client::Resend;
use http::Method;
use reqwest::Url;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What happened to the last request.
///
/// A connector and its [`Connecting`](crate::adapters::Connecting) future share it, and the future updates it. The
/// error alone is not enough: its type may be the user's, and the function that makes the requests may have failed.
#[derive(Clone, Debug)]
pub(crate) struct LastRequest(Arc<Mutex<Last>>);

#[derive(Clone, Copy, Debug)]
struct Last {
    fate: Fate,
    /// By the method of the request.
    resend: Resend,
    /// Whether another request would fail in the same way.
    is_permanent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// No server acted on it: it is still being made, making it failed, the connection could not be made, or the
    /// server refused its stream.
    Unsent,
    /// It was sent or is being sent.
    Sent,
    /// It must not be carried out twice, and a server answered with a redirect after it has carried it out, or may
    /// have.
    CarriedOut,
}

impl LastRequest {
    /// There is no request yet.
    pub(crate) fn new() -> LastRequest {
        LastRequest::from_last(Last { fate: Fate::Unsent, resend: Resend::Always, is_permanent: false })
    }

    /// A request with this method may have been sent by another connector, which this one replaces.
    pub(crate) fn of_another_connector(method: &Method) -> LastRequest {
        let request = LastRequest::new();
        request.handle_start(method);
        request
    }

    /// Returns a value that is equal at first, and not shared.
    pub(crate) fn copy(&self) -> LastRequest {
        LastRequest::from_last(*self.last())
    }

    fn from_last(last: Last) -> LastRequest {
        LastRequest(Arc::new(Mutex::new(last)))
    }

    /// Returns the same value for the next attempt, which has no request yet.
    pub(crate) fn of_next_attempt(&self) -> LastRequest {
        let mut last = self.last();
        (last.fate, last.is_permanent) = (Fate::Unsent, false);
        self.clone()
    }

    /// A request with this method is about to be sent.
    pub(crate) fn handle_start(&self, method: &Method) {
        let mut last = self.last();
        (last.fate, last.resend) = (Fate::Sent, Resend::for_method(method.as_str()));
    }

    /// The response to a request to the first URL came from the second. Returns the URL of the response, with the
    /// fragment of the request.
    pub(crate) fn handle_response(&self, url: Url, answered: &Url) -> Url {
        if is_same(&url, answered) {
            return url;
        }
        // The HTTP client has followed redirects, and does not show them.
        self.handle_carried_out();
        answered.clone()
    }

    /// A server has answered with a redirect, and has carried out the request, or may have.
    pub(crate) fn handle_carried_out(&self) {
        let mut last = self.last();
        if last.resend != Resend::Always {
            last.fate = Fate::CarriedOut;
        }
    }

    /// There is no response.
    pub(crate) fn handle_error(&self, error: &reqwest::Error) {
        let is_permanent = error.is_builder();
        let is_unsent = is_permanent || platform::is_unsent(error);
        let mut last = self.last();
        last.is_permanent |= is_permanent;
        // An earlier server may have carried it out.
        if is_unsent && last.fate != Fate::CarriedOut {
            last.fate = Fate::Unsent;
        }
    }

    /// There is no response, and there would be none after another request.
    pub(crate) fn handle_permanent_error(&self) {
        self.last().is_permanent = true;
    }

    pub(crate) fn was_sent(&self) -> bool {
        self.last().fate != Fate::Unsent
    }

    pub(crate) fn was_carried_out(&self) -> bool {
        self.last().fate == Fate::CarriedOut
    }

    pub(crate) fn is_permanent(&self) -> bool {
        self.last().is_permanent
    }

    pub(crate) fn resend(&self) -> Resend {
        let last = self.last();
        match last.fate {
            // A timeout may end while the request is being made, which counts as a lost connection.
            Fate::Unsent => Resend::Always,
            Fate::Sent | Fate::CarriedOut => last.resend,
        }
    }

    /// Nothing panics while it is locked.
    fn last(&self) -> MutexGuard<'_, Last> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether a server receives the same URL.
pub(crate) fn is_same(one: &Url, other: &Url) -> bool {
    sent(one) == sent(other)
}

/// Returns the parts of the URL that the server receives. The user and the password are sent as a header, and the
/// fragment is not sent.
fn sent(url: &Url) -> (&str, Option<&str>, Option<u16>, &str, Option<&str>) {
    (url.scheme(), url.host_str(), url.port_or_known_default(), url.path(), url.query())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::{LastRequest, Resend};
    use http::Method;

    /// For example, a client that allows only HTTPS cannot request the URL of a redirect.
    #[test]
    fn a_post_that_was_carried_out_stays_so_if_the_next_request_is_impossible() {
        let impossible = reqwest::Client::new().get("not a URL").build().unwrap_err();
        let request = LastRequest::new();
        request.handle_start(&Method::POST);
        request.handle_error(&impossible);
        assert_eq!((request.was_sent(), request.is_permanent(), request.resend()), (false, true, Resend::Always));
        let request = request.of_next_attempt();
        request.handle_start(&Method::POST);
        request.handle_carried_out();
        request.handle_error(&impossible);
        assert_eq!((request.was_sent(), request.is_permanent(), request.resend()), (true, true, Resend::UnlessSent));
    }
}
