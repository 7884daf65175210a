//! The asynchronous typed stream.

use super::{JsonError, WithEvents, end::End, payload_reader::PayloadReader};
use crate::{
    event::{Event, IntoText},
    feed::EventStream,
};
use bytes::Bytes;
use core::{
    fmt,
    marker::PhantomData,
    ops::ControlFlow,
    pin::Pin,
    task::{Context, Poll, ready},
};
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;
use serde_core::de::DeserializeOwned;

pin_project! {
    /// The values of a stream of JSON events; a stream of `Result<T, JsonError<E>>`. [`EventStream::json`] makes it.
    ///
    /// Each event's data is read into a `T`. What only keeps the connection open is passed over: comments, events of type `ping`,
    /// events whose data is empty or white space. (Where events of type `ping` mean something, read the [`EventStream`].) What does
    /// not fit is [an error](JsonError) that holds the event, and the stream goes on. No runtime is assumed, no task spawned.
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
    /// The end marker, `[DONE]` unless another is set, ends the stream at once: it is not an item, the source is not polled
    /// again, and the connection may stay open. A stream that merely ends, ends too, and looks the same, though it may have been
    /// cut off on the way; with [`require_end_marker`](JsonStream::require_end_marker) it gives [`JsonError::Truncated`].
    ///
    /// | service | the end of its stream | to be told with |
    /// |---|---|---|
    /// | OpenAI and Azure chat and completions; Mistral, Groq, DeepSeek, OpenRouter, Hugging Face, vLLM, Snowflake, Z.ai | `data: [DONE]` | the default |
    /// | OpenAI Responses (Amazon Bedrock's and DeepSeek's too) | an event of type `response.completed`, `response.incomplete` or `response.failed`, with the whole response in it | [`with_last_event_types`](JsonStream::with_last_event_types) |
    /// | Anthropic | `event: message_stop` | [`with_end_event_type`](JsonStream::with_end_event_type) |
    /// | Cohere, v2 | an event of type `message-end` with the usage in it, then `data: [DONE]` | the default |
    /// | Replicate | `event: done`; what comes before it is plain text, and not JSON | [`with_end_event_type`](JsonStream::with_end_event_type) |
    /// | Gemini, watsonx, Writer, MCP | nothing: it is in the last payload (`finishReason`, `stop_reason`, `finish_reason`, the response) | [`without_end_marker`](JsonStream::without_end_marker) |
    ///
    /// A server that leaves out the blank line after its last event is served by a decoder with
    /// [`Eof::Dispatch`](crate::Eof::Dispatch).
    #[must_use = "a stream does nothing unless it is polled"]
    pub struct JsonStream<S, T> {
        #[pin]
        events: EventStream<S>,
        reader: PayloadReader,
        values: PhantomData<fn() -> T>,
    }
}

impl<S> EventStream<S> {
    /// The values of this stream, whose events are JSON.
    ///
    /// The end marker is `[DONE]`, and a stream that ends without it is complete all the same; [`JsonStream`] says how either is
    /// changed, and which service sends what.
    pub fn json<T>(self) -> JsonStream<S, T> {
        JsonStream { events: self, reader: PayloadReader::default(), values: PhantomData }
    }
}

impl<S, T> JsonStream<S, T> {
    /// Sets the data of the event that ends the stream, in place of `[DONE]`. White space around it does not count.
    pub fn with_end_marker(mut self, data: impl IntoText) -> Self {
        self.reader.end_at(End::data(&data.into_byte_string()));
        self
    }

    /// Sets the type of the event that ends the stream, in place of `[DONE]`: `message_stop`, `done`. The event is a marker and
    /// no more; its data is not read. `""` is `"message"`, as everywhere.
    pub fn with_end_event_type(mut self, event_type: impl IntoText) -> Self {
        self.reader.end_at(End::marker(event_type));
        self
    }

    /// Sets the types of the events that end the stream, in place of `[DONE]`, and are its last item: `response.completed`,
    /// whose data has the usage.
    pub fn with_last_event_types<I>(mut self, event_types: I) -> Self
    where
        I: IntoIterator<Item: IntoText>,
    {
        self.reader.end_at(End::last(event_types));
        self
    }

