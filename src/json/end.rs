//! How a stream says that it is complete.

use crate::event::{EventRef, IntoText};
use alloc::{borrow::Cow, vec::Vec};
use bytestring::ByteString;

/// What ends a stream of JSON, other than the end of its bytes.
#[derive(Clone, Debug)]
pub(super) struct End {
    marks: Cow<'static, [Mark]>,
}

/// One way to say it.
#[derive(Clone, Debug)]
enum Mark {
    /// The data of an event, but for white space around it; there is none around this.
    Data(ByteString),
    /// The type of an event.
    Type(ByteString, Finality),
}

/// What the event that ends a stream is besides. The less one counts if it is both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Finality {
    /// A marker and no more.
    Marker,
    /// The last item.
    Item,
}

/// How streams of the OpenAI family end.
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

    /// What the event is if it is the end. `text` is its data without the white space around it.
    #[inline]
    pub(super) fn of_event(&self, event_type: &str, text: &str) -> Option<Finality> {
        let found = self.marks.iter().filter_map(|mark| match mark {
            Mark::Data(data) => (text == &**data).then_some(Finality::Marker),
            Mark::Type(name, finality) => (event_type == &**name).then_some(*finality),
        });
        found.min()
    }

    /// The same for an event of which only the type is known.
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

/// The name of a type that a setting says. `""` is the default type, as it is in a stream.
pub(super) fn type_name(event_type: impl IntoText) -> ByteString {
    match event_type.into_byte_string() {
        name if name.is_empty() => ByteString::from_static(EventRef::new("").event_type()),
        name => name,
    }
}
