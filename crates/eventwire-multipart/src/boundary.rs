//! The boundary that separates parts.

use super::{InvalidBoundary, MAX_PADDING, MediaType};
use bytes::Bytes;
use core::{fmt, str};

/// The boundary that separates the parts of a stream: the value of the `boundary` parameter, 1 to 200 bytes.
///
/// A delimiter line consists of two dashes and this value. If the value itself begins with two dashes, some senders
/// do not add two more. A [`PartDecoder`](super::PartDecoder) accepts both forms, and then expects the form of the
/// first delimiter line.
///
/// ```
/// use eventwire_multipart::{Boundary, InvalidBoundary};
///
/// let boundary = Boundary::from_content_type(b"multipart/mixed; charset=utf-8; boundary=\"a b\"")?;
/// assert_eq!(boundary.as_bytes(), b"a b");
/// assert_eq!(Boundary::from_content_type(b"multipart/mixed"), Err(InvalidBoundary::Missing));
/// # Ok::<(), InvalidBoundary>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Boundary(Bytes);

impl Boundary {
    /// The limit on a boundary in bytes when reading. [RFC 2046] allows 70, which is the limit when writing.
    ///
    /// [RFC 2046]: https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1
    pub const MAX_LEN: usize = 200;

    /// The limit on a boundary in bytes when writing.
    const MAX_WRITTEN_LEN: usize = 70;

    /// Returns the boundary with this value, which does not include the two leading dashes of the delimiter line.
    ///
    /// # Errors
    ///
    /// If the value is empty, longer than 200 bytes, or contains CR or LF.
    pub fn new(value: impl AsRef<[u8]>) -> Result<Boundary, InvalidBoundary> {
        let value = value.as_ref();
        check(value, Boundary::MAX_LEN, |byte| !matches!(byte, b'\r' | b'\n'))?;
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

    /// Guesses the boundary from the start of a body: the first complete line that begins with two dashes.
    ///
    /// Use it if the `Content-Type` has no boundary. It returns `None` if no such line has arrived yet; try again
    /// with more bytes. [`PartDecoder::sniffing`](super::PartDecoder::sniffing) does the same while it decodes.
    ///
    /// ```
    /// use eventwire_multipart::Boundary;
    ///
    /// assert_eq!(Boundary::sniff(b"\r\n--frame\r\nContent-Type").unwrap().as_bytes(), b"frame");
    /// assert_eq!(Boundary::sniff(b"\r\n--fra"), None);
    /// ```
    #[must_use]
    pub fn sniff(start: &[u8]) -> Option<Boundary> {
        let complete = &start[..=memchr::memrchr(b'\n', start)?];
        let line = complete.split_inclusive(|&byte| byte == b'\n').find_map(sniffed)?;
        Some(Boundary(Bytes::copy_from_slice(&line[2..])))
    }

    /// Returns a boundary of 32 random hexadecimal digits, for writing a stream.
    ///
    /// It does not occur in a body by chance, but it is not a secret. Without feature `std` no source of randomness
    /// is available; use [`new`](Boundary::new).
    #[cfg(feature = "std")]
    #[must_use]
    pub fn random() -> Boundary {
        use std::hash::{BuildHasher, RandomState};
        // The keys of a hash map are the only random numbers in the standard library.
        let [high, low] = [(); 2].map(|()| RandomState::new().hash_one(0_u8));
        Boundary(Bytes::from(std::format!("{high:016x}{low:016x}")))
    }

    /// Returns the value, without the two leading dashes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the value if a stream may be written with it.
    pub(super) fn as_written(&self) -> Result<&str, InvalidBoundary> {
        check(&self.0, Boundary::MAX_WRITTEN_LEN, |byte| {
            byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte)
        })?;
        // Readers would treat a trailing space as padding.
        let at = self.0.len() - 1;
        match str::from_utf8(&self.0) {
            Ok(text) if !text.ends_with(' ') => Ok(text),
            _ => Err(InvalidBoundary::Byte { byte: self.0[at], at }),
        }
    }
}

/// Returns the dash-boundary in a line, if the line can be a first delimiter of unknown boundary. The line ends
/// with LF, or with the stream.
pub(super) fn sniffed(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_suffix(b"\r\n").or_else(|| line.strip_suffix(b"\n")).unwrap_or(line);
    let padding = line.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let found = &line[..line.len() - padding];
    let is_boundary = (3..=Boundary::MAX_LEN + 2).contains(&found.len()) && !found.contains(&b'\r');
    (found.starts_with(b"--") && is_boundary && padding <= MAX_PADDING).then_some(found)
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

impl AsRef<[u8]> for Boundary {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl fmt::Debug for Boundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Boundary({:?})", self.0)
    }
}