    /// Disables the end marker: the stream ends when its source does, and `[DONE]` is parsed as data. No marker can then be missing.
    pub fn without_end_marker(mut self) -> Self {
        self.reader.end_at(End::Bytes);
        self
    }

    /// Has a stream that ends without its end marker give [`JsonError::Truncated`] as its last item, so that one that was cut
    /// off does not look like success.
    ///
    /// A source that itself knows that it was cut off, as HTTP does where a length or chunks are missing, says so before that, as
    /// [`JsonError::Stream`]. What only a marker can tell is a connection that was closed in good order, too early.
    pub fn require_end_marker(mut self) -> Self {
        self.reader.require_end();
        self
    }

    /// Takes an object with an `error` for a value as any other. An event of type `error` is [reported](JsonError::Reported) all
    /// the same.
    ///
    /// For a protocol whose objects have an `error` that means something else, such as `false`.
    pub fn without_error_reports(mut self) -> Self {
        self.reader.read_errors_as_values();
        self
    }

    /// Gives each value together with its event: its type, its ID, its exact text.
    ///
    /// It comes last; all settings are made before.
    ///
    /// ```
    /// # futures_util::FutureExt::now_or_never(async {
    /// # use eventwire::{EventStream, JsonError};
    /// # use futures_util::{TryStreamExt, stream};
    /// # use std::convert::Infallible;
    /// let body = stream::iter([Ok::<_, Infallible>("event: sum\nid: 7\ndata: [1, 2]\n\n")]);
    /// let mut sums = EventStream::new(body).json::<Vec<u32>>().with_events();
    /// let (terms, event) = sums.try_next().await?.unwrap();
    /// assert_eq!((terms, event.event_type(), event.id()), (vec![1, 2], "sum", "7"));
    /// # Ok::<(), JsonError<Infallible>>(())
    /// # }).unwrap().unwrap();
    /// ```
    pub fn with_events(self) -> WithEvents<JsonStream<S, T>> {
        WithEvents { values: self }
    }

    /// The stream of events.
    pub fn get_ref(&self) -> &EventStream<S> {
        &self.events
    }

    /// The stream of events. Those that are taken out of it here are missing in the values.
    pub fn get_mut(&mut self) -> &mut EventStream<S> {
        &mut self.events
    }

    /// The stream of events, pinned.
    #[must_use]
    pub fn get_pin_mut(self: Pin<&mut Self>) -> Pin<&mut EventStream<S>> {
        self.project().events
    }

    /// The stream of events, as it is after the last item.
    pub fn into_inner(self) -> EventStream<S> {
        self.events
    }
}

impl<S, B, E, T> JsonStream<S, T>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: DeserializeOwned,
{
    /// The next value, as `pair` has it.
    #[inline]
    pub(super) fn poll_with<V>(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pair: fn(T, Event) -> V,
    ) -> Poll<Option<Result<V, JsonError<E>>>> {
        let mut this = self.project();
        loop {
            if this.reader.has_ended() {
                return Poll::Ready(None);
            }
            let event = ready!(this.events.as_mut().poll_next(context));
            if let ControlFlow::Break(item) = this.reader.read(event, pair) {
                return Poll::Ready(item);
            }
        }
    }
}

impl<S, B, E, T> Stream for JsonStream<S, T>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: DeserializeOwned,
{
    type Item = Result<T, JsonError<E>>;

    #[inline]
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_with(context, |value, _| value)
    }
}

impl<S, B, E, T> FusedStream for JsonStream<S, T>
where
    S: Stream<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: DeserializeOwned,
{
    fn is_terminated(&self) -> bool {
        self.reader.has_ended()
    }
}

// Derived, it would ask `T` to be `Debug`, of which there is none here.
impl<S: fmt::Debug, T> fmt::Debug for JsonStream<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonStream").field("events", &self.events).field("reader", &self.reader).finish()
    }
}
