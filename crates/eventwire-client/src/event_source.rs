//! [`EventSource`] and the types around it.

pub(crate) mod attempt;
mod clocks;
pub(crate) mod connection_error;
pub(crate) mod connector;
pub(crate) mod connector_fn;
pub(crate) mod handle;
pub(crate) mod hooks;
pub(crate) mod item;
mod overridden;
mod phase;
mod reader;
pub(crate) mod request_fn;
mod session;
pub(crate) mod source_event_stream;
pub(crate) mod stopped;
mod trace;

use crate::{
    event_source::{
        connection_error::ConnectionError, connector::Connector, handle::Handle, hooks::Hooks, item::Item,
        overridden::Overridden, session::Session, stopped::Stopped,
    },
    reconnect::{Reconnect, ready_state::ReadyState, reconnect_policy::ReconnectPolicy, verdict::Verdict},
    unexpected_response::UnexpectedResponse,
};
use core::{
    fmt,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};
use eventwire::{Decoder, Event, InvalidField, Timer, adapters::Next, internal::random_seed};
use futures_core::{FusedStream, Stream};

/// A client that reconnects: a stream of [`Item`]s over as many connections as necessary.
///
/// It works like the `EventSource` of a browser: it connects, returns the events, reconnects when the connection
/// drops, and sends the server the last event ID. The crate's page has the rules: [what is
/// retried](crate#what-is-retried), [what is sent again](crate#what-is-sent-again), [the delays](crate#the-delays),
/// [the timeouts](crate#timeouts) and [all settings](crate#settings).
///
/// An error after which it reconnects is an item. Any other error ends the stream, and
/// [`stopped`](EventSource::stopped) or [`into_result`](EventSource::into_result) returns it. For a stream of the
/// events alone, use [`events`](EventSource::events).
///
/// A [`Connector`] sends the requests, and a [`Timer`] makes the delays. The crate `eventwire-reqwest` has both. No
/// task is spawned, and nothing happens unless the stream is polled. Dropping the stream drops the connection. The
/// stream is `Unpin`, and it is `Send` if the connector, the timer and what they return are.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire_client::{EventSource, Item, StopReason, connector_fn};
/// use futures_util::{StreamExt, stream};
/// # use std::{convert::Infallible, future, time::Duration};
/// # let timer = |_: Duration| future::ready(());
/// # let connector = connector_fn(|attempt| async move {
/// #     let response = match attempt.last_event_id() {
/// #         None => http::Response::builder().header("content-type", "text/event-stream"),
/// #         Some(_) => http::Response::builder().status(204),
/// #     };
/// #     Ok::<_, Infallible>(response.body(stream::iter([Ok::<_, Infallible>("id: 1\ndata: hello\n\n")])).unwrap())
/// # });
///
/// let mut source = EventSource::with_connector(connector, timer);
/// while let Some(item) = source.next().await {
///     match item {
///         Item::Open(response) => assert_eq!(response.status(), 200),
///         Item::Event(event) => assert_eq!(event.data(), "hello"),
///         Item::Reconnecting { error, delay, .. } => {
///             println!("{error}; again in {delay:.1?}");
///         }
///         Item::Undecodable(error) => println!("{error}"),
///         _ => {}
///     }
/// }
/// // The server answered 204.
/// assert_eq!(source.stopped().unwrap().reason(), StopReason::NoContent);
/// # }).unwrap();
/// ```
///
/// # Hooks
///
/// Hooks let your code decide. Pass a type that implements [`Hooks`] to [`with_hooks`](EventSource::with_hooks); for
/// three of them, a closure is enough:
///
/// | what it decides | method | closure |
/// |---|---|---|
/// | which responses are event streams | [`opens`](Hooks::opens) | |
/// | what another response means | [`response_verdict`](Hooks::response_verdict) | [`with_response_verdict`](EventSource::with_response_verdict) |
/// | what an error of the connector means | [`error_verdict`](Hooks::error_verdict) | [`with_error_verdict`](EventSource::with_error_verdict) |
/// | how long to wait before a retry | [`delay`](Hooks::delay) | |
/// | which event is the last | [`is_end`](Hooks::is_end) | [`with_end`](EventSource::with_end) |
/// | which events are progress | [`is_progress`](Hooks::is_progress) | |
/// | where the next request continues | [`cursor`](Hooks::cursor) | |
///
/// The type parameter `D` is the type of the hooks.
///
/// To store a source in a struct, you have to name its type. Closures have no names, so use a type that implements
/// [`Hooks`]:
///
/// ```
/// use eventwire::{Event, Timer};
/// use eventwire_client::{Connector, Hooks, EventSource};
///
/// struct UntilDone;
///
/// impl<E> Hooks<E> for UntilDone {
///     fn is_end(&mut self, event: &Event) -> bool {
///         event.data() == "[DONE]"
///     }
///
///     fn expects_end(&self) -> bool {
///         true
///     }
/// }
///
/// struct Chat<C: Connector, T: Timer> {
///     // With eventwire-reqwest: `RequestEventSource<UntilDone>`.
///     source: EventSource<C, T, UntilDone>,
/// }
///
/// fn chat<C: Connector, T: Timer>(connector: C, timer: T) -> Chat<C, T> {
///     let source = EventSource::with_connector(connector, timer);
///     Chat { source: source.with_hooks(UntilDone) }
/// }
/// ```
///
/// A source can also be boxed as a stream, for example by `StreamExt::boxed` of futures-util.
///
/// If one of your functions, the connector or the timer panics, the panic reaches the code that polls the source. The
/// source has then stopped, with [`StopReason::Permanent`](crate::StopReason::Permanent), which is a
/// [failure](Stopped::is_failure). An event that your function was deciding about is lost, although the [last event
/// ID](EventSource::last_event_id) may be its ID.
///
/// # Continuing after a restart
///
/// To continue in another process, save [`last_event_id`](EventSource::last_event_id) and pass it to
/// [`with_last_event_id`](EventSource::with_last_event_id) there, as in [a recipe][saved]. For APIs that resume by
/// another position, use [`cursor`](EventSource::cursor) and [`with_cursor`](EventSource::with_cursor). In the same
/// process, [`restart`](EventSource::restart) connects again at once.
///
/// # Logs
///
/// With feature `tracing`, the source logs through the crate [tracing], with the target `eventwire_client`:
///
/// | message | level | fields |
/// |---|---|---|
/// | `connecting` | `DEBUG` | the number of the `attempt`; `resumes`: whether there is an ID or a cursor; `after_timeout`: whether a timeout ended the last connection |
/// | `open` | `DEBUG` | `status`, and the HTTP `version` |
/// | `unexpected response` | `INFO` | `status`, and the [`verdict`](crate::Verdict) |
/// | `reconnecting` | `WARN`; `INFO` if the body ended between two events | `error`, `delay_ms`, and the next `attempt` |
/// | `stopped` | `WARN` if it [failed](Stopped::is_failure), `DEBUG` if the client closed it, otherwise `INFO` | `reason`, `error` |
///
/// `error` is the name of a variant of [`ConnectionError`], and `reason` that of a [`StopReason`](crate::StopReason).
/// Events, bodies, IDs, headers and URLs are not logged. Neither is the text of the connector's error, because it may
/// contain a secret, such as a token in the query of a URL. To log it, read it from [`Item::Reconnecting`] or
/// [`Stopped`].
///
/// [tracing]: https://docs.rs/tracing
/// [saved]: https://docs.rs/eventwire/latest/eventwire/recipes/clients/#a-feed-that-is-saved-at-ctrl-c
#[must_use = "a stream does nothing unless it is polled"]
pub struct EventSource<C: Connector, T: Timer, D = ()> {
    hooks: D,
    session: Session<C, T>,
}

