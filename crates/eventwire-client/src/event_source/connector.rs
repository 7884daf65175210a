//! An HTTP client, as an event source needs it.

use super::Attempt;
use crate::Resend;
use alloc::boxed::Box;
use bytes::Bytes;
use futures_core::Stream;
use http::Response;

/// An HTTP client for an event source: sends a request for each attempt and returns its response.
///
/// [`connector_fn`](super::connector_fn) makes a connector from a function. The crate `eventwire-reqwest` has
/// connectors for reqwest's requests.
///
/// The connector or its HTTP client follows redirects, and does everything else in HTTP: TLS, proxies, cookies,
/// decompression. If it sends requests that must not be sent twice, such as a POST, implement
/// [`resend`](Connector::resend).
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

    // A method, not an extension of the response, because after a reset there is no response.
    /// Returns whether the request of the last attempt may be sent again. Defaults to [`Resend::Always`].
    ///
    /// It is called between attempts. [`Resend::for_method`] returns the right value for the method of a request.
    /// [`ReconnectPolicy::with_resend`](crate::ReconnectPolicy::with_resend) takes precedence.
    fn resend(&self) -> Resend {
        Resend::Always
    }

    /// Returns whether the request may have been sent before this error occurred. Defaults to `true`.
    ///
    /// Return `false` for errors such as a refused connection, and if the server refused the stream over HTTP/2, so
    /// that it has not processed the request. Then even a POST is [sent again](Resend::UnlessSent).
    fn was_sent(&self, error: &Self::Error) -> bool {
        let _ = error;
        true
    }

    /// Returns whether the request of the last attempt may have been carried out although its response, or its error,
    /// has the verdict [`TurnedAway`](crate::Verdict::TurnedAway). Defaults to `false`.
    ///
    /// Return `true` for a response after a redirect, unless every redirect kept the method, as a 307 does. An earlier
    /// server may have carried out the POST, even if the last one answers 429.
    fn was_carried_out(&self) -> bool {
        false
    }

    /// Returns whether the error of a request is permanent, so that retrying is pointless. Defaults to `false`.
    fn is_permanent(&self, error: &Self::Error) -> bool {
        let _ = error;
        false
    }

    /// Returns a seed for the jitter of the delays, a different one for each call. Defaults to `None`: the standard
    /// library's random seed.
    ///
    /// On `wasm32-unknown-unknown` the standard library has no random seed. A connector for browsers returns one
    /// here, so that clients that lost their connections together do not reconnect together.
    fn jitter_seed(&self) -> Option<u64> {
        None
    }
}

/// Implements [`Connector`] for a pointer to a connector.
macro_rules! connector_through {
    ($pointer:ty) => {
        impl<C: Connector + ?Sized> Connector for $pointer {
            type Chunk = C::Chunk;
            type BodyError = C::BodyError;
            type Body = C::Body;
            type Error = C::Error;
            type Connect = C::Connect;

            fn connect(&mut self, attempt: Attempt) -> C::Connect {
                (**self).connect(attempt)
            }

            fn resend(&self) -> Resend {
                (**self).resend()
            }

            fn was_sent(&self, error: &C::Error) -> bool {
                (**self).was_sent(error)
            }

            fn was_carried_out(&self) -> bool {
                (**self).was_carried_out()
            }

            fn is_permanent(&self, error: &C::Error) -> bool {
                (**self).is_permanent(error)
            }

            fn jitter_seed(&self) -> Option<u64> {
                (**self).jitter_seed()
            }
        }
    };
}

connector_through!(&mut C);
connector_through!(Box<C>);
