//! A request whose redirects the event source follows.

#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
use super::reqwest::Url;
use super::{
    platform::{self, Chunks, Redirects, Sending},
    request_builder_ext::RequestEventSource,
    request_connector::RequestConnector,
    request_error::RequestError,
    reqwest::RequestBuilder,
    send,
};
use crate::platform_timer::PlatformTimer;
use eventwire::Decoder;
#[cfg(feature = "json")]
use eventwire_client::adapters::OpenedLines;
#[cfg(feature = "multipart")]
use eventwire_client::adapters::OpenedParts;
use eventwire_client::{EventSource, Opening};

/// A request, and which of its redirects the event source follows;
/// [`.with_redirects()`](super::RequestBuilderExt::with_redirects) returns it.
///
/// The function passed to [`from_fn`](super::from_fn) may return one, too. A `RequestBuilder` converts into it; the
/// HTTP client then handles the redirects.
#[derive(Debug)]
pub struct RequestWithRedirects {
    request: RequestBuilder,
    redirects: Redirects,
}

impl RequestWithRedirects {
    pub(super) fn from_parts(request: RequestBuilder, redirects: Redirects) -> RequestWithRedirects {
        RequestWithRedirects { request, redirects }
    }

    pub(super) fn into_parts(self) -> (RequestBuilder, Redirects) {
        (self.request, self.redirects)
    }

    /// Also follows redirects to another [origin], if the function returns `true` for the URL. By default, such a
    /// redirect is an [error](crate::RedirectError), and the event source stops.
    ///
    /// An origin is a scheme, a host and a port. So a redirect from HTTPS to HTTP leads to another origin, and the
    /// function should not allow it:
    ///
    /// ```no_run
    #[doc = import!("{RequestBuilderExt, client_builder}")]
    ///
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = client_builder().build()?;
    /// let source = client
    ///     .get("https://example.com/events")
    ///     .with_redirects(10)
    ///     .with_other_origins(|url| {
    ///         url.scheme() == "https" && url.domain() == Some("eu.example.com")
    ///     })
    ///     .eventsource()?;
    /// # let _ = source;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The other server does not get the request's headers `Authorization`, `Cookie`, `Proxy-Authorization`, `Referer`
    /// and `Host`. It gets all other headers, such as `Last-Event-ID` and `X-Api-Key`, and all default headers of the
    /// HTTP client, which the event source cannot see. So send a secret in the request's `Authorization`, or allow only
    /// servers that may see it. If the method stays the same, the other server also gets the body.
    ///
    /// Redirects are followed only after [`.with_redirects()`](super::RequestBuilderExt::with_redirects).
    ///
    /// [origin]: https://html.spec.whatwg.org/multipage/browsers.html#concept-origin
    #[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
    #[must_use]
    pub fn with_other_origins(mut self, allows: impl Fn(&Url) -> bool + Send + Sync + 'static) -> RequestWithRedirects {
        self.redirects.allow(allows);
        self
    }

    /// Sends the request and opens its response; see [`RequestBuilderExt::open`](super::RequestBuilderExt::open).
    pub fn open(self) -> Opening<Sending, Chunks, PlatformTimer> {
        send::open(self)
    }

    /// Sends the request and opens the lines of its response; see
    /// [`RequestBuilderExt::open_lines`](super::RequestBuilderExt::open_lines).
    #[cfg(feature = "json")]
    pub fn open_lines(self) -> Opening<Sending, Chunks, PlatformTimer, OpenedLines<Chunks, PlatformTimer>> {
        send::open_lines(self)
    }

    /// Sends the request and opens the parts of its response; see
    /// [`RequestBuilderExt::open_parts`](super::RequestBuilderExt::open_parts).
    #[cfg(feature = "multipart")]
    pub fn open_parts(self) -> Opening<Sending, Chunks, PlatformTimer, OpenedParts<Chunks>> {
        send::open_parts(self)
    }

    /// Returns an event source; see [`RequestBuilderExt::eventsource`](super::RequestBuilderExt::eventsource).
    ///
    /// # Errors
    ///
    /// [`RequestError`] if the request is not valid, or if its body is a stream.
    pub fn eventsource(self) -> Result<RequestEventSource, RequestError> {
        let mut connector = RequestConnector::new(self)?;
        let last_event_id = connector.take_last_event_id();
        let mut decoder = Decoder::new();
        if let Some(id) = last_event_id {
            // The value of a header cannot contain the characters that an ID must not contain.
            let _ = decoder.set_last_event_id(&id);
        }
        Ok(platform::seeded(EventSource::with_connector(connector, PlatformTimer)).with_decoder(decoder))
    }
}

impl From<RequestBuilder> for RequestWithRedirects {
    fn from(request: RequestBuilder) -> RequestWithRedirects {
        RequestWithRedirects { request, redirects: Redirects::default() }
    }
}
