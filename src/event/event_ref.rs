//! Borrowed events.

use super::{Data, Event, InvalidField, Label, MESSAGE, milliseconds::Milliseconds};
use crate::encoding::Encoding;
use bytes::{BufMut, Bytes};
use core::time::Duration;

/// An event that borrows from its chunk or from the decoder; [`Decoder::decode`](crate::Decoder::decode) returns it.
///
/// It contains only references, so it is cheap to create and to copy. It is valid until the next call to the decoder.
/// To keep an event for longer, call [`to_event`](EventRef::to_event).
///
/// ```
/// let mut decoder = eventwire::Decoder::new();
/// let mut input = &b"event: tick\nid: 7\ndata: 1\ndata: 2\n\n"[..];
/// let event = decoder.decode(&mut input)?.expect("a complete event");
/// assert_eq!((event.event_type(), event.data()), ("tick", "1\n2"));
/// assert_eq!(event.last_event_id(), "7");
/// # Ok::<(), eventwire::DecodeError>(())
/// ```
///
/// It can also borrow your own text, so that you can write an event without creating an owned one. The setters accept
/// the same values as those of [`Event`]:
///
/// ```
/// use eventwire::EventRef;
///
/// let mut stream = Vec::new();
/// for word in ["Hello ", "world"] {
///     EventRef::new(word).with_event_type("word")?.encode(&mut stream);
/// }
/// assert_eq!(stream, b"event: word\ndata: Hello \n\nevent: word\ndata: world\n\n");
/// # Ok::<(), eventwire::InvalidField>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventRef<'a> {
    event_type: &'a str,
    data: &'a str,
    /// `None` is an ID that was never set, `""` one that was cleared.
    id: Option<&'a str>,
    retry: Option<Milliseconds>,
}

impl<'a> EventRef<'a> {
    /// Creates an event of type `"message"` with this data, and no other field.
    #[must_use]
    pub const fn new(data: &'a str) -> EventRef<'a> {
        EventRef { event_type: MESSAGE, data, id: None, retry: None }
    }

    /// An event that the decoder has found. Its fields need no check. An empty `event_type` is the default one.
    #[inline]
    pub(crate) fn decoded(
        event_type: &'a str,
        data: &'a str,
        id: Option<&'a str>,
        retry: Option<Duration>,
    ) -> EventRef<'a> {
        let event_type = if event_type.is_empty() { MESSAGE } else { event_type };
        EventRef { event_type, data, id, retry: retry.map(Milliseconds::from) }
    }

    /// Sets the type; see [`Event::with_event_type`].
    ///
    /// # Errors
    ///
    /// [`InvalidField`] if it contains a CR or an LF.
    pub fn with_event_type(self, event_type: &'a str) -> Result<EventRef<'a>, InvalidField> {
        InvalidField::check_event_type(event_type)?;
        Ok(EventRef { event_type: if event_type.is_empty() { MESSAGE } else { event_type }, ..self })
    }

    /// Sets the ID; see [`Event::with_id`].
    ///
    /// # Errors
    ///
    /// [`InvalidField`] if it contains a CR, an LF or a NUL.
    pub fn with_id(self, id: &'a str) -> Result<EventRef<'a>, InvalidField> {
        InvalidField::check_id(id)?;
        Ok(EventRef { id: Some(id), ..self })
    }

    /// Sets the reconnection time; see [`Event::with_retry`].
    #[must_use]
    pub fn with_retry(self, time: Duration) -> EventRef<'a> {
        EventRef { retry: Some(time.into()), ..self }
    }

    /// Returns the event's type, `"message"` if the stream did not name one.
    #[inline]
    #[must_use]
    pub const fn event_type(&self) -> &'a str {
        self.event_type
    }

    /// Returns the event's data: its `data` lines, joined by LF.
    #[inline]
    #[must_use]
    pub const fn data(&self) -> &'a str {
        self.data
    }

    /// Returns the last event ID at the time when the event was dispatched, or `""` if there was none; see
    /// [`Event::last_event_id`].
    #[inline]
    #[must_use]
    pub const fn last_event_id(&self) -> &'a str {
        match self.id {
            Some(id) => id,
            None => "",
        }
    }

    /// Returns whether an ID was ever set, including the empty one; see [`Event::has_id`].
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

    /// Appends the event to `buffer`; see [`Event::encode`].
    #[inline]
    pub fn encode(&self, buffer: &mut impl BufMut) {
        self.encoding().write(buffer);
    }

    /// Returns the event as a block of an event stream; see [`Event::to_bytes`].
    #[inline]
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        Bytes::from(&self.encoding())
    }

    #[inline]
    fn encoding(&self) -> Encoding<'a> {
        let event_type = if self.event_type == MESSAGE { None } else { Some(self.event_type) };
        Encoding::event(event_type, self.data, self.id, self.retry())
    }

    /// Returns an owned copy of the event, which you can keep.
    #[must_use]
    pub fn to_event(&self) -> Event {
        let event_type = (self.event_type != MESSAGE).then(|| Label::from_text(self.event_type));
        Event::decoded(event_type, Data::from_text(self.data), self.id.map(Label::from_text), self.retry())
    }
}

/// Borrows the event.
///
/// ```
/// use eventwire::{Event, EventRef};
///
/// let event = Event::new("hello").with_event_type("greeting")?.with_id("7")?;
/// let again = EventRef::from(&event).with_id("8")?;
/// assert_eq!(again.to_bytes(), "event: greeting\nid: 8\ndata: hello\n\n");
/// # Ok::<(), eventwire::InvalidField>(())
/// ```
impl<'a> From<&'a Event> for EventRef<'a> {
    fn from(event: &'a Event) -> EventRef<'a> {
        let id = event.has_id().then(|| event.last_event_id());
        EventRef::decoded(event.event_type(), event.data(), id, event.retry())
    }
}
