//! What a connector is told.

use http::{HeaderMap, HeaderName, HeaderValue, header};

/// `Last-Event-ID`, which the crate `http` has no name for.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// An attempt to connect: what a [`Connector`](super::Connector) is told.
#[derive(Clone, Debug)]
pub struct Attempt {
    number: u32,
    last_event_id: Option<HeaderValue>,
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
        Attempt { number, last_event_id }
    }

    /// Which attempt in a row without an event it is, from 1.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The value of the header `Last-Event-ID`, if there is to be one.
    #[must_use]
    pub fn last_event_id(&self) -> Option<&HeaderValue> {
        self.last_event_id.as_ref()
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
