//! The [`Attempt`] that a connector gets.

use crate::reconnect::{resend::Resend, verdict::Verdict};
use alloc::{boxed::Box, sync::Arc};
use core::sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed};
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
    pub(super) report: Arc<Report>,
}

impl Attempt {
    /// Returns the attempt of a request outside of an event source, which is sent once. Nobody reads its reports.
    #[must_use]
    pub fn single() -> Attempt {
        Attempt { number: 1, last_event_id: None, cursor: None, is_after_timeout: false, report: Arc::default() }
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
        self.report.handle_sent();
        if !self.report.was_carried_out() {
            self.report.resend.store(resend as u8, Relaxed);
        }
    }

    /// Reports that no server acted on the request: it is still being made, its connection could not be made, or the
    /// server refused its stream over HTTP/2. An error of such a request counts as
    /// [`NotProcessed`](crate::Verdict::NotProcessed), so even a POST is sent again.
    ///
    /// Until the [start](Attempt::handle_start) is reported, a timeout counts as such an error too. Call this in
    /// `connect`, before there is a request. Call it later only if dropping the future also stops the request: a task
    /// of its own may send the request while the timeout ends.
    ///
    /// If the request was [carried out](Attempt::handle_carried_out) before, nothing changes.
    pub fn handle_unsent(&self) {
        let _ = self.report.fate.compare_exchange(Fate::Sent as u8, Fate::Unsent as u8, Relaxed, Relaxed);
    }

    /// Reports that a server has carried out the request, or may have, before another one answered: call it for a
    /// redirect, unless it keeps the method, as a 307 does. A POST is then not sent again, even if the last server
    /// answers 429 or cannot be reached. For a request that [started](Attempt::handle_start) with
    /// [`Resend::Always`], nothing changes.
    pub fn handle_carried_out(&self) {
        if self.report.resend() != Some(Resend::Always) {
            self.report.fate.store(Fate::CarriedOut as u8, Relaxed);
        }
    }

    /// Reports that another request would fail in the same way, so that retrying is pointless. The error that the
    /// connector returns stops the source, with [`StopReason::Permanent`](crate::StopReason::Permanent).
    pub fn handle_permanent_error(&self) {
        self.report.is_permanent.store(true, Relaxed);
    }
}

/// What a connector reports of its last request. An event source shares it with the [`Attempt`]: a timeout may end
/// while the request is being made, and the type of the error may be the user's.
///
/// Atomic, because the attempt can be in another thread.
#[derive(Debug)]
pub(super) struct Report {
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
impl Default for Report {
    fn default() -> Report {
        let (fate, resend) = (AtomicU8::new(Fate::Sent as u8), AtomicU8::new(UNREPORTED));
        Report { fate, is_permanent: false.into(), resend }
    }
}

impl Report {
    /// There is a request, which may be sent from now on.
    pub(super) fn handle_sent(&self) {
        self.fate.fetch_max(Fate::Sent as u8, Relaxed);
    }

    /// Returns what the start said.
    pub(super) fn resend(&self) -> Option<Resend> {
        RESENDS.get(usize::from(self.resend.load(Relaxed))).copied()
    }

    pub(super) fn was_carried_out(&self) -> bool {
        self.fate.load(Relaxed) == Fate::CarriedOut as u8
    }

    pub(super) fn is_unsent(&self) -> bool {
        self.fate.load(Relaxed) == Fate::Unsent as u8
    }

    /// Returns what it means that there is no response.
    pub(super) fn error_verdict(&self) -> Verdict {
        if self.is_permanent.load(Relaxed) {
            Verdict::Fail
        } else if self.is_unsent() {
            Verdict::NotProcessed
        } else {
            Verdict::RetryIfAllowed
        }
    }
}
