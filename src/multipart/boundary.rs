//! The boundary between parts.

use super::{InvalidBoundary, MAX_PADDING, MediaType};
use bytes::Bytes;
use core::{fmt, str};

/// The boundary of a multipart stream: the value of the parameter of that name, 1 to 200 bytes.
///
/// A delimiter line is this value after two dashes. Some senders, whose value begins with two dashes itself, leave those out;
/// a [`PartDecoder`](super::PartDecoder) accepts both, and holds on to what the first delimiter line had.
///
/// ```
/// use eventwire::multipart::{Boundary, InvalidBoundary};
///
/// let boundary = Boundary::from_content_type(b"multipart/mixed; charset=utf-8; boundary=\"a b\"")?;
/// assert_eq!(boundary.as_bytes(), b"a b");
/// assert_eq!(Boundary::from_content_type(b"multipart/mixed"), Err(InvalidBoundary::Missing));
/// # Ok::<(), InvalidBoundary>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Boundary(Bytes);

impl Boundary {
    /// The longest boundary that is read, in bytes. [RFC 2046] allows 70, which is what is written.
    ///
    /// [RFC 2046]: https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1
    pub const MAX_LEN: usize = 200;

    /// The longest boundary that is written, in bytes.
    const MAX_WRITTEN_LEN: usize = 70;

    /// A boundary of this value, without the dashes before it.
    ///
    /// # Errors
    ///
    /// If it is empty, longer than 200 bytes, or has CR or LF in it.
    pub fn new(value: impl AsRef<[u8]>) -> Result<Boundary, InvalidBoundary> {
        let value = value.as_ref();
        check(value, Boundary::MAX_LEN, |byte| !matches!(byte, b'\r' | b'\n'))?;
        Ok(Boundary(Bytes::copy_from_slice(value)))
    }

    /// The boundary that this `Content-Type` names.
    ///
    /// Real senders are followed rather than the grammar: blanks around `=`, names in capitals, an open quote, characters that
    /// would have to be quoted. If the parameter is there twice, the first counts.
    ///
    /// # Errors
    ///
    /// If the type is not `multipart`, or the parameter is missing or no [boundary](Boundary::new).
    pub fn from_content_type(content_type: &[u8]) -> Result<Boundary, InvalidBoundary> {
        let media_type = MediaType::new(content_type);
        if !media_type.is_multipart() {
            return Err(InvalidBoundary::NotMultipart);
        }
        Boundary::new(media_type.param("boundary").ok_or(InvalidBoundary::Missing)?)
    }

    /// The boundary of a body that begins with these bytes, if a whole line in them begins with two dashes and goes on.
    ///
    /// For senders whose `Content-Type` has no boundary. `None` says that there is no such line yet, and more bytes may tell.
    /// [`PartDecoder::sniffing`](super::PartDecoder::sniffing) does the same while it decodes.
    ///
    /// ```
    /// use eventwire::multipart::Boundary;
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

    /// A boundary of 32 random hexadecimal digits, for a stream to be written.
    ///
    /// It is random enough not to occur in a body by chance, and no secret. Without `std` there is no source of randomness;
    /// make one with [`new`](Boundary::new).
    #[cfg(feature = "std")]
    #[must_use]
    pub fn random() -> Boundary {
        use std::hash::{BuildHasher, RandomState};
        // The standard library's only randomness: the keys of a hash map.
        let [high, low] = [(); 2].map(|()| RandomState::new().hash_one(0_u8));
        Boundary(Bytes::from(std::format!("{high:016x}{low:016x}")))
    }

    /// The value, without the dashes before it.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The value, if it may be written.
    pub(super) fn as_written(&self) -> Result<&str, InvalidBoundary> {
        check(&self.0, Boundary::MAX_WRITTEN_LEN, |byte| {
            byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte)
        })?;
        // A blank at the end could not be told from padding.
        let at = self.0.len() - 1;
        match str::from_utf8(&self.0) {
            Ok(text) if !text.ends_with(' ') => Ok(text),
            _ => Err(InvalidBoundary::Byte { byte: self.0[at], at }),
        }
    }
}

/// The dash-boundary of a line, when the boundary has to be taken from the body. The line ends with LF, or with the stream.
pub(super) fn sniffed(line: &[u8]) -> Option<&[u8]> {
    let line = line.strip_suffix(b"\r\n").or_else(|| line.strip_suffix(b"\n")).unwrap_or(line);
    let padding = line.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let found = &line[..line.len() - padding];
    let is_boundary = (3..=Boundary::MAX_LEN + 2).contains(&found.len()) && !found.contains(&b'\r');
    (found.starts_with(b"--") && is_boundary && padding <= MAX_PADDING).then_some(found)
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

impl fmt::Debug for Boundary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Boundary({:?})", self.0)
    }
}
