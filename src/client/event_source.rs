//! A client that stays connected.

mod attempt;
mod clock;
mod closures;
mod connection_error;
mod connector;
mod connector_fn;
mod decide;
mod decisions;
mod http_response;
mod item;
mod items;
mod link;
mod poll_bytes;
mod refusal;
mod settings;
mod source_event_stream;
mod stopped;
mod timeouts;
mod trace;

pub use self::{
    attempt::Attempt,
    closures::{WithCursor, WithDelay, WithEnd, WithErrorVerdict, WithProgress, WithVerdict},
    connection_error::ConnectionError,
    connector::Connector,
    connector_fn::{ConnectorFn, connector_fn},
    decide::Decide,
    item::Item,
    refusal::Refusal,
    source_event_stream::SourceEventStream,
    stopped::Stopped,
};

use self::{
    link::{Clocks, Link, LinkOf, Phase, PhaseProjection, Report},
    timeouts::Timeouts,
};
use super::{ReadyState, Reconnect, ReconnectPolicy, StopReason};
use crate::{Block, DecodeError, Decoder, Timer};
use alloc::boxed::Box;
use bytes::Bytes;
use core::{
    fmt,
    ops::ControlFlow,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use futures_core::{FusedStream, Stream};

/// After this many chunks in a row without an event, other tasks get a turn. It is less than the 128 after which tokio's cooperative
/// budget stops everything in the task, timers included, because the clocks have to be polled before that.
const CHUNKS_AT_A_TIME: usize = 64;

/// How many attempts [`events`](EventSource::events) makes to open a first connection.
const FIRST_ATTEMPTS: u32 = 5;

/// Events from a server, over as many connections as it takes; a stream of [`Item`]s.
///
/// It does what the `EventSource` of a browser does, by the rules of [`Reconnect`]: it connects, gives the events, reconnects
/// when the connection drops, and sends the server the ID of the last event. An error after which it reconnects is an item. Any other
/// error ends the stream, and [`stopped`](EventSource::stopped) or [`into_result`](EventSource::into_result) returns it. For the events
/// alone, with a failure as an error at the end, use [`events`](EventSource::events).
///
/// The connections come from a [`Connector`], the time from a [`Timer`]; the crate `eventwire-reqwest` has both. No task is
/// spawned, and nothing happens unless the stream is polled. Dropping it drops the connection. It is `Unpin`, and it is `Send` if the
/// connector, the timer and what they return are.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire::client::{EventSource, Item, StopReason, connector_fn};
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
/// # What may be sent again
///
/// A GET is sent again whenever the connection is lost. A POST is sent again only if the server certainly did not carry it out: the
/// connection could not be made, or the answer was 429 or 503. [`Resend`](super::Resend) has the other choices, and
/// [`with_policy`](EventSource::with_policy) sets one.
///
/// If a request is not sent again and its body ends inside an event, the source has [failed](Stopped::is_failure). To
/// also detect a cut between two events, name the last event: [`with_end`](EventSource::with_end).
///
/// # Decisions
///
/// Your code can decide what a response or an error means, which events are progress, where to continue, which event is
/// the last, and how long to wait: by a closure for one decision, or by a type that implements [`Decide`]. That type is
/// the type parameter `D`.
///
/// To store a source in a struct, its type needs a name. Closures have none, so use a type of your own:
///
/// ```
/// use eventwire::{Event, Timer, client::{Connector, Decide, EventSource}};
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
/// # use eventwire::client::adapters::WithEnd;
/// # fn boxed<C: Connector, T: Timer>(
/// #     source: EventSource<C, T>,
/// # ) -> EventSource<C, T, Box<dyn Decide<C::Error> + Send>> {
/// #     source.with_decisions(Box::new(UntilDone) as Box<dyn Decide<C::Error> + Send>)
/// # }
/// # fn with_pointer<C: Connector, T: Timer>(
/// #     source: EventSource<C, T>,
/// #     is_done: fn(&Event) -> bool,
/// # ) -> EventSource<C, T, WithEnd<(), fn(&Event) -> bool>> {
/// #     source.with_end(is_done)
/// # }
/// ```
///
/// Two other ways: `with_decisions(Box::new(UntilDone) as Box<dyn Decide<E> + Send>)` hides the type, where `E` is the
/// connector's error. And a function pointer can be named where a closure cannot: after
/// `with_end(is_done as fn(&Event) -> bool)` the type is `EventSource<C, T, WithEnd<(), fn(&Event) -> bool>>`, with
/// [`WithEnd`] from [`adapters`](super::adapters).
///
/// # Silence
///
/// A dead peer looks like an idle one. Two optional timeouts detect it:
/// [`with_idle_timeout`](EventSource::with_idle_timeout) for data of any kind, and
/// [`with_event_timeout`](EventSource::with_event_timeout) for events that are [progress](Decide::is_progress). A slow
/// consumer does not cause a timeout: neither runs between an item and the next poll, with one exception. After an item
/// that is not progress, the event timeout keeps running. While nobody polls, at most a quarter of a timeout passes.
///
/// # Restarts
///
/// Save [`last_event_id`](EventSource::last_event_id) and pass it to [`with_last_event_id`](EventSource::with_last_event_id) in
/// another process, which then continues where this one stopped. [`cursor`](EventSource::cursor) and
/// [`continue_from`](EventSource::continue_from) do the same for APIs that have a position of another kind.
/// [`restart`](EventSource::restart) connects again at once.
///
/// # Defaults
///
/// | setting | default | set by |
/// |---|---|---|
/// | attempts in a row without progress | no limit | [`with_max_attempts`] |
/// | attempts until a first event stream is open | no limit; 5 with [`events`](EventSource::events) | [`with_max_first_attempts`] |
/// | reconnection time, until the server sets one | 3 seconds | [`with_reconnection_time`] |
/// | delay | 100 ms to 30 seconds | [`with_min_delay`], [`with_max_delay`] |
/// | delay that a server may ask for | up to 1 hour | [`with_max_server_delay`] |
/// | what is sent again | by method: a GET always, a POST only if certainly not carried out | [`with_resend`] |
/// | length of the last event ID | up to 8 KiB | [`with_max_last_event_id`] |
/// | idle timeout, event timeout | off | [`with_idle_timeout`], [`with_event_timeout`] |
/// | body of a refusal | up to 16 KiB, for up to 5 seconds | [`with_max_refusal_body`], [`with_refusal_timeout`] |
/// | size of an event | up to 16 MiB | [`Decoder::with_max_event_size`] |
///
/// [`with_max_attempts`]: ReconnectPolicy::with_max_attempts
/// [`with_max_first_attempts`]: ReconnectPolicy::with_max_first_attempts
/// [`with_reconnection_time`]: ReconnectPolicy::with_reconnection_time
/// [`with_min_delay`]: ReconnectPolicy::with_min_delay
/// [`with_max_delay`]: ReconnectPolicy::with_max_delay
/// [`with_max_server_delay`]: ReconnectPolicy::with_max_server_delay
/// [`with_resend`]: ReconnectPolicy::with_resend
/// [`with_max_last_event_id`]: ReconnectPolicy::with_max_last_event_id
/// [`with_idle_timeout`]: EventSource::with_idle_timeout
/// [`with_event_timeout`]: EventSource::with_event_timeout
/// [`with_max_refusal_body`]: EventSource::with_max_refusal_body
/// [`with_refusal_timeout`]: EventSource::with_refusal_timeout
///
/// # Logs
///
/// With feature `tracing` it logs through the crate [tracing], with the target `eventwire::client`:
///
/// | message | level | fields |
/// |---|---|---|
/// | `connecting` | `DEBUG` | the number of the `attempt`; `resumes`: there is an ID or a cursor; `after_timeout` |
/// | `open` | `DEBUG` | `status`, and the HTTP `version` |
/// | `refused` | `INFO` | `status`, and the [`verdict`](super::Verdict) |
/// | `reconnecting` | `WARN`; `INFO` if the connection ended in order | `error`, `delay_ms`, and the next `attempt` |
/// | `stopped` | `WARN` if it [failed](Stopped::is_failure), `DEBUG` if the client closed it, else `INFO` | `reason`, `error` |
///
/// `error` is the name of a variant of [`ConnectionError`], `reason` that of a [`StopReason`]. Events are not logged, nor are bodies,
/// IDs, headers and URLs. The text of the connector's error is not logged either, because it may contain a secret, such as a token
/// in the query of a URL. To log it, take it from [`Item::Reconnecting`] or [`Stopped`].
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
    /// The part of the chunk that has not been decoded yet.
    chunk: Bytes,
    cursor: Option<Box<str>>,
    timeouts: Timeouts,
    /// How much of a refusal's body is kept, in bytes.
    max_refusal_body: usize,
    clocks: Clocks,
    /// Whether the last connection was given up because of a timeout.
    is_after_timeout: bool,
    /// The time for the rules: all delays so far. They need not know of any other.
    waited: Duration,
    /// Boxed, so that the rest can be moved, and `close` be called, whatever the connector makes.
    link: Pin<Box<LinkOf<C, T>>>,
}

