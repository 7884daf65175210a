//! The body of a response that is an event stream.

use super::{KeepAlive, final_retry, rest::Rest};
use crate::{
    event::{Block, IntoOutgoing},
    timer::Timer,
};
use bytes::Bytes;
use core::{
    future::{self, Pending},
    ops::RangeInclusive,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use futures_core::Stream;
use http::{HeaderName, HeaderValue, Response};
use http_body::{Body, Frame};
use pin_project_lite::pin_project;

pin_project! {
    /// Sends a stream of events as the body of an HTTP response: an [`http_body::Body`].
    ///
    /// The items of the stream are [`Event`](crate::Event)s, or of another type that [can be sent](IntoOutgoing), or
    /// a `Result` of one. Each item becomes one data frame, with one allocation, or with none if it is
    /// [`Encoded`](crate::Encoded). Data that is a single line of 64 KiB or more is not copied: it becomes a
    /// separate frame, between two others.
    ///
    /// If the stream returns an error, the body returns that error and ends. The server then closes the connection
    /// mid-response, so the client knows that the stream is not complete. The stream is polled only when the connection
    /// asks for more. It is dropped when it ends, or together with the body.
    ///
    /// `S` is the type of the stream, and `F` that of the signal which [ends the body](EventBody::until). The type of a
    /// body without a signal is `EventBody<S>`.
    ///
    /// # With axum
    ///
    /// A handler can return the response directly:
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../../docs/event-body-axum.md"))]
    ///
    /// To send one event to many readers, use a `Channel` of the crate [`eventwire-hub`]. It encodes each event once,
    /// gives it an ID, and keeps the last ones. So a reader that reconnects gets what it has missed, and one that
    /// has missed too much, or is too slow, gets an event `gap` that says so. A
    /// [recipe](crate::recipes::servers#a-server-that-broadcasts) adds JSON and a graceful shutdown.
    ///
    #[cfg_attr(not(doctest), doc = concat!("```rust\n", include_str!("../../docs/broadcast-axum.rs"), "```"))]
    ///
    /// # With other servers
    ///
    /// hyper accepts the same response. If your server has its own type of body, make it from the chunks,
    /// `BodyChunks::new(body)`, and set [the headers](EventBody::RESPONSE_HEADERS). There are
    /// [recipes](crate::recipes::servers#other-servers) for actix-web, poem, rocket, salvo and warp.
    ///
    /// # In tests
    ///
    /// The crate [`eventwire-lint`] finds what is wrong with a response, such as lines that clients silently ignore.
    /// Its page shows a test of a handler.
    ///
    /// # Keep-alives
    ///
    /// [`with_keep_alive`](EventBody::with_keep_alive) sends a comment at once if there is no event yet, and then
    /// whenever nothing else has been sent for some time. Without it, proxies close a silent connection, the server
    /// does not notice that a client is gone, and Firefox does not open the stream before the first event; see
    /// [`KeepAlive`]. To send something else than a comment, wrap the stream in one:
    ///
    /// ```
    /// # use futures_util::stream;
    /// # use std::{future, time::Duration};
    /// use eventwire::{Event, EventBody, KeepAlive};
    ///
    /// # let events = stream::iter([Event::new("1")]);
    /// # let timer = |_: Duration| future::ready(());
    /// let ping = Event::new("{}").with_event_type("ping")?;
    /// let body = EventBody::new(
    ///     KeepAlive::new(events, Duration::from_secs(15), timer).with_block(ping),
    /// );
    /// # let _ = body;
    /// # Ok::<(), eventwire::InvalidField>(())
    /// ```
    ///
    /// [`eventwire-hub`]: https://docs.rs/eventwire-hub
    /// [`eventwire-lint`]: https://docs.rs/eventwire-lint/latest/eventwire_lint/#a-test-of-a-handler
    #[derive(Debug)]
    #[must_use = "a body does nothing unless it is polled"]
    pub struct EventBody<S, F = Pending<()>> {
        // `None` after its end.
        #[pin]
        open: Option<Open<S, F>>,
        final_retry: Option<Duration>,
        rest: Rest,
    }
}

pin_project! {
    #[derive(Debug)]
    struct Open<S, F> {
        #[pin]
        blocks: S,
        #[pin]
        signal: F,
    }
}

impl<S> EventBody<S> {
    /// Creates a body that sends these events, blocks or comments.
    pub fn new(blocks: S) -> EventBody<S> {
        let open = Open { blocks, signal: future::pending() };
        EventBody { open: Some(open), final_retry: None, rest: Rest::Nothing }
    }

    /// Ends the body when `signal` resolves, so that a graceful shutdown does not wait for streams that never end.
    ///
    /// The signal can be any future; its output is ignored. It is polled before the stream, so it also ends a stream
    /// that always has a block ready. A block that has begun is sent completely, and then the stream is dropped. If the
    /// stream ends before the signal, the body ends as usual, and the signal is dropped.
    ///
    /// To send a reconnection time at the end, also call [`with_final_retry`](EventBody::with_final_retry). A client
    /// that has stopped reading cannot be sent the end of its response, so limit how long a shutdown may take.
    ///
    #[cfg_attr(not(doctest), doc = include_str!("../../docs/event-body-shutdown.md"))]
    pub fn until<F: Future>(self, signal: F) -> EventBody<S, F> {
        let open = self.open.map(|open| Open { blocks: open.blocks, signal });
        EventBody { open, final_retry: self.final_retry, rest: self.rest }
    }
}

impl<S, F> EventBody<S, F> {
    /// Sends a reconnection time as the last block if the [signal](EventBody::until) ends the body. Without a signal,
    /// it has no effect.
    ///
    /// The time is chosen at random from `times`, once for each body, so that the clients of a server that restarts
    /// do not all reconnect at once. It is a whole number of milliseconds, and never less than the start of the range,
    /// which is rounded up. If the range is empty, the time is its start. A client may wait longer: that of this
    /// project [adds jitter][the-delays]. It uses the time for all later reconnections too, until it receives another
    /// one.
    ///
    /// The random number comes from the standard library. On `wasm32-unknown-unknown` that has no source of random
    /// numbers: the times may be the same in each run of the program.
    ///
    /// [the-delays]: https://docs.rs/eventwire-client/latest/eventwire_client/#the-delays
    pub fn with_final_retry(mut self, times: RangeInclusive<Duration>) -> EventBody<S, F> {
        self.final_retry = Some(final_retry::random(&times));
        self
    }

    /// Sends a comment at once if no event is ready, and after every `interval` in which nothing else was sent. Zero
    /// means no comments.
    ///
    /// [`KeepAlive`] says what they are needed for. 15 seconds are a good interval.
    ///
    /// `timer` creates the runtime's sleeps. Use `TokioTimer` with feature `tokio`, or a function such as
    /// `tokio::time::sleep`. `TokioTimer` saves a sleep for each event, because it [has a clock](Timer::now).
    pub fn with_keep_alive<T: Timer>(self, interval: Duration, timer: T) -> EventBody<KeepAlive<S, T>, F> {
        let keep_alive =
            |open: Open<S, F>| Open { blocks: KeepAlive::new(open.blocks, interval, timer), signal: open.signal };
        EventBody { open: self.open.map(keep_alive), final_retry: self.final_retry, rest: self.rest }
    }

    /// Returns a response with this body, status 200, and the [headers](EventBody::RESPONSE_HEADERS) of an event
    /// stream, including those that keep proxies from buffering it.
    ///
    /// A handler of axum can return it directly, or convert it with axum's `into_response`.
    ///
    /// ```
    /// # use futures_util::stream;
    /// use eventwire::{Event, EventBody};
    ///
    /// let response = EventBody::new(stream::iter([Event::new("1")])).response();
    /// assert_eq!(response.status(), 200);
    /// assert_eq!(response.headers()["content-type"], "text/event-stream");
    /// ```
    #[must_use]
    pub fn response(self) -> Response<EventBody<S, F>> {
        let mut response = Response::new(self);
        for (name, value) in EventBody::RESPONSE_HEADERS {
            response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        response
    }
}

impl EventBody<()> {
    /// The headers of an event stream, as names and values, for servers that cannot use
    /// [`response`](EventBody::response).
    ///
    /// * `content-type: text/event-stream`. Without it, clients do not read the body as an event stream.
    /// * `cache-control: no-cache, no-transform`. With `no-cache`, caches do not respond with an old stream. With
    ///   `no-transform`, proxies do not compress the stream; a compressor delays events until its buffer is full.
    /// * `x-accel-buffering: no`. With it, nginx and similar proxies forward events without delay.
    ///
    /// ```
    /// use eventwire::EventBody;
    ///
    /// let mut response = http::Response::builder();
    /// for (name, value) in EventBody::RESPONSE_HEADERS {
    ///     response = response.header(name, value);
    /// }
    /// # let response = response.body(()).unwrap();
    /// # assert_eq!(response.headers().len(), 3);
    /// ```
    pub const RESPONSE_HEADERS: [(&'static str, &'static str); 3] = [
        ("content-type", "text/event-stream"),
        ("cache-control", "no-cache, no-transform"),
        ("x-accel-buffering", "no"),
    ];
}

impl<S, F> Body for EventBody<S, F>
where
    S: Stream<Item: IntoOutgoing>,
    F: Future,
{
    type Data = Bytes;
    type Error = <S::Item as IntoOutgoing>::Error;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let mut this = self.project();
        if !this.rest.is_nothing()
            && let Some(frame) = this.rest.next_frame()
        {
            return Poll::Ready(Some(Ok(Frame::data(frame))));
        }
        let Some(open) = this.open.as_mut().as_pin_mut() else { return Poll::Ready(None) };
        let open = open.project();
        if open.signal.poll(context).is_ready() {
            this.open.set(None);
            let last = this.final_retry.map(|time| Block::default().with_retry(time).to_bytes());
            return Poll::Ready(last.map(|last| Ok(Frame::data(last))));
        }
        // One frame for each block, so that it is sent as soon as it is ready. hyper joins frames if the connection is
        // slower.
        match ready!(open.blocks.poll_next(context)).map(IntoOutgoing::into_outgoing) {
            Some(Ok(mut block)) => Poll::Ready(Some(Ok(Frame::data(this.rest.begin(&mut block))))),
            Some(Err(error)) => {
                this.open.set(None);
                Poll::Ready(Some(Err(error)))
            }
            None => {
                this.open.set(None);
                Poll::Ready(None)
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.open.is_none() && self.rest.is_nothing()
    }
}
