//! The encoder of multipart streams.

use super::{Boundary, HeadersRef, InvalidBoundary, WholePart, boundary::is_all_dashes, headers::put_line};
use alloc::{format, string::String};
use bytes::{BufMut, Bytes};
use memchr::memmem;

/// Writes parts into a buffer, so that a reader sees the end of each part at once.
///
/// [`part`](PartEncoder::part) writes a complete part with its length. [`begin`](PartEncoder::begin),
/// [`data`](PartEncoder::data) and [`end`](PartEncoder::end) write a part in pieces. [`close`](PartEncoder::close)
/// ends the stream. The delimiter is written at the *end* of each part, not at the beginning of the next one;
/// otherwise a reader that waits for the delimiter would be one part late.
///
/// ```
/// use eventwire_multipart::{Boundary, Headers, PartEncoder, WholePart};
///
/// let mut encoder = PartEncoder::new(Boundary::new("frame")?)?;
/// assert_eq!(encoder.content_type("multipart/mixed"), "multipart/mixed; boundary=frame");
///
/// let mut bytes = Vec::new();
/// encoder.part(&WholePart::new("text/plain", "Hello")?, &mut bytes)?;
/// let head = "--frame\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n";
/// assert_eq!(bytes, format!("{head}Hello\r\n--frame\r\n").into_bytes());
///
/// bytes.clear();
/// encoder.begin(Headers::new().as_ref(), &mut bytes)?;
/// encoder.data(b"by and by", &mut bytes)?;
/// encoder.end(&mut bytes);
/// assert_eq!(bytes, b"\r\nby and by\r\n--frame\r\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The buffer can be any [`BufMut`]. A `Vec` or `BytesMut` grows; a buffer of a fixed size that is too small
/// panics, as [`BufMut`] documents.
#[derive(Clone, Debug)]
pub struct PartEncoder {
    /// Two dashes and the boundary.
    dash_boundary: Bytes,
    state: State,
}

/// What was written last.
#[derive(Clone, Debug)]
enum State {
    Nothing,
    /// Nothing yet. A line end is written before the first delimiter.
    NothingYet,
    /// A delimiter.
    Delimiter,
    /// A delimiter without its line end.
    OpenDelimiter,
    /// Some of a part.
    Part(LineStarts),
}

impl PartEncoder {
    /// Returns an encoder with this boundary.
    ///
    /// # Errors
    ///
    /// If the boundary is longer than 70 bytes, contains anything but letters, digits, `'()+_,-./:=?` and spaces,
    /// or ends with a space ([RFC 2046](https://www.rfc-editor.org/rfc/rfc2046#section-5.1.1)).
    pub fn new(boundary: Boundary) -> Result<PartEncoder, InvalidBoundary> {
        let dash_boundary = Bytes::from(format!("--{}", boundary.as_written()?));
        Ok(PartEncoder { dash_boundary, state: State::Nothing })
    }

