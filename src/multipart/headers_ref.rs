//! The headers of a part, borrowed.

use super::MediaType;
use core::fmt;

/// The headers of a part, borrowed: raw bytes that are parsed on demand.
///
/// Malformed lines are not errors. Blanks before a colon are trimmed. A line that begins with a blank continues the
/// previous line, and the line end stays in the value. A line without a colon is ignored, except in
/// [`as_bytes`](HeadersRef::as_bytes). Names are compared case-insensitively.
///
/// ```
/// use eventwire::multipart::HeadersRef;
///
/// let headers = HeadersRef::new(b"content-type: text/plain; role=user\r\nX-Frame : 7\n");
/// assert!(headers.media_type().unwrap().is("text/plain"));
/// assert_eq!(headers.get("x-frame"), Some(&b"7"[..]));
/// assert_eq!(headers.iter().count(), 2);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct HeadersRef<'a>(&'a [u8]);

impl<'a> HeadersRef<'a> {
    /// Returns the headers in this block of lines, each of which ends with LF or CRLF.
    #[must_use]
    pub fn new(block: &'a [u8]) -> HeadersRef<'a> {
        HeadersRef(block)
    }

    /// Returns the block of lines, without the blank line after it.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// Returns whether the block has no lines.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of the first header with this name, trimmed.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a [u8]> {
        self.get_all(name).next()
    }

    /// Returns the values of all headers with this name, in order, trimmed.
    pub fn get_all<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        self.unfolded().filter_map(move |header| value_of(name, header))
    }

    /// Returns the names and values of all headers, in order, trimmed.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        self.unfolded().filter_map(|header| {
            let colon = memchr::memchr(b':', header)?;
            Some((trim(&header[..colon]), trim(&header[colon + 1..])))
        })
    }

    /// Returns each header with the lines that continue it.
    fn unfolded(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = self.0;
        core::iter::from_fn(move || {
            let header;
            (header, rest) = rest.split_at(header_len(rest));
            (!header.is_empty()).then_some(header)
        })
    }

    /// Returns the lines that are not empty, without their line ends.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'a [u8]> + Clone + use<'a> {
        let lines = self.0.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        lines.filter(|line| !line.is_empty())
    }

    /// Returns the lines like `lines`, without those of headers with this name.
    pub(super) fn lines_without<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + Clone + use<'a, 'n> {
        let mut is_left_out = None;
        self.lines().filter(move |line| {
            let is_continued = line.starts_with(b" ") || line.starts_with(b"\t");
            if !is_continued || is_left_out.is_none() {
                is_left_out = Some(value_of(name, line).is_some());
            }
            is_left_out == Some(false)
        })
    }

    /// Returns the media type from the `Content-Type` header; `None` without that header.
    #[must_use]
    pub fn media_type(&self) -> Option<MediaType<'a>> {
        self.get("Content-Type").map(MediaType::new)
    }

    /// Returns the value of the `Content-Length` header in bytes.
    ///
    /// It returns `None` if the header is missing, is not a number of digits only, does not fit into 64 bits, or
    /// occurs twice with different values.
    ///
    /// ```
    /// use eventwire::multipart::HeadersRef;
    ///
    /// assert_eq!(HeadersRef::new(b"Content-Length: 5\r\n").content_length(), Some(5));
    /// assert_eq!(HeadersRef::new(b"Content-Length: +5\r\n").content_length(), None);
    /// ```
    #[must_use]
    #[inline]
    pub fn content_length(&self) -> Option<u64> {
        let mut length = None;
        for value in self.unfolded().filter_map(|header| value_of("Content-Length", header)) {
            let parsed = parse_length(value)?;
            if length.is_some_and(|length| length != parsed) {
                return None;
            }
            length = Some(parsed);
        }
        length
    }
}

/// Returns the value of a header if it has this name.
#[inline(always)]
fn value_of<'a>(name: &str, header: &'a [u8]) -> Option<&'a [u8]> {
    let (found, behind) = trim_start(header).split_at_checked(name.len())?;
    // The colon is checked first, because this rules out most headers without comparing their names.
    let value = trim_start(behind).strip_prefix(b":")?;
    found.eq_ignore_ascii_case(name.as_bytes()).then(|| trim(value))
}

/// Removes blanks and line ends at the start and the end. A lone CR is not a line end.
#[inline]
fn trim(bytes: &[u8]) -> &[u8] {
    let mut bytes = trim_start(bytes);
    while let [rest @ .., b'\r', b'\n'] | [rest @ .., b' ' | b'\t' | b'\n'] = bytes {
        bytes = rest;
    }
    bytes
}

#[inline]
fn trim_start(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t' | b'\n', rest @ ..] | [b'\r', b'\n', rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

/// Returns the length in bytes of the first header, including the lines that continue it.
fn header_len(block: &[u8]) -> usize {
    let mut len = 0;
    loop {
        match memchr::memchr(b'\n', &block[len..]) {
            None => return block.len(),
            Some(at) => len += at + 1,
        }
        if !matches!(block.get(len), Some(b' ' | b'\t')) {
            return len;
        }
    }
}

#[inline]
fn parse_length(value: &[u8]) -> Option<u64> {
    let mut length = None;
    for byte in value {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        length = Some(length.unwrap_or(0_u64).checked_mul(10)?.checked_add(digit)?);
    }
    length
}

impl fmt::Debug for HeadersRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HeadersRef(\"{}\")", self.0.escape_ascii())
    }
}
