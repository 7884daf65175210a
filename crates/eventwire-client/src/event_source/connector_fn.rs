//! A connector from a function.

use crate::{
    event_source::{attempt::Attempt, connector::Connector},
    reconnect::resend::Resend,
};
use bytes::Bytes;
use core::fmt;
use futures_core::Stream;
use http::Response;

/// Returns a [`Connector`] that calls a function for each request, to use any HTTP client.
///
/// The function gets an [`Attempt`] and returns a future of a response whose body is a stream of chunks. It is
/// called for each attempt, so each request can have a fresh token or another URL. If it sends POST requests, add
/// [`with_resend`](ConnectorFn::with_resend): `connector_fn(..).with_resend(Resend::for_method("POST"))`.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire_client::{EventSource, Item, connector_fn};
/// use futures_util::{StreamExt, stream};
/// use http::Response;
/// use std::{convert::Infallible, future, time::Duration};
///
/// // In a real program: send a request with `attempt.headers()`.
/// let connector = connector_fn(|attempt| async move {
///     let body = stream::iter([Ok::<_, Infallible>("id: 41\ndata: hello\n\n")]);
///     let response = match attempt.last_event_id() {
///         None => Response::builder().header("content-type", "text/event-stream"),
///         Some(_) => Response::builder().status(204),
///     };
///     Ok::<_, Infallible>(response.body(body).unwrap())
/// });
/// let no_time = |_: Duration| future::ready(()); // in a real program: `tokio::time::sleep`
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
pub fn connector_fn<F, R, S, B, D, E>(connect: F) -> ConnectorFn<F>
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<Response<S>, E>>,
    S: Stream<Item = Result<B, D>>,
    B: Into<Bytes>,
    D: Into<E>,
{
    ConnectorFn { connect, resend: None }
}

/// A [`Connector`] that calls a function; [`connector_fn`] returns it.
// Functions are no connectors themselves, because the compiler infers the type of a closure's parameter only from a
// bound that names `FnMut`.
#[derive(Clone, Copy)]
pub struct ConnectorFn<F> {
    connect: F,
    resend: Option<Resend>,
}

impl<F> ConnectorFn<F> {
    /// Sets whether the requests may be sent again. Defaults to [`Resend::Always`].
    ///
    /// [`Resend::UnlessSent`] is right for POST. After an error of the function, such a request is not sent again,
    /// unless the function [reports](Attempt::handle_unsent) that it was not sent.
    #[must_use]
    pub fn with_resend(mut self, resend: Resend) -> ConnectorFn<F> {
        self.resend = Some(resend);
        self
    }
}

impl<F, R, S, B, D, E> Connector for ConnectorFn<F>
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
        if let Some(resend) = self.resend {
            attempt.handle_start(resend);
        }
        (self.connect)(attempt)
    }
}

impl<F> fmt::Debug for ConnectorFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectorFn").finish_non_exhaustive()
    }
}
