//! A client that stays connected.

mod attempt;
mod clock;
mod connection_error;
mod connector;
mod head;
mod item;
mod link;
mod poll_bytes;
mod refusal;
mod seed;
mod source_event_stream;
mod stopped;
mod timeouts;

pub use self::{
    attempt::Attempt, connection_error::ConnectionError, connector::Connector, head::Head, item::Item,
    refusal::Refusal, source_event_stream::SourceEvents, stopped::Stopped,
};

use self::{
    link::{Link, LinkOf},
    timeouts::Timeouts,
};
use super::{ReadyState, Reconnect, StopReason};
use crate::{decoder::Decoder, event::InvalidField, feed::Feed, timer::Timer};
use alloc::boxed::Box;
use bytes::Bytes;
use core::{
    fmt, mem,
    ops::ControlFlow,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};
use futures_core::{FusedStream, Stream};

/// How many chunks in a row without an event are taken in before other tasks have their turn. Fewer than the 128 after which tokio
/// holds back everything else in the task as well, its timers among them: the clocks have to be looked at before.
const CHUNKS_AT_A_TIME: usize = 64;

/// Events from a server, over as many connections as it takes; a stream of [`Item`]s.
///
/// It does what the `EventSource` of a browser does, by the rules of [`Reconnect`]: it connects, gives the events, connects again
/// when the connection is no more, and tells the server the ID of the last event. What went wrong is an item if it is tried again;
/// if it is not, the stream ends, and [`stopped`](EventSource::stopped) says why. For the events alone, and the error at the end as an
/// error, there is [`events`](EventSource::events).
///
/// The connections come from a [`Connector`], time from a [`Timer`]. With feature `reqwest` both are there: see `EventSource::new`.
/// No task is spawned, and nothing happens while nobody polls; dropping the stream drops the connection. It is `Send` if the
/// connector, the timer and what they make are, and it is `Unpin`.
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire::client::{Attempt, EventSource, Item, StopReason};
/// use futures_util::{StreamExt, stream};
/// # use std::{convert::Infallible, future, time::Duration};
/// # let timer = |_: Duration| future::ready(());
/// # let connector = |attempt: Attempt| async move {
/// #     let response = match attempt.last_event_id() {
/// #         None => http::Response::builder().header("content-type", "text/event-stream"),
/// #         Some(_) => http::Response::builder().status(204),
/// #     };
/// #     Ok::<_, Infallible>(response.body(stream::iter([Ok::<_, Infallible>("id: 1\ndata: hello\n\n")])).unwrap())
/// # };
///
/// let mut source = EventSource::with_connector(connector, timer);
/// while let Some(item) = source.next().await {
///     match item {
///         Item::Open(head) => assert_eq!(head.status(), 200),
///         Item::Event(event) => assert_eq!(event.data(), "hello"),
///         Item::Reconnecting { error, delay, .. } => println!("{error}; again in {delay:?}"),
///         Item::Undecodable(error) => println!("{error}"),
///         _ => {}
///     }
/// }
/// assert_eq!(source.stopped().unwrap().reason(), StopReason::NoContent); // the server has had enough
/// # }).unwrap();
/// ```
///
/// # Silence
///
/// A connection whose other end is gone without a word looks like one on which nothing happens. Two clocks tell, if they are set:
/// [`with_idle_timeout`](EventSource::with_idle_timeout) for bytes of any kind, and
/// [`with_event_timeout`](EventSource::with_event_timeout) for events. Neither runs while nobody waits for an item: each begins anew when the
/// stream is polled after it has given one. (A wait that is given up half-way, as by `select!`, cannot be seen from
/// within; however long nobody comes back, a quarter of the timeout is
/// counted for each absence, so that four of them in one silence end it.)
///
/// # Restarts
///
/// [`last_event_id`](EventSource::last_event_id) can be kept, and given to [`with_last_event_id`](EventSource::with_last_event_id) in
/// another process, which then goes on where this one was.
#[must_use = "a stream does nothing unless it is polled"]
pub struct EventSource<C: Connector, T: Timer> {
    connector: C,
    timer: T,
    reconnect: Reconnect,
    feed: Feed,
    timeouts: Timeouts,
    /// Whether the open connection has had nothing since the last item, so that the clocks may run.
    is_silent: bool,
    /// The time for the rules: all delays so far. They need not know of any other.
    waited: Duration,
    stopped: Option<Stopped<C::Error>>,
    /// Boxed, so that the rest can be moved, and `close` be called, whatever the connector makes.
    link: Pin<Box<LinkOf<C, T>>>,
}

impl<C: Connector, T: Timer> EventSource<C, T> {
    /// Events over the connections of this connector, with delays of this timer.
    ///
    /// The delays' jitter is random. (On `wasm32-unknown-unknown` randomness is the browser's, and takes feature `reqwest`: without
    /// that, [set a seed](Reconnect::with_jitter_seed).)
    pub fn with_connector(connector: C, timer: T) -> EventSource<C, T> {
        EventSource {
            connector,
            timer,
            reconnect: Reconnect::new().seeded(seed::random),
            feed: Feed::new(Decoder::new()),
            timeouts: Timeouts::default(),
            is_silent: false,
            waited: Duration::ZERO,
            stopped: None,
            link: Box::pin(Link::between(None)),
        }
    }

