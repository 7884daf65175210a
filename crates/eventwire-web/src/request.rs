//! A request for `fetch`.

use crate::{
    AbortSignal, Body, BrowserTimer, FetchError, RequestCache, RequestCredentials, RequestMode,
    abort_on_drop::AbortOnDrop,
    adapters::RequestConnector,
    from_fn::with_news,
    headers::{self, RequestHeaders},
    news::News,
    send::{self as sending, Sending},
};
use eventwire::Decoder;
#[cfg(feature = "json")]
use eventwire_client::adapters::OpenedLines;
#[cfg(feature = "multipart")]
use eventwire_client::adapters::OpenedParts;
use eventwire_client::{Attempt, EventSource, Opening, Resend};
use http::{Method, Response, StatusCode};
use js_sys::{Promise, Reflect};
use std::{fmt, rc::Rc};
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use wasm_bindgen_futures::JsFuture;
use web_sys::{ReadableStream, RequestInit};

/// The crate `http` has no constant for this header.
const LAST_EVENT_ID: &str = "last-event-id";

/// The type of the source that [`Request::eventsource`] returns: an [`EventSource`] that sends the same request for
/// each attempt.
///
/// `D` is the type of your [hooks](EventSource#hooks). With a named type, a source can be a field of a
/// struct: `RequestEventSource<MyHooks>`.
pub type RequestEventSource<D = ()> = EventSource<RequestConnector, BrowserTimer, D>;

/// A request for `fetch`. Send it with [`open`](Request::open), for the events of one response, with
/// [`eventsource`](Request::eventsource), for a stream of events that reconnects, or with [`send`](Request::send), for
/// the response itself.
///
/// If the request is not valid, for example because of its URL, sending it returns an error
/// ([`FetchError::is_invalid_request`]).
///
/// ```no_run
/// # async fn example() {
/// use eventwire_web::{Request, RequestCredentials};
/// use std::time::Duration;
///
/// let source = Request::get("https://api.example.com/events?room=7")
///     .with_header("Authorization", "Bearer 1234")
///     .with_credentials(RequestCredentials::Omit)
///     .eventsource()
///     // Longer than the interval of the server's keep-alives.
///     .with_idle_timeout(Duration::from_secs(60));
/// # let _ = source;
/// # }
/// ```
#[derive(Clone)]
pub struct Request {
    method: Method,
    /// Stored, so that a page with only GET and POST does not contain the list of all methods: 350 bytes, compressed.
    pub(crate) resend: Resend,
    url: String,
    headers: RequestHeaders,
    body: Option<JsValue>,
    credentials: Option<RequestCredentials>,
    mode: Option<RequestMode>,
    cache: Option<RequestCache>,
    signal: Option<AbortSignal>,
}

impl Request {
    /// Returns a request with this method for this URL, which may be relative to that of the page or worker.
    #[must_use]
    pub fn new(method: Method, url: impl Into<String>) -> Request {
        let resend = Resend::for_method(method.as_str());
        Request::with_resend(method, resend, url)
    }

    fn with_resend(method: Method, resend: Resend, url: impl Into<String>) -> Request {
        Request {
            method,
            resend,
            url: url.into(),
            headers: RequestHeaders::default(),
            body: None,
            credentials: None,
            mode: None,
            cache: None,
            signal: None,
        }
    }

    /// Returns a GET request for this URL.
    #[must_use]
    pub fn get(url: impl Into<String>) -> Request {
        Request::with_resend(Method::GET, Resend::Always, url)
    }

    /// Returns a POST request for this URL.
    #[must_use]
    pub fn post(url: impl Into<String>) -> Request {
        Request::with_resend(Method::POST, Resend::UnlessSent, url)
    }

    /// Adds a header. Text that is not ASCII is sent as UTF-8.
    ///
    /// An event source adds `Accept: text/event-stream` if the request has no `Accept`. If the request has a
    /// `Last-Event-ID`, it is sent until the server sets another. Browsers omit [headers that pages may not set].
    ///
    /// [headers that pages may not set]: https://fetch.spec.whatwg.org/#forbidden-request-header
    #[must_use]
    pub fn with_header(mut self, name: &str, value: &str) -> Request {
        self.headers.push(name, value);
        self
    }

