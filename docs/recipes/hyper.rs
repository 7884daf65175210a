//! A client that reconnects, over hyper-util's HTTP client.

use eventwire_client::{Attempt, Connector, connector_fn};
use http_body_util::{BodyDataStream, BodyExt, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Uri};
use hyper_util::client::legacy::{self, Client, connect::Connect};

/// Sends a GET request for each attempt. It does not follow redirects.
pub fn connector<C>(
    client: Client<C, Empty<Bytes>>,
    url: Uri,
) -> impl Connector<
    Chunk = Bytes,
    BodyError = hyper::Error,
    Body = BodyDataStream<Incoming>,
    Error = HyperError,
>
where
    C: Connect + Clone + Send + Sync + 'static,
{
    connector_fn(move |attempt: Attempt| {
        let mut request = Request::new(Empty::new());
        *request.uri_mut() = url.clone();
        // `Accept`, `Cache-Control`, and `Last-Event-ID` after an event with an ID.
        attempt.add_to(request.headers_mut());
        let response = client.request(request);
        async { Ok(response.await?.map(BodyExt::into_data_stream)) }
    })
}

#[derive(Debug, thiserror::Error)]
pub enum HyperError {
    #[error(transparent)]
    Request(#[from] legacy::Error),
    #[error(transparent)]
    Body(#[from] hyper::Error),
}
