//! Events, lent and owned.

use alloc::sync::Arc;
use bytestring::ByteString;
use core::time::Duration;

/// The type of an event whose stream named none.
const MESSAGE: &str = "message";

/// An event lent from the chunk or the decoder it comes from; [`Decoder::decode`](crate::Decoder::decode) gives it.
///
/// It costs no allocation and no copy, and lives until the decoder is asked for the next one.
///
/// ```
/// let mut decoder = eventwire::Decoder::new();
/// let mut input = &b"event: tick\nid: 7\ndata: 1\ndata: 2\n\n"[..];
/// let event = decoder.decode(&mut input)?.expect("a whole event");
/// assert_eq!((event.event_type(), event.data(), event.id()), ("tick", "1\n2", "7"));
/// # Ok::<(), eventwire::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EventRef<'a> {
    event_type: &'a str,
    data: &'a str,
    id: &'a str,
    retry: Option<Duration>,
}

impl<'a> EventRef<'a> {
    /// An `event_type` that is empty is the default one.
    #[inline]
    pub(crate) fn new(event_type: &'a str, data: &'a str, id: &'a str, retry: Option<Duration>) -> EventRef<'a> {
        EventRef { event_type: if event_type.is_empty() { MESSAGE } else { event_type }, data, id, retry }
    }

    /// The event's type, `"message"` where the stream named none.
    #[inline]
    #[must_use]
    pub const fn event_type(&self) -> &'a str {
        self.event_type
    }

    /// The event's data: its `data` lines, with LF between them.
    #[inline]
    #[must_use]
    pub const fn data(&self) -> &'a str {
        self.data
    }

    /// The last event ID when the event was dispatched, `""` for none.
    ///
    /// It stays from event to event until the stream sets another; an event without an `id` line has one too.
    #[inline]
    #[must_use]
    pub const fn id(&self) -> &'a str {
        self.id
    }

    /// The reconnection time that was set within this event's own block, if any.
    #[inline]
    #[must_use]
    pub const fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// An owned copy.
    #[must_use]
    pub fn to_event(&self) -> Event {
        let shared = |text: &str| (!text.is_empty()).then(|| Arc::from(text));
        Event {
            event_type: if self.event_type == MESSAGE { None } else { shared(self.event_type) },
            data: ByteString::from(self.data),
            id: shared(self.id),
            retry: self.retry,
        }
    }
}

/// An owned event.
///
/// Its data is, where that was possible, a slice of the chunk that it came in, which is not copied. An `Event` that is kept
/// thus **keeps its whole chunk in memory**; [`compact`](Event::compact) gives up that share. Type and ID are shared
/// between the events that have the same, and never keep a chunk.
///
/// ```
/// # use bytes::Bytes;
/// let mut decoder = eventwire::Decoder::new();
/// let mut input = Bytes::from_static(b"data: 1\n\nevent: end\ndata\n\n");
/// let mut events = Vec::new();
/// while let Some(event) = decoder.decode_bytes(&mut input)? {
///     events.push(event.compact());
/// }
/// assert_eq!((events[0].event_type(), events[0].data()), ("message", "1"));
/// assert_eq!((events[1].event_type(), events[1].data()), ("end", ""));
/// # Ok::<(), eventwire::DecodeError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// `None` is the default type: an event that says `message` equals one that says nothing.
    event_type: Option<Arc<str>>,
    data: ByteString,
    /// `None` is the empty ID.
    id: Option<Arc<str>>,
    retry: Option<Duration>,
}

impl Event {
    /// `event_type` and `id` are not empty.
    #[inline]
    pub(crate) fn new(
        event_type: Option<Arc<str>>,
        data: ByteString,
        id: Option<Arc<str>>,
        retry: Option<Duration>,
    ) -> Event {
        Event { event_type: event_type.filter(|event_type| **event_type != *MESSAGE), data, id, retry }
    }

    /// The event's type, `"message"` where the stream named none.
    #[inline]
    #[must_use]
    pub fn event_type(&self) -> &str {
        self.event_type.as_deref().unwrap_or(MESSAGE)
    }

    /// The event's data: its `data` lines, with LF between them.
    #[inline]
    #[must_use]
    pub fn data(&self) -> &str {
        &self.data
    }

    /// The last event ID when the event was dispatched, `""` for none.
    ///
    /// It stays from event to event until the stream sets another; an event without an `id` line has one too.
    #[inline]
    #[must_use]
    pub fn id(&self) -> &str {
        self.id.as_deref().unwrap_or("")
    }

    /// The reconnection time that was set within this event's own block, if any.
    #[inline]
    #[must_use]
    pub const fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// The data alone, without a copy.
    #[inline]
    #[must_use]
    pub fn into_data(self) -> ByteString {
        self.data
    }

    /// Copies the data out of its chunk, so that keeping the event no longer keeps the chunk.
    ///
    /// For events that are kept for long: a chunk is often sixteen KiB and more, of which an event is a small part.
    #[must_use]
    pub fn compact(mut self) -> Event {
        self.data = ByteString::from(self.data());
        self
    }
}
