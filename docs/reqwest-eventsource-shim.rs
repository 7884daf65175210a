//! The API of reqwest-eventsource 0.6, implemented with eventwire. For reqwest 0.12 or 0.13.

// Few programs use all of it, and an error is as large as the original's.
#![allow(dead_code, clippy::result_large_err)]

use self::retry::{DEFAULT_RETRY, ExponentialBackoff, RetryPolicy};
use bytes::Bytes;
use eventwire::{BodyChunks, DecodeError, Decoder};
use futures_core::Stream;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Body, IntoUrl, RequestBuilder, Response, StatusCode};
use std::{
    fmt::{self, Display, Formatter},
    future::Future,
    pin::Pin,
    string::FromUtf8Error,
    task::{Context, Poll, ready},
    time::Duration,
};
use tokio::time::{Sleep, sleep};

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

pub trait RequestBuilderExt {
    fn eventsource(self) -> Result<EventSource, CannotCloneRequestError>;
}

impl RequestBuilderExt for RequestBuilder {
    fn eventsource(self) -> Result<EventSource, CannotCloneRequestError> {
        EventSource::new(self)
    }
}

/// An item of an [`EventSource`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Open,
    Message(MessageEvent),
}

impl From<MessageEvent> for Event {
    fn from(message: MessageEvent) -> Event {
        Event::Message(message)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageEvent {
    pub event: String,
    pub data: String,
    pub id: String,
    pub retry: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum ReadyState {
    Connecting = 0,
    Open = 1,
    Closed = 2,
}

/// A stream of events that reconnects as its [`RetryPolicy`] says.
pub struct EventSource {
    request: RequestBuilder,
    policy: Box<dyn RetryPolicy + Send + Unpin>,
    /// How many retries in a row got no response, and the last delay. An event resets it.
    last_retry: Option<(usize, Duration)>,
    /// Keeps the last event ID from connection to connection.
    decoder: Decoder,
    state: State,
}

enum State {
    Connecting(Pin<Box<dyn Future<Output = reqwest::Result<Response>> + Send>>),
    Open { body: BodyChunks<Body>, chunk: Bytes },
    Waiting(Pin<Box<Sleep>>),
    Closed,
}

impl EventSource {
    pub fn new(request: RequestBuilder) -> Result<EventSource, CannotCloneRequestError> {
        let request =
            request.header(ACCEPT, HeaderValue::from_static("text/event-stream"));
        let (client, first) =
            request.try_clone().ok_or(CannotCloneRequestError)?.build_split();
        let is_idempotent =
            first.as_ref().is_ok_and(|first| first.method().is_idempotent());
        Ok(EventSource {
            request,
            policy: match is_idempotent {
                true => Box::new(DEFAULT_RETRY),
                false => Box::new(UnlessSent(DEFAULT_RETRY)),
            },
            last_retry: None,
            decoder: Decoder::new(),
            state: State::Connecting(Box::pin(
                async move { client.execute(first?).await },
            )),
        })
    }

    /// # Panics
    ///
    /// If the URL is invalid.
    pub fn get(url: impl IntoUrl) -> EventSource {
        EventSource::new(reqwest::Client::new().get(url)).expect("a valid URL")
    }

    pub fn close(&mut self) {
        self.state = State::Closed;
    }

    pub fn set_retry_policy(&mut self, policy: Box<dyn RetryPolicy + Send + Unpin>) {
        self.policy = policy;
    }

    pub fn last_event_id(&self) -> &str {
        self.decoder.last_event_id()
    }

    pub fn ready_state(&self) -> ReadyState {
        match self.state {
            State::Connecting(_) | State::Waiting(_) => ReadyState::Connecting,
            State::Open { .. } => ReadyState::Open,
            State::Closed => ReadyState::Closed,
        }
    }

    fn reconnect(&mut self) -> Result<(), Error> {
        let mut request = self.request.try_clone().expect("`new` has cloned it");
        let id = self.decoder.last_event_id();
        if !id.is_empty() {
            let Ok(id) = HeaderValue::from_str(id) else {
                self.close();
                return Err(Error::InvalidLastEventId(self.last_event_id().to_owned()));
            };
            // Replaces one that the caller has set.
            request = request.headers(HeaderMap::from_iter([(LAST_EVENT_ID, id)]));
        }
        self.state = State::Connecting(Box::pin(request.send()));
        Ok(())
    }

    fn open(&mut self, response: Response) -> Result<Event, Error> {
        self.close(); // unless the response is an event stream
        if response.status() != StatusCode::OK {
            return Err(Error::InvalidStatusCode(response.status(), response));
        }
        let none = HeaderValue::from_static("");
        let content_type = response.headers().get(CONTENT_TYPE).unwrap_or(&none);
        if !is_event_stream(content_type) {
            return Err(Error::InvalidContentType(content_type.clone(), response));
        }
        if let Some((retries, _)) = &mut self.last_retry {
            *retries = 0;
        }
        self.decoder.reset(); // drops an unfinished event
        let body = BodyChunks::new(Body::from(response));
        self.state = State::Open { body, chunk: Bytes::new() };
        Ok(Event::Open)
    }

    fn wait_or_close(&mut self, error: Error) -> Error {
        if let Some(time) = self.decoder.reconnection_time() {
            // A server that sends `retry: 0` does not want a busy loop.
            self.policy.set_reconnection_time(time.max(Duration::from_millis(100)));
        }
        self.state = match self.policy.retry(&error, self.last_retry) {
            Some(delay) => {
                let retries = self.last_retry.map_or(0, |(retries, _)| retries);
                self.last_retry = Some((retries + 1, delay));
                State::Waiting(Box::pin(sleep(delay)))
            }
            None => State::Closed,
        };
        error
    }
}

impl Stream for EventSource {
    type Item = Result<Event, Error>;

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            let lost = match &mut this.state {
                State::Waiting(sleep) => {
                    ready!(sleep.as_mut().poll(context));
                    this.reconnect()?;
                    continue;
                }
                State::Connecting(response) => {
                    match ready!(response.as_mut().poll(context)) {
                        Ok(response) => return Poll::Ready(Some(this.open(response))),
                        Err(error) => Error::Transport(error),
                    }
                }
                State::Open { body, chunk } => {
                    if let Some(event) = this.decoder.decode_bytes(chunk)? {
                        this.last_retry = None;
                        return Poll::Ready(Some(Ok(message(event).into())));
                    }
                    match ready!(Pin::new(body).poll_next(context)) {
                        Some(Ok(next)) => {
                            *chunk = next;
                            continue;
                        }
                        Some(Err(error)) => Error::Transport(error),
                        None => Error::StreamEnded,
                    }
                }
                State::Closed => return Poll::Ready(None),
            };
            return Poll::Ready(Some(Err(this.wait_or_close(lost))));
        }
    }
}

fn is_event_stream(content_type: &HeaderValue) -> bool {
    let media_type = content_type.as_bytes().split(|&byte| byte == b';').next();
    media_type.unwrap_or_default().trim_ascii().eq_ignore_ascii_case(b"text/event-stream")
}

fn message(event: eventwire::Event) -> MessageEvent {
    MessageEvent {
        event: event.event_type().into(),
        id: event.last_event_id().into(),
        retry: event.retry(),
        data: event.into_data().into(),
    }
}

/// The policy of a POST, unless another is set: a language model would charge twice.
struct UnlessSent(ExponentialBackoff);

impl RetryPolicy for UnlessSent {
    fn retry(&self, error: &Error, last: Option<(usize, Duration)>) -> Option<Duration> {
        let is_unsent = matches!(error, Error::Transport(error) if error.is_connect());
        if is_unsent { self.0.retry(error, last) } else { None }
    }