impl<C: Connector, T: Timer> EventSource<C, T> {
    /// Returns an event source with this connector and this timer. It connects when it is first polled.
    ///
    /// The jitter of the delays has a random seed from the standard library. On `wasm32-unknown-unknown` the standard
    /// library has no randomness, so [set a seed](ReconnectPolicy::with_jitter_seed) there.
    pub fn with_connector(connector: C, timer: T) -> EventSource<C, T> {
        let reconnect = Reconnect::new(ReconnectPolicy::new().with_jitter_seed(random_seed()));
        EventSource { hooks: (), session: Session::new(connector, timer, reconnect) }
    }
}

impl<C: Connector, T: Timer, D> EventSource<C, T, D> {
    /// Returns whether the source is connecting, open or closed. If a response is refused, the source
    /// is connecting until the body of the [`UnexpectedResponse`] has been read.
    #[must_use]
    pub fn ready_state(&self) -> ReadyState {
        self.session.reconnect.ready_state()
    }

    /// Returns the last event ID, which the next request sends. `""` means none.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.session.reader.decoder.last_event_id()
    }

    /// Returns the last [cursor](Hooks::cursor): where the next request continues, for APIs that do not resume by
    /// event ID. The connector gets it with each [attempt](crate::Attempt::cursor).
    #[must_use]
    pub fn cursor(&self) -> Option<&str> {
        self.session.cursor.as_deref()
    }

    /// Returns the connector.
    #[must_use]
    pub fn connector(&self) -> &C {
        &self.session.connector
    }

    /// Returns a handle, which ends a delay early while the source is polled elsewhere.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle::new(&self.session.delay)
    }

    /// Returns why the stream ended. `None` while it runs, and after the stream of [`events`](EventSource::events) has
    /// returned the failure.
    #[must_use]
    pub fn stopped(&self) -> Option<&Stopped<C::Error>> {
        self.session.stopped()
    }

    /// Closes the source if it is still running, and returns why it stopped.
    ///
    /// If the stream of [`events`](EventSource::events) has returned the failure before, this is the same reason
    /// without the error.
    #[must_use]
    pub fn into_stopped(self) -> Stopped<C::Error> {
        self.session.into_stopped()
    }

    /// Closes the source if it is still running, and returns an error if it [failed](Stopped::is_failure).
    ///
    /// # Errors
    ///
    /// [`Stopped`], if it is a failure. If the failure has been returned before, it is returned again, without the
    /// error of the connection.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{EventSource, Item, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|_| async {
    /// #     let response = http::Response::builder().status(404);
    /// #     Ok::<_, Infallible>(response.body(stream::empty::<Result<&'static str, Infallible>>()).unwrap())
    /// # });
    ///
    /// let mut source = EventSource::with_connector(connector, timer);
    /// while let Some(item) = source.next().await {
    ///     if let Item::Event(event) = item {
    ///         println!("{}", event.data());
    ///     }
    /// }
    /// let error = source.into_result().unwrap_err();
    /// assert_eq!(error.to_string(), "the server answered 404 Not Found");
    /// # }).unwrap();
    /// ```
    pub fn into_result(self) -> Result<(), Stopped<C::Error>> {
        let stopped = self.into_stopped();
        if stopped.is_failure() { Err(stopped) } else { Ok(()) }
    }

    /// Drops the connection and connects again at the next poll, even if the stream has ended.
    ///
    /// The last event ID and the cursor are kept. The attempts are counted from 1 again. The request is sent even if
    /// it [must not be sent again](crate::Resend). If a [`JsonStream`](eventwire::JsonStream) over this source has
    /// ended, it stays ended.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{EventSource, Item, StopReason, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|_| async move {
    /// #     let response = http::Response::builder().header("content-type", "text/event-stream");
    /// #     Ok::<_, Infallible>(response.body(stream::iter([Ok::<_, Infallible>("id: 1\ndata: a\n\n")])).unwrap())
    /// # });
    ///
    /// let mut source = EventSource::with_connector(connector, timer);
    /// assert!(matches!(source.next().await, Some(Item::Open(_))));
    /// source.close();
    /// assert!(source.next().await.is_none());
    /// source.restart();
    /// assert!(matches!(source.next().await, Some(Item::Open(_))));
    /// assert!(matches!(source.next().await, Some(Item::Event(event)) if event.data() == "a"));
    /// # }).unwrap();
    /// ```
    pub fn restart(&mut self) {
        self.session.restart();
    }

    /// Drops the connection and ends the stream. A source that has already stopped is not changed.
    pub fn close(&mut self) {
        self.session.close();
    }

    /// Sets the delays, the limits on attempts, and what is sent again.
    ///
    /// Unless the policy has a [seed](ReconnectPolicy::with_jitter_seed), the jitter remains random. If the
    /// source is already running, the settings apply to the next attempt or delay.
    pub fn with_policy(mut self, policy: ReconnectPolicy) -> Self {
        self.set_policy(policy);
        self
    }

    /// Sets the [policy](EventSource::with_policy) of a borrowed source, such as the one in a [stream of
    /// events](crate::adapters::SourceEventStream::get_mut).
    pub fn set_policy(&mut self, policy: ReconnectPolicy) {
        self.session.reconnect.set_policy(policy);
    }

    /// Sets the decoder, to limit the size of events or to choose what happens to an unfinished event.
    ///
    /// If the decoder has a last event ID, the source continues from it. Otherwise the source keeps its own. Call
    /// this before the first event: an event that the old decoder has begun is lost.
    pub fn with_decoder(mut self, decoder: Decoder) -> Self {
        self.session.reader.set_decoder(decoder);
        self
    }

    /// Makes the source return [blocks](Item::Block) and [comments](Item::Comment) instead of events.
    ///
    /// The hooks get the event of each block that has data. A block without data and a comment are not events, so
    /// they are not progress: they reset neither the delay between attempts nor the [event
    /// timeout](EventSource::with_progress_timeout). [`events`](EventSource::events) returns the events of the blocks.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{EventSource, Item, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|_| async move {
    /// #     let response = http::Response::builder().header("content-type", "text/event-stream");
    /// #     Ok::<_, Infallible>(response.body(stream::iter([Ok::<_, Infallible>(": ping\n\ndata: a\n\n")])).unwrap())
    /// # });
    ///
    /// let mut source = EventSource::with_connector(connector, timer).with_blocks();
    /// assert!(matches!(source.next().await, Some(Item::Open(_))));
    /// let Some(Item::Comment(comment)) = source.next().await else { panic!("no comment") };
    /// assert_eq!(comment.text(), "ping");
    /// let Some(Item::Block(block)) = source.next().await else { panic!("no block") };
    /// assert_eq!((block.event_type(), block.event().unwrap().event_type()), (None, "message"));
    /// # }).unwrap();
    /// ```
    pub fn with_blocks(mut self) -> Self {
        self.session.reader.read_blocks();
        self
    }

    /// Sets the last event ID that the first request sends, to continue where another source stopped. `""` means
    /// none.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{Attempt, EventSource, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|attempt: Attempt| async move {
    /// #     assert_eq!(attempt.last_event_id().unwrap(), "41");
    /// #     let response = http::Response::builder().header("content-type", "text/event-stream");
    /// #     Ok::<_, Infallible>(response.body(stream::iter([Ok::<_, Infallible>("id: 42\ndata: a\n\n")])).unwrap())
    /// # });
    ///
    /// // The first request has the header `Last-Event-ID: 41`. The server continues with 42.
    /// let mut source = EventSource::with_connector(connector, timer).with_last_event_id("41")?;
    /// assert_eq!(source.last_event_id(), "41");
    /// source.next().await; // the connection is open
    /// source.next().await; // the event 42
    /// assert_eq!(source.last_event_id(), "42"); // to be saved
    /// # Ok::<(), eventwire::InvalidField>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidField`] if `id` contains a CR, an LF or a NUL. No stream can set such an ID.
    pub fn with_last_event_id(mut self, id: &str) -> Result<Self, InvalidField> {
        self.set_last_event_id(id)?;
        Ok(self)
    }

    /// Sets the last event ID of a borrowed source. The next request sends it, unless an event sets another one
    /// before.
    ///
    /// # Errors
    ///
    /// [`InvalidField`] as for [`with_last_event_id`](EventSource::with_last_event_id).
    pub fn set_last_event_id(&mut self, id: &str) -> Result<(), InvalidField> {
        self.session.reader.decoder.set_last_event_id(id)
    }

    /// Sets the cursor of the first request, for example one that another process saved. See
    /// [`cursor`](EventSource::cursor).
    pub fn with_cursor(mut self, cursor: &str) -> Self {
        self.session.set_cursor(cursor.into());
        self
    }

    /// Sets the idle timeout: if no data arrives for this long, the source drops the connection and reconnects. Off
    /// by default; zero turns it off. [Timeouts](crate#timeouts) says how it is counted.
    ///
    /// Set it to two or three times the interval of the server's keep-alives.
    ///
    /// If there is no response within the timeout, the source does not know whether the request was sent, so it does
    /// not send a POST again. To retry a POST when the host is unreachable, set a shorter connect timeout in the HTTP
    /// client: its error shows that nothing was sent.
    ///
    /// Over HTTP/2 this is [not enough](crate#what-to-know-about-http).
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.session.clocks.set_idle_timeout(timeout);
        self
    }

    /// Sets the progress timeout: if no event that is [progress](Hooks::is_progress) arrives for this long, the
    /// source drops the connection and reconnects. Off by default; zero turns it off.
    ///
    /// [Timeouts](crate#timeouts) says how it is counted. Comments, and events that are not progress, do not reset it.
    /// An event that is [too large](Item::Undecodable) does. Items that were received before the timeout are
    /// returned before the connection is dropped.
    pub fn with_progress_timeout(mut self, timeout: Duration) -> Self {
        self.session.clocks.set_progress_timeout(timeout);
        self
    }

    /// Sets how many bytes of the body of an [`UnexpectedResponse`] are kept. Defaults to 16 KiB; with 0, the
    /// body is not read. If the server may answer with JSON instead of events, set it to the size of the largest
    /// answer that you expect.
    pub fn with_max_unexpected_body(mut self, bytes: usize) -> Self {
        self.session.max_unexpected_body = bytes;
        self
    }

    /// Sets how long reading the body of an [`UnexpectedResponse`] may take. Defaults to 5 seconds; zero means no
    /// timeout.
    ///
    /// What has arrived by then is kept. The [idle timeout](EventSource::with_idle_timeout) also applies.
    pub fn with_unexpected_body_timeout(mut self, timeout: Duration) -> Self {
        self.session.unexpected_body_timeout = timeout;
        self
    }
}

