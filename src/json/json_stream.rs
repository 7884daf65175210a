//! The typed stream.

use super::{JsonError, Payload, end::Finality, payload_reader::PayloadReader};
use crate::{
    accessors::accessors,
    event::{Event, IntoText},
    feed::{Error, Events, poll_last},
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
    /// Reads the data of each event as JSON: a [`Stream`] or an [`Iterator`] of `Result<T, JsonError<E>>`.
    ///
    /// Create it with `.json::<T>()` on [`Events`] or on the events of a client, or with [`new`](JsonStream::new) of
    /// other events. It is a stream if its source is one, and an iterator if its source is one.
    ///
    /// The data of each event is deserialized into a `T`. To get the event as well, use
    /// [`WithEvent<T>`](crate::WithEvent) as the type. If the data does not fit the type, you get a
    /// [`JsonError::Payload`] with the event and the path to the field, and the stream continues. It works on any
    /// runtime and spawns no task.
    ///
    /// Everything that only keeps the connection open is skipped: comments, events of type `ping` or `keepalive`, and
    /// events whose data is empty or white space. For this, only the `event` field sets the type: an event without
    /// it, such as `data: {"type":"ping"}`, is a value.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// use eventwire::{Events, JsonError};
    /// use futures_util::{TryStreamExt, stream};
    /// # use std::convert::Infallible;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct Token { text: String }
    ///
    /// let chunks = ["data: {\"text\":\"Hi\"}\n\n: wait\n\n", "data: {\"text\":\"!\"}\n\ndata: [DONE]\n\n"];
    /// let body = stream::iter(chunks.map(Ok::<_, Infallible>));
    /// let mut tokens = Events::new(body).json::<Token>().require_end_marker();
    /// let mut answer = String::new();
    /// while let Some(token) = tokens.try_next().await? {
    ///     answer += &token.text;
    /// }
    /// assert_eq!(answer, "Hi!");
    /// # Ok::<(), JsonError<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    ///
    /// The decoder's [limit](crate::Decoder::with_max_event_size) applies to an event, not to the value that is made of
    /// its data: the type decides how much memory that takes. A `serde_json::Value` can take 48 times as much as the
    /// data if that is an array of digits, and 126 times if it consists of nested objects, of which each allocates
    /// room for eleven members (measured with serde_json 1.0.154 on a 64-bit target). If you read untrusted data as
    /// `Value`s, set the limit accordingly.
    ///
    /// # The end
    ///
    /// The end marker ends the stream at once: it is not an item, and the connection may stay open. By default, it is
    /// `data: [DONE]`. A stream then makes [a last poll](crate::poll_last), so do not read on from its source.
    ///
    /// If the source ends without a marker, the stream ends as well, and a truncated answer looks like a complete
    /// one. With [`require_end_marker`](JsonStream::require_end_marker), the last item is then
    /// [`JsonError::Truncated`]. If the source fails, its error comes first and `Truncated` second. Stop at the first
    /// error, which has more information: `while let Some(value) = stream.try_next().await? { ... }`.
    ///
    /// With the reconnecting client, you can name the last event on the source instead, with
    /// `with_end`. If the connection closes before that event, a GET
    /// reconnects and continues. A POST ends with an error in both cases.
    ///
    /// There are three kinds of settings for the end:
    ///
    /// * [`with_end_marker`](JsonStream::with_end_marker): a marker with certain data
    /// * [`with_end_event_type`](JsonStream::with_end_event_type): a marker of a certain type
    /// * [`with_last_event_types`](JsonStream::with_last_event_types): types of an event that is the last item
    ///
    /// **Each call adds a way to end** to the existing ones, in any order. An event that is both a marker and a last
    /// item counts as a marker. To remove `[DONE]`, call [`without_end_marker`](JsonStream::without_end_marker)
    /// first. This is rarely necessary, because `[DONE]` is not JSON.
    ///
    /// ```
    /// # use eventwire::{Events, JsonError};
    /// # use serde_json::Value;
    /// # use std::convert::Infallible;
    /// # fn read(body: &'static str) -> Result<usize, JsonError<Infallible>> {
    /// # let events = Events::new([Ok(body)].into_iter());
    /// // One program that reads the APIs of OpenAI and Anthropic:
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
    /// The type of an event is its `event` field. If it has no such field, or the default `event: message`, its
    /// type is the `type` at the top level of its JSON object. The reason is that some gateways send only
    /// `data: {"type":"response.completed", ...}`.
    ///
    /// | service | how its stream ends | method to call |
    /// |---|---|---|
    /// | OpenAI and Azure: chat, completions | `data: [DONE]` | nothing |
    /// | Mistral, Groq, DeepSeek, OpenRouter, Hugging Face, vLLM, Snowflake, Z.ai | `data: [DONE]` | nothing |
    /// | Cohere v2 | type `message-end`, with the token usage; then `data: [DONE]` | nothing |
    /// | OpenAI Responses, also from Amazon Bedrock and DeepSeek | type `response.completed`, `response.incomplete` or `response.failed`, with the complete response | [`with_last_event_types`](JsonStream::with_last_event_types) |
    /// | Anthropic | `event: message_stop` | [`with_end_event_type`](JsonStream::with_end_event_type) |
    /// | Replicate | `event: done`; the events before it are plain text, not JSON | [`with_end_event_type`](JsonStream::with_end_event_type) |
    /// | Gemini | no marker; the last payload has a `finishReason` | [`without_end_marker`](JsonStream::without_end_marker) |
    /// | watsonx | no marker; the last payload has a `stop_reason` | [`without_end_marker`](JsonStream::without_end_marker) |
    /// | Writer | no marker; the last payload has a `finish_reason` | [`without_end_marker`](JsonStream::without_end_marker) |
    /// | MCP (Model Context Protocol) | no marker; the last payload is the response | [`without_end_marker`](JsonStream::without_end_marker) |
    ///
    /// If a server omits the blank line after its last event, use a decoder with
    /// [`Eof::Dispatch`](crate::Eof::Dispatch).
    ///
    /// # Errors in the stream
    ///
    /// Servers report errors mid-stream, after status 200. An event that reports an error is returned as
    /// [`JsonError::Reported`], not as a value:
    ///
    /// * an event of type `error`: `event: error`;
    /// * a JSON object with an `error` that is not null: `data: {"error":{"message":"overloaded"}}`;
    /// * a JSON object of type `error`, in an event without an `event` field (or with `event: message`):
    ///   `data: {"type":"error","message":"overloaded"}`.
    ///
    /// With [`without_error_reports`](JsonStream::without_error_reports), only the first is an error. To find the
    /// others, the stream scans each payload for the word `error`. Only a payload that may contain it as a key or a
    /// type is parsed twice.
    #[must_use = "a stream or an iterator does nothing unless it is consumed"]
    pub struct JsonStream<S, T> {
        // No bounds here: it is a `Stream` if `S` is one, an `Iterator` if `S` is one, and nothing is both. `new` and
        // `json` require `T: Payload`, so that the compiler reports the call that names `T`.
        #[pin]
        events: S,
        reader: PayloadReader,
        values: PhantomData<fn() -> T>,
    }
}

