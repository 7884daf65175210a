//! The stream that [`EventSource::events`] returns.

use crate::event_source::{EventSource, connector::Connector, hooks::Hooks, item::Item, stopped::Stopped};
use core::{
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};
use eventwire::{Error, Event, Timer, adapters::Next, internal::Turn};
use futures_core::{FusedStream, Stream};

/// A stream of the events of an [`EventSource`], as `Result<Event, Error<Stopped<E>>>`. [`EventSource::events`]
/// returns it.
///
/// It reconnects without an item. An event that cannot be decoded is an [`Error::Decode`], and the stream continues
/// after it. If the source reads [blocks](EventSource::with_blocks), the events are those of the blocks that have data,
/// and everything else is skipped.
///
/// If the source [fails](Stopped::is_failure), the last item is that error, as [`Error::Transport`].
///
/// ```
/// # futures_util::FutureExt::now_or_never(async {
/// use eventwire_client::{EventSource, connector_fn};
/// use futures_util::{TryStreamExt, stream};
/// # use std::{convert::Infallible, future, time::Duration};
/// # let timer = |_: Duration| future::ready(());
/// # let connector = connector_fn(|attempt| async move {
/// #     let response = match attempt.last_event_id() {
/// #         None => http::Response::builder().header("content-type", "text/event-stream"),
/// #         Some(_) => http::Response::builder().status(410),
/// #     };
/// #     Ok::<_, Infallible>(response.body(stream::iter([Ok::<_, Infallible>("id: 1\ndata: hello\n\n")])).unwrap())
/// # });
///
/// let mut events = EventSource::with_connector(connector, timer).events();
/// assert_eq!(events.try_next().await?.unwrap().data(), "hello");
/// let error = events.try_next().await.unwrap_err(); // the server's next answer is 410 Gone
/// let eventwire::Error::Transport(stopped) = error else { panic!("{error}") };
/// assert_eq!(stopped.response().unwrap().status(), 410);
/// # Ok::<(), eventwire::Error<eventwire_client::Stopped<Infallible>>>(())
/// # }).unwrap().unwrap();
/// ```
#[must_use = "a stream does nothing unless it is polled"]
pub struct SourceEventStream<C: Connector, T: Timer, D = ()> {
    source: EventSource<C, T, D>,
}

impl<C: Connector, T: Timer, D> EventSource<C, T, D> {
    /// Returns a stream of the events alone. It reconnects without an item, and a failure ends it with an error.
    ///
    /// For typed JSON, call `.json_with()` on it: `source.events().json_with::<T>(Dialect::OPENAI)`. To report retries
    /// anyway, use [`on_retry`](EventSource::on_retry).
    ///
    /// An event that cannot be decoded, for example because it is too large, is an
    /// [`Error::Decode`](eventwire::Error::Decode), and the stream continues after it.
    ///
    /// An attempt has no time limit: set a [timeout](crate#timeouts) to detect a server that does not answer.
    pub fn events(self) -> SourceEventStream<C, T, D> {
        SourceEventStream { source: self }
    }
}

impl<C: Connector, T: Timer, D> SourceEventStream<C, T, D> {
    /// Returns the event source, for example for its last event ID and its state. It no longer has the error of a
    /// failure that this stream has returned.
    pub fn get_ref(&self) -> &EventSource<C, T, D> {
        &self.source
    }

    /// Returns the event source for changes, for example to close it. Items that you read from it here are missing
    /// in this stream.
    pub fn get_mut(&mut self) -> &mut EventSource<C, T, D> {
        &mut self.source
    }

    /// Returns the event source in its state after the last event. It no longer has the error of a failure that this
    /// stream has returned.
    pub fn into_inner(self) -> EventSource<C, T, D> {
        self.source
    }