    /// Returns an encoder with a boundary of 32 random hexadecimal digits. It does not occur in a body by chance, but
    /// it is not a secret.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn random() -> PartEncoder {
        use std::hash::{BuildHasher, RandomState};
        // The keys of a hash map are the only random numbers in the standard library.
        let [high, low] = [(); 2].map(|()| RandomState::new().hash_one(0_u8));
        PartEncoder { dash_boundary: Bytes::from(format!("--{high:016x}{low:016x}")), state: State::Nothing }
    }

    /// Writes CRLF before the first delimiter, as GraphQL clients expect. It has no effect after anything has been
    /// written.
    ///
    /// ```
    /// use eventwire_multipart::{Boundary, PartEncoder, WholePart};
    ///
    /// let mut encoder = PartEncoder::new(Boundary::new("-")?)?.with_leading_line_end();
    /// let mut bytes = Vec::new();
    /// encoder.part(&WholePart::new("application/json", "{}")?, &mut bytes)?;
    /// encoder.close(&mut bytes);
    /// assert!(bytes.starts_with(b"\r\n---\r\n") && bytes.ends_with(b"{}\r\n-----\r\n"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_leading_line_end(mut self) -> PartEncoder {
        if let State::Nothing = self.state {
            self.state = State::NothingYet;
        }
        self
    }

    /// Returns the value of the `Content-Type` header for this type, such as `multipart/x-mixed-replace` or
    /// `multipart/mixed`.
    ///
    /// The boundary is quoted if necessary. It is also quoted if it is all dashes, as GraphQL clients expect.
    #[must_use]
    pub fn content_type(&self, essence: &str) -> String {
        let boundary = String::from_utf8_lossy(&self.dash_boundary[2..]);
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+'".contains(&byte);
        let quote = if boundary.bytes().all(is_plain) && !self.is_all_dashes() { "" } else { "\"" };
        format!("{essence}; boundary={quote}{boundary}{quote}")
    }

    /// Writes a complete part and the delimiter after it.
    ///
    /// One `Content-Length` is always written, so that a reader knows at once that the part is complete. It replaces
    /// lengths that are wrong, duplicate or have leading zeros
    /// ([RFC 9110, section 8.6](https://www.rfc-editor.org/rfc/rfc9110#section-8.6)). An unfinished part is ended
    /// first.
    ///
    /// If the boundary is all dashes, as in GraphQL, the delimiter's line end is written with the next part or the
    /// close delimiter. The reason: some GraphQL clients treat a complete delimiter line before the close delimiter
    /// as the start of another part.
    ///
    /// # Errors
    ///
    /// If two dashes and the boundary occur at the start of a header line, or anywhere in the body (browsers find a
    /// boundary even inside a line). If the boundary is all dashes, only the start of a line of the body counts.
    pub fn part(&mut self, part: &WholePart, buf: &mut impl BufMut) -> Result<(), BoundaryInPart> {
        self.part_head(part, buf)?;
        buf.put_slice(part.body());
        self.end_whole(buf);
        Ok(())
    }

    /// Writes the headers of a complete part. The caller writes the body and the end.
    pub(super) fn part_head(&mut self, part: &WholePart, buf: &mut impl BufMut) -> Result<(), BoundaryInPart> {
        let body = part.body();
        let is_anywhere = !self.is_all_dashes() && memmem::find(body, &self.dash_boundary).is_some();
        if is_anywhere || LineStarts::default().find(body, &self.dash_boundary) {
            return Err(BoundaryInPart);
        }
        let length = format!("{}", body.len());
        // Readers may treat two lengths, or one with leading zeros, as different or invalid (RFC 9110, section 8.6).
        let mut received = part.headers().get_all("Content-Length");
        if received.next() == Some(length.as_bytes()) && received.next().is_none() {
            return self.head(part.headers().iter(), None, buf);
        }
        self.head(without_length(part.headers()), Some(&length), buf)
    }

    /// Begins a part by writing its headers. An unfinished part is ended first.
    ///
    /// Only [headers](HeadersRef::iter) are written, and no other lines that were received with them. `Content-Length`
    /// is left out, because the body is not known yet, and after a wrong length a reader would lose the rest of the
    /// body.
    ///
    /// # Errors
    ///
    /// If a line of the headers begins with the boundary.
    pub fn begin(&mut self, headers: HeadersRef<'_>, buf: &mut impl BufMut) -> Result<(), BoundaryInPart> {
        self.head(without_length(headers), None, buf)
    }

    /// Writes these headers of a part, and `Content-Length` if `length` is set.
    fn head<'h>(
        &mut self,
        headers: impl Iterator<Item = (&'h str, &'h [u8])> + Clone,
        length: Option<&str>,
        buf: &mut impl BufMut,
    ) -> Result<(), BoundaryInPart> {
        let is_delimiter = |(name, value): (&str, &[u8])| {
            let line = name.bytes().chain(*b": ").chain(value.iter().copied());
            line.take(self.dash_boundary.len()).eq(self.dash_boundary.iter().copied())
        };
        if headers.clone().any(is_delimiter) {
            return Err(BoundaryInPart);
        }
        if let State::Part(_) = self.state {
            self.end(buf);
        }
        self.first_delimiter(buf);
        for (name, value) in headers {
            put_line(buf, name, value);
        }
        if let Some(length) = length {
            put_line(buf, "Content-Length", length.as_bytes());
        }
        buf.put_slice(b"\r\n");
        self.state = State::Part(LineStarts::default());
        Ok(())
    }

    /// Writes some bytes of the body of the current part. If no part has begun, it begins one without headers.
    ///
    /// # Errors
    ///
    /// If a line of the body begins with two dashes and the boundary, even if earlier calls wrote the start of that
    /// line. Nothing is written in this case, and the part can still be ended.
    pub fn data(&mut self, data: &[u8], buf: &mut impl BufMut) -> Result<(), BoundaryInPart> {
        self.begin_data(data, buf)?;
        buf.put_slice(data);
        Ok(())
    }

    /// Checks the data, and begins a part if necessary. The caller writes the data.
    pub(super) fn begin_data(&mut self, data: &[u8], buf: &mut impl BufMut) -> Result<(), BoundaryInPart> {
        let mut line_starts = match &self.state {
            State::Part(line_starts) => line_starts.clone(),
            _ if data.is_empty() => return Ok(()),
            _ => LineStarts::default(),
        };
        if line_starts.find(data, &self.dash_boundary) {
            return Err(BoundaryInPart);
        }
        if !matches!(self.state, State::Part(_)) {
            self.first_delimiter(buf);
            buf.put_slice(b"\r\n");
        }
        self.state = State::Part(line_starts);
        Ok(())
    }

    /// Ends the current part by writing the delimiter. Does nothing if no part has begun.
    pub fn end(&mut self, buf: &mut impl BufMut) {
        if let State::Part(_) = self.state {
            buf.put_slice(b"\r\n");
            self.delimiter(buf);
        }
    }

    /// Ends a part whose length has been written.
    pub(super) fn end_whole(&mut self, buf: &mut impl BufMut) {
        if !self.is_all_dashes() {
            return self.end(buf);
        }
        buf.put_slice(b"\r\n");
        buf.put_slice(&self.dash_boundary);
        self.state = State::OpenDelimiter;
    }

    /// Ends the stream by writing the close delimiter, which also ends an unfinished part.
    pub fn close(self, buf: &mut impl BufMut) {
        match self.state {
            State::Nothing | State::Delimiter => buf.put_slice(&self.dash_boundary),
            State::NothingYet | State::Part(_) => {
                buf.put_slice(b"\r\n");
                buf.put_slice(&self.dash_boundary);
            }
            State::OpenDelimiter => {}
        }
        buf.put_slice(b"--\r\n");
    }

    fn first_delimiter(&mut self, buf: &mut impl BufMut) {
        match self.state {
            State::Nothing => self.delimiter(buf),
            State::NothingYet => {
                buf.put_slice(b"\r\n");
                self.delimiter(buf);
            }
            State::OpenDelimiter => {
                buf.put_slice(b"\r\n");
                self.state = State::Delimiter;
            }
            State::Delimiter | State::Part(_) => {}
        }
    }

    fn delimiter(&mut self, buf: &mut impl BufMut) {
        buf.put_slice(&self.dash_boundary);
        buf.put_slice(b"\r\n");
        self.state = State::Delimiter;
    }

    fn is_all_dashes(&self) -> bool {
        is_all_dashes(&self.dash_boundary)
    }
}