/// What comes out of a connection.
#[derive(Clone, Copy, Debug)]
enum Contents {
    Events,
    /// Comments and blocks without data, too.
    Blocks(BlockReader),
}

/// The decoder's methods for blocks. By pointers, so that a program that never asks for blocks does not contain them.
#[derive(Clone, Copy, Debug)]
struct BlockReader {
    decode: fn(&mut Decoder, &mut Bytes) -> Result<Option<Block>, DecodeError>,
    finish: fn(&mut Decoder) -> Result<Option<Block>, DecodeError>,
}

impl<C: Connector, T: Timer> EventSource<C, T> {
    /// Events over the connections of this connector, with delays of this timer.
    ///
    /// The jitter of the delays is random: its seed is [the connector's](Connector::jitter_seed), or else the standard library's.
    /// (On `wasm32-unknown-unknown` the standard library has none. If the connector has none either, [set
    /// one](ReconnectPolicy::with_jitter_seed).)
    pub fn with_connector(connector: C, timer: T) -> EventSource<C, T> {
        let seed = connector.jitter_seed().unwrap_or_else(random_seed);
        let reconnect = Reconnect::new(ReconnectPolicy::new().with_jitter_seed(seed));
        EventSource {
            connector,
            timer,
            decisions: (),
            reconnect,
            decoder: Decoder::new(),
            contents: Contents::Events,
            chunk: Bytes::new(),
            cursor: None,
            timeouts: Timeouts::default(),
            max_refusal_body: refusal::DEFAULT_MAX_BODY,
            clocks: Clocks::Stopped,
            is_after_timeout: false,
            waited: Duration::ZERO,
            link: Box::pin(Link::between(None)),
        }
    }
}

