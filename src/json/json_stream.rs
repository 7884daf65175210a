//! The typed stream.

use super::{JsonError, Payload, end::Finality, payload_reader::PayloadReader};
use crate::{
    event::{Event, IntoText},
    feed::{Error, EventStream, Events},
};
use core::{
    fmt,
    iter::FusedIterator,
    marker::PhantomData,
    ops::ControlFlow,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;

pin_project! {
    /// The values of a stream of JSON events: a [`Stream`] or an [`Iterator`] of `Result<T, JsonError<E>>`.
    ///
    /// `.json::<T>()` makes it of an [`EventStream`], of [`Events`], and of a client's
    /// [`SourceEventStream`](crate::client::SourceEventStream). [`new`](JsonStream::new) makes it of anything else that gives
    /// `Result<Event, Error<E>>`. Over a stream it is a stream, over an iterator an iterator.
    ///
    /// The data of each event is read into a `T`. Events that only keep the connection open are skipped: comments, events of type
    /// `ping` or `keepalive`, and events whose data is empty or white space. Only the `event` line counts: `data: {"type":"ping"}`
    /// without one is a value. Data that does not fit is [an error](JsonError) that
    /// holds the event and says where it does not, and the stream goes on. For the event beside each value, ask for
    /// [`WithEvent<T>`](crate::WithEvent). No runtime is assumed, and no task is spawned.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{EventStream, JsonError};
    /// use futures_util::{TryStreamExt, stream};
    /// # use std::convert::Infallible;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Token { text: String }
    ///
    /// let body = stream::iter([Ok::<_, Infallible>("data: {\"text\":\"Hi\"}\n\n: wait\n\ndata: {\"text\":\"!\"}\n\ndata: [DONE]\n\n")]);
    /// let mut tokens = EventStream::new(body).json::<Token>().require_end_marker();
    /// let mut answer = String::new();
    /// while let Some(token) = tokens.try_next().await? {
    ///     answer += &token.text;
    /// }
    /// assert_eq!(answer, "Hi!");
    /// # Ok::<(), JsonError<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// # The end
    ///
    /// The end marker ends the stream at once: it is not an item, the source is not polled again, and the connection
    /// may stay open. If the source ends without a marker, the stream ends as well, and you cannot tell a complete
    /// answer from one that was cut off. With [`require_end_marker`](JsonStream::require_end_marker) the last item is
    /// then [`JsonError::Truncated`], also after an error of the source. So return at the first error, which says more:
    /// `while let Some(value) = stream.try_next().await? { ... }`.
    ///
    /// Over a client that reconnects, you can name the last event on the source instead, with
    /// [`with_end`](crate::client::EventSource::with_end): the source then reconnects, or fails, if the connection
    /// closes early. `require_end_marker` only reports it. One of the two is enough.
    ///
    /// The marker is `data: [DONE]`. A stream can have several kinds of end at once, and **each setting adds one** to those that there
    /// are: more markers by their data or type, and types of events that are the last item. An event that is both is a marker, in any order
    /// of the settings. To replace `[DONE]` instead, call
    /// [`without_end_marker`](JsonStream::without_end_marker) first. You rarely need to, because `[DONE]` is not JSON.
    ///
    /// ```
    /// # use eventwire::{Events, JsonError};
    /// # use serde_json::Value;
    /// # use std::convert::Infallible;
    /// # fn read(body: &'static str) -> Result<usize, JsonError<Infallible>> {
    /// # let events = Events::new([Ok(body)].into_iter());
    /// // Any of the APIs below, read by one program:
    /// let values = events
    ///     .json::<Value>() // ends at `data: [DONE]`
    ///     .with_end_event_type("message_stop")
    ///     .with_last_event_types(["response.completed", "response.incomplete", "response.failed"])
    ///     .require_end_marker();
    /// # values.map(|value| value.map(|_| 1)).sum()
    /// # }
    /// # assert_eq!(read("data: {}\n\ndata: [DONE]\n\n").unwrap(), 1);
    /// # assert_eq!(read("data: {}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n").unwrap(), 1);
    /// # assert_eq!(read("data: {\"type\":\"response.completed\"}\n\n").unwrap(), 1);
    /// # assert!(read("data: {}\n\n").is_err());
    /// ```
    ///
    /// The type of an event is what its `event` field says. If it has none, the `type` of its JSON counts, at the top level of the object: some
    /// gateways send `data: {"type":"response.completed", ...}` and nothing else.
    ///
    /// | service | the end of its stream | setting |
    /// |---|---|---|
    /// | OpenAI and Azure chat and completions; Mistral, Groq, DeepSeek, OpenRouter, Hugging Face, vLLM, Snowflake, Z.ai | `data: [DONE]` | the default |
    /// | OpenAI Responses (Amazon Bedrock's and DeepSeek's too) | an event of type `response.completed`, `response.incomplete` or `response.failed`, with the whole response in it | [`with_last_event_types`](JsonStream::with_last_event_types) |
    /// | Anthropic | `event: message_stop` | [`with_end_event_type`](JsonStream::with_end_event_type) |
    /// | Cohere, v2 | an event of type `message-end` with the usage in it, then `data: [DONE]` | the default |
    /// | Replicate | `event: done`; the events before it are plain text, not JSON | [`with_end_event_type`](JsonStream::with_end_event_type) |
    /// | Gemini, watsonx, Writer, MCP | no marker; the last payload says it (`finishReason`, `stop_reason`, `finish_reason`, the response) | [`without_end_marker`](JsonStream::without_end_marker) |
    ///
    /// A server that leaves out the blank line after its last event needs a decoder with
    /// [`Eof::Dispatch`](crate::Eof::Dispatch).
    ///
    /// # Errors in the stream
    ///
    /// Servers report errors in the middle of a stream, after status 200. These are [`JsonError::Reported`], with the event, and not
    /// values:
    ///
    /// * an event of type `error`: `event: error`;
    /// * an object with an `error` that is not null: `data: {"error":{"message":"overloaded"}}`;
    /// * an object of type `error` in an event without a type: `data: {"type":"error","message":"overloaded"}`.
    ///
    /// With [`without_error_reports`](JsonStream::without_error_reports) only the first is an error. Payloads are not read twice to find
    /// out: a scan for the word `error` picks those that are worth a second look.
    #[must_use = "a stream or an iterator does nothing unless it is asked"]
    pub struct JsonStream<S, T> {
        #[pin]
        events: S,
        reader: PayloadReader,
        values: PhantomData<fn() -> T>,
    }
}

impl<S> EventStream<S> {
    /// The values of this stream, whose events are JSON.
    ///
    /// The end marker is `[DONE]`, and a stream that ends without it counts as complete. [`JsonStream`] says how to change
    /// both, and which service sends what.
    pub fn json<T: Payload>(self) -> JsonStream<EventStream<S>, T> {
        JsonStream::new(self)
    }
}

impl<I> Events<I> {
    /// The values of these events, which are JSON.
    ///
    /// The end marker is `[DONE]`, and a stream that ends without it counts as complete. [`JsonStream`] says how to change
    /// both, and which service sends what.
    ///
    /// ```
    /// #[derive(serde::Deserialize)]
    /// struct Token { text: String }
    ///
    /// # #[cfg(feature = "std")] {
    /// let reader = &b"data: {\"text\":\"Hi\"}\n\ndata: {\"text\":\"!\"}\n\ndata: [DONE]\n\n"[..];
    /// let tokens = eventwire::Events::from_reader(reader).json::<Token>().require_end_marker();
    /// let answer: String = tokens.map(|token| token.map(|token| token.text)).collect::<Result<_, _>>()?;
    /// assert_eq!(answer, "Hi!");
    /// # }
    /// # Ok::<(), eventwire::JsonError<std::io::Error>>(())
    /// ```
    pub fn json<T: Payload>(self) -> JsonStream<Events<I>, T> {
        JsonStream::new(self)
    }
}

impl<S, T: Payload> JsonStream<S, T> {
    /// The values of these events: any stream or iterator of `Result<Event, Error<E>>`, for example one that filters or logs.
    ///
    /// ```
    /// use eventwire::{Events, JsonStream};
    /// # use std::convert::Infallible;
    ///
    /// let body = "event: debug\ndata: ?\n\ndata: 1\n\n";
    /// let events = Events::new([Ok::<_, Infallible>(body)].into_iter());
    /// let events = events.filter(|event| !matches!(event, Ok(event) if event.event_type() == "debug"));
    /// let numbers: Vec<u32> = JsonStream::new(events).collect::<Result<_, _>>()?;
    /// assert_eq!(numbers, [1]);
    /// # Ok::<(), eventwire::JsonError<Infallible>>(())
    /// ```
    pub fn new(events: S) -> JsonStream<S, T> {
        JsonStream { events, reader: PayloadReader::default(), values: PhantomData }
    }
}

impl<S, T> JsonStream<S, T> {
    /// Adds an end marker: an event with this data ends the stream. White space around the data does not count.
    ///
    /// ```
    /// # use eventwire::Events;
    /// # use std::convert::Infallible;
    /// # fn read(body: &'static str) -> usize {
    /// # let events = Events::new([Ok::<_, Infallible>(body)].into_iter());
    /// let values = events.json::<u32>().with_end_marker("END"); // `[DONE]` or `END`
    /// # values.count()
    /// # }
    /// # assert_eq!((read("data: 1\n\ndata: END\n\ndata: 2\n\n"), read("data: [DONE]\n\ndata: 2\n\n")), (1, 0));
    /// # fn read_other(body: &'static str) -> usize {
    /// # let events = Events::new([Ok::<_, Infallible>(body)].into_iter());
    /// let values = events.json::<u32>().without_end_marker().with_end_marker("END"); // `END` only
    /// # values.count()
    /// # }
    /// # assert_eq!((read_other("data: END\n\ndata: 2\n\n"), read_other("data: [DONE]\n\ndata: 2\n\n")), (0, 2));
    /// ```
    pub fn with_end_marker(mut self, data: impl IntoText) -> Self {
        self.reader.end.add_data(data);
        self
    }

    /// Adds an end marker: an event of this type ends the stream, such as `message_stop` or `done`. It is not an item; its data is
    /// not read as a value.
    ///
    /// The type can be in the `event` field or [in the JSON](JsonStream#the-end). `""` is `"message"`, as everywhere.
    pub fn with_end_event_type(mut self, event_type: impl IntoText) -> Self {
        self.reader.end.add_type(event_type, Finality::Marker);
        self
    }

    /// Adds types of events that end the stream and are its last item, such as `response.completed`, whose data has the usage.
    ///
    /// The type can be in the `event` field or [in the JSON](JsonStream#the-end).
    pub fn with_last_event_types<I>(mut self, event_types: I) -> Self
    where
        I: IntoIterator<Item: IntoText>,
    {
        for event_type in event_types {
            self.reader.end.add_type(event_type, Finality::Item);
        }
        self
    }

    /// Removes all end markers and last types, `[DONE]` included: the stream ends when its source does, and `[DONE]` is read as data.
    ///
    /// Those that are added after this call count. Without any, none can be missing, and
    /// [`require_end_marker`](JsonStream::require_end_marker) has no effect.
    pub fn without_end_marker(mut self) -> Self {
        self.reader.end.clear();
        self
    }

    /// Makes a stream that ends without any of its end markers or last types give [`JsonError::Truncated`] as its last item, so that
    /// one that was cut off does not look like success.
    ///
    /// A source that knows itself that it was cut off, as HTTP does if a length or a chunk is missing, reports that first, as
    /// [`JsonError::Stream`]. Only a marker can tell a connection that was closed in good order, too early.
    pub fn require_end_marker(mut self) -> Self {
        self.reader.require_end();
        self
    }

    /// Adds types of events that only keep the connection open, and are skipped like `ping` and `keepalive`.
    ///
    /// Only the `event` field counts here, and not a `type` in the JSON. `""` is `"message"`, as everywhere.
    ///
    /// ```
    /// # use eventwire::Events;
    /// # use std::convert::Infallible;
    /// let body = "event: heartbeat\ndata: 0\n\nevent: ping\ndata: 0\n\ndata: 1\n\n";
    /// let events = Events::new([Ok::<_, Infallible>(body)].into_iter());
    /// let numbers: Vec<u32> = events.json().with_keep_alive_event_types(["heartbeat"]).collect::<Result<_, _>>()?;
    /// assert_eq!(numbers, [1]);
    /// # Ok::<(), eventwire::JsonError<Infallible>>(())
    /// ```
    pub fn with_keep_alive_event_types<I>(mut self, event_types: I) -> Self
    where
        I: IntoIterator<Item: IntoText>,
    {
        self.reader.add_keep_alives(event_types);
        self
    }

    /// Reads events of type `ping` and `keepalive`, and of those added before, as values like any other.
    ///
    /// Comments and events with empty data are skipped nevertheless.
    pub fn without_keep_alive_event_types(mut self) -> Self {
        self.reader.clear_keep_alives();
        self
    }

    /// Reads an object that has an `error`, or is of type `error`, as a value instead of returning [`JsonError::Reported`].
    ///
    /// Use it if `error` means something else in your objects, such as `"error": false`. An event with the line `event: error` is
    /// still an error.
    pub fn without_error_reports(mut self) -> Self {
        self.reader.read_errors_as_values();
        self
    }

    /// The source of the events.
    #[must_use]
    pub fn get_ref(&self) -> &S {
        &self.events
    }

    /// The source of the events. Events that are taken out of it here are missing in the values.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.events
    }

    /// The source of the events, pinned.
    #[must_use]
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut S> {
        self.project().events
    }

    /// The source of the events, in its state after the last item.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.events
    }
}