impl<C: Connector, T: Timer, D: Hooks<C::Error>> EventSource<C, T, D> {
    /// Sets all hooks: a type that implements [`Hooks`].
    ///
    /// It replaces all earlier hooks, so call it before the methods that set a single one.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::Event;
    /// use eventwire_client::{Hooks, EventSource, Item, StopReason, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|_| async move {
    /// #     let response = http::Response::builder().header("content-type", "text/event-stream");
    /// #     let body = stream::iter([Ok::<_, Infallible>("data: 1\n\ndata: 2\n\ndata: 3\n\n")]);
    /// #     Ok::<_, Infallible>(response.body(body).unwrap())
    /// # });
    ///
    /// /// Ends the stream after this number of events.
    /// struct AtMost(u32);
    ///
    /// impl<E> Hooks<E> for AtMost {
    ///     fn is_end(&mut self, _: &Event) -> bool {
    ///         self.0 -= 1;
    ///         self.0 == 0
    ///     }
    /// }
    ///
    /// let mut source = EventSource::with_connector(connector, timer).with_hooks(AtMost(2));
    /// let mut events = 0;
    /// while let Some(item) = source.next().await {
    ///     events += usize::from(matches!(item, Item::Event(_)));
    /// }
    /// assert_eq!((events, source.stopped().unwrap().reason()), (2, StopReason::Finished));
    /// # }).unwrap();
    /// ```
    pub fn with_hooks<N: Hooks<C::Error>>(self, hooks: N) -> EventSource<C, T, N> {
        self.map_hooks(|_| hooks)
    }

