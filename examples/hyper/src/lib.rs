//! An example: [`eventwire_client`] over hyper-util's HTTP client. Its [connector](connector()) is made from a
//! function that sends one request.
//!
//! `cargo run -p hyper-client -- http://127.0.0.1:8080/events` prints the events of a URL, and reconnects when the
//! connection drops.

use eventwire_client::{Attempt, Connector, connector_fn};
use http_body_util::{BodyDataStream, BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Uri};
use hyper_util::client::legacy::{self, Client, connect::Connect};

/// Returns a connector that sends a GET request to `url` for each attempt. It does not follow redirects.
///
/// A client from [`build_http`](legacy::Builder::build_http) supports `http://` URLs only. For `https://` URLs,
/// build the client with a connector that supports TLS, such as that of the crate `hyper-rustls`.
///
/// ```
/// use eventwire::TokioTimer;
/// use eventwire_client::EventSource;
/// use hyper_util::{client::legacy::Client, rt::TokioExecutor};
///
/// let client = Client::builder(TokioExecutor::new()).build_http();
/// let url = hyper::Uri::from_static("http://127.0.0.1:8080/events");
/// let source =
///     EventSource::with_connector(hyper_client::connector(client, url), TokioTimer);
/// # let _ = source;
/// ```
pub fn connector<C>(
    client: Client<C, Empty<Bytes>>,
    url: Uri,
) -> impl Connector<Chunk = Bytes, BodyError = hyper::Error, Body = BodyDataStream<Incoming>, Error = HyperError>
where
    C: Connect + Clone + Send + Sync + 'static,
{
    connector_fn(move |attempt: Attempt| {
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = url.clone();
        attempt.add_to(request.headers_mut());
        let response = client.request(request);
        async move { Ok(response.await?.map(BodyExt::into_data_stream)) }
    })
}

/// Why a request or the body of its response failed.
#[derive(Debug, thiserror::Error)]
pub enum HyperError {
    /// There was no response.
    #[error(transparent)]
    Request(#[from] legacy::Error),
    /// The body failed.
    #[error(transparent)]
    Body(#[from] hyper::Error),
}
