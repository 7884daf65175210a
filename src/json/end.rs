//! The events that show that a stream is complete.

use crate::event::{EventRef, IntoText};
use alloc::{borrow::Cow, vec::Vec};
use bytestring::ByteString;

/// The events that end a stream of JSON.
#[derive(Clone, Debug)]
pub(super) struct End {
    marks: Cow<'static, [Mark]>,
}

/// The mark of an event that ends the stream.
#[derive(Clone, Debug)]
enum Mark {
    /// The data of the event, without white space around it.
    Data(ByteString),
    /// The type of the event.
    Type(ByteString, Finality),
}

/// What the event that ends a stream is: a marker or an item. If it is both, the smaller value counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Finality {
    /// Only a marker.
    Marker,
    /// The last item.
    Item,
}

/// The end of streams in OpenAI's format.
static DONE: [Mark; 1] = [Mark::Data(ByteString::from_static("[DONE]"))];

impl Default for End {
    fn default() -> End {
        End { marks: Cow::Borrowed(&DONE) }
    }
}

impl End {
    pub(super) fn clear(&mut self) {
        self.marks = Cow::Owned(Vec::new());
    }

    pub(super) fn is_unmarked(&self) -> bool {
        self.marks.is_empty()
    }

    pub(super) fn add_data(&mut self, data: impl IntoText) {
        let data = data.into_byte_string();
        self.marks.to_mut().push(Mark::Data(data.slice_ref(data.trim_ascii())));
    }

    pub(super) fn add_type(&mut self, event_type: impl IntoText, finality: Finality) {
        self.marks.to_mut().push(Mark::Type(type_name(event_type), finality));
    }

    /// Returns whether the event is the end, and of which kind. `text` is its data without white space around it.
    #[inline]
    pub(super) fn of_event(&self, event_type: &str, text: &str) -> Option<Finality> {
        let found = self.marks.iter().filter_map(|mark| match mark {
            Mark::Data(data) => (text == &**data).then_some(Finality::Marker),
            Mark::Type(name, finality) => (event_type == &**name).then_some(*finality),
        });
        found.min()
    }

    /// Does the same for an event of which only the type is known.
    pub(super) fn of_type(&self, event_type: &[u8]) -> Option<Finality> {
        let found = self.marks.iter().filter_map(|mark| match mark {
            Mark::Data(_) => None,
            Mark::Type(name, finality) => (event_type == name.as_bytes()).then_some(*finality),
        });
        found.min()
    }

    #[inline]
    pub(super) fn has_types(&self) -> bool {
        self.marks.iter().any(|mark| matches!(mark, Mark::Type(..)))
    }
}

/// Returns the name of a type in a setting. `""` is the default type, as in a stream.
pub(super) fn type_name(event_type: impl IntoText) -> ByteString {
    match event_type.into_byte_string() {
        name if name.is_empty() => ByteString::from_static(EventRef::new("").event_type()),
        name => name,
    }
}
