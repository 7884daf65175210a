//! How a stream says that it is complete.

use crate::event::{EventRef, IntoText};
use alloc::vec::Vec;
use bytestring::ByteString;

/// The data of the event that ends a stream of the OpenAI family.
const DONE: &str = "[DONE]";

/// What ends a stream of JSON, other than the end of its bytes.
#[derive(Clone, Debug)]
pub(super) enum End {
    /// Nothing does.
    Bytes,
    /// An event with this data, but for white space around it; there is none around this.
    Data(ByteString),
    /// An event of this type, which is a marker and no more.
    Marker(ByteString),
    /// An event of one of these types, which is an item as others are.
    Last(Vec<ByteString>),
}

impl Default for End {
    fn default() -> End {
        End::Data(ByteString::from_static(DONE))
    }
}

impl End {
    pub(super) fn data(marker: &ByteString) -> End {
        End::Data(marker.slice_ref(marker.trim_ascii()))
    }

    pub(super) fn marker(event_type: impl IntoText) -> End {
        End::Marker(named(event_type))
    }

    pub(super) fn last(event_types: impl IntoIterator<Item: IntoText>) -> End {
        End::Last(event_types.into_iter().map(named).collect())
    }

    /// Whether the event, whose data is `text` without the white space around it, is the marker.
    pub(super) fn is_marker(&self, event_type: &str, text: &str) -> bool {
        match self {
            End::Data(marker) => text == &**marker,
            End::Marker(marker) => event_type == &**marker,
            End::Bytes | End::Last(_) => false,
        }
    }

    /// Whether the event is an item, but no other comes after it.
    pub(super) fn is_last(&self, event_type: &str) -> bool {
        match self {
            End::Last(types) => types.iter().any(|last| event_type == &**last),
            End::Bytes | End::Data(_) | End::Marker(_) => false,
        }
    }
}

/// The type as an event says it: one without a name is the default.
fn named(event_type: impl IntoText) -> ByteString {
    let event_type = event_type.into_byte_string();
    if event_type.is_empty() { ByteString::from_static(EventRef::new("").event_type()) } else { event_type }
}
