//! The type [`Verdict`].

use super::ResponseHead;

/// What to do after the head of a response or after an error: read the body, send the request again, or stop.
///
/// [`Verdict::default_for`] is the default. To decide otherwise, pass a function to `EventSource::with_verdict`.
/// Handle your exceptions there, and use the default for the rest:
///
/// ```
/// use eventwire::client::{ResponseHead, Verdict};
///
/// fn verdict(head: &ResponseHead<'_>) -> Verdict {
///     match head.status() {
///         // The request was incomplete, the model is overloaded, or Cloudflare could not reach the server.
///         408 | 529 | 521 | 523 => Verdict::Retry,
///         // Cloudflare may have reached the server, which did not answer in time or not validly.
///         520 | 522 | 524 => Verdict::Disconnect,
///         _ => Verdict::default_for(head),
///     }
/// }
///
/// assert_eq!(verdict(&ResponseHead::new(529, &[])), Verdict::Retry);
/// assert_eq!(verdict(&ResponseHead::new(404, &[])), Verdict::Fail);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// The response is an event stream. Its body is read.
    Open,
    /// The server turned the request away, and did not carry it out. The request is sent again after a delay, even
    /// if it is a POST; see [`Resend`](super::Resend).
    Retry,
    /// Like a lost connection: the server may have carried out the request. It is sent again after a delay, if
    /// [`Resend`](super::Resend) allows that.
    Disconnect,
    /// There are no more events. The client stops without an error.
    Stop,
    /// The response is not an event stream, and retrying is pointless. The client stops with a failure.
    Fail,
}

impl Verdict {
    /// Returns the standard's verdict, except that overload and server errors are retried.
    ///
    /// | head | verdict |
    /// |---|---|
    /// | 200, content type `text/event-stream` with any parameters, not compressed | [`Open`](Verdict::Open) |
    /// | 204 | [`Stop`](Verdict::Stop) |
    /// | 429, 503 | [`Retry`](Verdict::Retry) |
    /// | 500, 502, 504 | [`Disconnect`](Verdict::Disconnect) |
    /// | any other | [`Fail`](Verdict::Fail) |
    ///
    /// In the [standard], and in browsers, 429 and 5xx fail. Redirects are followed by the HTTP client. If it returns
    /// a redirect instead, the verdict is `Fail`.
    ///
    /// [standard]: https://html.spec.whatwg.org/multipage/server-sent-events.html#sse-processing-model
    #[must_use]
    pub fn default_for(head: &ResponseHead<'_>) -> Verdict {
        match head.status() {
            200 if head.is_event_stream() && !head.is_encoded() => Verdict::Open,
            204 => Verdict::Stop,
            429 | 503 => Verdict::Retry,
            500 | 502 | 504 => Verdict::Disconnect,
            _ => Verdict::Fail,
        }
    }
}
