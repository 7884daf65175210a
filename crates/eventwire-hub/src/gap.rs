//! Missing events, and what a reader is sent about them.

use crate::{
    position::event_id,
    record::{Missed, Told},
};
use eventwire::{Block, Encoded, Event, EventType};
use std::{fmt, mem, time::Duration};

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
    fn event(&self) -> Event {
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

/// The blocks that a reader gets besides those that were sent.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    opening: Opening,
    pub(crate) retry: Option<Duration>,
    pub(crate) gap_event: Option<GapEvent>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Opening {
    #[default]
    Due,
    Sent,
}

pub(crate) struct GapEvent(pub(crate) Box<dyn Fn(&Gap<'_>) -> Event + Send + Sync>);

impl fmt::Debug for GapEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GapEvent")
    }
}

impl Notices {
    /// The opening of a reader of one stream. `None` if it was returned before, or if there is nothing to say.
    pub(crate) fn first(&mut self, told: Told) -> Option<Encoded> {
        match mem::replace(&mut self.opening, Opening::Sent) {
            Opening::Due => self.opening(told.position().map(|position| position.to_string()).as_deref()),
            Opening::Sent => None,
        }
    }

    /// The gap event of a reader of one stream, which has then been told as much.
    pub(crate) fn missed(&self, missed: Missed, told: Told) -> Encoded {
        let (Told::UpTo(position) | Told::Nothing { after: position }) = told;
        self.gap(&Gap { topic: None, missed: missed.count() }, &position.to_string())
    }

    /// The first block. It has the reader's position, so that a connection that is lost before the first event resumes
    /// too. `None` if there is nothing to say.
    pub(crate) fn opening(&self, id: Option<&str>) -> Option<Encoded> {
        let mut block = Block::default();
        if let Some(id) = id {
            block = block.with_id(event_id(id));
        }
        if let Some(time) = self.retry {
            block = block.with_retry(time);
        }
        (id.is_some() || self.retry.is_some()).then(|| block.encoded())
    }

    /// The event about a gap. Its ID is the position after the gap, so that the gap is not told again.
    pub(crate) fn gap(&self, gap: &Gap<'_>, id: &str) -> Encoded {
        let event = self.gap_event.as_ref().map_or_else(|| gap.event(), |GapEvent(event)| event(gap));
        Block::from(event).with_id(event_id(id)).encoded()
    }
}
