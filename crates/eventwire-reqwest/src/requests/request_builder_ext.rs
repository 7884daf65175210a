//! `.open()` and `.eventsource()` on a request.

#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
use super::platform::Redirects;
use super::{
    platform::{Chunks, Sending},
    request_connector::RequestConnector,
    request_error::RequestError,
    request_with_redirects::RequestWithRedirects,
    reqwest::RequestBuilder,
};
use crate::platform_timer::PlatformTimer;
#[cfg(feature = "json")]
use eventwire_client::adapters::OpenedLines;
#[cfg(feature = "multipart")]
use eventwire_client::adapters::OpenedParts;
use eventwire_client::{EventSource, Opening};

/// The type of the source that [`.eventsource()`](RequestBuilderExt::eventsource) returns: an [`EventSource`] that
/// sends the same reqwest request for each attempt.
///
/// `D` is the type of your [hooks](EventSource#hooks). With a named type, a source can be a field of a
/// struct: `RequestEventSource<MyHooks>`.
pub type RequestEventSource<D = ()> = EventSource<RequestConnector, PlatformTimer, D>;

/// Adds `.open()` and `.eventsource()` to reqwest's requests. The first returns the events of one response, which has
/// been checked. The second returns a stream of events that reconnects. On sockets,
/// [`.with_redirects()`](RequestBuilderExt::with_redirects) before it lets the stream follow redirects.
///
/// This trait is sealed.
pub trait RequestBuilderExt: sealed::Sealed {
    /// Sends the request and returns the events of its response, or an [`OpenError`](eventwire_client::OpenError) that
    /// says why there are none.
    ///
    /// ```no_run
    #[doc = import!("RequestBuilderExt")]
    /// use std::time::Duration;
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let request =
    ///     reqwest::Client::new().post("https://example.com/answers").body("a question");
    /// let mut events = request.open().await?.with_idle_timeout(Duration::from_secs(60));
    /// while let Some(event) = events.next().await {
    ///     println!("{}", event?.data());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The request is sent once, when the future is polled. The headers `Accept` and `Cache-Control` are added as with
    /// [`eventsource`](RequestBuilderExt::eventsource). [`Opening`] has a timeout for the head of the response and the
    /// limits on the body of an unexpected response.
    ///
    /// # Errors
    ///
    /// The future returns an [`OpenError`](eventwire_client::OpenError): the response is no event stream, none was
    /// received in time, or reqwest failed, also because the request is not valid.
    fn open(self) -> Opening<Sending, Chunks, PlatformTimer>;

    /// Sends the request and returns the lines of its response, which are JSON: `application/x-ndjson`, as Docker,
    /// Kubernetes and Ollama send it. [`Opening::lines`] lists the content types.
    ///
    /// ```no_run
    #[doc = import!("RequestBuilderExt")]
    /// use std::time::Duration;
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let request = reqwest::Client::new().get("https://example.com/prices");
    /// let lines = request.open_lines().await?.with_idle_timeout(Duration::from_secs(60));
    /// let mut prices = lines.json_lines::<f64>();
    /// while let Some(price) = prices.next().await {
    ///     println!("{}", price?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The headers `Accept` and `Cache-Control` are added as with [`eventsource`](RequestBuilderExt::eventsource), but
    /// `Accept` is that of JSON lines.
    ///
    /// # Errors
    ///
    /// As with [`open`](RequestBuilderExt::open).
    #[cfg(feature = "json")]
    fn open_lines(self) -> Opening<Sending, Chunks, PlatformTimer, OpenedLines<Chunks, PlatformTimer>>;

