//! Missing events.

use eventwire::{Event, EventType};

/// A place where a reader has missed events; see
/// [`Subscription::with_gap_event`](crate::Subscription::with_gap_event).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap<'a> {
    pub(crate) topic: Option<&'a str>,
    pub(crate) missed: Option<u64>,
}

impl Gap<'_> {
    /// Returns how many events the reader has missed, if that is known.
    ///
    /// It is not known if the reader's last event ID is not one of the channel, or one from before a restart.
    #[must_use]
    pub fn missed(&self) -> Option<u64> {
        self.missed
    }

    /// Returns the topic whose events are missing, in a [`Merged`](crate::Merged) stream.
    #[must_use]
    pub fn topic(&self) -> Option<&str> {
        self.topic
    }

    /// The event if the user has set no other: what is known, as JSON.
    pub(crate) fn event(&self) -> Event {
        const GAP: EventType = EventType::new("gap").unwrap();
        // The characters of a topic need no escape.
        let data = match (self.topic, self.missed) {
            (None, None) => "{}".to_owned(),
            (None, Some(missed)) => format!("{{\"missed\":{missed}}}"),
            (Some(topic), None) => format!("{{\"topic\":\"{topic}\"}}"),
            (Some(topic), Some(missed)) => format!("{{\"topic\":\"{topic}\",\"missed\":{missed}}}"),
        };
        Event::new(data).with_checked_type(GAP)
    }
}

/// What happens to a reader that is too slow: the history no longer has its next event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lag {
    /// It gets one gap event, and continues with the oldest event that is kept.
    #[default]
    Gap,
    /// Its stream ends, to shed load. When it reconnects, it gets the gap event.
    End,
}
