//! The typed stream.

use super::{dialect::Dialect, json_error::JsonError, payload::Payload, payload_reader::PayloadReader};
use crate::{
    event::Event,
    feed::{Error, Events, Next, Rest, Timeout, Turn},
    timer::Timer,
};
use core::{
    convert::Infallible,
    fmt,
    iter::FusedIterator,
    mem,
    ops::ControlFlow,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// Reads the data of each event as JSON: a [`Stream`] or an [`Iterator`] of `Result<T, JsonError<E>>`.
    ///
    /// Create it with `.json_with::<T>(dialect)` or `.json::<T>()` on [`Events`] or on the events of a client, or with
    /// [`new`](JsonStream::new) of other events. It is a stream if its source is one, and an iterator if its source is
    /// one. [`json_lines`](Events::json_lines) returns one whose values are lines instead, and
    /// [`with_dialect`](Events::with_dialect) one whose items are the events themselves.
    ///
    /// The data of each event is deserialized into a `T`. To get the event as well, use
    /// [`WithEvent<T>`](crate::WithEvent) as the type. If the data does not fit the type, you get a
    /// [`JsonError::Payload`] with the event and the path to the field, and the stream continues. It works on any
    /// runtime and spawns no task.
    ///
    /// A [`Dialect`] says what a service adds: how its streams end, which events only keep the connection open, and how
    /// it reports errors. Comments are skipped in any case, and so are events whose data is empty or white space, unless
    /// [`with_dialect`](Events::with_dialect) returns the events themselves.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Dialect, Events, JsonError};
    /// use futures_util::{TryStreamExt, stream};
    /// # use std::convert::Infallible;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Token { text: String }
    ///
    /// let chunks = [
    ///     "data: {\"text\":\"Hi\"}\n\n: wait\n\n",
    ///     "data: {\"text\":\"!\"}\n\ndata: [DONE]\n\n",
    /// ];
    /// let body = stream::iter(chunks.map(Ok::<_, Infallible>));
    /// let mut tokens = Events::new(body).json_with::<Token>(Dialect::OPENAI);
    /// let mut answer = String::new();
    /// while let Some(token) = tokens.try_next().await? {
    ///     answer += &token.text;
    /// }
    /// assert_eq!(answer, "Hi!");
    /// # Ok::<(), JsonError<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// At the end, [text that is no field](JsonError#text-that-is-no-field) may be an error. If reading a value panics,
    /// its event is lost, and the stream has ended.
    ///
    /// When an event has ended the stream, nothing more is read from its source. If the source fails in a stream whose
    /// end is required, its error comes first and [`Truncated`](JsonError::Truncated) second. Stop at the first error,
    /// which has more information: `while let Some(value) = stream.try_next().await? { ... }`.
    ///
    /// With the reconnecting client, you can name the last event on the source instead, with `with_end`. If the
    /// connection closes before that event, a GET reconnects and continues. A POST ends with an error in both cases.
    ///
    /// If a server omits the blank line after its last event, use a decoder with
    /// [`Eof::Dispatch`](crate::Eof::Dispatch).
    ///
    /// The decoder's [limit](crate::Decoder::with_max_event_size) applies to an event, not to the value that is made of
    /// its data: the type decides how much memory that takes. A `serde_json::Value` can take 48 times as much as the
    /// data if that is an array of digits, and 126 times if it consists of nested objects, of which each allocates
    /// room for eleven members (measured with serde_json 1.0.154 on a 64-bit target). If you read untrusted data as
    /// `Value`s, set the limit accordingly.
    #[must_use = "a stream or an iterator does nothing unless it is consumed"]
    pub struct JsonStream<S, T> {
        // No bounds here: it is a `Stream` if `S` is one, an `Iterator` if `S` is one, and nothing is both. `new` and
        // `json` require `T: Payload`, so that the compiler reports the call that names `T`.
        #[pin]
        events: S,
        reader: PayloadReader,
        // Makes an item of an event: a value, or the event itself. An `Event` cannot be told from a value by its type,
        // because it can be a value too. By reference, because to move an event takes longer.
        item: fn(&mut Event) -> Result<T, JsonError<Infallible>>,
        // Returns what the source has ignored or discarded, if it is a source that knows.
        rest: fn(&S) -> Rest<'_>,
    }
}

