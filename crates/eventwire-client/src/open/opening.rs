//! The future of an opened response.

#[cfg(feature = "multipart")]
use crate::open::format::OpenedParts;
#[cfg(feature = "json")]
use crate::open::opened_lines::OpenedLines;
use crate::{
    open::{
        format::{self, Check, Checked, Open},
        open_error::OpenError,
        opened::Opened,
    },
    reconnect::response_head::ResponseHead,
    unexpected_body::{UnexpectedBody, poll_sleep},
    unexpected_response::{DEFAULT_MAX_BODY, UnexpectedResponse},
};
use alloc::boxed::Box;
use bytes::Bytes;
use core::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use eventwire::Timer;
use futures_core::Stream;
use http::Response;
use pin_project_lite::pin_project;

/// For how long the body of an unexpected response is read. Error messages arrive at once.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);
/// For how long an answer in JSON is read, which a model may take a minute to write.
const JSON_TIMEOUT: Duration = Duration::from_secs(60);
/// How many bytes of an answer in JSON are read. It is the answer, and not only an error message.
const MAX_JSON_BODY: usize = 16 * 1024 * 1024;

pin_project! {
    /// A future of a response that is checked and opened; its output is a `Result<Opened<S, T>, OpenError<E>>`.
    ///
    /// [`open`](crate::open), [`open_chunks`](crate::open_chunks) and the method `.open()` on requests in other crates
    /// return it. Its settings are methods, to be called before `.await`:
    ///
    /// ```no_run
    /// # async fn example(request: reqwest::RequestBuilder) -> Result<(), Box<dyn std::error::Error>> {
    /// use eventwire_reqwest::RequestBuilderExt;
    /// use std::time::Duration;
    ///
    /// let events = request.open().with_timeout(Duration::from_secs(60)).await?;
    /// # let _ = events;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// `F` is the future of the response, `S` its body, `T` the timer, and `O` what the response is opened as: an
    /// [`Opened`], the response of [`parts`](Opening::parts), or the result of [`lines`](Opening::lines). Dropping it
    /// drops the request.
    #[must_use = "a future does nothing unless it is awaited"]
    pub struct Opening<F, S, T: Timer, O = Opened<S, T>> {
        #[pin]
        state: State<F, S, T::Sleep>,
        // The timeout that runs. Boxed, because most futures have none.
        sleep: Option<Pin<Box<T::Sleep>>>,
        timer: T,
        timeout: Duration,
        open: Open<S, T, O>,
        // `None`: that of the format.
        check: Option<Check>,
        // `None`: it depends on the response.
        max_unexpected_body: Option<usize>,
        unexpected_body_timeout: Option<Duration>,
    }
}

