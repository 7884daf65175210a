//! The parts of an event.

use bytestring::ByteString;
use core::time::Duration;

/// The parts of an [`Event`](super::Event), owned; [`Event::into_parts`](super::Event::into_parts) returns them.
///
/// ```
/// use eventwire::Event;
///
/// let parts = Event::new("hello").with_id("7")?.into_parts();
/// assert_eq!((&*parts.event_type, &*parts.data, parts.id.as_deref()), ("message", "hello", Some("7")));
/// # Ok::<(), eventwire::InvalidField>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct EventParts {
    /// The type; `"message"` if the stream did not name one.
    pub event_type: ByteString,
    /// The data.
    pub data: ByteString,
    /// The last event ID at the time when the event was dispatched: `None` if it was never set, `""` if it was
    /// cleared.
    pub id: Option<ByteString>,
    /// The reconnection time that the event's own block set, if any.
    pub retry: Option<Duration>,
}
