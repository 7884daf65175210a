//! A response that is not an event stream.

use crate::reconnect::response_head::ResponseHead;
#[cfg(feature = "json")]
use alloc::borrow::ToOwned;
use alloc::{borrow::Cow, string::String, vec::Vec};
use bytes::Bytes;
use core::{fmt, time::Duration};
use eventwire::internal::Excerpt;
use http::{HeaderMap, Response, StatusCode};

/// How many bytes of the body are kept by default. Error messages are shorter.
pub(crate) const DEFAULT_MAX_BODY: usize = 16 * 1024;

/// A response that is not an event stream: its status, its headers, and its body up to a limit.
///
/// By default, up to 16 KiB of the body are read, for at most 5 seconds; [`EventSource`](crate::EventSource) and
/// [`Opening`](crate::Opening) have settings for both. ([`open`](crate::open) reads more of JSON with a status of
/// success: up to 16 MiB, for a minute.) [`is_complete`](UnexpectedResponse::is_complete) returns whether that is the
/// entire body.
///
/// A server may answer with JSON instead of an event stream. [`is_json`](UnexpectedResponse::is_json) detects such a
/// response, and with feature `json` the method `json` parses its body.
pub struct UnexpectedResponse {
    response: Response<Vec<u8>>,
    max_body: usize,
    is_complete: bool,
    expected: Expected,
}

/// What the response was to be opened as.
#[derive(Clone, Debug, Default)]
pub(crate) enum Expected {
    #[default]
    Events,
    /// The problem is what is wrong with the parameters of a content type that is the right one.
    #[cfg(feature = "multipart")]
    Parts { problem: Option<String> },
    #[cfg(feature = "json")]
    JsonLines,
}

/// Why a response cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Status,
    ContentType,
    Compressed,
}

impl UnexpectedResponse {
    /// Returns a response with this head and an empty body, of which up to `max_body` bytes will be kept.
    pub(crate) fn new(response: Response<()>, max_body: usize) -> UnexpectedResponse {
        UnexpectedResponse {
            response: response.map(|()| Vec::new()),
            max_body,
            is_complete: false,
            expected: Expected::Events,
        }
    }

    /// Sets what the response was to be opened as.
    pub(crate) fn with_expected(mut self, expected: Expected) -> UnexpectedResponse {
        self.expected = expected;
        self
    }

    /// Returns whether to read the body: a 204 and a 205 have none, and with a limit of 0 nothing is kept of it.
    pub(crate) fn wants_body(&self) -> bool {
        self.max_body > 0 && !matches!(self.status(), StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT)
    }

    /// Takes the next item of the body: keeps the part of a chunk that is within the limit. Returns whether to read
    /// more.
    ///
    /// At the limit, reading continues until the body ends, which shows that it is complete, or until another byte
    /// arrives, which shows that it is not. After an error, what has been read still says why there are no events.
    pub(crate) fn read<B: Into<Bytes>, E>(&mut self, item: Option<Result<B, E>>) -> bool {
        match item {
            Some(Ok(chunk)) => {
                let chunk = chunk.into();
                let body = self.response.body_mut();
                let room = self.max_body - body.len();
                body.extend_from_slice(&chunk[..room.min(chunk.len())]);
                chunk.len() <= room
            }
            Some(Err(_)) => false,
            None => {
                self.is_complete = true;
                false
            }
        }
    }

