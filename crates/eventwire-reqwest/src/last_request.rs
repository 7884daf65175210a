//! What happened to the last request.

use crate::platform;
use eventwire::client::Resend;
use http::Method;
use reqwest::Url;
use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU8, Ordering},
};

/// What happened to the last request.
///
/// A connector and its [`Connecting`](crate::adapters::Connecting) future share it, and the future updates it. The
/// error alone is not enough: its type may be the user's, and the function that makes the requests may have failed.
#[derive(Clone, Debug)]
pub(crate) struct LastRequest(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    fate: AtomicU8,
    /// Whether the method of a request that is `NotIdempotent` or `CarriedOut` is another than POST.
    is_unknown: AtomicBool,
    /// Whether another request would fail in the same way.
    is_permanent: AtomicBool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Fate {
    /// No server acted on it: it is still being made, making it failed, the connection could not be made, or the
    /// server refused its stream.
    Unsent,
    /// It was sent or is being sent, and may be sent again.
    Idempotent,
    /// It was sent or is being sent, and must not be carried out twice.
    NotIdempotent,
    /// Like `NotIdempotent`, and a server answered with a redirect after it has carried out the request, or may have.
    CarriedOut,
}

impl LastRequest {
    pub(crate) fn new() -> LastRequest {
        LastRequest(Arc::new(Shared {
            fate: AtomicU8::new(Fate::Unsent as u8),
            is_unknown: AtomicBool::new(false),
            is_permanent: AtomicBool::new(false),
        }))
    }

    /// Returns the same value for the next attempt, which has no request yet.
    pub(crate) fn of_next_attempt(&self) -> LastRequest {
        self.set(Fate::Unsent);
        self.0.is_permanent.store(false, Ordering::Relaxed);
        self.clone()
    }

    /// A request with this method is about to be sent.
    pub(crate) fn handle_start(&self, method: &Method) {
        let resend = Resend::for_method(method.as_str());
        self.0.is_unknown.store(resend == Resend::Unknown, Ordering::Relaxed);
        self.set(match resend {
            Resend::Always => Fate::Idempotent,
            _ => Fate::NotIdempotent,
        });
    }

    /// The response to a request to the first URL came from the second. Returns the URL of the response, with the
    /// fragment of the request.
    pub(crate) fn handle_response(&self, url: Url, answered: &Url) -> Url {
        if sent(&url) == sent(answered) {
            return url;
        }
        // The HTTP client has followed redirects, and does not show them.
        self.handle_carried_out();
        answered.clone()
    }

    /// A server has answered with a redirect, and has carried out the request, or may have.
    pub(crate) fn handle_carried_out(&self) {
        if self.fate() == Fate::NotIdempotent {
            self.set(Fate::CarriedOut);
        }
    }

    /// There is no response.
    pub(crate) fn handle_error(&self, error: &reqwest::Error) {
        if error.is_builder() {
            self.handle_permanent_error();
        } else if !platform::is_unsent(error) {
            return;
        }
        // An earlier server may have carried it out.
        if self.fate() != Fate::CarriedOut {
            self.set(Fate::Unsent);
        }
    }

    /// There is no response, and there would be none after another request.
    pub(crate) fn handle_permanent_error(&self) {
        self.0.is_permanent.store(true, Ordering::Relaxed);
    }

    pub(crate) fn was_sent(&self) -> bool {
        self.fate() != Fate::Unsent
    }

    pub(crate) fn was_carried_out(&self) -> bool {
        self.fate() == Fate::CarriedOut
    }

    pub(crate) fn is_permanent(&self) -> bool {
        self.0.is_permanent.load(Ordering::Relaxed)
    }

    pub(crate) fn resend(&self) -> Resend {
        match self.fate() {
            // A timeout may end while the request is being made, which counts as a lost connection.
            Fate::Unsent | Fate::Idempotent => Resend::Always,
            Fate::NotIdempotent | Fate::CarriedOut if self.0.is_unknown.load(Ordering::Relaxed) => Resend::Unknown,
            Fate::NotIdempotent | Fate::CarriedOut => Resend::UnlessSent,
        }
    }

    /// `Relaxed` is enough, because one task polls the connector and the future, or they take turns.
    fn set(&self, fate: Fate) {
        self.0.fate.store(fate as u8, Ordering::Relaxed);
    }

    fn fate(&self) -> Fate {
        let fate = self.0.fate.load(Ordering::Relaxed);
        [Fate::Unsent, Fate::Idempotent, Fate::CarriedOut]
            .into_iter()
            .find(|known| *known as u8 == fate)
            .unwrap_or(Fate::NotIdempotent)
    }
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
