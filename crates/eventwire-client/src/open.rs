//! One response, opened and checked.

pub(crate) mod format;
pub(crate) mod open_error;
pub(crate) mod opened;
#[cfg(feature = "json")]
pub(crate) mod opened_lines;
pub(crate) mod opening;
pub(crate) mod until_error;

use crate::{
    open::{
        format::is_event_stream,
        open_error::OpenError,
        opening::{Opening, default_max_body},
        until_error::UntilError,
    },
    reconnect::response_head::ResponseHead,
    unexpected_response::UnexpectedResponse,
};
use alloc::boxed::Box;
use bytes::Bytes;
use core::future::{Ready, ready};
use eventwire::{BodyChunks, Events, ReadChunks, Timer};
use futures_core::Stream;
use http::{Response, response::Parts};
use http_body::Body;
use std::io::{self, Read};

/// The future that [`open`] and [`open_chunks`] return: of a response in hand with the body `S`, whose error is `E`.
pub type ResponseOpening<S, E, T> = Opening<Ready<Result<Response<S>, E>>, S, T>;

/// Opens the event stream of a response: of hyper, of a tower service, or of reqwest by `http::Response::from`.
/// (reqwest's requests have a method for it, in the crate `eventwire-reqwest`.)
///
/// The future checks the response: its status is 200, its content type is `text/event-stream`, and its body is not
/// compressed any more. It then returns an [`Opened`](crate::Opened), which is the stream of events. Otherwise it reads
/// the beginning of the body, and returns it in an [`OpenError`].
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire_client::{OpenError, open};
/// use futures_util::TryStreamExt;
/// # use std::{future, time::Duration};
/// # fn respond(status: u16, content_type: &str, body: &str) -> http::Response<String> {
/// #     http::Response::builder().status(status).header("content-type", content_type).body(body.into()).unwrap()
/// # }
/// # let timer = |_: Duration| future::pending();
///
/// // The response of your HTTP client, and a timer, such as `TokioTimer`.
/// let response = respond(200, "text/event-stream", "data: hello\n\n");
/// let mut events = open(response, timer).await.unwrap();
/// assert_eq!(events.try_next().await.unwrap().unwrap().data(), "hello");
///
/// let error =
///     open(respond(429, "text/plain", "no credit left"), timer).await.unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the server answered 429 Too Many Requests: no credit left"
/// );
/// assert!(matches!(error, OpenError::Refused(response) if response.status() == 429));
/// # }).unwrap();
/// ```
pub fn open<B: Body, T: Timer + Clone>(response: Response<B>, timer: T) -> ResponseOpening<BodyChunks<B>, B::Error, T> {
    Opening::new(ready(Ok(response.map(BodyChunks::new))), timer)
}

/// Opens the event stream of a response whose body is a stream of chunks.
///
/// It does the same as [`open`], for HTTP clients whose body does not implement the trait of the crate `http-body`.
/// `http::Response::into_parts` returns the head. If your client has other types, copy the status and the headers into
/// a new `http::Response`. Leave out `Content-Encoding` if the client has decoded the body, as reqwest does in
/// browsers.
pub fn open_chunks<S, B, E, T>(head: Parts, chunks: S, timer: T) -> ResponseOpening<S, E, T>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: Timer + Clone,
{
    Opening::new(ready(Ok(Response::from_parts(head, chunks))), timer)
}

/// Opens the event stream of a response whose body is read by blocking calls, such as ureq's.
///
/// It does the same as [`open`]. The body of the response that it returns is an iterator of events. The timeouts are
/// those of the HTTP client. Up to 16 KiB of the body of a response that is not an event stream are read, and up to
/// 16 MiB of JSON with a status of success.
///
/// ```
/// use eventwire_client::open_reader;
/// # fn respond() -> http::Response<&'static [u8]> {
/// #     http::Response::builder().header("content-type", "text/event-stream").body(&b"data: hello\n\n"[..]).unwrap()
/// # }
///
/// // The response of ureq, where `body.into_reader()` returns the reader.
/// let (head, body) = respond().into_parts();
/// for event in open_reader(head, body)?.into_body() {
///     assert_eq!(event?.data(), "hello");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`OpenError`], but never [`OpenError::Timeout`]: a timeout of the HTTP client is an error of the reader.
#[expect(clippy::type_complexity, reason = "the signature shows what the result is made of")]
pub fn open_reader<R: Read>(
    head: Parts,
    reader: R,
) -> Result<Response<Events<UntilError<ReadChunks<R>>>>, OpenError<io::Error>> {
    let head = Response::from_parts(head, ());
    let rules = ResponseHead::from(&head);
    let mut chunks = UntilError::new(ReadChunks::new(reader));
    if is_event_stream(&rules) {
        return Ok(head.map(|()| Events::new(chunks).rejecting_text()));
    }
    let max_body = default_max_body(&rules);
    let mut response = Box::new(UnexpectedResponse::new(head, max_body));
    while response.wants_body() && response.read(chunks.next()) {}
    Err(OpenError::from_response(response))
}
