//! The items of a source whose events are JSON.

use crate::{
    event_source::{EventSource, connector::Connector, hooks::Hooks, item::Item, stopped::Stopped},
    reconnect::stop_reason::StopReason,
};
use core::{
    convert::Infallible,
    fmt,
    pin::Pin,
    task::{Context, Poll, ready},
};
use eventwire::{Dialect, Error, Event, JsonError, JsonStream, Payload, Timer};
use futures_core::{FusedStream, Stream};

/// The items of an [`EventSource`] whose events are read as JSON, into a `V`. Create it with
/// [`json_with`](EventSource::json_with), which describes them.
#[must_use = "a stream does nothing unless it is polled"]
pub struct JsonItems<C: Connector, T: Timer, D, V> {
    values: JsonStream<EventsOrItems<C, T, D>, V>,
}

/// The events of a source, with its other items as errors, which a `JsonStream` passes on.
struct EventsOrItems<C: Connector, T: Timer, D>(EventSource<C, T, D>);

impl<C: Connector, T: Timer, D: Hooks<C::Error>> EventSource<C, T, D> {
    /// Returns the items with their events read as JSON, into a `V`, in the [dialect](Dialect) of a service. For the
    /// values alone, use [`events`](EventSource::events).
    ///
    /// An event is an `Item::Event(Result<V, _>)`, because its data may not fit the type. The error is a [`JsonError`]:
    /// the data does not fit, the server reports an error, or the stream is truncated. It is a [`JsonError::Stream`]
    /// only for [text that is no field](JsonError#text-that-is-no-field), which is found when the source ends, and not
    /// when it reconnects. All other items are those of the source. After the end of the dialect there are no more
    /// items, and the source does not reconnect.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire_client::{Dialect, EventSource, Item, connector_fn};
    /// use futures_util::{StreamExt, stream};
    /// # use std::{convert::Infallible, future, time::Duration};
    /// # let timer = |_: Duration| future::ready(());
    /// # let connector = connector_fn(|_| async {
    /// #     let response = http::Response::builder().header("content-type", "text/event-stream");
    /// #     let body = stream::iter([Ok::<_, Infallible>("data: 7\n\ndata: seven\n\ndata: [DONE]\n\n")]);
    /// #     Ok::<_, Infallible>(response.body(body).unwrap())
    /// # });
    /// # let (mut sum, mut errors) = (0, 0);
    ///
    /// let source = EventSource::with_connector(connector, timer);
    /// let mut numbers = source.json_with::<u32>(Dialect::OPENAI);
    /// while let Some(item) = numbers.next().await {
    ///     match item {
    ///         Item::Event(Ok(number)) => sum += number,
    ///         Item::Event(Err(error)) => {
    ///             println!("{error}"); // the next event may fit
    /// #           errors += 1;
    ///         }
    ///         Item::Reconnecting { error, delay, .. } => {
    ///             println!("{error}; again in {delay:.1?}");
    ///         }
    ///         _ => {} // `Item::Open`, and others
    ///     }
    /// }
    /// numbers.into_inner().into_result().unwrap();
    /// # assert_eq!((sum, errors), (7, 1));
    /// # }).unwrap();
    /// ```
    pub fn json_with<V: Payload>(self, dialect: Dialect) -> JsonItems<C, T, D, V> {
        let values = JsonStream::new(EventsOrItems(self), dialect);
        JsonItems { values: values.with_rest(|events| events.0.session.reader.rest()) }
    }

    /// Returns the items with their events read as JSON, into a `V`: an event is an `Item::Event(Result<V, _>)`, as
    /// with [`json_with`](EventSource::json_with). Each event is a value; see
    /// [`Events::json`](eventwire::Events::json).
    pub fn json<V: Payload>(self) -> JsonItems<C, T, D, V> {
        self.json_with(Dialect::new())
    }
}

impl<C: Connector, T: Timer, D, V> JsonItems<C, T, D, V> {
    /// Returns the source of the items.
    pub fn get_ref(&self) -> &EventSource<C, T, D> {
        &self.values.get_ref().0
    }

    /// Returns the source of the items, for example to ask [why it stopped](EventSource::into_result).
    pub fn into_inner(self) -> EventSource<C, T, D> {
        self.values.into_inner().0
    }
}

impl<C: Connector, T: Timer, D: Hooks<C::Error>> Stream for EventsOrItems<C, T, D> {
    type Item = Result<Event, Error<Item<C::Error, Infallible>>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let item = ready!(Pin::new(&mut self.get_mut().0).poll_next(context));
        Poll::Ready(item.map(|item| item.into_event().map_err(Error::Transport)))
    }
}

impl<C: Connector, T: Timer, D: Hooks<C::Error>, V: Payload> Stream for JsonItems<C, T, D, V> {
    type Item = Item<C::Error, Result<V, JsonError<Stopped<C::Error>>>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let value = ready!(Pin::new(&mut self.get_mut().values).poll_next(context));
        Poll::Ready(value.map(|value| match value {
            Ok(value) => Item::Event(Ok(value)),
            Err(JsonError::Stream(Error::Transport(item))) => item.with_event(|never| match never {}),
            Err(JsonError::Stream(Error::Decode(error))) => Item::Undecodable(error),
            // No item is left in it.
            Err(error) => Item::Event(Err(error.map_transport(|_| Stopped::new(StopReason::Closed, None)))),
        }))
    }
}

impl<C: Connector, T: Timer, D: Hooks<C::Error>, V: Payload> FusedStream for JsonItems<C, T, D, V> {
    fn is_terminated(&self) -> bool {
        self.values.is_terminated()
    }
}

/// Everything that must not move is boxed.
impl<C: Connector, T: Timer, D, V> Unpin for JsonItems<C, T, D, V> {}

impl<C: Connector, T: Timer, D, V> fmt::Debug for JsonItems<C, T, D, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("JsonItems").field(self.get_ref()).finish()
    }
}