impl<S, C: Timer> Events<S, C> {
    /// Reads the data of each event as JSON, into a `T`, in the [dialect](Dialect) of a service.
    ///
    /// ```
    /// use eventwire::Dialect;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Token { text: String }
    ///
    /// # #[cfg(feature = "std")] {
    /// let body = "data: {\"text\":\"Hi\"}\n\ndata: {\"text\":\"!\"}\n\ndata: [DONE]\n\n";
    /// let events = eventwire::Events::from_reader(body.as_bytes());
    /// let mut answer = String::new();
    /// for token in events.json_with::<Token>(Dialect::OPENAI) {
    ///     answer += &token?.text;
    /// }
    /// assert_eq!(answer, "Hi!");
    /// # }
    /// # Ok::<(), eventwire::JsonError<std::io::Error>>(())
    /// ```
    pub fn json_with<T: Payload>(self, dialect: Dialect) -> JsonStream<Events<S, C>, T> {
        JsonStream::new(self, dialect).with_rest(Events::rest)
    }

    /// Reads the data of each event as JSON, into a `T`. The stream ends when its source does.
    ///
    /// For a stream of a language model, use [`json_with`](Events::json_with), which knows its end. Here each event is
    /// a value, and `[DONE]` is an error.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// let reader = &b"event: price\ndata: 7\n\nevent: ping\ndata: 0\n\n"[..];
    /// let prices: Vec<u32> =
    ///     eventwire::Events::from_reader(reader).json().collect::<Result<_, _>>()?;
    /// assert_eq!(prices, [7, 0]);
    /// # }
    /// # Ok::<(), eventwire::JsonError<std::io::Error>>(())
    /// ```
    pub fn json<T: Payload>(self) -> JsonStream<Events<S, C>, T> {
        self.json_with(Dialect::new())
    }

    /// Reads the events in the [dialect](Dialect) of a service, without parsing their data.
    ///
    /// The items are the events. As with [`json_with`](Events::json_with), the stream ends at the dialect's end,
    /// keep-alives are skipped, and a reported error is an error, and so is a truncated stream. Use it for data that is
    /// plain text, and to forward events that are not yours to parse. An event whose data is empty is an item too.
    ///
    /// ```
    /// # #[cfg(feature = "std")] {
    /// use eventwire::{Dialect, Events, JsonError};
    ///
    /// // Replicate sends plain text.
    /// let replicate = Dialect::new().with_end_type("done").with_error_reports();
    /// let body = "data: Hi\n\ndata:  there\n\nevent: error\ndata: out of memory\n\n";
    /// let mut events = Events::from_reader(body.as_bytes()).with_dialect(replicate);
    /// assert_eq!(events.next().unwrap()?.data(), "Hi");
    /// assert_eq!(events.next().unwrap()?.data(), " there");
    /// let Some(Err(JsonError::Reported { message, .. })) = events.next() else { panic!() };
    /// assert_eq!(&*message, "out of memory");
    /// let error = events.next().unwrap().unwrap_err();
    /// assert_eq!(error.to_string(), "the stream is truncated: it ended without `done`");
    /// # }
    /// # Ok::<(), eventwire::JsonError<std::io::Error>>(())
    /// ```
    pub fn with_dialect(self, dialect: Dialect) -> JsonStream<Events<S, C>, Event> {
        JsonStream::of_events(self, dialect).with_rest(Events::rest)
    }
}

impl<S, I: Timer, C: Timer, F: FnMut(&Event) -> bool> Timeout<Events<S, I>, C, F> {
    /// Reads the data of each event as JSON, into a `T`, in the [dialect](Dialect) of a service.
    pub fn json_with<T: Payload>(self, dialect: Dialect) -> JsonStream<Timeout<Events<S, I>, C, F>, T> {
        JsonStream::new(self, dialect).with_rest(|events| events.source().rest())
    }

    /// Reads the data of each event as JSON, into a `T`; see [`Events::json`].
    pub fn json<T: Payload>(self) -> JsonStream<Timeout<Events<S, I>, C, F>, T> {
        self.json_with(Dialect::new())
    }

