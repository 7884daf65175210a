//! Comments, which keep a connection open.

use super::IntoText;
use crate::encoding::Encoding;
use bytes::Bytes;
use bytestring::ByteString;

/// A comment: clients ignore it, and it keeps proxies from closing an idle connection.
///
/// The standard recommends a comment [every fifteen seconds or so]; [`KeepAlive`](crate::KeepAlive) sends them. Each
/// line of the text is written as a separate comment line, so that no text can begin a field.
///
/// ```
/// use eventwire::Comment;
///
/// assert_eq!(Comment::new("still here").to_bytes(), ": still here\n\n");
/// assert_eq!(Comment::new("a\ndata: b").to_bytes(), ": a\n: data: b\n\n");
/// ```
///
/// The standard does not require the blank line. It is written for readers that wait for a blank line before they
/// process anything.
///
/// [every fifteen seconds or so]: https://html.spec.whatwg.org/multipage/server-sent-events.html#authoring-notes
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Comment {
    text: ByteString,
}

impl Comment {
    /// Creates a comment with this text.
    #[must_use]
    pub fn new(text: impl IntoText) -> Comment {
        Comment { text: text.into_byte_string() }
    }

    /// Returns the comment's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the comment as bytes, with the blank line.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        Bytes::from(&Encoding::comment(&self.text))
    }
}