pin_project! {
    #[project = StateProjection]
    #[project_replace = StateReplaced]
    enum State<F, S, Z> {
        Waiting { #[pin] response: F },
        Rejected { body: UnexpectedBody<S, Z> },
        Done,
    }
}

impl<F, S, B, E, T> Opening<F, S, T>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: Timer + Clone,
{
    /// Opens the response of a future, such as that of an HTTP client's `send`.
    ///
    /// The request is sent when the future is polled. If your client's body is not a stream of chunks, map it by
    /// [`BodyChunks::new`](eventwire::BodyChunks::new).
    pub fn new(response: F, timer: T) -> Opening<F, S, T> {
        Opening {
            state: State::Waiting { response },
            sleep: None,
            timer,
            timeout: Duration::ZERO,
            open: format::events,
            check: None,
            max_unexpected_body: None,
            unexpected_body_timeout: None,
        }
    }
}

impl<F, S, T: Timer, O> Opening<F, S, T, O> {
    /// Sets how long to wait for the head of the response. Off by default; zero means no timeout. Afterwards,
    /// [`Opened::with_idle_timeout`](crate::Opened::with_idle_timeout) watches over the body.
    pub fn with_timeout(mut self, timeout: Duration) -> Opening<F, S, T, O> {
        self.timeout = timeout;
        self
    }

    /// Sets which responses are opened, for a server that sends its events with another status or content type.
    ///
    /// The function replaces the default check, which has three conditions: the status is 200, the content type is
    /// `text/event-stream` (for [`parts`](Opening::parts) multipart, for [`lines`](Opening::lines) JSON), and the body
    /// is not compressed. A page or an error that it accepts is an error only at its end:
    /// [`NotEventStream`](eventwire::Error::NotEventStream). A 200 that it rejects is
    /// [`WrongContentType`](OpenError::WrongContentType).
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::open;
    /// use futures_util::TryStreamExt;
    /// # let timer = |_: std::time::Duration| std::future::pending();
    /// # let response = http::Response::builder().header("content-type", "text/plain");
    /// # let response = response.body("data: hello\n\n".to_owned()).unwrap();
    ///
    /// // The server sends `Content-Type: text/plain`.
    /// let opening = open(response, timer).with_check(|head| {
    ///     head.status() == 200
    ///         && head.media_type() == Some("text/plain")
    ///         && !head.is_encoded()
    /// });
    /// let mut events = opening.await?;
    /// assert_eq!(events.try_next().await?.unwrap().data(), "hello");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    pub fn with_check(mut self, check: fn(&ResponseHead<'_>) -> bool) -> Opening<F, S, T, O> {
        self.check = Some(check);
        self
    }

    /// Sets how many bytes to keep of the body of a response that cannot be opened. The default is 16 KiB, and 16 MiB
    /// for JSON with a status of success, which may be the whole answer. `usize::MAX` means no limit, and with 0 the
    /// body is not read.
    pub fn with_max_unexpected_body(mut self, bytes: usize) -> Opening<F, S, T, O> {
        self.max_unexpected_body = Some(bytes);
        self
    }

    /// Sets how long to read the body of a response that cannot be opened. The default is 5 seconds, and 60 seconds
    /// for JSON with a status of success. Zero means no timeout.
    pub fn with_unexpected_body_timeout(mut self, timeout: Duration) -> Opening<F, S, T, O> {
        self.unexpected_body_timeout = Some(timeout);
        self
    }
}

#[cfg(feature = "json")]
impl<F, S, B, E, T> Opening<F, S, T>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: Timer + Clone,
{
    /// Opens lines of JSON instead of events. The output is an [`OpenedLines`](crate::adapters::OpenedLines), whose
    /// `json_lines::<V>()` returns the stream of values.
    ///
    /// The content type has to be [one of JSON lines](crate::ResponseHead::is_json_lines), such as
    /// `application/x-ndjson`, or `application/json`, with any parameters. For another one, use
    /// [`with_check`](Opening::with_check).
    ///
    /// The request should have the header `Accept: application/x-ndjson`. The method `open_lines` on requests in other
    /// crates sets it; `.open()` sets that of events.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::open;
    /// use futures_util::TryStreamExt;
    /// # let timer = |_: std::time::Duration| std::future::pending();
    /// # let response = http::Response::builder().header("content-type", "application/x-ndjson");
    /// # let response = response.body("{\"n\":1}\n{\"n\":2}\n".to_owned()).unwrap();
    ///
    /// let lines = open(response, timer).lines().await?;
    /// let values: Vec<serde_json::Value> = lines.json_lines().try_collect().await?;
    /// assert_eq!(values[1]["n"], 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    pub fn lines(self) -> Opening<F, S, T, OpenedLines<S, T>> {
        self.with_format(format::lines)
    }
}

