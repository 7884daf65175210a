//! A value and the event that it was read from.

use crate::event::Event;

/// Reads each value together with its event, if you need the event's type, ID or exact text.
///
/// Ask a [`JsonStream`](crate::JsonStream) for it instead of the value:
///
/// ```
/// use eventwire::{Events, WithEvent};
/// # use std::convert::Infallible;
///
/// let body = "event: sum\nid: 7\ndata: [1, 2]\n\n";
/// let mut sums =
///     Events::new([Ok::<_, Infallible>(body)].into_iter()).json::<WithEvent<Vec<u32>>>();
/// let WithEvent { value, event } = sums.next().unwrap()?;
/// assert_eq!(value, [1, 2]);
/// assert_eq!((event.event_type(), event.last_event_id()), ("sum", "7"));
/// assert_eq!(event.data(), "[1, 2]");
/// # Ok::<(), eventwire::JsonError<Infallible>>(())
/// ```
///
/// It does not implement `Deserialize`, because an event is not part of the JSON.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WithEvent<T> {
    /// The value of the event's data.
    pub value: T,
    /// The event.
    pub event: Event,
}
