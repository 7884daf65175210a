//! Missing events, and what a reader is sent about them.

use crate::{
    cursor::Part,
    merged::private::Source,
    record::{Item, Told},
    stream_position::event_id,
};
use eventwire::{Block, Encoded, Event, EventType};
use std::{
    fmt,
    task::{Context, Poll, ready},
    time::Duration,
};

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
    phase: Phase,
    pub(crate) retry: Option<Duration>,
    pub(crate) gap_event: Option<GapEvent>,
}

/// How far the stream of a reader of one channel is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    OpeningDue,
    Open,
    Ended,
}

pub(crate) struct GapEvent(pub(crate) Box<dyn Fn(&Gap<'_>) -> Event + Send + Sync>);

impl fmt::Debug for GapEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("GapEvent")
    }
}

impl Notices {
    /// Returns what a reader of one channel is sent next. Its stream ends with the first end, although the channel may
    /// go on.
    pub(crate) fn poll_next<R: Source>(reader: &mut R, context: &mut Context<'_>) -> Poll<Option<Encoded>> {
        let told = reader.told();
        let notices = reader.notices();
        match notices.phase {
            Phase::OpeningDue => {
                notices.phase = Phase::Open;
                let id = told.position().map(|position| position.to_string());
                if let Some(opening) = notices.opening(id.as_deref()) {
                    return Poll::Ready(Some(opening));
                }
            }
            Phase::Open => {}
            Phase::Ended => return Poll::Ready(None),
        }
        let part = ready!(reader.poll_part(context, Item::whole));
        let (Told::UpTo(position) | Told::Nothing { after: position }) = reader.told();
        let notices = reader.notices();
        Poll::Ready(match part {
            Some(Part::Event(blocks) | Part::Transient(blocks)) => Some(blocks),
            Some(Part::Gap(missed)) => {
                Some(notices.gap(&Gap { topic: None, missed: missed.count() }, &position.to_string()))
            }
            Some(Part::Cut) | None => {
                notices.phase = Phase::Ended;
                None
            }
        })
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