    /// Sets the rules: delays, a limit on attempts, what is sent again, what counts as an event stream.
    ///
    /// Without a [seed](Reconnect::with_jitter_seed) they get a random one. The course of a source that has begun stays as it is.
    pub fn with_reconnect(mut self, reconnect: Reconnect) -> Self {
        self.reconnect = reconnect.seeded(seed::random).in_place_of(&self.reconnect);
        self
    }

    /// Sets the decoder: how large an event may be, what becomes of an unfinished one, and the last event ID. If the decoder has
    /// none, the one that there is stays.
    ///
    /// It comes before the first event; what another decoder has begun is lost.
    pub fn with_decoder(mut self, decoder: Decoder) -> Self {
        self.feed.decoder = match decoder.last_event_id() {
            // An ID that there is can be set.
            "" => decoder.with_last_event_id(self.last_event_id()).unwrap_or_default(),
            _ => decoder,
        };
        self
    }

    /// Sets the last event ID, with which the first request is sent. `""` is none.
    ///
    /// # Errors
    ///
    /// [`InvalidField`] if there is a CR, an LF or a NUL in `id`: no stream can set such an ID.
    pub fn with_last_event_id(mut self, id: &str) -> Result<Self, InvalidField> {
        let decoder = mem::take(&mut self.feed.decoder).with_last_event_id(id)?;
        self.feed.decoder = decoder;
        Ok(self)
    }

    /// Sets for how long there may be no byte at all, from the request on, before the connection is given up and made again. No limit
    /// unless set; zero is none.
    pub fn with_idle_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.idle = Some(timeout).filter(|timeout| !timeout.is_zero());
        self
    }

    /// Sets for how long an open connection may bring no event, comments or not, before it is given up and made again. No limit unless
    /// set; zero is none.
    pub fn with_event_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.event = Some(timeout).filter(|timeout| !timeout.is_zero());
        self
    }

    /// Where the connection is.
    #[must_use]
    pub fn ready_state(&self) -> ReadyState {
        self.reconnect.ready_state()
    }

    /// The last event ID: what the next request says. `""` for none.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.feed.decoder.last_event_id()
    }

    /// The last `retry` of the server, over all connections.
    #[must_use]
    pub fn reconnection_time(&self) -> Option<Duration> {
        self.feed.decoder.reconnection_time()
    }

    /// The decoder, as it stands behind the last item.
    #[must_use]
    pub fn decoder(&self) -> &Decoder {
        &self.feed.decoder
    }

    /// The connector.
    #[must_use]
    pub fn connector(&self) -> &C {
        &self.connector
    }

    /// The connector. What is changed in it counts from the next attempt on.
    #[must_use]
    pub fn connector_mut(&mut self) -> &mut C {
        &mut self.connector
    }

    /// Why there are no more items, once there are none.
    #[must_use]
    pub fn stopped(&self) -> Option<&Stopped<C::Error>> {
        self.stopped.as_ref()
    }

    /// Why there are no more items, to be kept. The source is closed by it, if it is not yet.
    #[must_use]
    pub fn into_stopped(mut self) -> Stopped<C::Error> {
        self.close();
        self.stopped.unwrap_or(Stopped { reason: StopReason::Closed, error: None })
    }

    /// The events alone. What is tried again is passed over, and a failure at the end is an error.
    pub fn events(self) -> SourceEvents<C, T> {
        SourceEvents::new(self)
    }

    /// Drops the connection, and ends the stream. What has come to an end already stays as it is.
    pub fn close(&mut self) {
        // What has not been decoded will not be.
        self.feed.take_in(Bytes::new());
        if self.stopped.is_none() {
            let reason = self.reconnect.close();
            let error = self.take_error().filter(|_| reason != StopReason::Closed);
            self.stop(reason, error);
        }
    }

    /// Why it is over, if something has gone wrong; the error is taken out of [`stopped`](EventSource::stopped).
    pub(super) fn take_failure(&mut self) -> Option<Stopped<C::Error>> {
        let stopped = self.stopped.as_mut().filter(|stopped| stopped.is_failure())?;
        Some(Stopped { reason: stopped.reason, error: stopped.error.take() })
    }
}

impl<C: Connector, T: Timer> Stream for EventSource<C, T> {
    type Item = Item<C::Error>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let mut chunks = 0;
        loop {
            // Not through `Feed::event`: it would be one more `Option` that the event is moved through; DESIGN.md has the figure.
            if !this.feed.chunk.is_empty() {
                match this.feed.decoder.decode_bytes(&mut this.feed.chunk) {
                    Ok(Some(event)) => return Poll::Ready(Some(this.give(event))),
                    Ok(None) => {}
                    Err(error) => return Poll::Ready(Some(this.pass_over(error))),
                }
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

impl<C: Connector, T: Timer> FusedStream for EventSource<C, T> {
    fn is_terminated(&self) -> bool {
        self.stopped.is_some()
    }
}

/// What could not be moved is boxed.
impl<C: Connector, T: Timer> Unpin for EventSource<C, T> {}

/// Neither connectors, which are functions often, nor what they make need be `Debug`.
impl<C: Connector, T: Timer> fmt::Debug for EventSource<C, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventSource")
            .field("ready_state", &self.ready_state())
            .field("last_event_id", &self.last_event_id())
            .field("stopped", &self.stopped.as_ref().map(Stopped::reason))
            .field("reconnect", &self.reconnect)
            .finish_non_exhaustive()
    }
}