impl<C: Connector, T: Timer, D> EventSource<C, T, D> {
    /// Where the connection is. It is closed as soon as the head of a response says so, while the body of the
    /// [`Refusal`] is still being read.
    #[must_use]
    pub fn ready_state(&self) -> ReadyState {
        self.reconnect.ready_state()
    }

    /// The last event ID: what the next request says. `""` for none.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.decoder.last_event_id()
    }

    /// The last cursor: where the next request [continues](Attempt::cursor), if the API has a cursor other than the
    /// event ID.
    #[must_use]
    pub fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }

    /// The last `retry` of the server, over all connections.
    #[must_use]
    pub fn reconnection_time(&self) -> Option<Duration> {
        self.decoder.reconnection_time()
    }

    /// The decoder, as it is after the last item.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.decoder
    }

    /// The connector.
    #[must_use]
    pub fn connector(&self) -> &C {
        &self.connector
    }

    /// The connector. Changes take effect with the next attempt.
    #[must_use]
    pub fn connector_mut(&mut self) -> &mut C {
        &mut self.connector
    }

    /// How it reconnects.
    #[must_use]
    pub fn policy(&self) -> &ReconnectPolicy {
        self.reconnect.policy()
    }

    /// What [is decided by code](EventSource::with_decisions).
    #[must_use]
    pub fn decisions(&self) -> &D {
        &self.decisions
    }

    /// What [is decided by code](EventSource::with_decisions).
    #[must_use]
    pub fn decisions_mut(&mut self) -> &mut D {
        &mut self.decisions
    }

    /// Why the stream ended, once it has. `None` while it runs, and after [`take_stopped`](EventSource::take_stopped).
    #[must_use]
    pub fn stopped(&self) -> Option<&Stopped<C::Error>> {
        match &self.link.phase {
            Phase::Stopped { report: Report::Pending, stopped } => Some(stopped),
            _ => None,
        }
    }

    /// Takes out why the stream ended, once it has. After that, only the reason is left here, without the error.
    ///
    /// For a source that is borrowed; [`into_stopped`](EventSource::into_stopped) and [`into_result`](EventSource::into_result) consume
    /// it.
    pub fn take_stopped(&mut self) -> Option<Stopped<C::Error>> {
        match self.link.as_mut().project().phase.project() {
            PhaseProjection::Stopped { report, stopped } if *report == Report::Pending => {
                *report = Report::Taken;
                Some(stopped.take())
            }
            _ => None,
        }
    }

    /// Closes the source, if it is still running, and returns why it stopped.
    ///
    /// If that has been [taken out](EventSource::take_stopped) before, or returned by [`events`](EventSource::events), it is the same
    /// reason without the error.
    #[must_use]
    pub fn into_stopped(mut self) -> Stopped<C::Error> {
        self.close();
        match self.link.as_mut().project().phase.project() {
            PhaseProjection::Stopped { stopped, .. } => stopped.take(),
            _ => Stopped::new(StopReason::Closed, None),
        }
    }

    /// Closes the source, if it is still running, and returns an error if it [failed](Stopped::is_failure).
    ///
    /// # Errors
    ///
    /// [`Stopped`], if it is a failure. If that has been taken out before, it is returned again, without the error of the connection.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::client::{EventSource, Item, connector_fn};
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

    /// The events alone. It reconnects without an item, and a failure ends the stream with an error.
    ///
    /// A mistyped host must not look like a server without events. So the stream fails if the first 5 attempts open no
    /// event stream (a 429 counts as well), unless the policy limits [first
    /// attempts](ReconnectPolicy::with_max_first_attempts) or [attempts in a row](ReconnectPolicy::with_max_attempts)
    /// otherwise. Once an event stream has been open, it reconnects as the policy says.
    ///
    /// An attempt has no time limit of its own: a server that accepts the connection and does not answer is detected
    /// only by a timeout, such as [`with_idle_timeout`](EventSource::with_idle_timeout).
    pub fn events(mut self) -> SourceEventStream<C, T, D> {
        let policy = self.reconnect.policy();
        if policy.max_attempts().is_none() && policy.max_first_attempts().is_none() {
            let policy = policy.clone().with_max_first_attempts(FIRST_ATTEMPTS);
            self.reconnect.set_policy(policy);
        }
        SourceEventStream::new(self)
    }

    /// Drops the connection, and connects again at the next poll; also if the stream has ended.
    ///
    /// The last event ID and the cursor are kept. Attempts are counted from the start again, and the request is sent
    /// even if it [must not be sent again](super::Resend), because you asked for it. A typed stream over this source that
    /// has ended stays so.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::client::{EventSource, Item, StopReason, connector_fn};
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
        self.link.set(Link::between(None));
    }

    /// Drops the connection and ends the stream. A source that has stopped already stays as it is.
    pub fn close(&mut self) {
        // Nothing more is decoded.
        self.chunk = Bytes::new();
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
}