    /// Sets the body: anything that `fetch` accepts.
    ///
    /// * Text (`&str` or `String`) is sent with `Content-Type: text/plain;charset=UTF-8`, unless the request has a
    ///   content type.
    /// * Bytes are a `js_sys::Uint8Array`, which `body.into()` makes from a slice.
    /// * `Blob`, `FormData` and `URLSearchParams` are types of web-sys.
    /// * A `ReadableStream` is sent while it is produced, over HTTP/2 or later, in browsers that support it. It can
    ///   be sent only once: for an event source, use [`from_fn`](crate::from_fn).
    #[must_use]
    pub fn with_body(mut self, body: impl Into<JsValue>) -> Request {
        self.body = Some(body.into());
        self
    }

    /// Sets whether cookies and other credentials are sent and stored. By default, `fetch` does so for the page's
    /// own origin only.
    #[must_use]
    pub fn with_credentials(mut self, credentials: RequestCredentials) -> Request {
        self.credentials = Some(credentials);
        self
    }

    /// Sets the CORS mode. By default, `fetch` uses `cors`: the server of another origin must allow the request.
    /// With `no-cors`, a page cannot see the response: [`send`](Request::send) returns an error although the request
    /// was sent, and an event source stops.
    #[must_use]
    pub fn with_mode(mut self, mode: RequestMode) -> Request {
        self.mode = Some(mode);
        self
    }

    /// Sets how the browser's cache is used. By default, an event source bypasses it (`no-store`), and
    /// [`send`](Request::send) uses it as `fetch` does.
    ///
    /// With `RequestCache::Default` the field is omitted, for runtimes that reject it.
    #[must_use]
    pub fn with_cache(mut self, cache: RequestCache) -> Request {
        self.cache = Some(cache);
        self
    }

    /// Adds the signal of an `AbortController`, so that JavaScript can abort the request. An event source that is
    /// waiting to reconnect stops at the end of the delay. Rust code does not need a signal: dropping the stream
    /// aborts the request.
    ///
    /// It needs `AbortSignal.any`, which browsers have since March 2024.
    #[must_use]
    pub fn with_signal(mut self, signal: AbortSignal) -> Request {
        self.signal = Some(signal);
        self
    }

    /// Sends the request once and returns the response, with any status.
    ///
    /// Its headers contain no `Content-Encoding`, because the browser has decoded the body. The [`Body`] knows the URL
    /// after redirects. Dropping the future aborts the request.
    ///
    /// # Errors
    ///
    /// [`FetchError`] if the request is not valid, if it was aborted, or if there is no response.
    pub async fn send(self) -> Result<Response<Body>, FetchError> {
        let fetch = AbortOnDrop::new(self.signal.clone())?;
        let promise = send(&self.to_javascript(&fetch)?).map_err(|error| fetch.error(&error))?;
        let response = JsFuture::from(promise).await.map_err(|error| fetch.error(&error))?;
        let response: web_sys::Response = response.unchecked_into();
        let mut head = Response::new(());
        // An opaque response has the status 0, which is not valid in HTTP.
        *head.status_mut() = StatusCode::from_u16(response.status()).map_err(|_| FetchError::hidden())?;
        *head.headers_mut() = headers::from_response(&response.headers());
        let body = Body::new(response, fetch)?;
        Ok(head.map(|()| body))
    }

    /// Sends the request and returns the events of its response, or an [`OpenError`](eventwire_client::OpenError) that
    /// says why there are none. It does not reconnect.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use eventwire_web::Request;
    /// use std::time::Duration;
    ///
    /// let request = Request::post("/answers").with_body("a question");
    /// let mut events = request.open().await?.with_idle_timeout(Duration::from_secs(60));
    /// while let Some(event) = events.next().await {
    ///     web_sys::console::log_1(&event?.data().into());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// The request is sent once, when the future is polled. The header `Accept` is added if the request has none.
    /// [`Opening`] has a timeout for the head of the response and the limits on the body of an unexpected response.
    pub fn open(self) -> Opening<Sending, Body, BrowserTimer> {
        Opening::new(sending::send(self, Attempt::single(), Rc::default()), BrowserTimer)
    }