/// Returns the headers except `Content-Length`.
fn without_length(headers: HeadersRef<'_>) -> impl Iterator<Item = (&str, &[u8])> + Clone {
    headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("Content-Length"))
}

/// How many bytes of the current line match a text that is searched for at the start of lines. `None` means that the
/// line does not begin with it.
#[derive(Clone, Debug)]
struct LineStarts(Option<usize>);

impl Default for LineStarts {
    /// Starts at the start of a line.
    fn default() -> LineStarts {
        LineStarts(Some(0))
    }
}

impl LineStarts {
    /// Whether a line begins with `start`: one in `bytes`, or one that began in earlier bytes.
    fn find(&mut self, bytes: &[u8], start: &[u8]) -> bool {
        let mut rest = bytes;
        loop {
            if let Some(known) = self.0 {
                let expected = &start[known..];
                if rest.starts_with(expected) {
                    return true;
                }
                self.0 = expected.starts_with(rest).then_some(known + rest.len());
            }
            match memchr::memchr(b'\n', rest) {
                None => return false,
                Some(at) => rest = &rest[at + 1..],
            }
            self.0 = Some(0);
        }
    }
}

/// The error of [`PartEncoder`]: a part contains the boundary, and readers would end the part there.
///
/// The bytes passed to the call that failed have not been written. Choose another boundary, for example with
/// `PartEncoder::random()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the boundary occurs in the part; choose another boundary")]
pub struct BoundaryInPart;
