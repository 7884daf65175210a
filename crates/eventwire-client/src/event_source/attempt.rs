//! The [`Attempt`] that a connector gets.

use crate::{event_source::last_request::LastRequest, reconnect::resend::Resend};
use alloc::boxed::Box;
use http::{HeaderMap, HeaderName, HeaderValue, header};

/// The crate `http` has no constant for `Last-Event-ID`.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// What a [`Connector`](crate::Connector) gets for each request: the number of the attempt, the last event ID, the
/// cursor, and whether a timeout ended the last connection.
///
/// # Reports
///
/// The connector also reports through it what happens to the request, by the four `handle_...` methods. Without a
/// report, the request counts as sent, may be sent again, and none of its errors is permanent. That is right for a
/// GET. The connectors of `eventwire-reqwest` and of `eventwire-web` report all of it themselves, and
/// [`connector_fn(..).with_resend(..)`](crate::adapters::ConnectorFn::with_resend) reports only the start.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub(super) number: u32,
    pub(super) last_event_id: Option<HeaderValue>,
    pub(super) cursor: Option<Box<str>>,
    pub(super) is_after_timeout: bool,
    pub(super) request: LastRequest,
}

impl Attempt {
    /// Returns the attempt of a request outside of an event source, which is sent once. Nobody reads its reports.
    #[must_use]
    pub fn single() -> Attempt {
        Attempt {
            number: 1,
            last_event_id: None,
            cursor: None,
            is_after_timeout: false,
            request: LastRequest::default(),
        }
    }

    /// Returns the number of this attempt since the last progress, from 1.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the value of the header `Last-Event-ID`, or `None` if the request has no such header.
    #[must_use]
    pub fn last_event_id(&self) -> Option<&HeaderValue> {
        self.last_event_id.as_ref()
    }

    /// Returns where to continue if the API does not resume by event ID: the last [cursor](crate::Hooks::cursor) of
    /// an event.
    ///
    /// It is not among the [headers](Attempt::headers), because each API expects it in a different place.
    #[must_use]
    pub fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// Returns whether the last connection was dropped because of a timeout.
    ///
    /// A connector should then use a fresh connection, if its HTTP client can, because the [peer may be
    /// gone](crate#what-to-know-about-http).
    #[must_use]
    pub fn is_after_timeout(&self) -> bool {
        self.is_after_timeout
    }

    /// Returns the headers for the request: `Accept`, `Cache-Control`, and `Last-Event-ID` if there is an ID.
    ///
    /// ```
    /// # let connector = |attempt: eventwire_client::Attempt| {
    /// let mut request = http::Request::get("https://example.com/events").body(())?;
    /// request.headers_mut().extend(attempt.headers());
    /// # Ok::<_, http::Error>(())
    /// # };
    /// ```
    #[must_use]
    pub fn headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::with_capacity(3);
        self.add_to(&mut headers);
        headers
    }

    /// Adds [these headers](Attempt::headers) to those of a request, but keeps an `Accept` or a `Cache-Control` that
    /// it already has.
    ///
    /// ```
    /// # let connector = |attempt: eventwire_client::Attempt| {
    /// let accept = "text/event-stream, application/json";
    /// let mut request = http::Request::get("https://example.com/events")
    ///     .header("accept", accept)
    ///     .body(())?;
    /// attempt.add_to(request.headers_mut());
    /// assert_eq!(request.headers()["accept"], accept);
    /// # Ok::<_, http::Error>(())
    /// # };
    /// ```
    pub fn add_to(&self, headers: &mut HeaderMap) {
        headers.entry(header::ACCEPT).or_insert(HeaderValue::from_static("text/event-stream"));
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
        if let Some(id) = &self.last_event_id {
            headers.insert(LAST_EVENT_ID, id.clone());
        }
    }

    /// Reports that the request is about to be sent, and whether it may be sent again if its connection is lost.
    /// [`Resend::for_method`] returns that for the method of a request;
    /// [`ReconnectPolicy::with_resend`](crate::ReconnectPolicy::with_resend) takes precedence.
    ///
    /// If a request of this attempt was [carried out](Attempt::handle_carried_out) before, nothing changes.
    pub fn handle_start(&self, resend: Resend) {
        self.request.handle_start(resend);
    }

    /// Reports that no server acted on the request: it is still being made, its connection could not be made, or the
    /// server refused its stream over HTTP/2. An error of such a request counts as
    /// [`NotProcessed`](crate::Verdict::NotProcessed), so even a POST is sent again.
    ///
    /// Until the [start](Attempt::handle_start) is reported, a timeout counts as such an error too. So a connector that
    /// calls this before it makes its request calls it in `connect`, unless dropping the future also stops the request:
    /// a task of its own may send the request while the timeout ends.
    ///
    /// If the request was [carried out](Attempt::handle_carried_out) before, nothing changes.
    pub fn handle_unsent(&self) {
        self.request.handle_unsent();
    }

    /// Reports that a server has carried out the request, or may have, before another one answered: call it for a
    /// redirect, unless it keeps the method, as a 307 does. A POST is then not sent again, even if the last server
    /// answers 429 or cannot be reached. For a request that [started](Attempt::handle_start) with
    /// [`Resend::Always`], nothing changes.
    pub fn handle_carried_out(&self) {
        self.request.handle_carried_out();
    }

    /// Reports that another request would fail in the same way, so that retrying is pointless. The error that the
    /// connector returns stops the source, with [`StopReason::Permanent`](crate::StopReason::Permanent).
    pub fn handle_permanent_error(&self) {
        self.request.handle_permanent_error();
    }
}