    fn set_reconnection_time(&mut self, time: Duration) {
        self.0.set_reconnection_time(time);
    }
}

#[derive(Debug)]
pub enum Error {
    /// Never returned: invalid UTF-8 becomes U+FFFD.
    Utf8(FromUtf8Error),
    /// An event is larger than 16 MiB. The events after it follow.
    Parser(DecodeError),
    Transport(reqwest::Error),
    InvalidContentType(HeaderValue, Response),
    InvalidStatusCode(StatusCode, Response),
    InvalidLastEventId(String),
    StreamEnded,
}

impl From<DecodeError> for Error {
    fn from(error: DecodeError) -> Error {
        Error::Parser(error)
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Error::Utf8(error) => error.fmt(f),
            Error::Parser(error) => error.fmt(f),
            Error::Transport(error) => error.fmt(f),
            Error::InvalidContentType(value, _) => {
                write!(f, "Invalid header value: {value:?}")
            }
            Error::InvalidStatusCode(status, _) => {
                write!(f, "Invalid status code: {status}")
            }
            Error::InvalidLastEventId(id) => write!(f, "Invalid `Last-Event-ID`: {id}"),
            Error::StreamEnded => f.write_str("Stream ended"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Transport(error) => error.source(),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct CannotCloneRequestError;

impl Display for CannotCloneRequestError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("expected a cloneable request")
    }
}

impl std::error::Error for CannotCloneRequestError {}

pub mod retry {
    use super::Error;
    use std::time::Duration;