    /// Sends the request and returns the parts of its response, which is a `multipart/x-mixed-replace` or another
    /// `multipart`. The output is an `http::Response` whose body is a stream of parts.
    ///
    /// ```no_run
    #[doc = import!("RequestBuilderExt")]
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut parts = reqwest::Client::new()
    ///     .get("https://example.com/talk")
    ///     .open_parts()
    ///     .await?
    ///     .into_body();
    /// while let Some(part) = parts.next().await {
    ///     println!("{} bytes", part?.bytes().await?.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As with [`open`](RequestBuilderExt::open).
    #[cfg(feature = "multipart")]
    fn open_parts(self) -> Opening<Sending, Chunks, PlatformTimer, OpenedParts<Chunks>>;

    /// Returns an [`EventSource`]: a stream of the events that the server sends in response to this request. It
    /// reconnects when the connection drops.
    ///
    /// The headers `Accept` and `Cache-Control` are added if the request has none, and take precedence over the
    /// client's default headers. (In a browser, the cache mode `no-store` replaces `Cache-Control`.) `Last-Event-ID`
    /// is added if there is an ID. If the request itself has a `Last-Event-ID`, the source starts with it.
    ///
    /// A request that is not idempotent, such as a POST, is sent again only if it [was not carried
    /// out](crate#what-is-sent-again), unless the [policy](eventwire_client::ReconnectPolicy::with_resend) sets
    /// otherwise.
    ///
    /// Do not set reqwest's timeout for the entire request: it ends healthy streams early. Use
    /// [`with_idle_timeout`](EventSource::with_idle_timeout), and over HTTP/2 also [the client's
    /// keep-alives](crate#http2).
    ///
    /// The extensions of the [response](eventwire_client::Item::Open) contain a `reqwest::Url`: its URL after
    /// redirects.
    ///
    /// In a browser, a server of another origin must allow the header `Last-Event-ID` and the request's other headers
    /// by [CORS](https://docs.rs/eventwire/latest/eventwire/in_a_browser/#other-origins). (The browser's own
    /// `EventSource` sends `Last-Event-ID` without permission.) An ID that is not ASCII cannot be sent in a browser,
    /// and stops the source.
    ///
    /// # Errors
    ///
    /// [`RequestError`] if the request is not valid, or if its body is a stream.
    fn eventsource(self) -> Result<RequestEventSource, RequestError>;

    /// Lets the event source follow up to this many redirects in each attempt, instead of the HTTP client. [The crate's
    /// page](crate#redirects) says how, and what happens to a POST.
    ///
    /// The HTTP client must not follow redirects; build it with [`client_builder`](super::client_builder). If it
    /// follows them even so, the event source stops with an [error](crate::RedirectError), but only if the response
    /// shows it.
    ///
    /// ```no_run
    #[doc = import!("{RequestBuilderExt, client_builder}")]
    ///
    /// # fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let client = client_builder().build()?;
    /// let source = client.get("https://example.com/events").with_redirects(10).eventsource()?;
    /// # let _ = source;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// [`RedirectError`](crate::RedirectError) lists the redirects that are not followed.
    #[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
    #[must_use]
    fn with_redirects(self, limit: usize) -> RequestWithRedirects;
}

impl sealed::Sealed for RequestBuilder {}

impl RequestBuilderExt for RequestBuilder {
    fn open(self) -> Opening<Sending, Chunks, PlatformTimer> {
        RequestWithRedirects::from(self).open()
    }

    #[cfg(feature = "json")]
    fn open_lines(self) -> Opening<Sending, Chunks, PlatformTimer, OpenedLines<Chunks, PlatformTimer>> {
        RequestWithRedirects::from(self).open_lines()
    }

    #[cfg(feature = "multipart")]
    fn open_parts(self) -> Opening<Sending, Chunks, PlatformTimer, OpenedParts<Chunks>> {
        RequestWithRedirects::from(self).open_parts()
    }

    fn eventsource(self) -> Result<RequestEventSource, RequestError> {
        RequestWithRedirects::from(self).eventsource()
    }

    #[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
    fn with_redirects(self, limit: usize) -> RequestWithRedirects {
        RequestWithRedirects::from_parts(self, Redirects::up_to(limit))
    }
}

mod sealed {
    pub trait Sealed {}
}
