//! Event types that have been checked.

use super::{IntoText, InvalidField, Label, MESSAGE};
use core::str::FromStr;

/// An event type that has been checked: a single line, never empty. Use it to check a type once for many events, or to
/// build a [`Block`](super::Block).
///
/// A constant is checked at compile time, and needs no allocation when it is used:
///
/// ```
/// use eventwire::{Event, EventType};
///
/// const WORD: EventType = EventType::new("word").unwrap();
///
/// let events = ["Hello ", "world"].map(|text| Event::new(text).with_checked_type(WORD));
/// assert_eq!(events[1].to_bytes(), "event: word\ndata: world\n\n");
/// ```
///
/// A type that is only known at run time is parsed from text. One of up to 23 bytes is stored in place, and a longer
/// one is shared by its clones.
///
/// ```
/// use eventwire::EventType;
///
/// let room = 7;
/// let event_type: EventType = format!("room-{room}").parse()?;
/// assert_eq!(event_type.as_str(), "room-7");
/// assert_eq!("a\nb".parse::<EventType>().unwrap_err().offset(), 1);
/// # Ok::<(), eventwire::InvalidField>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EventType(
    /// `None` is the default type, so that an event need not recognise it.
    Option<Label>,
);

impl EventType {
    /// Creates a type for a constant, or returns `None` if it contains a CR or an LF. `""` means `"message"`, the
    /// default.
    ///
    /// ```
    /// use eventwire::EventType;
    ///
    /// const TICK: EventType = EventType::new("tick").unwrap(); // checked at compile time
    /// assert_eq!(TICK.as_str(), "tick");
    /// assert_eq!(EventType::new("two\nlines"), None);
    /// assert_eq!(EventType::new("").unwrap().as_str(), "message");
    /// ```
    #[must_use]
    pub const fn new(event_type: &'static str) -> Option<EventType> {
        let bytes = event_type.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            if matches!(bytes[i], b'\n' | b'\r') {
                return None;
            }
            i += 1;
        }
        Some(EventType(match bytes {
            b"" | b"message" => None,
            _ => Some(Label::constant(event_type)),
        }))
    }

    #[inline(always)]
    pub(super) fn checked(event_type: impl IntoText) -> Result<EventType, InvalidField> {
        InvalidField::check_event_type(event_type.as_ref())?;
        Ok(EventType(match event_type.as_ref() {
            "" | MESSAGE => None,
            _ => Some(Label::from_text(event_type)),
        }))
    }

    /// Returns the type as text.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or(MESSAGE, Label::as_str)
    }

    /// The type, unless it is the default one.
    #[inline(always)]
    pub(super) fn into_named(self) -> Option<Label> {
        self.0
    }
}

/// `""` means `"message"`, the default. Text with a CR or an LF is an error.
impl FromStr for EventType {
    type Err = InvalidField;

    fn from_str(event_type: &str) -> Result<EventType, InvalidField> {
        EventType::checked(event_type)
    }
}
