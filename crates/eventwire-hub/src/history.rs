//! How much a channel keeps.

/// How many events a channel keeps, for readers that return and for those that are slow. Both limits always apply.
///
/// When an event is added, the oldest ones are removed until both limits are met. The newest event is always kept, even
/// if it is larger than the limit, so a channel keeps at most `max_bytes` and one event.
///
/// ```
/// use eventwire_hub::{Channel, History};
///
/// let channel =
///     Channel::new(History::new().with_max_events(10_000).with_max_bytes(64 << 20));
/// # let _ = channel;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct History {
    pub(crate) max_events: usize,
    pub(crate) max_bytes: usize,
}

impl History {
    /// At most 1,024 events and 4 MiB.
    #[must_use]
    pub const fn new() -> History {
        History { max_events: 1024, max_bytes: 4 << 20 }
    }

    /// Sets how many events are kept at most.
    #[must_use]
    pub const fn with_max_events(mut self, events: usize) -> History {
        self.max_events = events;
        self
    }

    /// Sets how many bytes are kept at most: the length of the events as they are sent, IDs included.
    ///
    /// Beyond that, a channel needs about 130 bytes for each event.
    #[must_use]
    pub const fn with_max_bytes(mut self, bytes: usize) -> History {
        self.max_bytes = bytes;
        self
    }
}

impl Default for History {
    fn default() -> History {
        History::new()
    }
}
