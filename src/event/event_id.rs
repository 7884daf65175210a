//! Event IDs that have been checked.

use super::{IntoText, InvalidField, Label};
use alloc::string::ToString;
use core::{fmt, ops::Deref, str::FromStr};

/// An event ID that has been checked: a single line without a NUL. Use it for a [`Block::Id`](super::Block::Id), or
/// to check an ID once.
///
/// An empty ID clears the client's ID. An ID of up to 23 bytes is stored in place. A longer ID is shared by its
/// clones.
///
/// ```
/// use eventwire::{Block, EventId};
///
/// let id = EventId::try_new("42")?;
/// assert_eq!(id.as_str(), "42");
/// assert_eq!(Block::Id(id).to_bytes(), "id: 42\n\n");
/// assert_eq!(EventId::from(7), "7".parse()?);
/// # Ok::<(), eventwire::InvalidField>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EventId(Label);

impl EventId {
    /// Creates an ID from text.
    ///
    /// # Errors
    ///
    /// [`InvalidField`] if it contains a CR, an LF or a NUL.
    ///
    /// ```
    /// use eventwire::EventId;
    ///
    /// assert_eq!(&*EventId::try_new("a-1")?, "a-1");
    /// assert_eq!(EventId::try_new("a\0").unwrap_err().to_string(), "`id` cannot contain a NUL (at byte 1)");
    /// # Ok::<(), eventwire::InvalidField>(())
    /// ```
    #[inline(always)]
    pub fn try_new(id: impl IntoText) -> Result<EventId, InvalidField> {
        InvalidField::check_id(id.as_ref())?;
        Ok(EventId(Label::of_label(id)))
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
        EventId(Label::of_label(id.to_string()))
    }
}

/// An ID that the decoder has found. It needs no check.
impl From<Label> for EventId {
    fn from(id: Label) -> EventId {
        EventId(id)
    }
}

impl Deref for EventId {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for EventId {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EventId").field(&self.as_str()).finish()
    }
}

impl FromStr for EventId {
    type Err = InvalidField;

    fn from_str(id: &str) -> Result<EventId, InvalidField> {
        EventId::try_new(id)
    }
}
