//! The event source of a URL, and how it has ended.

use eventwire::client::{ConnectionError, ReconnectPolicy, Resend, StopReason};
use eventwire::{Decoder, Eof};
use eventwire_reqwest::{RequestBuilderExt, RequestError, RequestEventSource};
use reqwest::{Client, Url};

use crate::failure::Failure;
use crate::request::Request;
use crate::root;

pub(crate) fn url(text: &str) -> Result<Url, FetchError> {
    let url = Url::parse(text).map_err(|error| FetchError::Url { url: text.into(), why: error.to_string() })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(FetchError::Scheme { scheme: url.scheme().into() });
    }
    Ok(url)
}

/// The URL as it may be shown: no user, no password.
pub(crate) fn public(mut url: Url) -> Url {
    // Both can be taken from a URL that has a host, as those of HTTP have.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

pub(crate) fn source(client: &Client, url: Url, request: &Request) -> Result<RequestEventSource, FetchError> {
    let builder = request.build(client, url).map_err(FetchError::Body)?;
    let source = builder.eventsource().map_err(invalid_request)?;
    let source = source.with_decoder(Decoder::new().with_eof(eof(request)));
    let source = match &request.last_event_id {
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

/// What is sent again brings an event that was cut off again, and the line on the new connection says enough.
fn eof(request: &Request) -> Eof {
    if request.follow && request.post.is_none() { Eof::Discard } else { Eof::Error }
}

/// Whether all is well, now that there are no more events.
pub(crate) fn end(source: RequestEventSource, url: &Url, request: &Request) -> Result<(), FetchError> {
    let last_event_id = Some(source.last_event_id().to_owned());
    let stopped = source.into_stopped();
    let error = match (stopped.reason(), stopped.error()) {
        (StopReason::NoContent, Some(ConnectionError::Refused(refusal))) if !request.follow => {
            // Where a redirect led, not where it began.
            let url = refusal.response().extensions().get().unwrap_or(url);
            return Err(FetchError::NoContent { url: public(url.clone()) });
        }
        (StopReason::InvalidLastEventId, _) => return Err(FetchError::LastEventId),
        (_, Some(error)) if stopped.is_failure() => error,
        _ => return Ok(()),
    };
    let failure = Failure { url, error };
    let advice = match stopped.reason() {
        // With --follow only a POST is not sent again.
        StopReason::NotResent if request.follow => NOT_RESENT,
        _ => failure.advice(),
    };
    let resumption = last_event_id.filter(|id| !id.is_empty() && request.last_event_id.as_ref() != Some(id));
    let resumption = resumption.map(|id| format!("; go on with --last-event-id {id:?}")).unwrap_or_default();
    Err(FetchError::Failed { what: failure.to_string(), what_to_do: format!("{advice}{resumption}") })
}

const NOT_RESENT: &str = "a POST is not sent again once an event has come; run it again if it may be done twice";

#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    #[error("{url:?} is not a URL: {why}; write it as http://host:port/path")]
    Url { url: String, why: String },
    #[error("cannot fetch {scheme}:// URLs; give one that begins with http:// or https://")]
    Scheme { scheme: String },
    #[error("cannot read what --post is to send, {0}; give a text, @ and a file, or @- for standard input")]
    Body(String),
    #[error("cannot make the request: {why}; check the URL, and each --header")]
    Request { why: String },
    #[error("the last event ID has a control character in it, and cannot be sent as a header; give another")]
    LastEventId,
    #[error("{url} has no events: the server answered 204 No Content, which tells clients not to ask again")]
    NoContent { url: Url },
    #[error("{what}; {what_to_do}")]
    Failed { what: String, what_to_do: String },
}