impl<C: Connector, T: Timer, D: Decide<C::Error>> Stream for EventSource<C, T, D> {
    type Item = Item<C::Error>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let mut chunks = 0;
        loop {
            match this.contents {
                Contents::Events if this.chunk.is_empty() => {}
                Contents::Events => match this.decoder.decode_bytes(&mut this.chunk) {
                    Ok(Some(event)) => return Poll::Ready(Some(this.give(context, event))),
                    Ok(None) => {}
                    Err(error) => return Poll::Ready(Some(this.pass_over(context, error))),
                },
                // Even if the chunk is used up, there may be another.
                Contents::Blocks(reader) => match (reader.decode)(&mut this.decoder, &mut this.chunk) {
                    Ok(Some(block)) => match this.give_block(context, block) {
                        Some(item) => return Poll::Ready(Some(item)),
                        None => continue,
                    },
                    Ok(None) => {}
                    Err(error) => return Poll::Ready(Some(this.pass_over(context, error))),
                },
            }
            if chunks == CHUNKS_AT_A_TIME {
                this.take_breath(context);
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
        self.has_stopped()
    }
}

/// What could not be moved is boxed.
impl<C: Connector, T: Timer, D> Unpin for EventSource<C, T, D> {}

/// Neither connectors, which are functions often, nor what they make need be `Debug`.
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

/// The keys of the standard library's hash maps, which are random so that they cannot be guessed.
fn random_seed() -> u64 {
    use core::hash::{BuildHasher, Hasher};
    std::hash::RandomState::new().build_hasher().finish()
}
