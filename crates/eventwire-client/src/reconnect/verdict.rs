//! What a response or an error means.

use crate::reconnect::response_head::ResponseHead;

/// What to do after a response or after an error: read the body, send the request again, or stop.
///
/// [`Verdict::default_for`] is the default. To decide otherwise, pass a function to
/// `EventSource::with_response_verdict`. Handle your exceptions there, and use the default for the rest:
///
/// ```
/// use eventwire_client::{ResponseHead, Verdict};
///
/// fn verdict(head: &ResponseHead<'_>) -> Verdict {
///     match head.status() {
///         // The model is overloaded, or Cloudflare could not reach the server.
///         529 | 521 | 523 => Verdict::NotProcessed,
///         // Cloudflare may have reached the server, whose answer was late or not valid.
///         520 | 522 | 524 => Verdict::RetryIfAllowed,
///         _ => Verdict::default_for(head),
///     }
/// }
///
/// assert_eq!(verdict(&ResponseHead::new(529, &[])), Verdict::NotProcessed);
/// assert_eq!(verdict(&ResponseHead::new(404, &[])), Verdict::Fail);
/// ```
///
/// # Why a POST is not sent again after a 503
///
/// A 503 does not prove that the request was not carried out: a proxy may answer 503 while the server is still working
/// on the request. Heroku's router answers 503 [after 30 seconds][H12], and Fastly when the first byte of the response
/// takes too long. Envoy answers 503 if the server dies after it has received the request. A `Retry-After` proves
/// nothing either: Varnish's own error page has one.
///
/// If you know that your server answers 503 only before it begins to process a request, say so:
///
/// ```
/// # #[cfg(feature = "std")] {
/// # futures_util::FutureExt::now_or_never(async {
/// # use eventwire_client::{EventSource, Item, Resend, Verdict, connector_fn};
/// # use futures_util::{StreamExt, stream};
/// # use std::{convert::Infallible, future, time::Duration};
/// # let timer = |_: Duration| future::ready(());
/// # let connector = connector_fn(|_| async {
/// #     let response = http::Response::builder().status(503);
/// #     Ok::<_, Infallible>(response.body(stream::empty::<Result<&'static str, Infallible>>()).unwrap())
/// # }).with_resend(Resend::for_method("POST"));
/// # let source = EventSource::with_connector(connector, timer);
/// let mut source = source.with_response_verdict(|response| {
///     match response.status().as_u16() {
///         503 => Verdict::NotProcessed,
///         _ => Verdict::default_for(&response.head()),
///     }
/// });
/// # assert!(matches!(source.next().await, Some(Item::Reconnecting { attempt: 2, .. })));
/// # }).unwrap();
/// # }
/// ```
///
/// [H12]: https://devcenter.heroku.com/articles/error-codes#h12-request-timeout
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// The response is an event stream. Its body is read.
    Open,
    /// The server did not carry out the request. The request is sent again after a delay, even if
    /// it is a POST; see [`Resend`](crate::Resend).
    ///
    /// If the connector knows that a server has carried out the request, as after a redirect
    /// (`Attempt::handle_carried_out`), this is the same as [`RetryIfAllowed`](Verdict::RetryIfAllowed).
    NotProcessed,
    /// As after a lost connection: the server may have carried out the request. It is sent again after a delay, if
    /// [`Resend`](crate::Resend) allows that.
    RetryIfAllowed,
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
    /// | 429 | [`NotProcessed`](Verdict::NotProcessed) |
    /// | 500, 502, 503, 504 | [`RetryIfAllowed`](Verdict::RetryIfAllowed) |
    /// | any other | [`Fail`](Verdict::Fail) |
    ///
    /// `Retry-After` does not change the verdict, only the delay.
    ///
    /// In the [standard], and in browsers, 429 and 5xx fail. Redirects are followed before a response gets its
    /// verdict; one that was not followed gets `Fail`.
    ///
    /// [standard]: https://html.spec.whatwg.org/multipage/server-sent-events.html#sse-processing-model
    #[must_use]
    pub fn default_for(head: &ResponseHead<'_>) -> Verdict {
        match head.status() {
            200 if head.is_event_stream() && !head.is_encoded() => Verdict::Open,
            204 => Verdict::Stop,
            429 => Verdict::NotProcessed,
            500 | 502 | 503 | 504 => Verdict::RetryIfAllowed,
            _ => Verdict::Fail,
        }
    }
}
