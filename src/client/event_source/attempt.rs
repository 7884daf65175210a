//! What a connector is told.

use alloc::boxed::Box;
use http::{HeaderMap, HeaderName, HeaderValue, header};

/// `Last-Event-ID`, which the crate `http` has no name for.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// An attempt to connect: what a [`Connector`](super::Connector) is told.
#[derive(Clone, Debug)]
pub struct Attempt {
    number: u32,
    last_event_id: Option<HeaderValue>,
    cursor: Option<Box<str>>,
    is_after_timeout: bool,
}

impl Attempt {
    /// An attempt with this number, from 1, and this last event ID. Event sources make their own; this is for tests of connectors.
    ///
    /// ```
    /// use eventwire::client::Attempt;
    /// use http::HeaderValue;
    ///
    /// let attempt = Attempt::new(2, Some(HeaderValue::from_static("41")));
    /// assert_eq!(attempt.headers()["last-event-id"], "41");
    /// ```
    #[must_use]
    pub const fn new(number: u32, last_event_id: Option<HeaderValue>) -> Attempt {
        Attempt { number, last_event_id, cursor: None, is_after_timeout: false }
    }

    /// The same attempt, with this cursor.
    #[must_use]
    pub fn with_cursor(mut self, cursor: &str) -> Attempt {
        self.cursor = Some(cursor.into());
        self
    }

    /// The same attempt, after a connection that was given up because of a timeout.
    #[must_use]
    pub fn after_timeout(mut self) -> Attempt {
        self.is_after_timeout = true;
        self
    }

    /// Which attempt in a row without progress it is, from 1.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The value of the header `Last-Event-ID`, if there is to be one.
    #[must_use]
    pub fn last_event_id(&self) -> Option<&HeaderValue> {
        self.last_event_id.as_ref()
    }

    /// Where to continue, if that is not the last event ID: the last [cursor](super::Decide::cursor) of an event.
    ///
    /// It is not among the [headers](Attempt::headers), because each API wants it in another place.
    #[must_use]
    pub fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// Whether the last connection was given up because of a timeout.
    ///
    /// Its peer may be gone without having closed the connection. Over HTTP/2, an HTTP client would use the same connection for the
    /// next request. So a connector should use a fresh connection, if its HTTP client can.
    #[must_use]
    pub fn is_after_timeout(&self) -> bool {
        self.is_after_timeout
    }

    /// The headers that the request of an event source has: `Accept`, `Cache-Control`, and `Last-Event-ID` if there is one.
    ///
    /// ```
    /// # let connector = |attempt: eventwire::client::Attempt| {
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

    /// Adds these headers to those of a request. If that has an `Accept` or a `Cache-Control` of its own, it stays.
    pub fn add_to(&self, headers: &mut HeaderMap) {
        headers.entry(header::ACCEPT).or_insert(HeaderValue::from_static("text/event-stream"));
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
        if let Some(id) = &self.last_event_id {
            headers.insert(LAST_EVENT_ID, id.clone());
        }
    }
}