    /// Sends the request and returns the lines of its response, which are JSON. [`Opening::lines`] lists the content
    /// types.
    #[cfg(feature = "json")]
    pub fn open_lines(mut self) -> Opening<Sending, Body, BrowserTimer, OpenedLines<Body, BrowserTimer>> {
        if !self.headers.contains("accept") {
            self.headers.push("accept", "application/x-ndjson, application/jsonl, application/json;q=0.9");
        }
        self.open().lines()
    }

    /// Sends the request and returns the parts of its response, which is a `multipart/x-mixed-replace` or another
    /// `multipart`. The output is an `http::Response` whose body is a stream of parts.
    #[cfg(feature = "multipart")]
    pub fn open_parts(mut self) -> Opening<Sending, Body, BrowserTimer, OpenedParts<Body>> {
        if !self.headers.contains("accept") {
            self.headers.push("accept", "multipart/x-mixed-replace, multipart/mixed");
        }
        self.open().parts()
    }

    /// Returns an [`EventSource`]: a stream of the events that the server sends in response to this request. It
    /// reconnects when the connection drops.
    ///
    /// The header `Accept` is added if the request has none, and `Last-Event-ID` if there is an ID. If the request
    /// itself has a `Last-Event-ID`, the source starts with it. A request that is not idempotent, such as a POST, is
    /// sent again only if it [was not carried out](crate#what-is-sent-again), unless the
    /// [policy](eventwire_client::ReconnectPolicy::with_resend) sets otherwise.
    pub fn eventsource(mut self) -> RequestEventSource {
        let mut decoder = Decoder::new();
        if let Some(id) = self.headers.remove(LAST_EVENT_ID)
            && decoder.set_last_event_id(&id).is_err()
        {
            // The ID contains a line end or a NUL, so sending the request returns an error.
            self.headers.push(LAST_EVENT_ID, &id);
        }
        let news = News::default();
        with_news(RequestConnector { request: self, news: news.clone() }, &news).with_decoder(decoder)
    }

    /// Returns the request for an attempt of an event source. It has no `Cache-Control`, unlike
    /// [`Attempt::headers`]: the request already bypasses the cache, and `fetch` would first ask another origin for
    /// permission.
    pub(crate) fn for_attempt(mut self, attempt: &Attempt) -> Request {
        if !self.headers.contains("accept") {
            self.headers.push("accept", "text/event-stream");
        }
        if let Some(id) = attempt.last_event_id().and_then(|id| str::from_utf8(id.as_bytes()).ok()) {
            self.headers.remove(LAST_EVENT_ID);
            self.headers.push(LAST_EVENT_ID, id);
        }
        self.cache = self.cache.or(Some(RequestCache::NoStore));
        self
    }

    fn to_javascript(&self, fetch: &AbortOnDrop) -> Result<web_sys::Request, FetchError> {
        let init = RequestInit::new();
        init.set_method(self.method.as_str());
        init.set_headers_headers(&self.headers.to_javascript()?);
        init.set_signal(Some(&fetch.signal()?));
        if let Some(body) = &self.body {
            init.set_body(body);
            if body.has_type::<ReadableStream>() {
                // `fetch` requires it, and web-sys does not have it.
                let _ = Reflect::set(&init, &"duplex".into(), &"half".into());
            }
        }
        if let Some(credentials) = self.credentials {
            init.set_credentials(credentials);
        }
        if let Some(mode) = self.mode {
            init.set_mode(mode);
        }
        if let Some(cache) = self.cache.filter(|cache| *cache != RequestCache::Default) {
            init.set_cache(cache);
        }
        web_sys::Request::new_with_str_and_init(&self.url, &init).map_err(|error| {
            // `fetch` refuses a URL with a password, and the browser's message contains all of it.
            let is_secret = self.url.contains('@');
            FetchError::invalid_request(&if is_secret { "the URL has a user or a password".into() } else { error })
        })
    }
}

/// Omits the values of headers and the body, which may be secrets.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("url", &self.url)
            .field("headers", &self.headers)
            .finish_non_exhaustive()
    }
}

#[wasm_bindgen]
extern "C" {
    /// The global function, which exists in pages, workers and servers.
    #[wasm_bindgen(js_name = fetch, catch)]
    fn send(request: &web_sys::Request) -> Result<Promise, JsValue>;
}
