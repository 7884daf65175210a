//! The blocks that a reader gets besides those that were sent.

use crate::{gap::Gap, stream_position::event_id};
use eventwire::{Block, Encoded, Event};
use std::{fmt, time::Duration};

/// How far a reader's stream is, and the blocks that it gets besides those that were sent.
#[derive(Debug, Default)]
pub(crate) struct Notices {
    pub(crate) phase: Phase,
    pub(crate) retry: Option<Duration>,
    pub(crate) gap_event: Option<GapEvent>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Phase {
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
    /// Opens the stream with the first block. It has the reader's position, so that a connection that is lost before
    /// the first event resumes too. `None` if there is nothing to say.
    pub(crate) fn open(&mut self, id: Option<&str>) -> Option<Encoded> {
        self.phase = Phase::Open;
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
