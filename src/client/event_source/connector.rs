//! What makes connections.

use super::Attempt;
use crate::client::Resend;
use alloc::boxed::Box;
use bytes::Bytes;
use futures_core::Stream;
use http::Response;

/// Sends a request and returns its response, each time it is asked to. It stands for an HTTP client, so that none is assumed.
///
/// [`connector_fn`](super::connector_fn) makes one of a function. The crate `eventwire-reqwest` has one for reqwest's requests.
///
/// Following redirects is the connector's work, and so is everything else in HTTP: TLS, proxies, cookies, decompression. A connector that
/// can send a request that must not be sent twice, such as a POST, [says so](Connector::resend).
pub trait Connector {
    /// A chunk of the body.
    type Chunk: Into<Bytes>;
    /// Why the body failed.
    type BodyError: Into<Self::Error>;
    /// The response's body.
    type Body: Stream<Item = Result<Self::Chunk, Self::BodyError>>;
    /// Why there is no response, or why its body failed.
    type Error;
    /// The future of the response.
    type Connect: Future<Output = Result<Response<Self::Body>, Self::Error>>;

    /// Starts to send a request.
    fn connect(&mut self, attempt: Attempt) -> Self::Connect;

    /// Whether the request of the last attempt may be sent again. Defaults to [`Resend::Always`].
    ///
    /// It is asked between attempts. [`Resend::for_method`] knows which methods are idempotent. A
    /// [policy](crate::client::ReconnectPolicy::with_resend) takes precedence.
    fn resend(&self) -> Resend {
        Resend::Always
    }

    /// Whether the request may have been sent, though this error came instead of a response. Defaults to `true`.
    ///
    /// `false` is for errors such as a connection that was refused. It lets even a POST [be sent again](Resend::UnlessSent).
    fn was_sent(&self, error: &Self::Error) -> bool {
        let _ = error;
        true
    }

    /// Whether the request may have been carried out, though this response turned it away with the verdict
    /// [`Retry`](crate::client::Verdict::Retry). Defaults to `false`.
    ///
    /// `true` is for a response to another request, after a redirect: the first server has carried out the POST, and the second one is
    /// too busy to show the result.
    fn was_carried_out(&self, response: &Response<()>) -> bool {
        let _ = response;
        false
    }

    /// Whether the error of a request is permanent, so that retrying is pointless. Defaults to `false`.
    fn is_permanent(&self, error: &Self::Error) -> bool {
        let _ = error;
        false
    }

    /// A seed for the jitter of the delays, different for each call. Defaults to `None`: the standard library's random seed.
    ///
    /// The standard library has no random seed on `wasm32-unknown-unknown`. A connector for browsers returns one here, so that
    /// clients that were cut off together do not come back together.
    fn jitter_seed(&self) -> Option<u64> {
        None
    }
}

/// A pointer to a connector is one.
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

            fn was_carried_out(&self, response: &Response<()>) -> bool {
                (**self).was_carried_out(response)
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