    /// Sets a function that decides what a response that is not an event stream means: try again, or stop. It gets
    /// the response with its body. See [`Hooks::response_verdict`], and [`Verdict`].
    ///
    /// A second call replaces the function.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{EventSource, StopReason, Verdict, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|_| async {
    /// #     let response = http::Response::builder().status(429);
    /// #     let body = stream::iter([Ok::<_, Infallible>(r#"{"error":{"code":"insufficient_quota"}}"#)]);
    /// #     Ok::<_, Infallible>(response.body(body).unwrap())
    /// # });
    ///
    /// // The server answers 429, which is retried, unless there is no credit left.
    /// let source = EventSource::with_connector(connector, timer);
    /// let mut source = source.with_response_verdict(|response| {
    ///     match response.text().contains("insufficient_quota") {
    ///         true => Verdict::Fail,
    ///         false => Verdict::default_for(&response.head()),
    ///     }
    /// });
    /// assert!(source.next().await.is_none());
    /// assert_eq!(source.into_stopped().reason(), StopReason::UnexpectedResponse);
    /// # }).unwrap();
    /// ```
    pub fn with_response_verdict(
        self,
        mut verdict: impl FnMut(&UnexpectedResponse) -> Verdict,
    ) -> EventSource<C, T, impl Hooks<C::Error>> {
        let verdict = move |_: &mut D, response: &UnexpectedResponse| verdict(response);
        self.map_hooks(|before| Overridden::new(before, verdict, D::error_verdict, D::delay, D::is_end))
    }

