//! [`EventSource`] and the types around it.

mod attempt;
mod clock;
mod connection_error;
mod connector;
mod connector_fn;
mod decide;
mod decisions;
mod handle;
mod item;
mod items;
mod last_request;
mod link;
mod poll_bytes;
mod refusal;
mod refusal_ext;
mod request_fn;
mod settings;
mod source_event_stream;
mod stopped;
mod trace;
mod unwinding;

pub use self::{
    attempt::Attempt,
    connection_error::ConnectionError,
    connector::Connector,
    connector_fn::{ConnectorFn, connector_fn},
    decide::Decide,
    handle::Handle,
    item::Item,
    refusal::Refusal,
    refusal_ext::RefusalExt,
    request_fn::{Connecting, RequestFn, request_fn},
    source_event_stream::SourceEventStream,
    stopped::Stopped,
};

use self::{
    handle::Delay,
    last_request::LastRequest,
    link::{Clocks, Link, LinkOf, Phase, PhaseProjection, Report},
};
use super::{ReadyState, Reconnect, ReconnectPolicy, StopReason};
use alloc::{boxed::Box, sync::Arc};
use bytes::Bytes;
use core::{
    fmt,
    ops::ControlFlow,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
#[cfg(panic = "unwind")]
use eventwire::Event;
use eventwire::{BlockItem, DecodeError, Decoder, Timer};
use futures_core::{FusedStream, Stream};

/// After this many chunks in a row without an event, other tasks get a turn. tokio's cooperative budget stops
/// everything in the task after 128 operations, timers included. The clocks have to be polled before that.
const CHUNKS_AT_A_TIME: usize = 64;

/// How many attempts [`events`](EventSource::events) makes to open a first connection.
const FIRST_ATTEMPTS: u32 = 5;

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
///         Item::Reconnecting { error, delay, .. } => println!("{error}; again in {delay:.1?}"),
///         Item::Undecodable(error) => println!("{error}"),
///         _ => {}
///     }
/// }
/// assert_eq!(source.stopped().unwrap().reason(), StopReason::NoContent); // the server answered 204
/// # }).unwrap();
/// ```
///
/// # Decisions
///
/// Your code can make these decisions. Pass a type that implements [`Decide`] to
/// [`with_decisions`](EventSource::with_decisions); for four of them, a closure is enough:
///
/// | what it decides | method | closure |
/// |---|---|---|
/// | what the head of a response means | [`verdict`](Decide::verdict) | [`with_verdict`](EventSource::with_verdict) |
/// | what an error of the connector means | [`error_verdict`](Decide::error_verdict) | [`with_error_verdict`](EventSource::with_error_verdict) |
/// | how long to wait before a retry | [`delay`](Decide::delay) | [`with_delay`](EventSource::with_delay) |
/// | which event is the last | [`is_end`](Decide::is_end) | [`with_end`](EventSource::with_end) |
/// | which events are progress | [`is_progress`](Decide::is_progress) | |
/// | where the next request continues | [`cursor`](Decide::cursor) | |
///
/// The type parameter `D` is the type of the decisions.
///
/// To store a source in a struct, you have to name its type. Closures have no names, so use a type that implements
/// [`Decide`]:
///
/// ```
/// use eventwire::{Event, Timer};
/// use eventwire_client::{Connector, Decide, EventSource};
///
/// struct UntilDone;
///
/// impl<E> Decide<E> for UntilDone {
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
///     source: EventSource<C, T, UntilDone>, // with eventwire-reqwest: `RequestEventSource<UntilDone>`
/// }
///
/// fn chat<C: Connector, T: Timer>(connector: C, timer: T) -> Chat<C, T> {
///     Chat { source: EventSource::with_connector(connector, timer).with_decisions(UntilDone) }
/// }
/// ```
///
/// A source can also be boxed as a stream, for example by `StreamExt::boxed` of futures-util.
///
/// If one of your functions panics, the panic reaches the code that polls the source. Code that catches it can
/// continue to poll the source:
///
/// * An event whose [`cursor`](Decide::cursor), [`is_progress`](Decide::is_progress) or [`is_end`](Decide::is_end)
///   panicked is the next item. Nothing is decided about it again.
/// * After a panic of `verdict`, `error_verdict` or `expects_end`, or of the connector, the connection counts as lost,
///   and its error is not returned. After a panic of `delay`, the policy's delay follows.
///
/// # Continuing after a restart
///
/// To continue in another process, save [`last_event_id`](EventSource::last_event_id) and pass it to
/// [`with_last_event_id`](EventSource::with_last_event_id) there. For APIs that resume by another position, use
/// [`cursor`](EventSource::cursor) and [`continue_from`](EventSource::continue_from). In the same process,
/// [`restart`](EventSource::restart) connects again at once.
///
/// # Logs
///
/// With feature `tracing`, the source logs through the crate [tracing], with the target `eventwire_client`:
///
/// | message | level | fields |
/// |---|---|---|
/// | `connecting` | `DEBUG` | the number of the `attempt`; `resumes`: whether there is an ID or a cursor; `after_timeout`: whether a timeout ended the last connection |
/// | `open` | `DEBUG` | `status`, and the HTTP `version` |
/// | `refused` | `INFO` | `status`, and the [`verdict`](super::Verdict) |
/// | `reconnecting` | `WARN`; `INFO` if the body ended between two events | `error`, `delay_ms`, and the next `attempt` |
/// | `stopped` | `WARN` if it [failed](Stopped::is_failure), `DEBUG` if the client closed it, otherwise `INFO` | `reason`, `error` |
///
/// `error` is the name of a variant of [`ConnectionError`], and `reason` that of a [`StopReason`]. Events, bodies,
/// IDs, headers and URLs are not logged. Neither is the text of the connector's error, because it may contain a
/// secret, such as a token in the query of a URL. To log it, read it from [`Item::Reconnecting`] or [`Stopped`].
///
/// [tracing]: https://docs.rs/tracing
#[must_use = "a stream does nothing unless it is polled"]
pub struct EventSource<C: Connector, T: Timer, D = ()> {
    connector: C,
    timer: T,
    decisions: D,
    reconnect: Reconnect,
    decoder: Decoder,
    contents: Contents,
    /// The rest of the chunk, which has not been decoded yet.
    chunk: Bytes,
    cursor: Option<Box<str>>,
    request: LastRequest,
    /// How long reading the body of a refusal may take in total.
    refusal_timeout: Duration,
    /// How many bytes of a refusal's body are kept.
    max_refusal_body: usize,
    clocks: Clocks,
    /// Shared with the handles.
    delay: Arc<Delay>,
    /// Whether the last connection was dropped because of a timeout.
    is_after_timeout: bool,
    /// The time for the rules: the sum of all delays. They need no other clock.
    waited: Duration,
    /// Boxed, so that the source can be moved and closed even if the connector's types are not `Unpin`.
    link: Pin<Box<LinkOf<C, T>>>,
}

/// Which items are read from a connection.
#[derive(Debug)]
enum Contents {
    Events,
    /// Also comments and blocks without data.
    Blocks(BlockReader),
    /// First this event, during which there was a panic. Nothing is decided about it again.
    #[cfg(panic = "unwind")]
    After(Box<(Event, Contents)>),
}

/// The decoder's methods for blocks, as pointers, so that a program that does not read blocks does not contain them.
#[derive(Clone, Copy, Debug)]
struct BlockReader {
    decode: fn(&mut Decoder, &mut Bytes) -> Result<Option<BlockItem>, DecodeError>,
    finish: fn(&mut Decoder) -> Result<Option<BlockItem>, DecodeError>,
}

impl<C: Connector, T: Timer> EventSource<C, T> {
    /// Returns an event source with this connector and this timer. It connects when it is first polled.
    ///
    /// The jitter of the delays has a random seed from the standard library. On `wasm32-unknown-unknown` the standard
    /// library has no randomness, so [set a seed](ReconnectPolicy::with_jitter_seed) there.
    pub fn with_connector(connector: C, timer: T) -> EventSource<C, T> {
        let reconnect = Reconnect::new(ReconnectPolicy::new().with_jitter_seed(random_seed()));
        EventSource {
            connector,
            timer,
            decisions: (),
            reconnect,
            decoder: Decoder::new(),
            contents: Contents::Events,
            chunk: Bytes::new(),
            cursor: None,
            request: LastRequest::default(),
            refusal_timeout: Duration::from_secs(5),
            max_refusal_body: refusal::DEFAULT_MAX_BODY,
            clocks: Clocks::Stopped,
            delay: Arc::default(),
            is_after_timeout: false,
            waited: Duration::ZERO,
            link: Box::pin(Link::new()),
        }
    }
}

impl<C: Connector, T: Timer, D> EventSource<C, T, D> {
    /// Returns whether the source is connecting, open or closed. If a response is refused for good, the source is
    /// closed even while the body of the [`Refusal`] is still being read.
    #[must_use]
    pub fn ready_state(&self) -> ReadyState {
        self.reconnect.ready_state()
    }

    /// Returns the last event ID, which the next request sends. `""` means none.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.decoder.last_event_id()
    }

    /// Returns the last [cursor](Decide::cursor): where the next request continues, for APIs that do not resume by
    /// event ID. The connector gets it with each [attempt](Attempt::cursor).
    #[must_use]
    pub fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// Returns the decoder in its state after the last item.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// Returns the connector.
    #[must_use]
    pub fn connector(&self) -> &C {
        &self.connector
    }

    /// Returns the settings for delays, limits and what is sent again.
    #[must_use]
    pub fn policy(&self) -> &ReconnectPolicy {
        self.reconnect.policy()
    }

    /// Returns a handle, which ends a delay early while the source is polled elsewhere.
    #[must_use]
    pub fn handle(&self) -> Handle {
        Handle::new(&self.delay)
    }

    /// Returns why the stream ended. `None` while it runs, and after [`take_stopped`](EventSource::take_stopped).
    #[must_use]
    pub fn stopped(&self) -> Option<&Stopped<C::Error>> {
        match &self.link.phase {
            Phase::Stopped { report: Report::Pending, stopped } => Some(stopped),
            _ => None,
        }
    }

    /// Takes the reason why the stream ended, with its error. `None` while it runs, and if it has been taken before.
    ///
    /// Use it for a borrowed source; [`into_stopped`](EventSource::into_stopped) and
    /// [`into_result`](EventSource::into_result) consume the source.
    pub fn take_stopped(&mut self) -> Option<Stopped<C::Error>> {
        match self.link.as_mut().project().phase.project() {
            PhaseProjection::Stopped { report, stopped } if *report == Report::Pending => {
                *report = Report::Taken;
                Some(stopped.take())
            }
            _ => None,
        }
    }

    /// Closes the source if it is still running, and returns why it stopped.
    ///
    /// If [`take_stopped`](EventSource::take_stopped) or the stream of [`events`](EventSource::events) has returned
    /// that before, this is the same reason without the error.
    #[must_use]
    pub fn into_stopped(mut self) -> Stopped<C::Error> {
        self.close();
        match self.link.as_mut().project().phase.project() {
            PhaseProjection::Stopped { stopped, .. } => stopped.take(),
            _ => Stopped::new(StopReason::Closed, None),
        }
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

    /// Returns a stream of the events alone. It reconnects without an item, and a failure ends it with an error.
    ///
    /// For typed JSON, call `.json()` on it: `source.events().json::<T>()`. To report retries anyway, use
    /// [`with_delay`](EventSource::with_delay).
    ///
    /// An event that cannot be decoded, for example because it is too large, is an
    /// [`Error::Decode`](eventwire::Error::Decode), and the stream continues after it.
    ///
    /// It also fails if the first 5 attempts open no event stream, so that a mistyped host is an error, unless the
    /// policy sets [this limit](ReconnectPolicy::with_max_first_attempts) or [the
    /// other](ReconnectPolicy::with_max_attempts). An attempt has no time limit: set a [timeout](crate#timeouts) to
    /// detect a server that does not answer.
    pub fn events(mut self) -> SourceEventStream<C, T, D> {
        let policy = self.reconnect.policy();
        if !policy.limits_attempts() {
            let policy = policy.clone().with_max_first_attempts(FIRST_ATTEMPTS);
            self.reconnect.set_policy(policy);
        }
        SourceEventStream::new(self)
    }

    /// Drops the connection and connects again at the next poll, even if the stream has ended.
    ///
    /// The last event ID and the cursor are kept. The attempts are counted from 1 again. The request is sent even if
    /// it [must not be sent again](super::Resend). If a [`JsonStream`](eventwire::JsonStream) over this source has
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
        self.chunk = Bytes::new();
        self.decoder.reset();
        self.reconnect.handle_restart();
        self.clocks = Clocks::Stopped;
        self.is_after_timeout = false;
        self.delay.end();
        self.link.as_mut().leave(Phase::Between { error: None });
    }

    /// Drops the connection and ends the stream. A source that has already stopped is not changed.
    pub fn close(&mut self) {
        // Nothing that has arrived must be returned after the close.
        self.chunk = Bytes::new();
        #[cfg(panic = "unwind")]
        self.take_kept();
        self.decoder.reset();
        if !self.has_stopped() {
            self.reconnect.handle_close();
            let reason = self.reconnect.stop_reason().unwrap_or(StopReason::Closed);
            let error = self.take_error().filter(|_| reason != StopReason::Closed);
            self.stop(Stopped::new(reason, error));
        }
    }

    fn has_stopped(&self) -> bool {
        matches!(self.link.phase, Phase::Stopped { .. })
    }

    /// Takes the event that was kept in a panic.
    #[cfg(panic = "unwind")]
    #[cold]
    fn take_kept(&mut self) -> Option<Event> {
        match core::mem::replace(&mut self.contents, Contents::Events) {
            Contents::After(kept) => {
                let (event, contents) = *kept;
                self.contents = contents;
                Some(event)
            }
            contents => {
                self.contents = contents;
                None
            }
        }
    }
}

