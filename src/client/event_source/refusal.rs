//! A response that is not an event stream.

use crate::client::ResponseHead;
use alloc::{borrow::Cow, string::String, vec::Vec};
use core::fmt;
use http::{HeaderMap, Response, StatusCode};

/// How much of a refusal's body is kept unless set, in bytes. Error messages are shorter.
pub(super) const DEFAULT_MAX_BODY: usize = 16 * 1024;

/// A response that is not an event stream: its status, its headers, and its body up to a limit.
///
/// Up to [16 KiB](super::EventSource::with_max_refusal_body) of the body are read, for at most
/// [5 seconds](super::EventSource::with_refusal_timeout), unless set otherwise. [`is_complete`](Refusal::is_complete) returns whether that
/// is all of it. The body of a response that ends the stream without an error, such as a 204, is not read.
///
/// A server may answer with JSON instead of an event stream. [`is_json`](Refusal::is_json) tells such a response, and with feature
/// `json` the method `json` reads its body.
pub struct Refusal {
    response: Response<()>,
    body: Vec<u8>,
    max_body: usize,
    is_complete: bool,
}

impl Refusal {
    /// A refusal with this head, and nothing of its body yet. Up to `max_body` bytes of it will be kept.
    pub(super) fn new(response: Response<()>, max_body: usize) -> Refusal {
        Refusal { response, body: Vec::new(), max_body, is_complete: false }
    }

    /// Keeps the part of a chunk that is within the limit, and returns whether to read on.
    ///
    /// At the limit it is read on, until either the end shows that the body is complete, or one more byte shows that it is not.
    pub(super) fn take_in(&mut self, chunk: &[u8]) -> bool {
        let room = self.max_body - self.body.len();
        self.body.extend_from_slice(&chunk[..room.min(chunk.len())]);
        chunk.len() <= room
    }

    /// Notes that the body has ended. Only for an orderly end, and only if every `take_in` returned `true`.
    pub(super) fn complete(&mut self) {
        self.is_complete = true;
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.response.status()
    }

    /// The headers.
    #[must_use]
    pub fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// The head of the response: status, headers, version and extensions.
    #[must_use]
    pub fn response(&self) -> &Response<()> {
        &self.response
    }

    /// The body, or the beginning of it if it is not [complete](Refusal::is_complete).
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The same as [`body`](Refusal::body), owned.
    #[must_use]
    pub fn into_body(self) -> Vec<u8> {
        self.body
    }

    /// The same as [`body`](Refusal::body) as text, with U+FFFD where it is not UTF-8.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// Whether [`body`](Refusal::body) is the whole body: it was read to its end.
    ///
    /// `false` if it is longer than the limit, took too long, failed with an error, or was not read at all, as that of a 204. A body
    /// that is exactly as long as the limit is complete.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether the body is said to be JSON: its [media type](ResponseHead::media_type) is `application/json` or `text/json`, or ends
    /// in `+json`, as that of `application/problem+json`.
    ///
    /// This is what the MIME Sniffing standard calls a [JSON MIME type](https://mimesniff.spec.whatwg.org/#json-mime-type). The
    /// body is not looked at.
    #[must_use]
    pub fn is_json(&self) -> bool {
        let Some(media_type) = ResponseHead::from(&self.response).media_type() else { return false };
        let media_type = media_type.to_ascii_lowercase();
        media_type == "application/json" || media_type == "text/json" || media_type.ends_with("+json")
    }

    /// Reads the body as JSON, regardless of the content type.
    ///
    /// # Errors
    ///
    /// serde_json's, if the body is not the JSON of a `T`. It is also an error if the body is not
    /// [complete](Refusal::is_complete), even if what there is of it is JSON: the first half of `1024` is another number.
    ///
    /// # JSON or an event stream
    ///
    /// Some servers answer with an event stream or with a single JSON object, at their choice. A 200 with JSON is a
    /// refusal: it is not retried, and the stream of events ends. The refusal has the whole body, if that is within the
    /// limit.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::client::{EventSource, Item, connector_fn};
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
    ///     Err(stopped) => match stopped.refusal() {
    ///         Some(refusal) if refusal.status() == 200 && refusal.is_json() => text = refusal.json::<Answer>()?.text,
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
                self.body.len()
            )));
        }
        serde_json::from_slice(&self.body)
    }
}

/// Why it is not an event stream, on one line. Of the headers only the content type is printed, escaped and at most 100 bytes of it.
/// Nothing of the body is printed, since it may be anything.
impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = ResponseHead::from(&self.response);
        let is_event_stream = head.is_event_stream();
        // The content type of an event stream is not why the caller's rules refuse it.
        if self.status() != StatusCode::OK || is_event_stream && !head.is_encoded() {
            return write!(f, "the server answered {}", self.status());
        }
        if is_event_stream {
            return f.write_str("the server answered in a content coding that the HTTP client has not decoded");
        }
        // Where none is valid, the first header shows what went wrong.
        match head.media_type().map(str::as_bytes).or_else(|| head.header("content-type")) {
            None => f.write_str("the server answered without a content type"),
            Some(found) => write!(f, "the server answered with the content type {}", Quoted(found)),
        }
    }
}

impl core::error::Error for Refusal {}

/// The body is printed as text, and no more of it than fits a log.
impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 200;
        f.debug_struct("Refusal")
            .field("response", &self.response)
            .field("body", &String::from_utf8_lossy(&self.body[..self.body.len().min(SHOWN)]))
            .field("body_length", &self.body.len())
            .field("is_complete", &self.is_complete)
            .finish()
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
