//! Where connections come from.

use super::Attempt;
use bytes::Bytes;
use futures_core::Stream;
use http::Response;

/// Sends a request and brings its response, each time it is asked to: an HTTP client, handed in, so that none is assumed.
///
/// A function will do, from an [`Attempt`] to a future of a response whose body is a stream of chunks. It is called for each
/// attempt, so that each request can have a fresh token, or another URL:
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire::client::{Attempt, EventSource, Item};
/// use futures_util::{StreamExt, stream};
/// use http::Response;
/// use std::{convert::Infallible, future, time::Duration};
///
/// // In earnest: sends a request with `attempt.headers()`.
/// let connector = |attempt: Attempt| async move {
///     let body = stream::iter([Ok::<_, Infallible>("id: 41\ndata: hello\n\n")]);
///     let response = match attempt.last_event_id() {
///         None => Response::builder().header("content-type", "text/event-stream"),
///         Some(_) => Response::builder().status(204),
///     };
///     Ok::<_, Infallible>(response.body(body).unwrap())
/// };
/// let no_time = |_: Duration| future::ready(()); // in earnest: `tokio::time::sleep`
///
/// let mut source = EventSource::with_connector(connector, no_time);
/// let mut events = Vec::new();
/// while let Some(item) = source.next().await {
///     if let Item::Event(event) = item {
///         events.push(event.into_data());
///     }
/// }
/// assert_eq!((events, source.last_event_id()), (vec!["hello".into()], "41"));
/// # }).unwrap();
/// ```
///
/// Redirects are for the connector to follow, and so is all else that HTTP has: TLS, proxies, cookies, decompression. A request that
/// must not be sent twice, such as a POST, is told by a [`Resend`](crate::client::Resend) among the response's extensions, or once and for all by
/// [`with_resend`](crate::client::Reconnect::with_resend); without either it counts as one that may.
pub trait Connector {
    /// A piece of the body.
    type Chunk: Into<Bytes>;
    /// Why the body is cut off.
    type BodyError: Into<Self::Error>;
    /// The response's body.
    type Body: Stream<Item = Result<Self::Chunk, Self::BodyError>>;
    /// Why there is no response, or no more of it.
    type Error;
    /// The response to come.
    type Connect: Future<Output = Result<Response<Self::Body>, Self::Error>>;

    /// Begins to send a request.
    fn connect(&mut self, attempt: Attempt) -> Self::Connect;

    /// Whether there is no use in trying again after this error, which a request has come to. There is, unless said otherwise.
    fn is_futile(&self, error: &Self::Error) -> bool {
        let _ = error;
        false
    }
}

impl<F, R, S, B, D, E> Connector for F
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<Response<S>, E>>,
    S: Stream<Item = Result<B, D>>,
    B: Into<Bytes>,
    D: Into<E>,
{
    type Chunk = B;
    type BodyError = D;
    type Body = S;
    type Error = E;
    type Connect = R;

    fn connect(&mut self, attempt: Attempt) -> R {
        self(attempt)
    }
}
