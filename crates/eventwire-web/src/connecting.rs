//! The future of a response.

use crate::{Body, FetchError, Request, last_request::LastRequest};
use eventwire_client::Attempt;
use http::Response;
use pin_project_lite::pin_project;
use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

pin_project! {
    #[project = Projection]
    /// The future of a response. It waits for the request from the future `R`, and sends it. Dropping it aborts the
    /// request.
    #[must_use = "a future does nothing unless it is polled"]
    pub struct Connecting<R> {
        #[pin]
        stage: Stage<R>,
        last_request: LastRequest,
    }
}

pin_project! {
    #[project = StageProjection]
    enum Stage<R> {
        Preparing { #[pin] request: R, attempt: Attempt },
        Sending { response: Pin<Box<dyn Future<Output = Result<Response<Body>, FetchError>>>> },
    }
}

impl<R> Connecting<R> {
    pub(crate) fn new(request: R, attempt: Attempt, last_request: LastRequest) -> Connecting<R> {
        Connecting { stage: Stage::Preparing { request, attempt }, last_request }
    }
}

impl<R, E> Future for Connecting<R>
where
    R: Future<Output = Result<Request, E>>,
    E: From<FetchError>,
{
    type Output = Result<Response<Body>, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Projection { mut stage, last_request } = self.project();
        loop {
            match stage.as_mut().project() {
                StageProjection::Preparing { request, attempt } => {
                    let request = ready!(request.poll(context))?;
                    last_request.handle_start(request.resend);
                    let response = Box::pin(request.for_attempt(attempt).send());
                    stage.set(Stage::Sending { response });
                }
                StageProjection::Sending { response } => {
                    let outcome = ready!(response.as_mut().poll(context));
                    match &outcome {
                        Ok(response) => last_request.handle_response(response),
                        Err(error) => last_request.handle_error(error),
                    }
                    return Poll::Ready(outcome.map_err(E::from));
                }
            }
        }
    }
}

impl<R> fmt::Debug for Connecting<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connecting").finish_non_exhaustive()
    }
}
