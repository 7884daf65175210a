//! Events as values of serde, for recordings and logs.

use super::Event;
use crate::encoding;
use alloc::string::String;
use core::{fmt, time::Duration};
use serde_core::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, IgnoredAny, MapAccess, SeqAccess, Visitor},
    ser::SerializeStruct,
};

const FIELDS: &[&str] = &["event", "data", "id", "retry"];

/// Writes a struct with the fields `event`, `data`, `id` and `retry` (milliseconds). In formats for people, such as
/// JSON, those are left out that have no value; an event of the type `"message"` has no `event`.
///
/// ```
/// use eventwire::Event;
///
/// let event = Event::new("Hi").with_event_type("token")?.with_id("7")?;
/// let line = serde_json::to_string(&event)?;
/// assert_eq!(line, r#"{"event":"token","data":"Hi","id":"7"}"#);
/// assert_eq!(serde_json::from_str::<Event>(&line)?, event);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let event_type = self.event_type.as_deref();
        let id = self.has_id().then(|| self.last_event_id());
        let retry = self.retry().map(encoding::milliseconds);
        let (has_type, has_id, has_retry) = match serializer.is_human_readable() {
            true => (event_type.is_some(), id.is_some(), retry.is_some()),
            false => (true, true, true),
        };
        let count = 1 + usize::from(has_type) + usize::from(has_id) + usize::from(has_retry);
        let mut fields = serializer.serialize_struct("Event", count)?;
        if has_type {
            fields.serialize_field("event", &event_type)?;
        }
        fields.serialize_field("data", self.data())?;
        if has_id {
            fields.serialize_field("id", &id)?;
        }
        if has_retry {
            fields.serialize_field("retry", &retry)?;
        }
        fields.end()
    }
}

/// Reads what [`Serialize`] writes. Other fields are ignored. A type or an ID that no event can have is an error.
impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Event, D::Error> {
        deserializer.deserialize_struct("Event", FIELDS, EventVisitor)
    }
}

struct EventVisitor;

impl<'de> Visitor<'de> for EventVisitor {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event, A::Error> {
        let (mut event_type, mut data, mut id, mut retry) = (None, None, None, None);
        while let Some(key) = map.next_key::<Key>()? {
            match key {
                Key::Event => set(&mut event_type, "event", map.next_value::<Option<String>>()?)?,
                Key::Data => set(&mut data, "data", map.next_value::<String>()?)?,
                Key::Id => set(&mut id, "id", map.next_value::<Option<String>>()?)?,
                Key::Retry => set(&mut retry, "retry", map.next_value::<Option<u64>>()?)?,
                Key::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let data = data.ok_or_else(|| de::Error::missing_field("data"))?;
        event(event_type.flatten(), data, id.flatten(), retry.flatten())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut fields: A) -> Result<Event, A::Error> {
        let missing = |index| de::Error::invalid_length(index, &self);
        let event_type = fields.next_element()?.ok_or_else(|| missing(0))?;
        let data = fields.next_element()?.ok_or_else(|| missing(1))?;
        let id = fields.next_element()?.ok_or_else(|| missing(2))?;
        let retry = fields.next_element()?.ok_or_else(|| missing(3))?;
        event(event_type, data, id, retry)
    }
}

fn set<T, E: de::Error>(field: &mut Option<T>, name: &'static str, value: T) -> Result<(), E> {
    if field.replace(value).is_some() { Err(E::duplicate_field(name)) } else { Ok(()) }
}

fn event<E: de::Error>(
    event_type: Option<String>,
    data: String,
    id: Option<String>,
    retry: Option<u64>,
) -> Result<Event, E> {
    let mut event = Event::new(data);
    if let Some(name) = event_type {
        event = event.with_event_type(name).map_err(E::custom)?;
    }
    if let Some(id) = id {
        event = event.with_id(id).map_err(E::custom)?;
    }
    Ok(match retry {
        Some(milliseconds) => event.with_retry(Duration::from_millis(milliseconds)),
        None => event,
    })
}

/// The name of a field.
enum Key {
    Event,
    Data,
    Id,
    Retry,
    Other,
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        struct KeyVisitor;

        impl Visitor<'_> for KeyVisitor {
            type Value = Key;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a field")
            }

            fn visit_str<E>(self, name: &str) -> Result<Key, E> {
                Ok(match name {
                    "event" => Key::Event,
                    "data" => Key::Data,
                    "id" => Key::Id,
                    "retry" => Key::Retry,
                    _ => Key::Other,
                })
            }
        }

        deserializer.deserialize_identifier(KeyVisitor)
    }
}
