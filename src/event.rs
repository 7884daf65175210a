//! Owned events.

mod block;
mod block_item;
mod block_ref;
mod comment;
#[cfg(feature = "json")]
mod encode_json;
mod event_id;
mod event_ref;
mod event_type;
mod into_text;
mod invalid_field;
mod last_event_id;
mod milliseconds;
mod outgoing;
#[cfg(feature = "json")]
mod serialization;
mod short;
mod text;

pub use self::{
    block::Block,
    block_item::{BlockItem, BlockItemRef},
    block_ref::BlockRef,
    comment::Comment,
    event_id::EventId,
    event_ref::EventRef,
    event_type::EventType,
    into_text::IntoText,
    invalid_field::InvalidField,
    outgoing::{IntoOutgoing, Outgoing},
};

pub(crate) use self::last_event_id::LastEventId;
use self::{milliseconds::Milliseconds, text::Text};
use crate::encoding::{Encoded, Encoding};
use alloc::{boxed::Box, sync::Arc};
use bytes::{BufMut, Bytes};
use bytestring::ByteString;
use core::{convert::Infallible, time::Duration};

/// Data of any length. Long data is a slice of a chunk, or has separate memory.
pub(crate) type Data = Text<ByteString, Infallible>;

/// A type or an ID. A long one is shared by the events that have the same.
pub(crate) type Label = Text<Arc<str>, &'static str>;

/// The type of an event without an `event` line.
pub(crate) const MESSAGE: &str = "message";

/// An owned event, read from a stream or to be written into one.
///
/// # Reading
///
/// Data, a type or an ID of up to 23 bytes is stored in the event itself. Where possible, longer data is not copied:
/// it is a slice of the chunk that it arrived in. Such an `Event` **keeps its complete chunk in memory** until you
/// drop the event. A copy does not, so keep `EventRef::from(&event).to_event()` if you keep an event for long. A longer
/// type or ID is shared by consecutive events that have the same one, and never keeps a chunk in memory.
///
/// ```
/// # use bytes::Bytes;
/// let mut decoder = eventwire::Decoder::new();
/// let mut input = Bytes::from_static(b"data: 1\n\nevent: end\ndata\n\n");
/// let mut events = Vec::new();
/// while let Some(event) = decoder.decode_bytes(&mut input)? {
///     events.push(event);
/// }
/// assert_eq!((events[0].event_type(), events[0].data()), ("message", "1"));
/// assert_eq!((events[1].event_type(), events[1].data()), ("end", ""));
/// # Ok::<(), eventwire::DecodeError>(())
/// ```
///
/// # Writing
///
/// [`encode`](Event::encode) writes an event. It cannot fail, because the setters reject a value that its field
/// cannot contain. Data may be any text: each of its lines is written as a separate `data` line, so nothing in it can
/// end the event or begin another field.
///
/// ```
/// use eventwire::Event;
///
/// let event = Event::new("two\nlines").with_event_type("greeting")?.with_id("42")?;
/// assert_eq!(event.to_bytes(), "event: greeting\nid: 42\ndata: two\ndata: lines\n\n");
/// # Ok::<(), eventwire::InvalidField>(())
/// ```
///
/// If you write an event and read it back as a separate stream, you get an equal event
/// ([guarantee 9](crate#guarantees)), except that each line end in its data becomes an LF. Within a longer stream, an
/// event without an ID gets the last event ID of that stream. A reader can also reject an event that is larger than
/// its limit.
///
/// An event that you read has the last event ID of its stream, even if an earlier block set that ID. If you write the
/// event, this ID is written as well, so that the receiver knows where to resume even if you drop events in between.
/// To copy a stream as it is, read and write its [blocks](Block).
///
/// Two events are equal if their types, data, IDs and reconnection times are, and an ID that was
/// [never set](Event::has_id) differs from an empty one. Equal events are written as the same bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Event {
    /// `None` is the default type, so that an event with `event: message` equals one without that line.
    event_type: Option<Label>,
    data: Data,
    /// `None` is an ID that was never set, `""` one that was cleared.
    id: Option<Label>,
    retry: Option<Milliseconds>,
}

impl Event {
    /// Creates an event of type `"message"` with this data, and no other field.
    ///
    /// Data of up to 23 bytes is copied into the event. A longer `String` is moved, and a longer `&str` is copied.
    /// For longer static text, [`ByteString::from_static`] avoids the copy.
    #[inline(always)]
    #[must_use]
    pub fn new(data: impl IntoText) -> Event {
        Event { data: Data::from_text(data), ..Event::default() }
    }

    /// Sets the data.
    ///
    /// If many events have the same type, create one event as a template, and clone it for each data. The type is
    /// then checked only once, and a clone shares its type and ID with the template.
    ///
    /// ```
    /// use eventwire::Event;
    ///
    /// let word = Event::default().with_event_type("word")?;
    /// let words: Vec<Event> =
    ///     ["Hello ", "world"].map(|text| word.clone().with_data(text)).into();
    /// assert_eq!(words[1].to_bytes(), "event: word\ndata: world\n\n");
    /// # Ok::<(), eventwire::InvalidField>(())
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn with_data(mut self, data: impl IntoText) -> Event {
        self.data = Data::from_text(data);
        self
    }