impl<S, E, T> Stream for JsonStream<S, T>
where
    S: Stream<Item = Result<Event, Error<E>>>,
    T: Payload,
{
    type Item = Result<T, JsonError<E>>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        loop {
            if this.reader.has_ended() {
                return Poll::Ready(None);
            }
            let event = ready!(this.events.as_mut().poll_next(context));
            if let ControlFlow::Break(item) = this.reader.read(event) {
                return Poll::Ready(item);
            }
        }
    }
}

impl<S, E, T> FusedStream for JsonStream<S, T>
where
    S: Stream<Item = Result<Event, Error<E>>>,
    T: Payload,
{
    fn is_terminated(&self) -> bool {
        self.reader.has_ended()
    }
}

impl<I, E, T> Iterator for JsonStream<I, T>
where
    I: Iterator<Item = Result<Event, Error<E>>>,
    T: Payload,
{
    type Item = Result<T, JsonError<E>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.reader.has_ended() {
                return None;
            }
            if let ControlFlow::Break(item) = self.reader.read(self.events.next()) {
                return item;
            }
        }
    }
}

impl<I, E, T> FusedIterator for JsonStream<I, T>
where
    I: Iterator<Item = Result<Event, Error<E>>>,
    T: Payload,
{
}

// Derived, it would require `T: Debug`, though there is no `T` in it.
impl<S: fmt::Debug, T> fmt::Debug for JsonStream<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonStream").field("events", &self.events).field("reader", &self.reader).finish()
    }
}
