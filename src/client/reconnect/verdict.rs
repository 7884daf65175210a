//! What becomes of a connection by its response's head.

use super::ResponseHead;

/// What a response's head means for the connection.
///
/// [`Verdict::default_for`] is the default. Another rule is a function that makes its exceptions, and leaves the rest to the default:
///
/// ```
/// use eventwire::client::{ReconnectPolicy, ResponseHead, Verdict};
///
/// fn with_overload(head: &ResponseHead<'_>) -> Verdict {
///     match head.status() {
///         529 => Verdict::Retry, // a language model that has too much to do
///         _ => Verdict::default_for(head),
///     }
/// }
///
/// let policy = ReconnectPolicy::new().with_classifier(with_overload);
/// # let _ = policy;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// The body is an event stream, and is read.
    Open,
    /// It is not, but may be another time: the connection is made again after a delay.
    Retry,
    /// The server has nothing more to say. It is over, and nothing has gone wrong.
    Stop,
    /// It is not an event stream, and will not be. It is over.
    Fail,
}

impl Verdict {
    /// The standard's rule, and a little more patience.
    ///
    /// | head | verdict |
    /// |---|---|
    /// | 200, content type `text/event-stream` with any parameters, not compressed | [`Open`](Verdict::Open) |
    /// | 204 | [`Stop`](Verdict::Stop) |
    /// | 429, 500, 502, 503, 504 | [`Retry`](Verdict::Retry); the [standard] has them fail, and browsers do that |
    /// | any other | [`Fail`](Verdict::Fail) |
    ///
    /// Redirects are for the HTTP client to follow; one that gets here fails.
    ///
    /// [standard]: https://html.spec.whatwg.org/multipage/server-sent-events.html#sse-processing-model
    #[must_use]
    pub fn default_for(head: &ResponseHead<'_>) -> Verdict {
        match head.status() {
            200 if head.is_event_stream() && !head.is_encoded() => Verdict::Open,
            204 => Verdict::Stop,
            429 | 500 | 502 | 503 | 504 => Verdict::Retry,
            _ => Verdict::Fail,
        }
    }
}
