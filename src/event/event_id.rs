//! Event IDs that have been checked.

use super::{IntoText, InvalidField, Label};
use alloc::string::ToString;
use core::str::FromStr;

/// An event ID that has been checked: a single line without a NUL. Use it to build a [`Block`](super::Block).
///
/// It is parsed from text, or created from a number. An empty ID clears the client's ID. An ID of up to 23 bytes is
/// stored in place, and a longer one is shared by its clones.
///
/// ```
/// use eventwire::{Block, EventId};
///
/// let id: EventId = "42".parse()?;
/// assert_eq!((id.as_str(), &id), ("42", &EventId::from(42)));
/// assert_eq!(Block::default().with_id(id).to_bytes(), "id: 42\n\n");
/// assert_eq!(
///     "a\0".parse::<EventId>().unwrap_err().to_string(),
///     "`id` cannot contain a NUL (at byte 1)"
/// );
/// # Ok::<(), eventwire::InvalidField>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EventId(Label);

impl EventId {
    #[inline(always)]
    pub(super) fn checked(id: impl IntoText) -> Result<EventId, InvalidField> {
        InvalidField::check_id(id.as_ref())?;
        Ok(EventId(Label::from_text(id)))
    }

    /// Returns the ID as text.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    #[inline(always)]
    pub(super) fn into_label(self) -> Label {
        self.0
    }
}

/// A number is always a valid ID.
impl From<u64> for EventId {
    fn from(id: u64) -> EventId {
        EventId(Label::from_text(id.to_string()))
    }
}

/// Text with a CR, an LF or a NUL is an error.
impl FromStr for EventId {
    type Err = InvalidField;

    fn from_str(id: &str) -> Result<EventId, InvalidField> {
        EventId::checked(id)
    }
}