    /// Sets a function that decides what an error of the connector means. If it returns `None`, the error keeps its
    /// default meaning. See [`Hooks::error_verdict`].
    ///
    /// If it is set several times, the last function is called first. If it returns `None`, the one before it is
    /// called.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{EventSource, StopReason, Verdict, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use http::Response;
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    ///
    /// #[derive(Debug, PartialEq)]
    /// enum Failure { LoggedOut, Unreachable }
    ///
    /// let connector = connector_fn(async |_| {
    ///     Err::<Response<stream::Empty<Result<String, Infallible>>>, _>(Failure::LoggedOut)
    /// });
    /// # impl From<Infallible> for Failure { fn from(never: Infallible) -> Failure { match never {} } }
    /// let mut source = EventSource::with_connector(connector, timer)
    ///     .with_error_verdict(|error| (*error == Failure::LoggedOut).then_some(Verdict::Fail));
    /// assert!(source.next().await.is_none()); // without the verdict, it would retry
    /// assert_eq!(source.into_stopped().reason(), StopReason::Permanent);
    /// # let _ = Failure::Unreachable;
    /// # }).unwrap();
    /// ```
    pub fn with_error_verdict(
        self,
        mut verdict: impl FnMut(&C::Error) -> Option<Verdict>,
    ) -> EventSource<C, T, impl Hooks<C::Error>> {
        let verdict = move |before: &mut D, error: &C::Error| verdict(error).or_else(|| before.error_verdict(error));
        self.map_hooks(|before| Overridden::new(before, D::response_verdict, verdict, D::delay, D::is_end))
    }