#[cfg(feature = "multipart")]
impl<F, S, T: Timer> Opening<F, S, T> {
    /// Opens the parts of a `multipart/x-mixed-replace`, or of another `multipart`, instead of events. The output is an
    /// `http::Response` whose body is [`Parts`](eventwire_multipart::Parts). For complete parts, or JSON, continue with
    /// [`Parts::collected`](eventwire_multipart::Parts::collected).
    ///
    /// The request should have the header `Accept: multipart/x-mixed-replace`. The method `open_parts` on requests in
    /// other crates sets it; `.open()` sets that of events.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::open;
    /// # let timer = |_: std::time::Duration| std::future::pending();
    /// # let response = http::Response::builder().header("content-type", "multipart/x-mixed-replace; boundary=x");
    /// # let response = response.body("--x\r\n\r\nhello\r\n--x--\r\n".to_owned()).unwrap();
    ///
    /// let mut parts = open(response, timer).parts().await?.into_body();
    /// while let Some(part) = parts.next().await {
    ///     assert_eq!(part?.bytes().await?, "hello");
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    pub fn parts(self) -> Opening<F, S, T, OpenedParts<S>> {
        self.with_format(format::parts)
    }
}

#[cfg(any(feature = "json", feature = "multipart"))]
impl<F, S, T: Timer> Opening<F, S, T> {
    fn with_format<O>(self, open: Open<S, T, O>) -> Opening<F, S, T, O> {
        Opening {
            state: self.state,
            sleep: self.sleep,
            timer: self.timer,
            timeout: self.timeout,
            open,
            check: self.check,
            max_unexpected_body: self.max_unexpected_body,
            unexpected_body_timeout: self.unexpected_body_timeout,
        }
    }
}

impl<F, S, B, E, T, O> Future for Opening<F, S, T, O>
where
    F: Future<Output = Result<Response<S>, E>>,
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: Timer,
{
    type Output = Result<O, OpenError<E>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            match this.state.as_mut().project() {
                StateProjection::Waiting { response } => {
                    let Poll::Ready(response) = response.poll(context) else {
                        ready!(poll_sleep(this.sleep, context, this.timer, *this.timeout));
                        this.state.set(State::Done);
                        return Poll::Ready(Err(OpenError::Timeout(*this.timeout)));
                    };
                    *this.sleep = None;
                    this.state.set(State::Done);
                    let response = match response {
                        Ok(response) => response,
                        Err(error) => return Poll::Ready(Err(OpenError::Transport(error))),
                    };
                    let (response, expected) = match (this.open)(response, this.timer, *this.check) {
                        Checked::Opened(opened) => return Poll::Ready(Ok(opened)),
                        Checked::Unexpected { response, expected } => (response, expected),
                    };
                    let head = ResponseHead::from(&response);
                    let max_body = this.max_unexpected_body.unwrap_or_else(|| default_max_body(&head));
                    let timeout = if is_json_answer(&head) { JSON_TIMEOUT } else { BODY_TIMEOUT };
                    let timeout = this.unexpected_body_timeout.unwrap_or(timeout);
                    let (head, body) = response.into_parts();
                    let response = UnexpectedResponse::new(Response::from_parts(head, ()), max_body);
                    let body = UnexpectedBody::new(response.with_expected(expected), body, timeout);
                    this.state.set(State::Rejected { body });
                }
                StateProjection::Rejected { body } => {
                    ready!(body.poll(context, this.timer, || {}));
                    if let StateReplaced::Rejected { body } = this.state.as_mut().project_replace(State::Done) {
                        return Poll::Ready(Err(OpenError::from_response(body.into_response())));
                    }
                }
                // The output has been returned.
                StateProjection::Done => return Poll::Pending,
            }
        }
    }
}

/// Returns how many bytes are read of a response that cannot be opened.
pub(super) fn default_max_body(head: &ResponseHead<'_>) -> usize {
    if is_json_answer(head) { MAX_JSON_BODY } else { DEFAULT_MAX_BODY }
}

/// Returns whether the server has answered with JSON where a stream of events was expected.
fn is_json_answer(head: &ResponseHead<'_>) -> bool {
    (200..300).contains(&head.status()) && head.is_json()
}

// Not derived, because futures and timers often have no `Debug`.
impl<F, S, T: Timer, O> fmt::Debug for Opening<F, S, T, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opening").field("timeout", &self.timeout).finish_non_exhaustive()
    }
}
