//! A value together with the event that it was read from.

use crate::event::Event;

/// A value together with its event, for its type, its ID and its exact text; a [`Payload`](crate::Payload).
///
/// Ask for it in place of the value itself:
///
/// ```
/// use eventwire::{Events, WithEvent};
/// # use std::convert::Infallible;
///
/// let body = "event: sum\nid: 7\ndata: [1, 2]\n\n";
/// let mut sums = Events::new([Ok::<_, Infallible>(body)].into_iter()).json::<WithEvent<Vec<u32>>>();
/// let WithEvent { value, event } = sums.next().unwrap()?;
/// assert_eq!(value, [1, 2]);
/// assert_eq!((event.event_type(), event.id(), event.data()), ("sum", "7", "[1, 2]"));
/// # Ok::<(), eventwire::JsonError<Infallible>>(())
/// ```
///
/// It is not `Deserialize` itself: an event is not part of the JSON.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WithEvent<T> {
    /// The event's data, read as JSON.
    pub value: T,
    /// The event.
    pub event: Event,
}
