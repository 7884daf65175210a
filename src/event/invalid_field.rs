//! The error for a value that a field cannot contain.

use core::fmt;

/// The error for a value that a field of an event stream cannot contain.
///
/// A line end in the value would begin another line, and so another field or another event. Clients [ignore an ID
/// with a NUL](https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
///
/// ```
/// let error = eventwire::Event::new("42").with_event_type("tick\ndata: 43").unwrap_err();
/// assert_eq!((error.field(), error.offset()), ("event", 4));
/// assert_eq!(error.to_string(), "`event` cannot contain a line feed (at byte 4)");
///
/// let error = eventwire::Decoder::new().with_last_event_id("a\0b").unwrap_err();
/// assert_eq!((error.field(), error.offset()), ("id", 1));
/// assert_eq!(error.to_string(), "`id` cannot contain a NUL (at byte 1)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` cannot contain {} (at byte {offset})", Forbidden(*byte))]
pub struct InvalidField {
    field: &'static str,
    offset: usize,
    byte: u8,
}

impl InvalidField {
    /// Returns the name of the field, as in a stream: `"id"` or `"event"`.
    #[must_use]
    pub fn field(&self) -> &str {
        self.field
    }

    /// Returns the position of the first forbidden character, in bytes from the start of the value.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Rejects an event type that is more than one line.
    #[inline]
    pub(super) fn check_event_type(value: &str) -> Result<(), InvalidField> {
        InvalidField::check("event", value, |byte| matches!(byte, b'\n' | b'\r'))
    }

    /// Rejects an ID that is more than one line, or that readers would ignore.
    #[inline]
    pub(super) fn check_id(value: &str) -> Result<(), InvalidField> {
        InvalidField::check("id", value, |byte| matches!(byte, b'\n' | b'\r' | 0))
    }

    #[inline]
    fn check(field: &'static str, value: &str, is_forbidden: fn(u8) -> bool) -> Result<(), InvalidField> {
        match value.bytes().enumerate().find(|(_, byte)| is_forbidden(*byte)) {
            Some((offset, byte)) => Err(InvalidField { field, offset, byte }),
            None => Ok(()),
        }
    }
}

struct Forbidden(u8);

impl fmt::Display for Forbidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            b'\n' => "a line feed",
            b'\r' => "a carriage return",
            _ => "a NUL",
        })
    }
}