    /// Reads the events in the [dialect](Dialect) of a service, without parsing their data; see
    /// [`Events::with_dialect`].
    pub fn with_dialect(self, dialect: Dialect) -> JsonStream<Timeout<Events<S, I>, C, F>, Event> {
        JsonStream::of_events(self, dialect).with_rest(|events| events.source().rest())
    }
}

impl<S, T: Payload> JsonStream<S, T> {
    /// Reads the data of these events as JSON, in the [dialect](Dialect) of a service.
    ///
    /// `events` is any stream or iterator of `Result<Event, Error<E>>`, for example one that filters or logs events.
    ///
    /// ```
    /// use eventwire::{Dialect, Events, JsonStream};
    /// # use std::convert::Infallible;
    ///
    /// let body = "event: debug\ndata: ?\n\ndata: 1\n\n";
    /// let events = Events::new([Ok::<_, Infallible>(body)].into_iter());
    /// let events =
    ///     events.filter(|event| !matches!(event, Ok(event) if event.event_type() == "debug"));
    /// let numbers: Vec<u32> =
    ///     JsonStream::new(events, Dialect::new()).collect::<Result<_, _>>()?;
    /// assert_eq!(numbers, [1]);
    /// # Ok::<(), eventwire::JsonError<Infallible>>(())
    /// ```
    pub fn new(events: S, dialect: Dialect) -> JsonStream<S, T> {
        JsonStream { events, reader: PayloadReader::new(dialect), item: T::from_event, rest: |_| Rest::default() }
    }
}

impl<S> JsonStream<S, Event> {
    /// Returns a stream of the events themselves: for eventwire-client.
    #[doc(hidden)]
    pub fn of_events(events: S, dialect: Dialect) -> JsonStream<S, Event> {
        JsonStream {
            events,
            reader: PayloadReader::of_events(dialect),
            item: |event| Ok(mem::take(event)),
            rest: |_| Rest::default(),
        }
    }
}

impl<S, T> JsonStream<S, T> {
    /// Sets what returns the text that the source has ignored or discarded: for eventwire-client.
    #[doc(hidden)]
    pub fn with_rest(self, rest: fn(&S) -> Rest<'_>) -> JsonStream<S, T> {
        JsonStream { rest, ..self }
    }

    /// Returns a reference to the source of the events.
    pub fn get_ref(&self) -> &S {
        &self.events
    }

    /// Returns the source of the events, in its state after the last item that was read.
    pub fn into_inner(self) -> S {
        self.events
    }
}

impl<S, T> JsonStream<S, T>
where
    JsonStream<S, T>: Stream + Unpin,
{
    /// Returns the next value, or `None` at the end of the stream; see [`Events::next`].
    pub fn next(&mut self) -> Next<'_, JsonStream<S, T>> {
        Next::new(self)
    }
}

impl<S, E, T> Stream for JsonStream<S, T>
where
    S: Stream<Item = Result<Event, Error<E>>>,
{
    type Item = Result<T, JsonError<E>>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        let mut turn = Turn::default();
        loop {
            if this.reader.has_ended() {
                return Poll::Ready(this.reader.after_end());
            }
            ready!(turn.poll(context));
            let event = ready!(this.events.as_mut().poll_next(context));
            if let ControlFlow::Break(item) = this.reader.read(event, *this.item, || (this.rest)(&this.events)) {
                return Poll::Ready(item);
            }
        }
    }
}

impl<S, E, T> FusedStream for JsonStream<S, T>
where
    S: Stream<Item = Result<Event, Error<E>>>,
{
    fn is_terminated(&self) -> bool {
        self.reader.is_done()
    }
}

impl<I, E, T> Iterator for JsonStream<I, T>
where
    I: Iterator<Item = Result<Event, Error<E>>>,
{
    type Item = Result<T, JsonError<E>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.reader.has_ended() {
                return self.reader.after_end();
            }
            let event = self.events.next();
            if let ControlFlow::Break(item) = self.reader.read(event, self.item, || (self.rest)(&self.events)) {
                return item;
            }
        }
    }
}

impl<I, E, T> FusedIterator for JsonStream<I, T> where I: Iterator<Item = Result<Event, Error<E>>> {}

// A derived implementation would require `T: Debug`, although a `JsonStream` contains no `T`.
impl<S: fmt::Debug, T> fmt::Debug for JsonStream<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonStream").field("events", &self.events).field("reader", &self.reader).finish()
    }
}