impl<C: Connector, T: Timer, D: Decide<C::Error>> Stream for EventSource<C, T, D> {
    type Item = Item<C::Error>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let mut chunks = 0;
        loop {
            match &this.contents {
                Contents::Events if this.chunk.is_empty() => {}
                Contents::Events => match this.decoder.decode_bytes(&mut this.chunk) {
                    Ok(Some(event)) => return Poll::Ready(Some(this.give(context, event))),
                    Ok(None) => {}
                    Err(error) => return Poll::Ready(Some(this.pass_over(context, error))),
                },
                // Even when the chunk is used up, the decoder may have another block.
                Contents::Blocks(reader) => match (reader.decode)(&mut this.decoder, &mut this.chunk) {
                    Ok(Some(block)) => match this.give_block(context, block) {
                        Some(item) => return Poll::Ready(Some(item)),
                        None => continue,
                    },
                    Ok(None) => {}
                    Err(error) => return Poll::Ready(Some(this.pass_over(context, error))),
                },
                #[cfg(panic = "unwind")]
                Contents::After(_) => return Poll::Ready(this.take_kept().map(Item::Event)),
            }
            if chunks == CHUNKS_AT_A_TIME {
                this.guard(|source| source.take_breath(context));
                return Poll::Pending;
            }
            if let ControlFlow::Break(item) = ready!(this.poll_bytes(context)) {
                return Poll::Ready(item);
            }
            chunks += 1;
        }
    }
}

impl<C: Connector, T: Timer, D: Decide<C::Error>> FusedStream for EventSource<C, T, D> {
    fn is_terminated(&self) -> bool {
        #[cfg(panic = "unwind")]
        if let Contents::After(_) = self.contents {
            return false;
        }
        self.has_stopped()
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
            .field("reconnect", &self.reconnect)
            .finish_non_exhaustive()
    }
}

/// A random number: the standard library's hash maps have random keys.
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
fn random_seed() -> u64 {
    use core::hash::{BuildHasher, Hasher};
    std::hash::RandomState::new().build_hasher().finish()
}

/// The keys are the same in every page, and the hasher would be code in each of them.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
fn random_seed() -> u64 {
    0
}