    /// Sets the type. `""` and `"message"` both mean the default type, for which no line is written.
    ///
    /// # Errors
    ///
    /// [`InvalidField`] if it contains a CR or an LF.
    ///
    /// ```
    /// use eventwire::Event;
    ///
    /// assert_eq!(
    ///     Event::new("a").with_event_type("tick")?.to_bytes(),
    ///     "event: tick\ndata: a\n\n"
    /// );
    /// assert!(Event::new("a").with_event_type("two\nlines").is_err());
    /// # Ok::<(), eventwire::InvalidField>(())
    /// ```
    #[inline(always)]
    pub fn with_event_type(self, event_type: impl IntoText) -> Result<Event, InvalidField> {
        Ok(self.with_checked_type(EventType::checked(event_type)?))
    }

    /// Sets the type to one that has already been checked: a constant, or one that many events share.
    ///
    /// ```
    /// use eventwire::{Event, EventType};
    ///
    /// const WORD: EventType = EventType::new("word").unwrap();
    ///
    /// let event = Event::new("hello").with_checked_type(WORD);
    /// assert_eq!(event.to_bytes(), "event: word\ndata: hello\n\n");
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn with_checked_type(mut self, event_type: EventType) -> Event {
        self.event_type = event_type.into_named();
        self
    }

    /// Sets the ID, which a client sends as `Last-Event-ID` when it reconnects. `""` clears the client's ID.
    ///
    /// # Errors
    ///
    /// [`InvalidField`] if it contains a CR, an LF or a NUL.
    ///
    /// ```
    /// use eventwire::Event;
    ///
    /// assert_eq!(Event::new("a").with_id("7")?.to_bytes(), "id: 7\ndata: a\n\n");
    /// assert_eq!(Event::new("a").with_id("")?.to_bytes(), "id: \ndata: a\n\n");
    /// # Ok::<(), eventwire::InvalidField>(())
    /// ```
    #[inline(always)]
    pub fn with_id(mut self, id: impl IntoText) -> Result<Event, InvalidField> {
        self.id = Some(EventId::checked(id)?.into_label());
        Ok(self)
    }

    /// Sets the ID to a number, which is always valid.
    ///
    /// ```
    /// let event = eventwire::Event::new("a").with_numeric_id(7);
    /// assert_eq!(event.to_bytes(), "id: 7\ndata: a\n\n");
    /// ```
    #[inline(always)]
    #[must_use]
    pub fn with_numeric_id(mut self, id: u64) -> Event {
        self.id = Some(EventId::from(id).into_label());
        self
    }

    /// Sets the reconnection time: how long a client waits before it reconnects.
    ///
    /// The time is written in whole milliseconds: fractions of a millisecond are dropped, and more than [`u64::MAX`]
    /// milliseconds become that maximum.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let event = eventwire::Event::new("a").with_retry(Duration::from_micros(2500));
    /// assert_eq!(event.retry(), Some(Duration::from_millis(2)));
    /// assert_eq!(event.to_bytes(), "retry: 2\ndata: a\n\n");
    /// ```
    #[must_use]
    pub fn with_retry(mut self, time: Duration) -> Event {
        self.retry = Some(time.into());
        self
    }

    /// Sets the data to a value as JSON, on one line. [`encode_json`](Event::encode_json) is faster for many events.
    ///
    /// # Errors
    ///
    /// serde_json's error if the value cannot be written as JSON: if it is a map whose keys are not text, or if its
    /// `Serialize` fails.
    ///
    /// ```
    /// use eventwire::Event;
    ///
    /// let event = Event::default().with_json(&serde_json::json!({ "text": "a\nb" }))?;
    /// assert_eq!(event.to_bytes(), "data: {\"text\":\"a\\nb\"}\n\n");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[cfg(feature = "json")]
    pub fn with_json<T: serde_core::Serialize + ?Sized>(mut self, value: &T) -> Result<Event, serde_json::Error> {
        self.data = Data::from_text(serde_json::to_string(value)?);
        Ok(self)
    }

    /// Returns the event's type, `"message"` if the stream did not name one.
    #[inline]
    #[must_use]
    pub fn event_type(&self) -> &str {
        self.event_type.as_ref().map_or(MESSAGE, Label::as_str)
    }

    /// Returns the event's data: its `data` lines, joined by LF.
    #[inline]
    #[must_use]
    pub fn data(&self) -> &str {
        self.data.as_str()
    }

