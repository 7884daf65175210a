//! The future of a response.

use crate::platform;
use eventwire::client::Attempt;
use http::Response;
use pin_project_lite::pin_project;
use reqwest::RequestBuilder;
use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};

pin_project! {
    /// The future of a response to a request that the future `R` makes.
    #[must_use = "a future does nothing unless it is polled"]
    pub struct Connecting<R> {
        #[pin]
        stage: Stage<R>,
    }
}

pin_project! {
    #[project = StageProjection]
    enum Stage<R> {
        Preparing { #[pin] request: R, attempt: Attempt },
        Sending { response: platform::Sending },
    }
}

impl<R> Connecting<R> {
    pub(super) fn new(request: R, attempt: Attempt) -> Connecting<R> {
        Connecting { stage: Stage::Preparing { request, attempt } }
    }
}

impl<R, E> Future for Connecting<R>
where
    R: Future<Output = Result<RequestBuilder, E>>,
    E: From<reqwest::Error>,
{
    type Output = Result<Response<platform::Chunks>, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut stage = self.project().stage;
        loop {
            match stage.as_mut().project() {
                StageProjection::Preparing { request, attempt } => {
                    let (client, request) = platform::uncached(ready!(request.poll(context))?).build_split();
                    let mut request = request?;
                    attempt.add_to(request.headers_mut());
                    stage.set(Stage::Sending { response: platform::send(&client, request) });
                }
                StageProjection::Sending { response } => {
                    return Poll::Ready(Ok(platform::response(ready!(response.as_mut().poll(context))?)));
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
