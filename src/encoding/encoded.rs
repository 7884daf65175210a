//! Blocks that are already encoded.

use super::Encoding;
#[cfg(feature = "json")]
use alloc::vec::Vec;
use bytes::Bytes;

/// One or more blocks that are already encoded. Use it to send the same event to many readers.
///
/// A clone shares the bytes, and [`EventBody`](crate::EventBody) sends them without a copy. To create one, call
/// `encoded()` on an [`Event`](crate::Event) or a [`Block`](crate::Block), or pass bytes from elsewhere to
/// [`from_bytes`](Encoded::from_bytes).
///
/// ```
/// use eventwire::{Encoded, Event, EventBody};
/// use futures_util::stream;
///
/// let price = Event::new("41.7").with_event_type("price")?.encoded();
/// let readers: Vec<Encoded> = (0..1000).map(|_| price.clone()).collect();
/// assert_eq!(readers[999].as_ref(), b"event: price\ndata: 41.7\n\n");
/// assert_eq!(readers[999].as_ref().as_ptr(), price.as_ref().as_ptr());
/// # #[cfg(feature = "http-body")]
/// let body = EventBody::new(stream::iter(readers));
/// # let _ = body;
/// # Ok::<(), eventwire::InvalidField>(())
/// ```
///
/// Two values are equal if their bytes are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Encoded {
    bytes: Bytes,
}

impl Encoded {
    /// Wraps bytes that are one or more complete blocks, such as the output of another server or a stored response,
    /// without a copy.
    ///
    /// Only the start and the end of the bytes are checked, so that they can be sent at any place in a stream and do
    /// not change the block after them. The fields inside are not checked. An ID or a reconnection time in them takes
    /// effect, as in any other block.
    ///
    /// # Errors
    ///
    /// [`InvalidEncoded`] in three cases:
    ///
    /// * The bytes do not end with a blank line. Their last block would be joined with the next block.
    /// * The bytes begin with a byte order mark. It is dropped at the start of a stream, but is text elsewhere.
    /// * The bytes are empty. An empty chunk would end an HTTP/1.1 response.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use eventwire::{Encoded, InvalidEncoded};
    ///
    /// let replay =
    ///     Encoded::from_bytes(Bytes::from_static(b"id: 7\ndata: a\n\nid: 8\ndata: b\n\n"))?;
    /// assert_eq!(replay.as_ref().len(), 30);
    /// let cut = Encoded::from_bytes(Bytes::from_static(b"data: a\r\n"));
    /// assert_eq!(cut, Err(InvalidEncoded::Unfinished));
    /// # Ok::<(), InvalidEncoded>(())
    /// ```
    pub fn from_bytes(bytes: Bytes) -> Result<Encoded, InvalidEncoded> {
        if bytes.is_empty() {
            return Err(InvalidEncoded::Empty);
        }
        if bytes.starts_with(b"\xEF\xBB\xBF") {
            return Err(InvalidEncoded::ByteOrderMark);
        }
        // A CR at the end is a line end as well: readers skip an LF after it.
        let last_line =
            bytes.strip_suffix(b"\r\n").or_else(|| bytes.strip_suffix(b"\n")).or_else(|| bytes.strip_suffix(b"\r"));
        match last_line {
            Some([] | [.., b'\n' | b'\r']) => Ok(Encoded { bytes }),
            _ => Err(InvalidEncoded::Unfinished),
        }
    }

    /// Blocks that this crate has written, so that they need no check. The unused capacity is released.
    #[cfg(feature = "json")]
    pub(crate) fn written(blocks: Vec<u8>) -> Encoded {
        Encoded { bytes: blocks.into_boxed_slice().into() }
    }

    /// Returns the bytes, without a copy.
    #[inline]
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }
}

impl From<&Encoding<'_>> for Encoded {
    fn from(block: &Encoding<'_>) -> Encoded {
        Encoded { bytes: Bytes::from(block) }
    }
}

impl AsRef<[u8]> for Encoded {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Why bytes cannot be sent as blocks of an event stream; [`Encoded::from_bytes`] returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidEncoded {
    /// There are no bytes.
    #[error("no bytes: a block has at least one")]
    Empty,
    /// The bytes begin with a byte order mark.
    #[error("the bytes begin with a byte order mark, which is text inside a stream")]
    ByteOrderMark,
    /// The bytes do not end with a blank line.
    #[error("the bytes do not end with a blank line, so the next block would become part of their last one")]
    Unfinished,
}
