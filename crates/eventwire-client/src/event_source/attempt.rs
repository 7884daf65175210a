//! The [`Attempt`] that a connector gets.

use alloc::boxed::Box;
use http::{HeaderMap, HeaderName, HeaderValue, header};

/// The crate `http` has no constant for `Last-Event-ID`.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// What a [`Connector`](super::Connector) gets for each request: the number of the attempt, the last event ID, the
/// cursor, and whether a timeout ended the last connection.
#[derive(Clone, Debug)]
pub struct Attempt {
    number: u32,
    last_event_id: Option<HeaderValue>,
    cursor: Option<Box<str>>,
    is_after_timeout: bool,
}

impl Attempt {
    /// Returns an attempt with this number, from 1, and this last event ID. An event source makes its attempts
    /// itself; this is for tests of connectors.
    ///
    /// ```
    /// use eventwire_client::Attempt;
    /// use http::HeaderValue;
    ///
    /// let attempt = Attempt::new(2, Some(HeaderValue::from_static("41")));
    /// assert_eq!(attempt.headers()["last-event-id"], "41");
    /// ```
    #[must_use]
    pub const fn new(number: u32, last_event_id: Option<HeaderValue>) -> Attempt {
        Attempt { number, last_event_id, cursor: None, is_after_timeout: false }
    }

    /// Sets the cursor.
    #[must_use]
    pub fn with_cursor(mut self, cursor: &str) -> Attempt {
        self.cursor = Some(cursor.into());
        self
    }

    /// Marks the attempt as the one after a connection that was dropped because of a timeout.
    #[must_use]
    pub fn after_timeout(mut self) -> Attempt {
        self.is_after_timeout = true;
        self
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

    /// Returns where to continue if the API does not resume by event ID: the last [cursor](super::Decide::cursor) of
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
    /// use eventwire_client::Attempt;
    /// use http::{HeaderMap, HeaderValue};
    ///
    /// let mut headers = HeaderMap::new();
    /// headers.insert("accept", HeaderValue::from_static("text/event-stream, application/json"));
    /// Attempt::new(1, None).add_to(&mut headers);
    /// assert_eq!(headers["accept"], "text/event-stream, application/json");
    /// assert_eq!(headers["cache-control"], "no-cache");
    /// ```
    pub fn add_to(&self, headers: &mut HeaderMap) {
        headers.entry(header::ACCEPT).or_insert(HeaderValue::from_static("text/event-stream"));
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache"));
        if let Some(id) = &self.last_event_id {
            headers.insert(LAST_EVENT_ID, id.clone());
        }
    }
}
