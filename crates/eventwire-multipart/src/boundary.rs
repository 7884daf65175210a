//! The boundary that separates parts.

use super::MediaType;
use bytes::Bytes;
use core::str;

/// The boundary that separates the parts of a stream: the value of the `boundary` parameter, 1 to 200 bytes.
///
/// A delimiter line consists of two dashes and this value. If the value itself begins with two dashes, some senders
/// do not add two more. A [`PartDecoder`](super::PartDecoder) accepts both forms, and then expects the form of the
/// first delimiter line.
///
/// ```
/// use eventwire_multipart::{Boundary, InvalidBoundary};
///
/// let boundary =
///     Boundary::from_content_type(b"multipart/mixed; charset=utf-8; boundary=\"a b\"")?;
/// assert_eq!(boundary.as_bytes(), b"a b");
/// assert_eq!(
///     Boundary::from_content_type(b"multipart/mixed"),
///     Err(InvalidBoundary::Missing)
/// );
/// # Ok::<(), InvalidBoundary>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Boundary(Bytes);

/// The limit on a boundary in bytes when reading.
const MAX_READ: usize = 200;

/// The limit on a boundary in bytes when writing (RFC 2046, section 5.1.1).
const MAX_WRITTEN: usize = 70;

impl Boundary {
    /// Returns the boundary with this value, which does not include the two leading dashes of the delimiter line.
    ///
    /// # Errors
    ///
    /// If the value is empty, longer than 200 bytes, or contains CR or LF.
    pub fn new(value: impl AsRef<[u8]>) -> Result<Boundary, InvalidBoundary> {
        let value = value.as_ref();
        check(value, MAX_READ, |byte| !matches!(byte, b'\r' | b'\n'))?;
        Ok(Boundary(Bytes::copy_from_slice(value)))
    }

    /// Returns the boundary from the value of a `Content-Type` header.
    ///
    /// It accepts deviations of real senders: blanks around `=`, upper-case names, a missing closing quote,
    /// unquoted special characters. Of two `boundary` parameters, the first is used.
    ///
    /// # Errors
    ///
    /// If the type is not `multipart/*`, or if the parameter is missing or not a [valid boundary](Boundary::new).
    pub fn from_content_type(content_type: &[u8]) -> Result<Boundary, InvalidBoundary> {
        let media_type = MediaType::new(content_type);
        if !media_type.is_multipart() {
            return Err(InvalidBoundary::NotMultipart);
        }
        Boundary::new(media_type.param("boundary").ok_or(InvalidBoundary::Missing)?)
    }

    /// Returns the value, without the two leading dashes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the value if a stream may be written with it.
    pub(super) fn as_written(&self) -> Result<&str, InvalidBoundary> {
        check(&self.0, MAX_WRITTEN, |byte| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte))?;
        // Readers would treat a trailing space as padding.
        let at = self.0.len() - 1;
        match str::from_utf8(&self.0) {
            Ok(text) if !text.ends_with(' ') => Ok(text),
            _ => Err(InvalidBoundary::Byte { byte: self.0[at], at }),
        }
    }
}

/// Whether a boundary consists of dashes only, like GraphQL's boundary `-`.
pub(super) fn is_all_dashes(boundary: &[u8]) -> bool {
    boundary.iter().all(|&byte| byte == b'-')
}

fn check(value: &[u8], max: usize, is_allowed: impl Fn(u8) -> bool) -> Result<(), InvalidBoundary> {
    if value.is_empty() {
        return Err(InvalidBoundary::Empty);
    }
    if value.len() > max {
        return Err(InvalidBoundary::TooLong { len: value.len(), max });
    }
    match value.iter().position(|&byte| !is_allowed(byte)) {
        Some(at) => Err(InvalidBoundary::Byte { byte: value[at], at }),
        None => Ok(()),
    }
}

/// The error for a [`Boundary`] that is missing or invalid, or that a stream cannot be written with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidBoundary {
    /// The `Content-Type` is missing or is not `multipart/*`.
    #[error("the content type is missing or not multipart")]
    NotMultipart,
    /// The `Content-Type` has no `boundary` parameter. If you know the boundary, use [`Boundary::new`]; that of GraphQL
    /// servers is `-`.
    #[error("the content type has no boundary parameter")]
    Missing,
    /// The boundary is empty.
    #[error("the boundary is empty")]
    Empty,
    /// The boundary is too long. The limit is 200 bytes for reading and 70 bytes for writing.
    #[error("the boundary has {len} bytes; the limit is {max}")]
    #[non_exhaustive]
    TooLong {
        /// The length of the boundary in bytes.
        len: usize,
        /// The limit in bytes.
        max: usize,
    },
    /// The boundary contains a byte that is not allowed. For reading, these are CR and LF; for writing, all bytes
    /// that [RFC 2046](https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1) does not allow.
    #[error("the boundary contains the byte 0x{byte:02x} at position {at}, which is not allowed")]
    #[non_exhaustive]
    Byte {
        /// The byte.
        byte: u8,
        /// The offset of the byte in the boundary, in bytes.
        at: usize,
    },
}
