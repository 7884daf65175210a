//! Why a connection failed, and what to do about it.

use eventwire_client::{ConnectionError, StopReason, Stopped, UnexpectedResponse};
use http::StatusCode;
use reqwest::Url;

use crate::observed::FetchError;

/// Returns the URL without user, password, query and fragment, which may contain keys: standard error may be a log.
pub(crate) fn public(url: &Url) -> Url {
    let mut url = url.clone();
    // Neither can fail: HTTP URLs have a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url
}

/// Returns a status and its reason, such as `404 Not Found`. A status that is not registered has none.
pub(crate) fn status(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_str()),
        None => status.as_str().to_owned(),
    }
}

/// Returns what happened.
pub(crate) fn what(error: &ConnectionError<FetchError>) -> String {
    let ConnectionError::UnexpectedResponse(refusal) = error else { return error.to_string() };
    // The URL that answered: after a redirect it is not the user's.
    let url = refusal.as_http().extensions().get().map(|url| format!("{}: ", public(url))).unwrap_or_default();
    format!("{url}{}", refused(refusal))
}

/// Returns what a response is that is no event stream, and what to do to read it if it is still compressed.
pub(crate) fn refused(refusal: &UnexpectedResponse) -> String {
    let head = refusal.head();
    // A compressed stream has advice of its own.
    let is_stream = head.status() == 200 && head.is_event_stream();
    let hint =
        if head.is_encoded() && !is_stream { "; its body is compressed, and curl --compressed shows it" } else { "" };
    format!("{refusal}{hint}")
}

const NOT_RESENT: &str =
    "the POST may have been carried out, and is not sent again; run the command again if that is safe";

/// Returns what happened and what to do, for a source that did not stop in order.
pub(crate) fn explain(stopped: &Stopped<FetchError>, follow: bool) -> String {
    let (what, what_to_do) = match (stopped.reason(), stopped.error()) {
        (StopReason::NotResent, Some(error)) if follow => (what(error), NOT_RESENT),
        (StopReason::InvalidLastEventId | StopReason::LastEventIdTooLong, _) | (_, None) => {
            (stopped.to_string(), "use another --last-event-id, or none")
        }
        (_, Some(error)) => (what(error), advice(error)),
    };
    format!("{what}; {what_to_do}")
}

fn advice(error: &ConnectionError<FetchError>) -> &'static str {
    match error {
        ConnectionError::Transport(FetchError::Request(error)) if error.is_connect() => advice_on_connecting(error),
        ConnectionError::Transport(FetchError::Redirect(refused)) => refused.advice(),
        ConnectionError::Transport(FetchError::Body(_)) => "run the command again, or use --follow to reconnect",
        ConnectionError::UnexpectedResponse(refusal) => advice_on_refusal(refusal),
        ConnectionError::IdleTimeout(_) | ConnectionError::ResponseTimeout(_) => {
            "use a longer --timeout, or --follow to reconnect"
        }
        ConnectionError::Truncated => "the event was not printed: each must end with a blank line",
        _ => "check the URL",
    }
}

/// Returns what to do if no connection could be made.
pub(crate) fn advice_on_connecting(error: &reqwest::Error) -> &'static str {
    if format!("{error:?}").contains("ertificate") {
        return "check the certificate of the server, or use --insecure";
    }
    "check the URL, http:// or https:// included, and that the server is running"
}

fn advice_on_refusal(refusal: &UnexpectedResponse) -> &'static str {
    let head = refusal.head();
    match head.status() {
        200 if head.is_event_stream() => {
            "pipe it through another program: curl -sN --compressed URL | eventwire -, or turn this compression off in the \
             server"
        }
        404 | 410 => "check the URL",
        200 => "check the URL: an event stream has the content type text/event-stream",
        429 | 500.. => "try again later, or use --follow to retry",
        _ => advice_on_status(refusal.status()).unwrap_or("check the URL, --header and --data"),
    }
}

/// Returns what to do about this status in any command, if there is something.
pub(crate) fn advice_on_status(status: StatusCode) -> Option<&'static str> {
    match status.as_u16() {
        401 | 403 => Some("send credentials with --header 'Authorization: Bearer KEY'"),
        405 => Some("try the other method: POST with --data, GET without it"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    #[test]
    fn a_status_without_a_reason() {
        assert_eq!(super::status(StatusCode::NOT_FOUND), "404 Not Found");
        assert_eq!(super::status(StatusCode::from_u16(529).unwrap()), "529");
    }
}
