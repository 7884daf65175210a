//! Sending a request.

use super::{
    platform,
    request_with_redirects::RequestWithRedirects,
    reqwest::{self, Url},
};
use crate::platform_timer::PlatformTimer;
#[cfg(feature = "json")]
use eventwire_client::adapters::OpenedLines;
#[cfg(feature = "multipart")]
use eventwire_client::adapters::OpenedParts;
use eventwire_client::{Attempt, Opening, Resend};
use http::{HeaderValue, header::ACCEPT};

/// The type of [`send`].
pub(super) type Send<Q> = fn(Q, Attempt) -> platform::Sending;

/// The future of the parts of a response.
#[cfg(feature = "multipart")]
pub(super) type OpeningParts =
    Opening<platform::Sending, platform::Chunks, PlatformTimer, OpenedParts<platform::Chunks>>;

/// The future of the lines of a response.
#[cfg(feature = "json")]
pub(super) type OpeningLines =
    Opening<platform::Sending, platform::Chunks, PlatformTimer, OpenedLines<platform::Chunks, PlatformTimer>>;

/// Sends the request of an attempt, and reports to the event source what happens to it.
pub(super) fn send<Q: Into<RequestWithRedirects>>(request: Q, attempt: Attempt) -> platform::Sending {
    send_accepting(request.into(), attempt, HeaderValue::from_static("text/event-stream"))
}

/// Sends a request that is not sent again, and opens its response.
pub(super) fn open(request: RequestWithRedirects) -> Opening<platform::Sending, platform::Chunks, PlatformTimer> {
    Opening::new(send(request, Attempt::single()), PlatformTimer)
}

/// Sends a request that is not sent again, and opens the parts of its response.
#[cfg(feature = "multipart")]
pub(super) fn open_parts(request: RequestWithRedirects) -> OpeningParts {
    let accept = HeaderValue::from_static("multipart/x-mixed-replace, multipart/mixed");
    Opening::new(send_accepting(request, Attempt::single(), accept), PlatformTimer).parts()
}

/// Sends a request that is not sent again, and opens the lines of its response.
#[cfg(feature = "json")]
pub(super) fn open_lines(request: RequestWithRedirects) -> OpeningLines {
    // Docker and Kubernetes send JSON lines as `application/json`.
    let accept = HeaderValue::from_static("application/x-ndjson, application/jsonl, application/json;q=0.9");
    Opening::new(send_accepting(request, Attempt::single(), accept), PlatformTimer).lines()
}

fn send_accepting(request: RequestWithRedirects, attempt: Attempt, accept: HeaderValue) -> platform::Sending {
    let (request, redirects) = request.into_parts();
    let (client, request) = platform::uncached(request).build_split();
    Box::pin(async move {
        let outcome = match request {
            Ok(mut request) => {
                attempt.handle_start(Resend::for_method(request.method().as_str()));
                request.headers_mut().entry(ACCEPT).or_insert(accept);
                attempt.add_to(request.headers_mut());
                platform::send(client, request, redirects, &attempt).await
            }
            Err(error) => Err(error),
        };
        match outcome {
            Ok((response, url)) => Ok(platform::response(response, url)),
            Err(error) => Err(failed(error, &attempt)),
        }
    })
}

/// Reports the error, and returns it without what may be secret in its URL, because errors end up in logs.
fn failed(mut error: reqwest::Error, attempt: &Attempt) -> reqwest::Error {
    if error.is_builder() {
        attempt.handle_permanent_error();
    }
    if error.is_builder() || platform::is_unsent(&error) {
        attempt.handle_unsent();
    }
    if let Some(url) = error.url_mut() {
        url.set_query(None);
        url.set_fragment(None);
        // Neither can fail: a URL without a host has no user.
        let _ = url.set_username("");
        let _ = url.set_password(None);
    }
    error
}

/// Returns the URL of the response, with the fragment of the request, which was sent to the first URL and answered
/// from the second.
pub(super) fn answered(attempt: &Attempt, url: Url, answered: &Url) -> Url {
    if is_same(&url, answered) {
        return url;
    }
    // The HTTP client has followed redirects, and does not show them.
    attempt.handle_carried_out();
    answered.clone()
}

/// Returns whether a server receives the same URL.
pub(super) fn is_same(one: &Url, other: &Url) -> bool {
    sent(one) == sent(other)
}

/// Returns the parts of the URL that the server receives. The user and the password are sent as a header, and the
/// fragment is not sent.
fn sent(url: &Url) -> (&str, Option<&str>, Option<u16>, &str, Option<&str>) {
    (url.scheme(), url.host_str(), url.port_or_known_default(), url.path(), url.query())
}