    /// Returns the delay before a retry, or `None` to close the source. `last_retry` is how
    /// many retries in a row got no response, and the last delay since an event.
    pub trait RetryPolicy {
        fn retry(
            &self,
            error: &Error,
            last_retry: Option<(usize, Duration)>,
        ) -> Option<Duration>;

        fn set_reconnection_time(&mut self, duration: Duration);
    }

    #[derive(Clone, Debug)]
    pub struct ExponentialBackoff {
        pub start: Duration,
        pub factor: f64,
        pub max_duration: Option<Duration>,
        pub max_retries: Option<usize>,
    }

    impl ExponentialBackoff {
        pub const fn new(
            start: Duration,
            factor: f64,
            max_duration: Option<Duration>,
            max_retries: Option<usize>,
        ) -> ExponentialBackoff {
            ExponentialBackoff { start, factor, max_duration, max_retries }
        }
    }

    impl RetryPolicy for ExponentialBackoff {
        fn retry(&self, _: &Error, last: Option<(usize, Duration)>) -> Option<Duration> {
            let delay = last.map_or(self.start, |(_, delay)| delay.mul_f64(self.factor));
            let delay = self.max_duration.map_or(delay, |max| delay.min(max));
            is_allowed(self.max_retries, last).then_some(delay)
        }

        fn set_reconnection_time(&mut self, duration: Duration) {
            self.start = duration;
            self.max_duration = self.max_duration.map(|max| max.max(duration));
        }
    }

    #[derive(Clone, Debug)]
    pub struct Constant {
        pub delay: Duration,
        pub max_retries: Option<usize>,
    }

    impl Constant {
        pub const fn new(delay: Duration, max_retries: Option<usize>) -> Constant {
            Constant { delay, max_retries }
        }
    }

    impl RetryPolicy for Constant {
        fn retry(&self, _: &Error, last: Option<(usize, Duration)>) -> Option<Duration> {
            is_allowed(self.max_retries, last).then_some(self.delay)
        }

        fn set_reconnection_time(&mut self, duration: Duration) {
            self.delay = duration;
        }
    }

    fn is_allowed(max_retries: Option<usize>, last: Option<(usize, Duration)>) -> bool {
        let retries = last.map_or(0, |(retries, _)| retries);
        max_retries.is_none_or(|max| retries < max)
    }

    #[derive(Clone, Copy, Debug, Default)]
    pub struct Never;

    impl RetryPolicy for Never {
        fn retry(&self, _: &Error, _: Option<(usize, Duration)>) -> Option<Duration> {
            None
        }

        fn set_reconnection_time(&mut self, _: Duration) {}
    }

    pub const DEFAULT_RETRY: ExponentialBackoff = ExponentialBackoff::new(
        Duration::from_millis(300),
        2.0,
        Some(Duration::from_secs(5)),
        None,
    );
}