    /// Returns the status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// Returns the headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// Returns the status and the headers as the rules see them, for
    /// [`Verdict::default_for`](crate::Verdict::default_for).
    #[must_use]
    pub fn head(&self) -> ResponseHead<'_> {
        ResponseHead::from(&self.response)
    }

    /// Returns the response as the type of the crate `http`: with its version and extensions, too.
    #[must_use]
    pub fn as_http(&self) -> &Response<Vec<u8>> {
        &self.response
    }

    /// Converts into the type of the crate `http`, whose `into_parts` and `into_body` take it apart.
    ///
    /// It does not say whether the body [is complete](UnexpectedResponse::is_complete), so look at that before, if it
    /// matters.
    #[must_use]
    pub fn into_http(self) -> Response<Vec<u8>> {
        self.response
    }

    /// Returns how long the server asks clients to wait; see [`ResponseHead::retry_after`].
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.head().retry_after()
    }

    /// Returns the body, or its beginning if it is not [complete](UnexpectedResponse::is_complete).
    #[must_use]
    pub fn body(&self) -> &[u8] {
        self.response.body()
    }

    /// Returns the [`body`](UnexpectedResponse::body) as text, with U+FFFD for bytes that are not UTF-8.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(self.body())
    }

    /// Returns whether [`body`](UnexpectedResponse::body) is the entire body.
    ///
    /// It is not if the body is longer than the limit, took too long, or failed with an error, or if it was not read,
    /// as for a 204 or a 205, or with a limit of 0. A body that is exactly as long as the limit is complete.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns whether the headers declare the body as JSON: the [media type](ResponseHead::media_type) is
    /// `application/json` or `text/json`, or ends in `+json`, such as `application/problem+json`.
    ///
    /// The MIME Sniffing standard calls this a [JSON MIME type](https://mimesniff.spec.whatwg.org/#json-mime-type).
    /// The body is not examined.
    #[must_use]
    pub fn is_json(&self) -> bool {
        self.head().is_json()
    }

    /// Returns why the response cannot be opened.
    pub(crate) fn reason(&self) -> Reason {
        let head = self.head();
        let is_right = match &self.expected {
            Expected::Events => head.is_event_stream(),
            #[cfg(feature = "multipart")]
            Expected::Parts { problem } => {
                let main_type = head.media_type().and_then(|media_type| media_type.get(..10));
                problem.is_none() && main_type.is_some_and(|main_type| main_type.eq_ignore_ascii_case("multipart/"))
            }
            #[cfg(feature = "json")]
            Expected::JsonLines => head.may_be_json_lines(),
        };
        match self.status() {
            StatusCode::OK if !is_right => Reason::ContentType,
            StatusCode::OK if head.is_encoded() => Reason::Compressed,
            // If the content type is right, the caller's rules refused the response for another reason.
            _ => Reason::Status,
        }
    }

    /// Prints the reason, and the beginning of the body.
    pub(crate) fn fmt_as(&self, f: &mut fmt::Formatter<'_>, reason: Reason) -> fmt::Result {
        let head = self.head();
        match reason {
            Reason::Status => write!(f, "the server answered {}", Status(self.status()))?,
            Reason::Compressed => return write!(f, "{}", Compressed(&head)),
            // If no media type is valid, the first header shows what is wrong.
            Reason::ContentType => match head.media_type().map(str::as_bytes).or(head.header("content-type")) {
                None => f.write_str("the server answered without a content type")?,
                Some(found) => write!(f, "the server answered with the content type {}", Quoted(found))?,
            },
        }
        if head.is_encoded() {
            return if self.body().is_empty() { Ok(()) } else { write!(f, ": {}", Compressed(&head)) };
        }
        match (reason, &self.expected) {
            #[cfg(feature = "multipart")]
            (Reason::ContentType, Expected::Parts { problem: Some(problem) }) => return write!(f, ": {problem}"),
            #[cfg(feature = "json")]
            (Reason::ContentType, Expected::JsonLines) if head.is_event_stream() => {
                f.write_str(" instead of JSON lines; it is an event stream")?;
            }
            #[cfg(feature = "json")]
            (Reason::ContentType, Expected::JsonLines) => f.write_str(" instead of JSON lines")?,
            #[cfg(feature = "json")]
            (Reason::ContentType, Expected::Events) if head.is_json_lines() => {
                f.write_str("; it is JSON lines")?;
            }
            _ => {}
        }
        let message = self.message();
        let (text, is_complete) = match &message {
            Some(message) => (message.as_str(), true),
            None => self.beginning(),
        };
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match (line.as_bytes(), is_complete) {
            ([] | [b'<', ..], _) => Ok(()),
            (line, true) => write!(f, ": {}", Excerpt::new(line)),
            (line, false) => write!(f, ": {}", Excerpt::of_incomplete(line)),
        }
    }

    /// Returns more of the body than is printed, up to what is not UTF-8, and whether that is all of it.
    fn beginning(&self) -> (&str, bool) {
        let body = self.body();
        let beginning = &body[..body.len().min(2000)];
        let text = beginning.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        (text, self.is_complete && text.len() == body.len())
    }

    /// Returns the message of an error in JSON: the text in `message`, `error` or `detail`, also inside `error`.
    #[cfg(feature = "json")]
    fn message(&self) -> Option<String> {
        // A value takes many times the memory of its text, and an answer may have 16 MiB.
        if self.body().len() > DEFAULT_MAX_BODY {
            return None;
        }
        let mut error: serde_json::Value = serde_json::from_slice(self.body()).ok()?;
        if error["error"].is_object() {
            error = error["error"].take();
        }
        let texts = ["message", "error", "detail"].into_iter().filter_map(|name| error[name].as_str());
        texts.map(str::trim).find(|text| !text.is_empty()).map(str::to_owned)
    }

    #[cfg(not(feature = "json"))]
    fn message(&self) -> Option<String> {
        None
    }

    /// Parses the body as JSON, regardless of the content type.
    ///
    /// # Errors
    ///
    /// serde_json's error, if the body is not the JSON of a `T`. A body that is not
    /// [complete](UnexpectedResponse::is_complete) is always an error, because its beginning may be valid
    /// JSON by chance: `10` may be the beginning of `1024`.
    ///
    /// # JSON or an event stream
    ///
    /// Some servers choose whether to answer with an event stream or with a single JSON object. A 200 with JSON is
    /// unexpected: it is not retried, and the stream of events ends. If the body is within the limit, `body`
    /// contains all of it.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{EventSource, Item, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, error::Error, future, time::Duration};
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Answer { text: String }
    ///
    /// # let timer = |_: Duration| future::pending();
    /// # let connector = connector_fn(|_| async {
    /// #     let body = stream::iter([Ok::<_, Infallible>("{\"text\":"), Ok("\"hello\"}")]);
    /// #     let response = http::Response::builder().header("content-type", "application/json; charset=utf-8");
    /// #     Ok::<_, Infallible>(response.body(body).unwrap())
    /// # });
    /// let mut source = EventSource::with_connector(connector, timer);
    /// let mut text = String::new();
    /// while let Some(item) = source.next().await {
    ///     if let Item::Event(event) = item {
    ///         text += event.data();
    ///     }
    /// }
    /// match source.into_result() {
    ///     Ok(()) => {}
    ///     Err(stopped) => match stopped.response() {
    ///         Some(response) if response.status() == 200 && response.is_json() => {
    ///             text = response.json::<Answer>()?.text
    ///         }
    ///         _ => return Err(stopped.into()),
    ///     },
    /// }
    /// assert_eq!(text, "hello");
    /// # Ok::<(), Box<dyn Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    #[cfg(feature = "json")]
    pub fn json<T: serde_core::de::DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        if !self.is_complete {
            return Err(serde_core::de::Error::custom(format_args!(
                "the body is incomplete, {} bytes of it were read",
                self.body().len()
            )));
        }
        serde_json::from_slice(self.body())
    }
}

