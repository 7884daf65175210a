//! Blocks that are bytes already.

use super::Encoding;
#[cfg(feature = "json")]
use super::Written;
use crate::line::{LineSplitter, Piece};
use bytes::{BufMut, Bytes};

/// Blocks of an event stream as their bytes: for an event that many readers receive, which is written once.
///
/// A clone shares the bytes, and [`EventBody`](crate::EventBody) sends them without a copy. `encoded()` on an
/// [`Event`](crate::Event), [`EventRef`](crate::EventRef), [`Comment`](crate::Comment), [`Block`](crate::Block) or
/// [`BlockRef`](crate::BlockRef) makes one; [`from_bytes`](Encoded::from_bytes) takes bytes from elsewhere.
///
/// ```
/// use eventwire::{Encoded, Event, EventBody};
/// use futures_util::stream;
///
/// let price = Event::new("41.7").with_event_type("price")?.encoded();
/// let readers: Vec<Encoded> = (0..1000).map(|_| price.clone()).collect(); // through a broadcast channel, say
/// assert_eq!(readers[999].as_ref(), b"event: price\ndata: 41.7\n\n");
/// assert_eq!(readers[999].as_ref().as_ptr(), price.as_ref().as_ptr());
/// # #[cfg(feature = "http-body")]
/// let body = EventBody::new(stream::iter(readers));
/// # let _ = body;
/// # Ok::<(), eventwire::InvalidField>(())
/// ```
///
/// Two of them are equal if their bytes are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Encoded {
    bytes: Bytes,
}

impl Encoded {
    /// Takes bytes that are one or more whole blocks, such as the frames of another server or a stored reply, without a
    /// copy.
    ///
    /// What the blocks say is not checked. They are checked to mean the same anywhere in a stream, and to be whole:
    /// nothing of them can become part of what follows. An ID or a reconnection time that they set holds for the reader
    /// from then on, as that of any other block does.
    ///
    /// # Errors
    ///
    /// [`InvalidEncoded`] if the bytes do not end with a blank line, so that what is sent after them would become a
    /// part of their last block; if they begin with a byte order mark, which is dropped at the start of a stream and is
    /// text elsewhere; or if there are none, because an empty chunk ends an HTTP/1.1 response.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use eventwire::{Encoded, InvalidEncoded};
    ///
    /// let replay = Encoded::from_bytes(Bytes::from_static(b"id: 7\ndata: a\n\nid: 8\ndata: b\n\n"))?;
    /// assert_eq!(replay.encoded_len(), 30);
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
        match LineSplitter::within_stream().lines(&bytes).last() {
            Some(Piece::Whole(b"")) => Ok(Encoded { bytes }),
            _ => Err(InvalidEncoded::Unfinished),
        }
    }

    /// Writes the bytes at the end of `buffer`; see [`Event::encode`](crate::Event::encode).
    pub fn encode(&self, buffer: &mut impl BufMut) {
        buffer.put_slice(&self.bytes);
    }

    /// The bytes, shared.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        self.bytes.clone()
    }

    /// The bytes.
    #[inline]
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }

    /// How many bytes there are, at least one.
    #[must_use]
    pub const fn encoded_len(&self) -> usize {
        self.bytes.len()
    }
}

impl From<&Encoding<'_>> for Encoded {
    fn from(block: &Encoding<'_>) -> Encoded {
        Encoded { bytes: Bytes::from(block) }
    }
}

#[cfg(feature = "json")]
impl From<Written> for Encoded {
    /// Without the room that was left.
    fn from(Written(blocks): Written) -> Encoded {
        Encoded { bytes: blocks.into_boxed_slice().into() }
    }
}

impl From<Encoded> for Bytes {
    fn from(encoded: Encoded) -> Bytes {
        encoded.bytes
    }
}

impl TryFrom<Bytes> for Encoded {
    type Error = InvalidEncoded;

    fn try_from(bytes: Bytes) -> Result<Encoded, InvalidEncoded> {
        Encoded::from_bytes(bytes)
    }
}

impl AsRef<[u8]> for Encoded {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Why bytes cannot stand as blocks in an event stream; [`Encoded::from_bytes`] returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidEncoded {
    /// There are no bytes.
    #[error("there are no bytes, and a block has at least one")]
    Empty,
    /// The bytes begin with a byte order mark.
    #[error("the bytes begin with a byte order mark, which is text inside a stream")]
    ByteOrderMark,
    /// The bytes do not end with a blank line.
    #[error("the bytes do not end with a blank line, so that what follows would be part of their last block")]
    Unfinished,
}
