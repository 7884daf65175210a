//! What a response means for the connection.

use super::ResponseHead;

/// What a response's head, or an error, means for the connection.
///
/// [`Verdict::default_for`] is the default. To decide otherwise, pass a function to `EventSource::with_verdict`. It handles its
/// exceptions and leaves the rest to the default:
///
/// ```
/// use eventwire::client::{ResponseHead, Verdict};
///
/// fn verdict(head: &ResponseHead<'_>) -> Verdict {
///     match head.status() {
///         // The server did not get the whole request. The language model is overloaded. Cloudflare did not reach the server.
///         408 | 529 | 521 | 523 => Verdict::Retry,
///         // Cloudflare reached the server, or may have, and got no answer in time or an invalid one.
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
    /// It is an event stream. Its body is read.
    Open,
    /// The server turned the request away, and did not carry it out. It is sent again after a delay, even if it is a POST; see
    /// [`Resend`](super::Resend).
    Retry,
    /// As if the connection had been lost: the server may have carried out the request. It is sent again after a delay, if
    /// [`Resend`](super::Resend) allows that.
    Disconnect,
    /// There are no more events. The client stops, and nothing has gone wrong.
    Stop,
    /// It is not an event stream, and retrying is pointless. The client stops with a failure.
    Fail,
}

impl Verdict {
    /// The standard's rule, but overload and server errors are retried.
    ///
    /// | head | verdict |
    /// |---|---|
    /// | 200, content type `text/event-stream` with any parameters, not compressed | [`Open`](Verdict::Open) |
    /// | 204 | [`Stop`](Verdict::Stop) |
    /// | 429, 503 | [`Retry`](Verdict::Retry) |
    /// | 500, 502, 504 | [`Disconnect`](Verdict::Disconnect) |
    /// | any other | [`Fail`](Verdict::Fail) |
    ///
    /// The [standard] has 429 and 5xx fail, and browsers do that. Redirects are for the HTTP client to follow; one that gets here
    /// fails.
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
