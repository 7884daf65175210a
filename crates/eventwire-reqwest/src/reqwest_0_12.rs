//! reqwest 0.12: `.open()` on its requests.
//!
//! With the feature `reqwest-0-12`, a program that still uses reqwest 0.12 opens responses in the same way:
//!
//! ```no_run
//! # use reqwest_0_12 as reqwest;
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use eventwire_reqwest::reqwest_0_12::RequestBuilderExt;
//! use futures_util::TryStreamExt;
//!
//! let mut events = reqwest::Client::new().get("https://example.com/events").open().await?;
//! while let Some(event) = events.try_next().await? {
//!     println!("{}", event.data());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! For a stream that reconnects, there is a [recipe]. The feature adds reqwest 0.12 to 0.13. A program without 0.13
//! can use [`open`](eventwire_client::open) of eventwire-client instead:
//! `open(http::Response::from(response), TokioTimer)`.
//!
//! [recipe]: https://docs.rs/eventwire/latest/eventwire/recipes/clients/#another-http-client-reqwest-012

use crate::PlatformTimer;
use bytes::Bytes;
use eventwire_client::{Attempt, Opening};
use futures_core::Stream;
use http::Response;
use reqwest_0_12::RequestBuilder;
use std::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
};

/// The future of a response to a request.
#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
pub type Sending = Pin<Box<dyn Future<Output = reqwest_0_12::Result<Response<Chunks>>> + Send>>;
/// The future of a response to a request.
#[cfg(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))]
pub type Sending = Pin<Box<dyn Future<Output = reqwest_0_12::Result<Response<Chunks>>>>>;

#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
type Source = eventwire::BodyChunks<reqwest_0_12::Body>;
#[cfg(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))]
type Source = Pin<Box<dyn Stream<Item = reqwest_0_12::Result<Bytes>>>>;

/// The body of a response.
pub struct Chunks(Source);

impl Stream for Chunks {
    type Item = reqwest_0_12::Result<Bytes>;

    #[inline]
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Pin::new(&mut self.0).poll_next(context)
    }
}

impl fmt::Debug for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chunks").finish_non_exhaustive()
    }
}

/// Adds `.open()` to the requests of reqwest 0.12. This trait is sealed.
pub trait RequestBuilderExt: sealed::Sealed {
    /// Sends the request and returns the events of its response; see
    /// [`RequestBuilderExt::open`](crate::RequestBuilderExt::open). reqwest follows the redirects.
    ///
    /// # Errors
    ///
    /// The future returns an [`OpenError`](eventwire_client::OpenError). An error of reqwest is without its URL, which
    /// may contain secrets.
    fn open(self) -> Opening<Sending, Chunks, PlatformTimer>;
}

impl RequestBuilderExt for RequestBuilder {
    fn open(self) -> Opening<Sending, Chunks, PlatformTimer> {
        let (client, request) = self.build_split();
        let sending: Sending = Box::pin(async move {
            let mut request = request.map_err(reqwest_0_12::Error::without_url)?;
            Attempt::single().add_to(request.headers_mut());
            client.execute(request).await.map(response).map_err(reqwest_0_12::Error::without_url)
        });
        Opening::new(sending, PlatformTimer)
    }
}

#[cfg(not(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none"))))]
fn response(response: reqwest_0_12::Response) -> Response<Chunks> {
    Response::from(response).map(|body| Chunks(eventwire::BodyChunks::new(body)))
}

#[cfg(all(target_arch = "wasm32", any(target_os = "unknown", target_os = "none")))]
fn response(response: reqwest_0_12::Response) -> Response<Chunks> {
    let mut head = Response::new(());
    *head.status_mut() = response.status();
    *head.headers_mut() = response.headers().clone();
    // `fetch` has decoded the body, but keeps the header.
    head.headers_mut().remove(http::header::CONTENT_ENCODING);
    head.map(|()| Chunks(Box::pin(response.bytes_stream())))
}

impl sealed::Sealed for RequestBuilder {}

mod sealed {
    pub trait Sealed {}
}
