//! A connector from a function that makes requests.

use crate::event_source::{attempt::Attempt, connector::Connector};
use bytes::Bytes;
use core::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::Stream;
use http::Response;
use pin_project_lite::pin_project;

/// Returns a [`Connector`] that gets the request of each attempt from one function, and sends it with another. It is
/// for crates that connect an HTTP client to event sources, such as `eventwire-reqwest`.
///
/// The first function is the user's, and its error counts as a request that was not sent. The second one is called
/// once the request is there, which counts as sent from then on. It [reports](Attempt#reports) what happens to it.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire_client::{Attempt, EventSource, Resend, connector_fn, request_fn};
/// use futures_util::{StreamExt, stream};
/// use http::{Method, Request, Response};
/// # use std::{convert::Infallible, future::{ready, Ready}, time::Duration};
/// # let timer = |_: Duration| ready(());
/// # type Body = stream::Empty<Result<&'static str, Infallible>>;
/// # fn execute(_: Request<()>) -> Ready<Result<Response<Body>, http::Error>> {
/// #     ready(Response::builder().status(204).body(stream::empty()))
/// # }
///
/// let send = |mut request: Request<()>, attempt: Attempt| {
///     attempt.handle_start(Resend::for_method(request.method().as_str()));
///     attempt.add_to(request.headers_mut());
///     execute(request) // by your HTTP client
/// };
/// let connector = request_fn(|_| ready(Request::post("/").body(())), send);
/// let mut source = EventSource::with_connector(connector, timer);
/// # assert!(source.next().await.is_none());
/// # }).unwrap();
/// ```
pub fn request_fn<F, R, Q, E, S, P>(request: F, send: S) -> RequestFn<F, S>
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<Q, E>>,
    S: Fn(Q, Attempt) -> P + Clone,
{
    RequestFn { request, send }
}

/// A [`Connector`] that calls a function for each request; [`request_fn`] returns it.
#[derive(Clone, Copy)]
pub struct RequestFn<F, S> {
    request: F,
    send: S,
}

impl<F, R, Q, E, S, P, X, B, K, D> Connector for RequestFn<F, S>
where
    F: FnMut(Attempt) -> R,
    R: Future<Output = Result<Q, E>>,
    S: Fn(Q, Attempt) -> P + Clone,
    P: Future<Output = Result<Response<B>, X>>,
    B: Stream<Item = Result<K, D>>,
    K: Into<Bytes>,
    D: Into<E>,
    E: From<X>,
{
    type Chunk = K;
    type BodyError = D;
    type Body = B;
    type Error = E;
    type Connect = Connecting<R, S, P>;

    fn connect(&mut self, attempt: Attempt) -> Self::Connect {
        attempt.handle_unsent();
        let request = (self.request)(attempt.clone());
        Connecting { stage: Stage::Making { request, send: self.send.clone(), attempt } }
    }
}

impl<F, S> fmt::Debug for RequestFn<F, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestFn").finish_non_exhaustive()
    }
}

pin_project! {
    /// The future of a [`RequestFn`]: waits for the request from `R`, passes it to `S`, and waits for the response
    /// from `P`.
    #[must_use = "a future does nothing unless it is polled"]
    pub struct Connecting<R, S, P> {
        #[pin]
        stage: Stage<R, S, P>,
    }
}

pin_project! {
    #[project = StageProjection]
    enum Stage<R, S, P> {
        Making { #[pin] request: R, send: S, attempt: Attempt },
        Sending { #[pin] response: P },
    }
}

impl<R, Q, E, S, P, X, B> Future for Connecting<R, S, P>
where
    R: Future<Output = Result<Q, E>>,
    S: Fn(Q, Attempt) -> P,
    P: Future<Output = Result<Response<B>, X>>,
    E: From<X>,
{
    type Output = Result<Response<B>, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut stage = self.project().stage;
        loop {
            match stage.as_mut().project() {
                StageProjection::Making { request, send, attempt } => {
                    let request = ready!(request.poll(context))?;
                    // `send` need not report anything.
                    attempt.report.handle_sent();
                    let response = send(request, attempt.clone());
                    stage.set(Stage::Sending { response });
                }
                StageProjection::Sending { response } => return response.poll(context).map_err(E::from),
            }
        }
    }
}

impl<R, S, P> fmt::Debug for Connecting<R, S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connecting").finish_non_exhaustive()
    }
}