impl<S> Events<S> {
    /// Reads the data of each event as JSON, into a `T`.
    ///
    /// The end marker is `[DONE]`, and a stream that ends without it counts as complete. [`JsonStream`] describes
    /// how to change both, and how the streams of common services end.
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
    pub fn json<T: Payload>(self) -> JsonStream<Events<S>, T> {
        JsonStream::new(self)
    }
}

impl<S, T: Payload> JsonStream<S, T> {
    /// Reads the data of these events as JSON.
    ///
    /// `events` is any stream or iterator of `Result<Event, Error<E>>`, for example one that filters or logs events.
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
    /// Adds an end marker: an event with this data ends the stream. White space around the data is ignored.
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

    /// Adds an end marker: an event of this type, such as `message_stop` or `done`, ends the stream.
    ///
    /// The event is not an item, and its data is not read. The type can be in the `event` field or
    /// [in the JSON](JsonStream#the-end). The type `""` means `"message"`, as everywhere.
    ///
    /// ```
    /// # use eventwire::Events;
    /// # use std::convert::Infallible;
    /// let body = "data: 1\n\nevent: message_stop\ndata: {}\n\n";
    /// let events = Events::new([Ok::<_, Infallible>(body)].into_iter());
    /// let numbers = events.json::<u32>().with_end_event_type("message_stop").require_end_marker();
    /// assert_eq!(numbers.collect::<Result<Vec<_>, _>>()?, [1]);
    /// # Ok::<(), eventwire::JsonError<Infallible>>(())
    /// ```
    pub fn with_end_event_type(mut self, event_type: impl IntoText) -> Self {
        self.reader.end.add_type(event_type, Finality::Marker);
        self
    }

