//! The headers of a part, borrowed.

use super::{InvalidHeader, MediaType};
use core::{fmt, str};

/// The headers of a part, borrowed: raw lines that are parsed on demand.
///
/// A header is a line `name: value`. The name is a [token](https://www.rfc-editor.org/rfc/rfc9110#section-5.6.2), and
/// the value contains no CR, LF or NUL. Blanks around the value and before the colon are removed. A value that was
/// [continued on the next line](https://www.rfc-editor.org/rfc/rfc9112#section-5.2) has spaces instead of the line end.
/// Every other line is not a header, but not an error either: only [`as_bytes`](HeadersRef::as_bytes) returns it, and
/// a [`PartEncoder`](super::PartEncoder) does not write it. Names are compared case-insensitively.
///
/// ```
/// use eventwire_multipart::{Boundary, PartDecoder, PieceRef};
///
/// let mut decoder = PartDecoder::new(Boundary::new("b")?);
/// let head = "content-type: text/plain;\r\n role=user\r\nX-Frame : 7\r\nno header\r\n";
/// let chunk = format!("--b\r\n{head}\r\n");
/// let mut chunk = chunk.as_bytes();
/// let Some(PieceRef::PartBegin(headers)) = decoder.decode(&mut chunk)? else { panic!() };
/// assert_eq!(headers.media_type().unwrap().param("role").as_deref(), Some(&b"user"[..]));
/// assert_eq!(headers.iter().last(), Some(("X-Frame", &b"7"[..])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct HeadersRef<'a>(&'a [u8]);

impl<'a> HeadersRef<'a> {
    /// Returns the headers in this block of lines. Each line ends with LF or CRLF, and none continues another one.
    pub(super) fn new(block: &'a [u8]) -> HeadersRef<'a> {
        HeadersRef(block)
    }

    /// Returns the lines as they were received, without the blank line after them. Each ends with LF or CRLF.
    ///
    /// A line may not be a header. Do not write these bytes to another stream, because its readers may interpret such
    /// a line differently; write the [headers](HeadersRef::iter) instead.
    #[must_use]
    pub fn as_bytes(&self) -> &'a [u8] {
        self.0
    }

    /// Returns the value of the first header with this name, trimmed.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&'a [u8]> {
        self.get_all(name).next()
    }

    /// Returns the values of all headers with this name, in order, trimmed.
    pub fn get_all<'n>(&self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        self.iter().filter(move |(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns the names and values of all headers, in order, trimmed. [`Headers::with`](super::Headers::with)
    /// accepts each of them.
    pub fn iter(&self) -> impl Iterator<Item = (&'a str, &'a [u8])> + Clone + use<'a> {
        let headers = self.fields().filter(|(name, value)| InvalidHeader::check(name, value).is_ok());
        headers.filter_map(|(name, value)| Some((str::from_utf8(name).ok()?, value)))
    }

    /// Returns the names and values of all lines with a colon, trimmed. They may not be headers.
    #[inline]
    fn fields(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + Clone + use<'a> {
        let mut rest = self.0;
        let lines = core::iter::from_fn(move || {
            let line;
            (line, rest) = rest.split_at(memchr::memchr(b'\n', rest)? + 1);
            Some(line.strip_suffix(b"\r\n").unwrap_or(&line[..line.len() - 1]))
        });
        lines.filter_map(|line| {
            let colon = memchr::memchr(b':', line)?;
            Some((trim_end(&line[..colon]), trim_end(trim_start(&line[colon + 1..]))))
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
    #[inline]
    pub(super) fn content_length(&self) -> Option<u64> {
        // The usual line needs no search.
        if let Some(value) = self.0.strip_prefix(b"Content-Length: ").and_then(|rest| rest.strip_suffix(b"\r\n"))
            && let Some(length) = parse_length(value)
        {
            return Some(length);
        }
        let mut length = None;
        let is_length = |name: &[u8]| name.eq_ignore_ascii_case(b"Content-Length");
        for (name, value) in self.fields().filter(|(name, _)| is_length(name)) {
            let Some(parsed) = parse_length(value) else {
                // A line that is not a header is not an invalid length either.
                match InvalidHeader::check(name, value) {
                    Ok(()) => return None,
                    Err(_) => continue,
                }
            };
            if length.is_some_and(|length| length != parsed) {
                return None;
            }
            length = Some(parsed);
        }
        length
    }
}

#[inline]
fn trim_start(mut bytes: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = bytes {
        bytes = rest;
    }
    bytes
}

#[inline]
fn trim_end(mut bytes: &[u8]) -> &[u8] {
    while let [rest @ .., b' ' | b'\t'] = bytes {
        bytes = rest;
    }
    bytes
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
