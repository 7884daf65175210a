//! An HTTP client, as an event source needs it.

use crate::event_source::attempt::Attempt;
use bytes::Bytes;
use futures_core::Stream;
use http::Response;

/// An HTTP client for an event source: sends a request for each attempt and returns its response.
///
/// [`connector_fn`](crate::connector_fn) makes a connector from a function. The crate `eventwire-reqwest` has
/// connectors for reqwest's requests.
///
/// The connector or its HTTP client follows redirects, and does everything else in HTTP: TLS, proxies, cookies,
/// decompression. If it sends requests that must not be sent twice, such as a POST, it
/// [reports](Attempt#reports) what happens to them.
pub trait Connector {
    /// A chunk of the body.
    type Chunk: Into<Bytes>;
    /// The error of the body.
    type BodyError: Into<Self::Error>;
    /// The body of the response.
    type Body: Stream<Item = Result<Self::Chunk, Self::BodyError>>;
    /// The error of a request, or of the body of its response.
    type Error;
    /// The future of the response.
    type Connect: Future<Output = Result<Response<Self::Body>, Self::Error>>;

    /// Sends the request of this attempt. Returns a future of the response, which may have any status.
    fn connect(&mut self, attempt: Attempt) -> Self::Connect;
}
