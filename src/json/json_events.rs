//! The synchronous typed stream.

use super::{JsonError, WithEvents, end::End, payload_reader::PayloadReader};
use crate::{
    event::{Event, IntoText},
    feed::Events,
};
use bytes::Bytes;
use core::{fmt, iter::FusedIterator, marker::PhantomData, ops::ControlFlow};
use serde_core::de::DeserializeOwned;

/// The values of an iterator of JSON events; an iterator of `Result<T, JsonError<E>>`. [`Events::json`] makes it.
///
/// All that [`JsonStream`](crate::JsonStream) says holds here, without `async`.
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
#[must_use = "an iterator does nothing unless it is asked"]
pub struct JsonEvents<I, T> {
    events: Events<I>,
    reader: PayloadReader,
    values: PhantomData<fn() -> T>,
}

impl<I> Events<I> {
    /// The values of these events, which are JSON.
    ///
    /// The end marker is `[DONE]`, and a stream that ends without it is complete all the same;
    /// [`JsonStream`](crate::JsonStream) says how either is changed, and which service sends what.
    pub fn json<T>(self) -> JsonEvents<I, T> {
        JsonEvents { events: self, reader: PayloadReader::default(), values: PhantomData }
    }
}

impl<I, T> JsonEvents<I, T> {
    /// See [`JsonStream::with_end_marker`](crate::JsonStream::with_end_marker).
    pub fn with_end_marker(mut self, data: impl IntoText) -> Self {
        self.reader.end_at(End::data(&data.into_byte_string()));
        self
    }

    /// See [`JsonStream::with_end_event_type`](crate::JsonStream::with_end_event_type).
    pub fn with_end_event_type(mut self, event_type: impl IntoText) -> Self {
        self.reader.end_at(End::marker(event_type));
        self
    }

    /// See [`JsonStream::with_last_event_types`](crate::JsonStream::with_last_event_types).
    pub fn with_last_event_types<L>(mut self, event_types: L) -> Self
    where
        L: IntoIterator<Item: IntoText>,
    {
        self.reader.end_at(End::last(event_types));
        self
    }

    /// See [`JsonStream::without_end_marker`](crate::JsonStream::without_end_marker).
    pub fn without_end_marker(mut self) -> Self {
        self.reader.end_at(End::Bytes);
        self
    }

    /// See [`JsonStream::require_end_marker`](crate::JsonStream::require_end_marker).
    pub fn require_end_marker(mut self) -> Self {
        self.reader.require_end();
        self
    }

    /// See [`JsonStream::without_error_reports`](crate::JsonStream::without_error_reports).
    pub fn without_error_reports(mut self) -> Self {
        self.reader.read_errors_as_values();
        self
    }

    /// Gives each value with its event; see [`JsonStream::with_events`](crate::JsonStream::with_events).
    pub fn with_events(self) -> WithEvents<JsonEvents<I, T>> {
        WithEvents { values: self }
    }

    /// The iterator of events.
    pub fn get_ref(&self) -> &Events<I> {
        &self.events
    }

    /// The iterator of events. Those that are taken out of it here are missing in the values.
    pub fn get_mut(&mut self) -> &mut Events<I> {
        &mut self.events
    }

    /// The iterator of events, as it is after the last item.
    pub fn into_inner(self) -> Events<I> {
        self.events
    }
}

impl<I, B, E, T> JsonEvents<I, T>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: DeserializeOwned,
{
    /// The next value, as `pair` has it.
    #[inline]
    pub(super) fn next_with<V>(&mut self, pair: fn(T, Event) -> V) -> Option<Result<V, JsonError<E>>> {
        loop {
            if self.reader.has_ended() {
                return None;
            }
            if let ControlFlow::Break(item) = self.reader.read(self.events.next(), pair) {
                return item;
            }
        }
    }
}

impl<I, B, E, T> Iterator for JsonEvents<I, T>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: DeserializeOwned,
{
    type Item = Result<T, JsonError<E>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_with(|value, _| value)
    }
}

impl<I, B, E, T> FusedIterator for JsonEvents<I, T>
where
    I: Iterator<Item = Result<B, E>>,
    B: Into<Bytes>,
    T: DeserializeOwned,
{
}

// Derived, it would ask `T` to be `Debug`, of which there is none here.
impl<I: fmt::Debug, T> fmt::Debug for JsonEvents<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonEvents").field("events", &self.events).field("reader", &self.reader).finish()
    }
}
