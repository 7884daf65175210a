//! Comments, which keep a connection open.

use super::IntoText;
use crate::encoding::{Encoded, Encoding};
use bytes::{BufMut, Bytes};
use bytestring::ByteString;

/// A comment: what a reader ignores, and what keeps a silent connection from being closed on the way.
///
/// The standard advises one [every fifteen seconds or so]. Text of several lines becomes as many comments, so that no text
/// whatever can begin a field.
///
/// ```
/// use eventwire::Comment;
///
/// assert_eq!(Comment::new("still here").to_bytes(), ": still here\n\n");
/// assert_eq!(Comment::new("a\ndata: b").to_bytes(), ": a\n: data: b\n\n");
/// ```
///
/// The blank line is not needed; it is there for readers that look for blank lines and for nothing else.
///
/// [every fifteen seconds or so]: https://html.spec.whatwg.org/multipage/server-sent-events.html#authoring-notes
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Comment {
    text: ByteString,
}

impl Comment {
    /// A comment that says this.
    #[must_use]
    pub fn new(text: impl IntoText) -> Comment {
        Comment { text: text.into_byte_string() }
    }

    /// What it says.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Writes the comment at the end of `buffer`; see [`Event::encode`](crate::Event::encode).
    pub fn encode(&self, buffer: &mut impl BufMut) {
        self.encoding().write(buffer);
    }

    /// The comment in bytes of its own.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        Bytes::from(&self.encoding())
    }

    /// The comment in bytes of its own, which many readers share; see [`Encoded`].
    #[must_use]
    pub fn encoded(&self) -> Encoded {
        Encoded::from(&self.encoding())
    }

    pub(super) fn encoding(&self) -> Encoding<'_> {
        Encoding::comment(&self.text)
    }
}
