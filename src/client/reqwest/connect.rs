//! A response on its way.

use super::{ReqwestChunks, target};
use crate::client::{Attempt, Resend};
use core::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};
use http::Response;
use pin_project_lite::pin_project;
use reqwest::RequestBuilder;

pin_project! {
    /// A response of reqwest's to come, to a request that the future `R` makes.
    #[must_use = "a future does nothing unless it is polled"]
    pub struct ReqwestConnect<R> {
        #[pin]
        stage: Stage<R>,
    }
}

pin_project! {
    #[project = StageProjection]
    enum Stage<R> {
        Preparing { #[pin] request: R, attempt: Attempt },
        Sending { response: target::Sending, resend: Resend },
    }
}

impl<R> ReqwestConnect<R> {
    pub(super) fn new(request: R, attempt: Attempt) -> ReqwestConnect<R> {
        ReqwestConnect { stage: Stage::Preparing { request, attempt } }
    }
}

impl<R, E> Future for ReqwestConnect<R>
where
    R: Future<Output = Result<RequestBuilder, E>>,
    E: From<reqwest::Error>,
{
    type Output = Result<Response<ReqwestChunks>, E>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut stage = self.project().stage;
        loop {
            match stage.as_mut().project() {
                StageProjection::Preparing { request, attempt } => {
                    let (client, request) = target::uncached(ready!(request.poll(context))?).build_split();
                    let mut request = request?;
                    attempt.add_to(request.headers_mut());
                    let resend = Resend::of(request.method());
                    stage.set(Stage::Sending { response: target::send(&client, request), resend });
                }
                StageProjection::Sending { response, resend } => {
                    let mut response = target::response(ready!(response.as_mut().poll(context))?);
                    response.extensions_mut().insert(*resend);
                    return Poll::Ready(Ok(response));
                }
            }
        }
    }
}

impl<R> fmt::Debug for ReqwestConnect<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReqwestConnect").finish_non_exhaustive()
    }
}