    /// Adds types of events that end the stream and are its last item, such as `response.completed`.
    ///
    /// Use it if the last event contains data that you need, such as the token usage. The type can be in the `event`
    /// field or [in the JSON](JsonStream#the-end).
    ///
    /// ```
    /// # use eventwire::Events;
    /// # use std::convert::Infallible;
    /// let body = "data: 1\n\nevent: total\ndata: 2\n\ndata: 3\n\n";
    /// let events = Events::new([Ok::<_, Infallible>(body)].into_iter());
    /// let numbers = events.json::<u32>().with_last_event_types(["total"]).require_end_marker();
    /// assert_eq!(numbers.collect::<Result<Vec<_>, _>>()?, [1, 2]);
    /// # Ok::<(), eventwire::JsonError<Infallible>>(())
    /// ```
    pub fn with_last_event_types<I>(mut self, event_types: I) -> Self
    where
        I: IntoIterator<Item: IntoText>,
    {
        for event_type in event_types {
            self.reader.end.add_type(event_type, Finality::Item);
        }
        self
    }

    /// Removes all end markers and last event types, including `[DONE]`: the stream ends when its source does.
    ///
    /// `[DONE]` is then parsed as data. You can add other markers and types after this call. If you add none,
    /// [`require_end_marker`](JsonStream::require_end_marker) has no effect.
    pub fn without_end_marker(mut self) -> Self {
        self.reader.end.clear();
        self
    }

    /// Makes [`JsonError::Truncated`] the last item if the stream ends without an end marker or a last event type.
    ///
    /// Without this setting, a truncated stream can look like a complete one. HTTP detects some early ends: when
    /// bytes of a known length, or the last chunk, are missing, the source returns an error first, as
    /// [`JsonError::Stream`]. If the server ends the response properly, but too early, only the missing marker shows
    /// it.
    ///
    /// ```
    /// # use eventwire::{Events, JsonError};
    /// # use std::convert::Infallible;
    /// let events = Events::new([Ok::<_, Infallible>("data: 1\n\n")].into_iter());
    /// let mut numbers = events.json::<u32>().require_end_marker();
    /// assert_eq!(numbers.next().unwrap()?, 1);
    /// assert!(matches!(numbers.next(), Some(Err(JsonError::Truncated))));
    /// # Ok::<(), JsonError<Infallible>>(())
    /// ```
    pub fn require_end_marker(mut self) -> Self {
        self.reader.require_end();
        self
    }

    /// Adds types of events to skip, in addition to `ping` and `keepalive`, because they only keep the connection open.
    ///
    /// The type is that of the `event` field; a `type` in the JSON does not count. The type `""` means `"message"`, as
    /// everywhere.
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

    /// Removes all types of events to skip: events of type `ping` and `keepalive` are read as values.
    ///
    /// You can add other types after this call. Comments and events with empty data are still skipped.
    ///
    /// ```
    /// # use eventwire::Events;
    /// # use std::convert::Infallible;
    /// let events = Events::new([Ok::<_, Infallible>("event: ping\ndata: 0\n\ndata: 1\n\n")].into_iter());
    /// let numbers: Vec<u32> = events.json().without_keep_alive_event_types().collect::<Result<_, _>>()?;
    /// assert_eq!(numbers, [0, 1]);
    /// # Ok::<(), eventwire::JsonError<Infallible>>(())
    /// ```
    pub fn without_keep_alive_event_types(mut self) -> Self {
        self.reader.clear_keep_alives();
        self
    }

    /// Reads an object that has an `error`, or is of type `error`, as a value instead of returning
    /// [`JsonError::Reported`].
    ///
    /// Use it if `error` has another meaning in your objects, as in `"error": false`. An event with the line
    /// `event: error` is still an error.
    ///
    /// ```
    /// # use eventwire::Events;
    /// # use std::convert::Infallible;
    /// #[derive(serde::Deserialize)]
    /// struct Measurement { value: u32, error: f64 }
    ///
    /// let events = Events::new([Ok::<_, Infallible>("data: {\"value\":7,\"error\":0.5}\n\n")].into_iter());
    /// let mut measurements = events.json::<Measurement>().without_error_reports();
    /// let measurement = measurements.next().unwrap()?;
    /// assert_eq!((measurement.value, measurement.error), (7, 0.5));
    /// # Ok::<(), eventwire::JsonError<Infallible>>(())
    /// ```
    pub fn without_error_reports(mut self) -> Self {
        self.reader.read_errors_as_values();
        self
    }

    accessors! {
        pinned events: S, "the source of the events";
        /// Events that you read from it directly are not parsed.
        get_mut;
        /// It is in its state after the last item that was read.
        into_inner;
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
            let outcome = this.reader.read(event);
            if this.reader.take_completion() {
                poll_last(this.events.as_mut());
            }
            if let ControlFlow::Break(item) = outcome {
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
            // No last poll: `next` of a reader would wait until the server sends more, or closes the connection.
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

// A derived implementation would require `T: Debug`, although a `JsonStream` contains no `T`.
impl<S: fmt::Debug, T> fmt::Debug for JsonStream<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonStream").field("events", &self.events).field("reader", &self.reader).finish()
    }
}