    /// Returns the last event ID at the time when the event was dispatched, or `""` if there was none.
    ///
    /// An ID stays until the stream sets another, so an event without an `id` line can have an ID.
    #[inline]
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        self.id.as_ref().map_or("", Label::as_str)
    }

    /// Returns whether an ID was ever set, including the empty one.
    ///
    /// [`last_event_id`](Event::last_event_id) returns `""` in two cases: no ID was ever set, or an empty `id` line
    /// cleared it. Two such events are not equal. The difference matters when the event is forwarded: a cleared ID is
    /// written as an empty `id` line, and a client forgets its ID. An ID that was never set is not written, and a
    /// client keeps its ID.
    ///
    /// ```
    /// let mut decoder = eventwire::Decoder::new();
    /// let mut input = &b"data: a\n\nid\ndata: b\n\n"[..];
    /// let a = decoder.decode(&mut input)?.unwrap().to_event();
    /// let b = decoder.decode(&mut input)?.unwrap().to_event();
    /// assert_eq!((a.last_event_id(), a.has_id()), ("", false));
    /// assert_eq!((b.last_event_id(), b.has_id()), ("", true));
    /// assert_eq!(
    ///     (&a.to_bytes()[..], &b.to_bytes()[..]),
    ///     (&b"data: a\n\n"[..], &b"id: \ndata: b\n\n"[..])
    /// );
    /// # Ok::<(), eventwire::DecodeError>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn has_id(&self) -> bool {
        self.id.is_some()
    }

    /// Returns the reconnection time that this event's own block set, if any.
    #[inline]
    #[must_use]
    pub const fn retry(&self) -> Option<Duration> {
        match self.retry {
            Some(milliseconds) => Some(milliseconds.duration()),
            None => None,
        }
    }

    /// Returns the data and drops the rest of the event. Data of up to 23 bytes is copied, longer data is not.
    #[inline]
    #[must_use]
    pub fn into_data(self) -> ByteString {
        self.data.into()
    }

    /// Appends the event to `buffer`, as a block of an event stream.
    ///
    /// A `Vec<u8>` or a `BytesMut` grows at most once. (If you wrap it, in another `&mut` or in a
    /// [`Limit`](bytes::buf::Limit), it may grow more often, because the wrapper does not pass on the total length.)
    ///
    /// # Panics
    ///
    /// Panics if a buffer of a fixed size has no room for all bytes of the event, as the methods of [`BufMut`] do. In
    /// that case, nothing is written.
    ///
    /// ```
    /// use eventwire::Event;
    ///
    /// let mut stream = Vec::new();
    /// Event::new("1").encode(&mut stream);
    /// Event::new("2").encode(&mut stream);
    /// assert_eq!(stream, b"data: 1\n\ndata: 2\n\n");
    /// ```
    #[inline]
    pub fn encode(&self, buffer: &mut impl BufMut) {
        self.encoding().write(buffer);
    }

    /// Returns the event as a block of an event stream, in a single allocation of exactly its length.
    #[inline]
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        Bytes::from(self.to_box())
    }

    /// The part of [`to_bytes`](Event::to_bytes) that is not inlined. The `Bytes` is created where it is returned, so
    /// that it need not be moved.
    #[inline(never)]
    fn to_box(&self) -> Box<[u8]> {
        Box::from(&self.encoding())
    }

    /// Encodes the event once, to be sent to many readers; see [`Encoded`].
    #[must_use]
    pub fn encoded(&self) -> Encoded {
        Encoded::from(&self.encoding())
    }

    #[inline]
    fn encoding(&self) -> Encoding<'_> {
        self.encoding_of(self.data())
    }

    /// This event with other data.
    #[inline]
    fn encoding_of<'e>(&'e self, data: &'e str) -> Encoding<'e> {
        let event_type = self.event_type.as_ref().map(Label::as_str);
        let id = self.id.as_ref().map(Label::as_str);
        Encoding::event(event_type, data, id, self.retry())
    }

    /// An event that the decoder has found. Its fields need no check. Its type is not the default one.
    #[inline(always)]
    pub(crate) fn decoded(event_type: Option<Label>, data: Data, id: Option<Label>, retry: Option<Duration>) -> Event {
        Event { event_type, data, id, retry: retry.map(Milliseconds::from) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Block, Data, Event, Label};
    use alloc::sync::Arc;

    #[test]
    fn an_event_is_twelve_words() {
        assert_eq!(size_of::<Event>(), 96);
        assert_eq!(size_of::<Block>(), 104);
    }

    #[test]
    fn equal_text_is_equal_however_it_is_stored() {
        let [short, long] = ["23 bytes, which are few.", "more than twenty-three bytes"].map(Arc::<str>::from);
        assert_eq!(Label::from(Arc::clone(&long)), Label::from_text(&*long));
        assert_eq!(Label::from(Arc::from(&short[..23])), Label::from_text(&short[..23]));
        assert_eq!(Label::constant("more than twenty-three bytes"), Label::from(Arc::clone(&long)));
        assert_eq!(Data::from(bytestring::ByteString::from(&short[..23])), Data::from_text(&short[..23]));
        assert_ne!(Label::from_text(&*short), Label::from_text(&*long));
        assert_ne!(Data::from_text(&*short), Data::from_text(&*long));
    }
}
