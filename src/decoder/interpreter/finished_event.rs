//! A finished event, borrowed or owned.

use super::{Interpreter, State};
use crate::decoder::{borrowed::Borrowed, last_event_id::LastEventId, utf8};
use crate::event::{Data, Event, EventRef, Label};
use crate::line::Scanned;

/// The type of an event whose stream named none.
const MESSAGE: &str = EventRef::new("").event_type();

impl Interpreter {
    /// The event of this data and nothing else, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn lend_data<'a>(&'a mut self, data: Scanned<'a>) -> EventRef<'a> {
        match utf8::valid(data) {
            Some(data) => EventRef::decoded("", data, self.last_event_id.as_ref().map(LastEventId::as_str), None),
            None => self.lend_broken(data),
        }
    }

    #[cold]
    fn lend_broken<'a>(&'a mut self, data: Scanned<'a>) -> EventRef<'a> {
        self.lend(&Borrowed { data: Some(data), ..Borrowed::default() })
    }

    /// The finished event, borrowed.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn lend<'a>(&'a mut self, borrowed: &Borrowed<'a>) -> EventRef<'a> {
        let event_type = Scanned::or(&borrowed.event_type, self.buffers.event_type());
        let data = Scanned::or(&borrowed.data, self.buffers.data.value());
        let id = self.last_event_id.as_ref().map(LastEventId::as_str);
        let (event_type, data) = match (utf8::valid(event_type), utf8::valid(data)) {
            (Some(event_type), Some(data)) => (event_type, data),
            _ => {
                self.state = State::Dispatched;
                (self.repaired.label.repaired(event_type), self.repaired.data.repaired(data))
            }
        };
        EventRef::decoded(event_type, data, id, self.retry)
    }

    /// The type of the finished event, owned, unless it is the default one.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn own_type(&mut self, borrowed: &Borrowed<'_>) -> Option<Label> {
        let event_type = Scanned::or(&borrowed.event_type, self.buffers.event_type());
        match utf8::valid(event_type) {
            Some("" | MESSAGE) => None,
            Some(text) => Some(self.recent_type.label(text)),
            None => {
                self.state = State::Dispatched;
                Some(self.recent_type.label(self.repaired.label.repaired(event_type)))
            }
        }
    }

    /// The buffered data of the finished event, owned.
    pub(in crate::decoder) fn take_data(&mut self) -> Data {
        self.buffers.data.take()
    }

    /// The finished event of this type and data, owned.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(in crate::decoder) fn own(&mut self, event_type: Option<Label>, data: Data) -> Event {
        let id = self.last_event_id.as_mut().map(LastEventId::label);
        Event::decoded(event_type, data, id, self.retry)
    }
}