    /// Sets a function that is told of each retry: why the last connection could not be made or ended, the delay
    /// before the next attempt, and the number of that attempt.
    ///
    /// A program that reads only [`events`](EventSource::events) gets no items for retries, but can log them here. If
    /// it is set several times, each function is called. To change the delay, implement [`Hooks::delay`].
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{EventSource, connector_fn};
    /// use futures_util::{TryStreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|_| async {
    /// #     let response = http::Response::builder().status(503);
    /// #     Ok::<_, Infallible>(response.body(stream::empty::<Result<&'static str, Infallible>>()).unwrap())
    /// # });
    ///
    /// // The server answers 503.
    /// let mut retries = Vec::new();
    /// let source = EventSource::with_connector(connector, timer);
    /// let source = source.on_retry(|error, delay, attempt| {
    ///     retries.push(format!("{error}; attempt {attempt} in {delay:.1?}"));
    /// });
    /// let error = source.events().try_next().await.unwrap_err();
    /// let error = "the server answered 503 Service Unavailable";
    /// assert!(retries[0].starts_with(&format!("{error}; attempt 2 in ")));
    /// assert_eq!(retries.len(), 4); // 5 attempts in all
    /// # }).unwrap();
    /// ```
    pub fn on_retry(
        self,
        mut observe: impl FnMut(&ConnectionError<C::Error>, Duration, u32),
    ) -> EventSource<C, T, impl Hooks<C::Error>> {
        let delay = move |before: &mut D, policy_delay, attempt, error: &ConnectionError<C::Error>| {
            let delay = before.delay(policy_delay, attempt, error);
            observe(error, delay, attempt);
            delay
        };
        self.map_hooks(|before| Overridden::new(before, D::response_verdict, D::error_verdict, delay, D::is_end))
    }

