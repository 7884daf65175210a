//! `.open()` on a response.

use super::{
    platform::{self, Chunks},
    reqwest::{self, Response},
};
use crate::platform_timer::PlatformTimer;
use eventwire_client::{Opening, adapters::ResponseOpening};
use std::future::ready;

/// Adds `.open()` to reqwest's responses, for a program that looks at the response before its events, or that gets it
/// from a middleware.
///
/// This trait is sealed.
pub trait ResponseExt: sealed::Sealed {
    /// Returns the events of this response, or an [`OpenError`](eventwire_client::OpenError) that says why there are
    /// none.
    ///
    /// ```no_run
    #[doc = import!("ResponseExt")]
    ///
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// let request = reqwest::Client::new().post("https://example.com/answers");
    /// let response =
    ///     request.header("accept", "text/event-stream").body("a question").send().await?;
    /// println!("request {:?}", response.headers().get("x-request-id"));
    /// let mut events = response.open().await?;
    /// while let Some(event) = events.next().await {
    ///     println!("{}", event?.data());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// It does the same as [`open`](super::RequestBuilderExt::open) on a request, but the headers of the request and its
    /// redirects are up to you. Do not call `error_for_status` before, because it drops the body, which says why the
    /// server refused the request.
    ///
    /// With feature `multipart`, `.open().parts()` returns the parts of the response; with feature `json`,
    /// `.open().lines()` its JSON lines.
    ///
    /// # Errors
    ///
    /// The future returns an [`OpenError`](eventwire_client::OpenError): the response is no event stream.
    fn open(self) -> ResponseOpening<Chunks, reqwest::Error, PlatformTimer>;
}

impl ResponseExt for Response {
    fn open(self) -> ResponseOpening<Chunks, reqwest::Error, PlatformTimer> {
        let url = self.url().clone();
        Opening::new(ready(Ok(platform::response(self, url))), PlatformTimer)
    }
}

impl sealed::Sealed for Response {}

mod sealed {
    pub trait Sealed {}
}