/// Prints on one line why the response is not an event stream: the status, or the content type, and then up to 200
/// characters of the body, which usually says more. With feature `json`, that is only the message of an error in JSON,
/// such as `{"error": {"message": "no such model"}}`, if there is one in a body of up to 16 KiB. A body is omitted if
/// it is markup, such as an HTML page. It ends before the first byte that is not UTF-8. If the body goes on after what
/// is shown, `...` follows. White space is one space, and control characters are escaped. Of a body that is still
/// compressed, it says so, and what to do.
impl fmt::Display for UnexpectedResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as(f, self.reason())
    }
}

impl core::error::Error for UnexpectedResponse {}

/// Prints at most 200 bytes of the body, as text, so that it fits in a log.
impl fmt::Debug for UnexpectedResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 200;
        let body = self.body();
        f.debug_struct("UnexpectedResponse")
            .field("status", &self.status())
            .field("version", &self.response.version())
            .field("headers", self.headers())
            .field("body", &String::from_utf8_lossy(&body[..body.len().min(SHOWN)]))
            .field("body_length", &body.len())
            .field("is_complete", &self.is_complete)
            .finish()
    }
}

/// A status and its reason, such as `404 Not Found`. A status that is not registered has none.
struct Status(StatusCode);

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.as_str())?;
        match self.0.canonical_reason() {
            Some(reason) => write!(f, " {reason}"),
            None => Ok(()),
        }
    }
}

/// Says that a body is still compressed, and what to do.
struct Compressed<'a>(&'a ResponseHead<'a>);

impl fmt::Display for Compressed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let coding = Quoted(self.0.header("content-encoding").unwrap_or_default());
        write!(
            f,
            "the body is still compressed with {coding}; enable decompression in the HTTP client, or send \
             `Accept-Encoding: identity`"
        )
    }
}

/// A value in quotes, on one line and of limited length.
struct Quoted<'a>(&'a [u8]);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.split_at_checked(100) {
            Some((beginning, rest)) if !rest.is_empty() => write!(f, "\"{}...\"", beginning.escape_ascii()),
            _ => write!(f, "\"{}\"", self.0.escape_ascii()),
        }
    }
}