    /// Sets which event is the last one of the stream. See [`Hooks::is_end`].
    ///
    /// After that event the source stops, with [`StopReason::Finished`](crate::StopReason::Finished). If the
    /// body ends before that event, the connection counts as lost: [`ConnectionError::Truncated`]. A second call
    /// replaces the function.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{EventSource, Resend, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|_| async move {
    /// #     let response = http::Response::builder().header("content-type", "text/event-stream");
    /// #     Ok::<_, Infallible>(response.body(stream::iter([Ok::<_, Infallible>("data: Hel\n\n")])).unwrap())
    /// # }).with_resend(Resend::UnlessSent);
    ///
    /// // The response to a POST: it ends after one event, before the event `[DONE]`.
    /// let mut source = EventSource::with_connector(connector, timer)
    ///     .with_end(|event| event.data() == "[DONE]");
    /// while source.next().await.is_some() {}
    /// assert!(source.into_result().is_err());
    /// # }).unwrap();
    /// ```
    pub fn with_end(self, mut is_end: impl FnMut(&Event) -> bool) -> EventSource<C, T, impl Hooks<C::Error>> {
        let is_end = move |_: &mut D, event: &Event| is_end(event);
        self.map_hooks(|before| {
            Overridden::new(before, D::response_verdict, D::error_verdict, D::delay, is_end).expecting_end()
        })
    }

    /// Returns the next item, or `None` when the source has stopped; see [`Events::next`](eventwire::Events::next).
    pub fn next(&mut self) -> Next<'_, EventSource<C, T, D>> {
        Next::new(self)
    }

    fn map_hooks<N>(self, map: impl FnOnce(D) -> N) -> EventSource<C, T, N> {
        EventSource { hooks: map(self.hooks), session: self.session }
    }
}

impl<C: Connector, T: Timer, D: Hooks<C::Error>> Stream for EventSource<C, T, D> {
    type Item = Item<C::Error>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        this.session.poll_next(&mut this.hooks, context)
    }
}

impl<C: Connector, T: Timer, D: Hooks<C::Error>> FusedStream for EventSource<C, T, D> {
    fn is_terminated(&self) -> bool {
        self.session.has_stopped()
    }
}

/// Everything that must not move is boxed.
impl<C: Connector, T: Timer, D> Unpin for EventSource<C, T, D> {}

/// Not derived, because connectors and their types need not be `Debug`.
impl<C: Connector, T: Timer, D> fmt::Debug for EventSource<C, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventSource")
            .field("ready_state", &self.ready_state())
            .field("last_event_id", &self.last_event_id())
            .field("stopped", &self.stopped().map(Stopped::reason))
            .field("reconnect", &self.session.reconnect)
            .finish_non_exhaustive()
    }
}
