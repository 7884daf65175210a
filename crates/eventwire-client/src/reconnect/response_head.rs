//! The head of a response, from any HTTP client.

use crate::reconnect::http_date;
use core::{fmt, str, time::Duration};
use eventwire::internal::{MediaTypes, content_codings};

/// The status and the headers of a response, borrowed from any HTTP client.
///
/// This type needs no feature. Feature `std` adds the conversion from a reference to an `http::Response`.
///
/// ```
/// use eventwire_client::ResponseHead;
///
/// let head =
///     ResponseHead::new(503, &[("retry-after", "120"), ("content-type", "text/html")]);
/// assert_eq!((head.status(), head.header("Retry-After")), (503, Some(&b"120"[..])));
/// ```
#[derive(Clone, Copy)]
pub struct ResponseHead<'a> {
    status: u16,
    headers: HeadersRef<'a>,
}

#[derive(Clone, Copy)]
enum HeadersRef<'a> {
    List(&'a [(&'a str, &'a str)]),
    #[cfg(feature = "std")]
    Map(&'a http::HeaderMap),
}

/// Prints only the status: a header may contain a secret.
impl fmt::Debug for ResponseHead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseHead").field("status", &self.status).finish_non_exhaustive()
    }
}

impl<'a> ResponseHead<'a> {
    /// Returns a head with this status, and headers as pairs of name and value.
    #[must_use]
    pub const fn new(status: u16, headers: &'a [(&'a str, &'a str)]) -> ResponseHead<'a> {
        ResponseHead { status, headers: HeadersRef::List(headers) }
    }

    /// Returns the status code.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// Returns the value of the first header with this name. The case of the name does not matter.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'a [u8]> {
        let mut first = None;
        self.each_value(name, |value| {
            first.get_or_insert(value);
        });
        first
    }

