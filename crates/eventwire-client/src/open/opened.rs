//! A response that has been opened.

use crate::open::until_error::UntilError;
use alloc::boxed::Box;
use bytes::Bytes;
use core::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use eventwire::{
    Decoder, Error, Event, Events, Timeout, Timer,
    adapters::{Blocks, Next},
};
#[cfg(feature = "json")]
use eventwire::{Dialect, JsonStream, Payload};
use futures_core::{FusedStream, Stream};
use http::Response;
use pin_project_lite::pin_project;

pin_project! {
    /// The events of one response that has been checked: a stream of `Result<Event, Error<E>>`.
    ///
    /// [`open`](crate::open) returns it, and so does `.open()` on requests in other crates. It ends when the body does,
    /// or after an error of the HTTP client ([`Error::Transport`]), and does not reconnect. Dropping it closes the
    /// response.
    ///
    /// A server may call something else an event stream: JSON with an error, the HTML page of a proxy, or a body that
    /// is still compressed. If the body ends without an event, but with such text, the last item is
    /// [`Error::NotEventStream`], with the beginning of the text. An empty body or comments are no error.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::open;
    /// use futures_util::TryStreamExt;
    /// use std::time::Duration;
    /// # let timer = |_: Duration| std::future::pending();
    /// # let response = http::Response::builder().header("content-type", "text/event-stream").header("x-id", "7");
    /// # let response = response.body("data: hello\n\n".to_owned()).unwrap();
    ///
    /// let mut events = open(response, timer).await?.with_idle_timeout(Duration::from_secs(60));
    /// assert_eq!(events.response().headers()["x-id"], "7");
    /// while let Some(event) = events.try_next().await? {
    ///     println!("{}", event.data());
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct Opened<S, T: Timer> {
        #[pin]
        events: Events<UntilError<S>, T>,
        response: Box<Response<()>>,
        timer: T,
    }
}

impl<S, T, B, E> Opened<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer + Clone,
    B: Into<Bytes>,
{
    pub(super) fn new(response: Response<S>, timer: T) -> Opened<S, T> {
        let (head, body) = response.into_parts();
        // Zero is no timeout. So the type is the same with a timeout and without one.
        let events = Events::new(UntilError::new(body)).rejecting_text();
        let events = events.with_idle_timeout(Duration::ZERO, timer.clone());
        Opened { events, response: Box::new(Response::from_parts(head, ())), timer }
    }

    /// Sets an idle timeout: the stream fails with [`Error::IdleTimeout`] when no data has been received for
    /// `duration`. Zero means no timeout. See [`Events::with_idle_timeout`].
    pub fn with_idle_timeout(mut self, duration: Duration) -> Opened<S, T> {
        self.events = self.events.with_idle_timeout(duration, self.timer.clone());
        self
    }

    /// Sets a timeout by meaning: the stream fails with [`Error::ProgressTimeout`] when no event that is progress has
    /// been received for `between`, or for `first` before the first one. Set it last, and look at the
    /// [`response`](Opened::response) before; see [`Events::with_progress_timeout`].
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{Error, open};
    /// use futures_util::StreamExt;
    /// use std::time::Duration;
    /// # let timer = |_: Duration| std::future::ready(());
    /// # let silent = futures_util::stream::pending::<Result<&'static str, std::convert::Infallible>>();
    /// # let response = http::Response::builder().header("content-type", "text/event-stream").body(()).unwrap();
    /// # let open = |response: http::Response<()>, timer| {
    /// #     eventwire_client::open_chunks(response.into_parts().0, silent, timer)
    /// # };
    ///
    /// // The first token may take a minute; no other may take longer than 20 seconds.
    /// let (first, between) = (Duration::from_secs(60), Duration::from_secs(20));
    /// let events = open(response, timer).await.unwrap();
    /// let mut events = events.with_progress_timeout(first, between, |event| {
    ///     event.event_type() != "ping"
    /// });
    /// let Some(Err(Error::ProgressTimeout(time))) = events.next().await else { panic!() };
    /// assert_eq!(time, first);
    /// # }).unwrap();
    /// ```
    pub fn with_progress_timeout<F>(
        self,
        first: Duration,
        between: Duration,
        is_progress: F,
    ) -> Timeout<Events<UntilError<S>, T>, T, F>
    where
        F: FnMut(&Event) -> bool,
    {
        self.events.with_progress_timeout(first, between, self.timer, is_progress)
    }
}

impl<S, T: Timer> Opened<S, T> {
    /// Returns the head of the response: status, headers, version and extensions.
    #[must_use]
    pub fn response(&self) -> &Response<()> {
        &self.response
    }

    /// Sets the decoder, for example one with another limit on the size of an event. Call it before you read the first
    /// event.
    pub fn with_decoder(mut self, decoder: Decoder) -> Opened<S, T> {
        self.events = self.events.with_decoder(decoder);
        self
    }

    /// Reads the data of each event as JSON, into a `V`, in the [dialect](Dialect) of a service. If you need the
    /// [`response`](Opened::response), look at it before.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::Dialect;
    /// use eventwire_client::open;
    /// use futures_util::TryStreamExt;
    /// # let timer = |_: std::time::Duration| std::future::pending();
    /// # let response = http::Response::builder().header("content-type", "text/event-stream");
    /// # let response = response.body("data: 1\n\ndata: 2\n\ndata: [DONE]\n\n".to_owned()).unwrap();
    ///
    /// let events = open(response, timer).await?;
    /// let values: Vec<_> = events.json_with::<u32>(Dialect::OPENAI).try_collect().await?;
    /// assert_eq!(values, [1, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap().unwrap();
    /// ```
    #[cfg(feature = "json")]
    pub fn json_with<V: Payload>(self, dialect: Dialect) -> JsonStream<Events<UntilError<S>, T>, V> {
        self.events.json_with(dialect)
    }

    /// Reads the data of each event as JSON, into a `V`. See [`Events::json`].
    #[cfg(feature = "json")]
    pub fn json<V: Payload>(self) -> JsonStream<Events<UntilError<S>, T>, V> {
        self.events.json()
    }

    /// Reads the events in the [dialect](Dialect) of a service, without parsing their data. See
    /// [`Events::with_dialect`].
    #[cfg(feature = "json")]
    pub fn with_dialect(self, dialect: Dialect) -> JsonStream<Events<UntilError<S>, T>, Event> {
        self.events.with_dialect(dialect)
    }

    /// Reads all blocks, comments included. See [`Events::blocks`].
    pub fn blocks(self) -> Blocks<UntilError<S>, T> {
        self.events.blocks()
    }

    /// Returns the adapter, which has the decoder and the body.
    pub fn into_events(self) -> Events<UntilError<S>, T> {
        self.events
    }
}

impl<S, T: Timer> Opened<S, T>
where
    Opened<S, T>: Stream + Unpin,
{
    /// Returns the next event, or `None` at the end of the stream; see [`Events::next`].
    pub fn next(&mut self) -> Next<'_, Opened<S, T>> {
        Next::new(self)
    }
}

impl<S, T, B, E> Stream for Opened<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer,
    B: Into<Bytes>,
{
    type Item = Result<Event, Error<E>>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.project().events.poll_next(context)
    }
}

impl<S, T, B, E> FusedStream for Opened<S, T>
where
    S: Stream<Item = Result<B, E>>,
    T: Timer,
    B: Into<Bytes>,
{
    fn is_terminated(&self) -> bool {
        self.events.is_terminated()
    }
}

// Not derived, because timers often have no `Debug`.
impl<S, T: Timer> fmt::Debug for Opened<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Opened").field("response", &self.response).finish_non_exhaustive()
    }
}
