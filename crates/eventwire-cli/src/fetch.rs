//! The event source of a URL, and why it ended.

use eventwire_reqwest::{
    ConnectionError, EventSource, PlatformTimer, ReconnectPolicy, Refusal, RequestBuilderExt, RequestConnector,
    RequestError, Resend, StopReason,
};
use reqwest::{Client, Url};

use crate::failure::Failure;
use crate::observed::Observed;
use crate::request::Request;
use crate::root;
use crate::timestamp::Arrival;

pub(crate) fn url(text: &str) -> Result<Url, FetchError> {
    let url = Url::parse(text).map_err(|error| FetchError::Url { url: text.into(), why: error.to_string() })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchError::Scheme { scheme: url.scheme().into() });
    }
    Ok(url)
}

/// Returns the URL that answered, without a user and a password. After a redirect it differs from the first one.
pub(crate) fn answering_url(refusal: &Refusal, first: &Url) -> Url {
    public(refusal.response().extensions().get().unwrap_or(first))
}

/// Returns the URL without a user and a password, so that messages do not show them.
pub(crate) fn public(url: &Url) -> Url {
    let mut url = url.clone();
    // Neither can fail: HTTP URLs have a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

pub(crate) type UrlSource = EventSource<Observed, PlatformTimer>;

pub(crate) fn source(client: &Client, url: Url, request: &Request, arrival: Arrival) -> Result<UrlSource, FetchError> {
    let is_https = url.scheme() == "https";
    let builder = request.build(client, url).map_err(FetchError::Body)?.with_redirects(10);
    // What was sent over HTTPS is never sent without it, and the user's headers and body are for one server.
    let builder = if request.is_for_one_server() {
        builder
    } else {
        builder.with_other_origins(move |next| next.scheme() == "https" || !is_https)
    };
    let connector = RequestConnector::new(builder).map_err(invalid_request)?;
    let source = EventSource::with_connector(Observed::new(connector, arrival), PlatformTimer);
    let source = match &request.last_event_id() {
        Some(id) => source.with_last_event_id(id).map_err(|_| FetchError::LastEventId)?,
        None => source,
    };
    let once = ReconnectPolicy::new().with_resend(Resend::Never);
    Ok(if request.follow { source } else { source.with_policy(once) })
}

fn invalid_request(error: RequestError) -> FetchError {
    let why = match &error {
        RequestError::Build(error) => root(error).to_string(),
        error => error.to_string(),
    };
    FetchError::Request { why }
}

/// Returns an error if the stream did not end in order.
pub(crate) fn end(source: UrlSource, url: &Url, request: &Request) -> Result<(), FetchError> {
    let last_event_id = Some(source.last_event_id().to_owned());
    let stopped = source.into_stopped();
    let error = match (stopped.reason(), stopped.error()) {
        (StopReason::NoContent, Some(ConnectionError::Refused(refusal))) if !request.follow => {
            return Err(FetchError::NoContent { url: answering_url(refusal, url) });
        }
        (StopReason::InvalidLastEventId, _) => return Err(FetchError::LastEventId),
        (_, Some(error)) if stopped.is_failure() => error,
        _ => return Ok(()),
    };
    let failure = Failure { url, error };
    let advice = match stopped.reason() {
        // With --follow, every request except a POST is sent again.
        StopReason::NotResent if request.follow => NOT_RESENT.into(),
        _ => failure.advice(),
    };
    let resumption = last_event_id.filter(|id| !id.is_empty() && request.last_event_id().as_ref() != Some(id));
    let resumption = resumption.map(|id| format!("; continue with --last-event-id {id:?}")).unwrap_or_default();
    Err(FetchError::Failed { what: failure.to_string(), what_to_do: format!("{advice}{resumption}") })
}

const NOT_RESENT: &str =
    "the POST may have been carried out, and is not sent again; run the command again if that is safe";

#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("{url:?} is not a URL: {why}; write it as http://host:port/path")]
    Url { url: String, why: String },
    #[error("cannot fetch {scheme}:// URLs; use one that starts with http:// or https://")]
    Scheme { scheme: String },
    #[error("cannot read the body for --post: {0}; use the text itself, @FILE, or @- for standard input")]
    Body(String),
    #[error("the request is not valid: {why}; check the URL and each --header")]
    Request { why: String },
    #[error(
        "the last event ID contains a control character and cannot be sent in a header; start without it, or use another --last-event-id"
    )]
    LastEventId,
    #[error("{url} has no events: the server answered 204 No Content; check the URL")]
    NoContent { url: Url },
    #[error("{what}; {what_to_do}")]
    Failed { what: String, what_to_do: String },
}