    /// Returns the media type of the body without its parameters: `text/html` for `text/html; charset=utf-8`. `None`
    /// if there is no valid one.
    ///
    /// If there are several, in one `Content-Type` header or more, the last valid one counts, [as in a browser]. The
    /// result has the upper and lower case that the server sent; compare it without regard to case.
    ///
    /// ```
    /// # use eventwire_client::ResponseHead;
    /// let head = ResponseHead::new(200, &[
    ///     ("content-type", "text/plain"),
    ///     ("content-type", "Application/JSON; charset=utf-8, */*"),
    /// ]);
    /// assert_eq!(head.media_type(), Some("Application/JSON"));
    /// ```
    ///
    /// [as in a browser]: https://fetch.spec.whatwg.org/#concept-header-extract-mime-type
    #[must_use]
    pub fn media_type(&self) -> Option<&'a str> {
        let mut types = MediaTypes::default();
        self.each_value("content-type", |value| types.push(value));
        types.last_essence()
    }

    /// Returns whether the headers declare the body as an event stream: the [media type](ResponseHead::media_type)
    /// is `text/event-stream`.
    #[must_use]
    pub fn is_event_stream(&self) -> bool {
        self.media_type().is_some_and(|media_type| media_type.eq_ignore_ascii_case("text/event-stream"))
    }

    /// Returns whether the headers declare the body as JSON lines: the [media type](ResponseHead::media_type) is
    /// `application/x-ndjson`, `application/ndjson`, `application/jsonl`, `application/x-jsonlines` or
    /// `application/jsonlines`. None of them is registered, so servers use them all.
    ///
    /// Some servers send JSON lines as `application/json`. For that, the result is `false`.
    ///
    /// ```
    /// # use eventwire_client::ResponseHead;
    /// let head = ResponseHead::new(200, &[("content-type", "application/x-ndjson")]);
    /// assert!(head.is_json_lines());
    /// assert!(!ResponseHead::new(200, &[("content-type", "application/json")]).is_json_lines());
    /// ```
    #[must_use]
    pub fn is_json_lines(&self) -> bool {
        const NAMES: [&str; 5] = ["x-ndjson", "ndjson", "jsonl", "x-jsonlines", "jsonlines"];
        let subtype = self.media_type().and_then(|media_type| media_type.split_once('/'));
        subtype.is_some_and(|(main, name)| {
            main.eq_ignore_ascii_case("application") && NAMES.iter().any(|known| name.eq_ignore_ascii_case(known))
        })
    }

    /// Returns whether the media type is that of JSON.
    #[cfg(feature = "std")]
    pub(crate) fn is_json(&self) -> bool {
        let Some(media_type) = self.media_type() else { return false };
        let media_type = media_type.to_ascii_lowercase();
        media_type == "application/json" || media_type == "text/json" || media_type.ends_with("+json")
    }

    /// Returns whether the lines of the body may be JSON. Docker and Kubernetes send JSON lines as `application/json`.
    #[cfg(feature = "json")]
    pub(crate) fn may_be_json_lines(&self) -> bool {
        let is_json = |media_type: &str| media_type.eq_ignore_ascii_case("application/json");
        self.is_json_lines() || self.media_type().is_some_and(is_json)
    }

    /// Returns whether the body is still compressed: `Content-Encoding` contains `gzip`, `x-gzip`, `deflate`,
    /// `compress`, `x-compress`, `br`, `zstd`, `dcb` or `dcz`.
    ///
    /// Other names are ignored, as in browsers: some servers send `none`, `UTF-8` or `chunked` with plain text. An
    /// HTTP client that decompresses the body removes the header.
    ///
    /// ```
    /// # use eventwire_client::ResponseHead;
    /// assert!(ResponseHead::new(200, &[("content-encoding", "GZIP")]).is_encoded());
    /// assert!(!ResponseHead::new(200, &[("content-encoding", "none")]).is_encoded());
    /// ```
    #[must_use]
    pub fn is_encoded(&self) -> bool {
        let mut is_encoded = false;
        self.each_value("content-encoding", |value| {
            is_encoded |= content_codings(value).next().is_some();
        });
        is_encoded
    }

    /// Returns how long the server asks clients to wait, from the header `Retry-After`: seconds, or a date. A date is
    /// compared with the response's `Date`, not with a local clock, which may differ from the server's.
    ///
    /// ```
    /// # use eventwire_client::ResponseHead;
    /// # use std::time::Duration;
    /// let head = ResponseHead::new(503, &[
    ///     ("date", "Fri, 31 Dec 1999 23:59:00 GMT"),
    ///     ("retry-after", "Sat, 01 Jan 2000 00:00:30 GMT"),
    /// ]);
    /// assert_eq!(head.retry_after(), Some(Duration::from_secs(90)));
    /// ```
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        let value = str::from_utf8(self.header("retry-after")?).ok()?.trim_ascii();
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            // A number that does not fit is longer than any client waits.
            return Some(Duration::from_secs(value.parse().unwrap_or(u64::MAX)));
        }
        let date = str::from_utf8(self.header("date")?).ok()?.trim_ascii();
        let seconds = http_date::seconds(value)?.saturating_sub(http_date::seconds(date)?);
        Some(Duration::from_secs(seconds))
    }

    fn each_value(&self, name: &str, mut take: impl FnMut(&'a [u8])) {
        match self.headers {
            HeadersRef::List(list) => {
                list.iter()
                    .filter(|(key, _)| key.eq_ignore_ascii_case(name))
                    .for_each(|(_, value)| take(value.as_bytes()));
            }
            #[cfg(feature = "std")]
            HeadersRef::Map(headers) => headers.get_all(name).iter().for_each(|value| take(value.as_bytes())),
        }
    }
}

#[cfg(feature = "std")]
impl<'a, B> From<&'a http::Response<B>> for ResponseHead<'a> {
    fn from(response: &'a http::Response<B>) -> ResponseHead<'a> {
        ResponseHead { status: response.status().as_u16(), headers: HeadersRef::Map(response.headers()) }
    }
}