    /// Returns a stream of values, parsed from the JSON in the data of each event, in the
    /// [dialect](eventwire::Dialect) of a service. After the end of the dialect, it does not reconnect.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::Dialect;
    /// # use eventwire_client::{EventSource, connector_fn};
    /// # use futures_util::{TryStreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|_| async {
    /// #     let response = http::Response::builder().header("content-type", "text/event-stream");
    /// #     Ok::<_, Infallible>(response.body(stream::iter([Ok::<_, Infallible>("data: 1\n\ndata: 2\n\ndata: [DONE]\n\n")])).unwrap())
    /// # });
    /// let source = EventSource::with_connector(connector, timer);
    /// let numbers: Vec<u32> =
    ///     source.events().json_with::<u32>(Dialect::OPENAI).try_collect().await?;
    /// assert_eq!(numbers, [1, 2]);
    /// # Ok::<(), eventwire::JsonError<eventwire_client::Stopped<Infallible>>>(())
    /// # }).unwrap().unwrap();
    /// ```
    #[cfg(feature = "json")]
    pub fn json_with<V: eventwire::Payload>(
        self,
        dialect: eventwire::Dialect,
    ) -> eventwire::JsonStream<SourceEventStream<C, T, D>, V> {
        let values = eventwire::JsonStream::new(self, dialect);
        values.with_rest(|events| events.source.session.reader.rest())
    }

    /// Returns a stream of values, parsed from the JSON in the data of each event. Each event is a value; see
    /// [`Events::json`](eventwire::Events::json).
    #[cfg(feature = "json")]
    pub fn json<V: eventwire::Payload>(self) -> eventwire::JsonStream<SourceEventStream<C, T, D>, V> {
        self.json_with(eventwire::Dialect::new())
    }

    /// Returns a stream of the events in the [dialect](eventwire::Dialect) of a service, without parsing their data.
    /// See [`Events::with_dialect`](eventwire::Events::with_dialect). After the end of the dialect, it does not
    /// reconnect.
    #[cfg(feature = "json")]
    pub fn with_dialect(self, dialect: eventwire::Dialect) -> eventwire::JsonStream<SourceEventStream<C, T, D>, Event> {
        let events = eventwire::JsonStream::of_events(self, dialect);
        events.with_rest(|events| events.source.session.reader.rest())
    }

    /// Returns whether the source has stopped with a failure that this stream has not returned yet.
    fn has_failure(&self) -> bool {
        self.source.stopped().is_some_and(Stopped::is_failure)
    }
}

impl<C: Connector, T: Timer, D: Hooks<C::Error>> SourceEventStream<C, T, D> {
    /// Returns the next event, or `None` at the end of the stream; see [`Events::next`](eventwire::Events::next).
    pub fn next(&mut self) -> Next<'_, SourceEventStream<C, T, D>> {
        Next::new(self)
    }
}

impl<C: Connector, T: Timer, D: Hooks<C::Error>> Stream for SourceEventStream<C, T, D> {
    type Item = Result<Event, Error<Stopped<C::Error>>>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let mut turn = Turn::default();
        loop {
            // A source with comments could skip items without end.
            ready!(turn.poll(context));
            match ready!(Pin::new(&mut this.source).poll_next(context)) {
                Some(Item::Event(event)) => return Poll::Ready(Some(Ok(event))),
                Some(Item::Block(block)) if block.data().is_some() => {
                    return Poll::Ready(block.into_event().map(Ok));
                }
                // A comment is of interest only if it has stopped the source.
                Some(Item::Undecodable(error)) if !error.is_in_comment() || this.source.is_terminated() => {
                    return Poll::Ready(Some(Err(Error::Decode(error))));
                }
                Some(_) => {}
                None if this.has_failure() => {
                    return Poll::Ready(
                        this.source.session.take_stopped().map(|stopped| Err(Error::Transport(stopped))),
                    );
                }
                None => return Poll::Ready(None),
            }
        }
    }
}

impl<C: Connector, T: Timer, D: Hooks<C::Error>> FusedStream for SourceEventStream<C, T, D> {
    fn is_terminated(&self) -> bool {
        self.source.is_terminated() && !self.has_failure()
    }
}

// Not derived, because that would require `Debug` of the connector and the timer.
impl<C: Connector, T: Timer, D> fmt::Debug for SourceEventStream<C, T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceEventStream").field("source", &self.source).finish()
    }
}
