//! From an event to its bytes: the blocks of [an event stream], written piece by piece.
//!
//! [an event stream]: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream

use crate::digits::Decimal;
use alloc::vec::Vec;
use bytes::{Buf, BufMut, Bytes};
use core::time::Duration;

/// The bytes of a block that are still to be written.
///
/// A [`Buf`], because that tells a buffer how much room it needs before the first byte is put in: it grows once at most,
/// and one that is too small is not begun.
#[derive(Clone, Debug)]
pub(crate) struct Encoding<'e> {
    event_type: Option<&'e str>,
    id: Option<&'e str>,
    retry: Option<Decimal>,
    text: Text<'e>,
    /// What comes next; not empty, unless all is written.
    piece: Piece<'e>,
    after: After<'e>,
    remaining: usize,
}

/// The lines of text that are still to be written, each with its field's name.
#[derive(Clone, Copy, Debug)]
struct Text<'e> {
    name: &'static [u8],
    rest: &'e [u8],
    /// How many lines `rest` has; a text of no bytes has one.
    lines: usize,
}

#[derive(Clone, Copy, Debug)]
enum Piece<'e> {
    Bytes(&'e [u8]),
    /// What is left of the digits of `retry`.
    Digits(Decimal),
}

/// What of its line comes after a piece.
#[derive(Clone, Copy, Debug)]
enum After<'e> {
    Value(Piece<'e>),
    LineEnd,
    NextLine,
    Nothing,
}

impl<'e> Text<'e> {
    const NONE: Text<'static> = Text { name: b"", rest: b"", lines: 0 };

    fn new(name: &'static [u8], text: &'e str) -> Text<'e> {
        let rest = text.as_bytes();
        Text { name, rest, lines: 1 + line_ends(rest).count() }
    }

    /// How many bytes its lines have, with their names and line ends.
    fn len(&self) -> usize {
        let in_line_ends = match self.lines {
            0 | 1 => 0,
            _ => line_ends(self.rest).map(|(_, len)| len).sum(),
        };
        self.rest.len() - in_line_ends + self.lines * (self.name.len() + 1)
    }

    fn next(&mut self) -> Option<&'e [u8]> {
        self.lines = self.lines.checked_sub(1)?;
        // The last line is known by its number, so that a text of one line is searched for line ends just once.
        let end = if self.lines == 0 { None } else { line_ends(self.rest).next() };
        let (line, rest) = match end {
            Some((end, len)) => (&self.rest[..end], &self.rest[end + len..]),
            None => (self.rest, &b""[..]),
        };
        self.rest = rest;
        Some(line)
    }
}

/// Where the text's line ends stand, and how long each is: CR LF is one of two bytes.
fn line_ends(text: &[u8]) -> impl Iterator<Item = (usize, usize)> {
    memchr::memchr2_iter(b'\n', b'\r', text).filter_map(|at| match text[at..] {
        [b'\r', b'\n', ..] => Some((at, 2)),
        [b'\n', ..] if text[..at].ends_with(b"\r") => None,
        _ => Some((at, 1)),
    })
}

impl<'e> Encoding<'e> {
    /// An event. Its type and ID are one line each.
    #[inline]
    pub(crate) fn event(
        event_type: Option<&'e str>,
        data: &'e str,
        id: Option<&'e str>,
        retry: Option<Duration>,
    ) -> Encoding<'e> {
        Encoding::new(event_type, id, retry.map(Decimal::of), Text::new(b"data: ", data))
    }

    pub(crate) fn comment(text: &'e str) -> Encoding<'e> {
        Encoding::new(None, None, None, Text::new(b": ", text))
    }

    pub(crate) fn retry(time: Duration) -> Encoding<'e> {
        Encoding::new(None, None, Some(Decimal::of(time)), Text::NONE)
    }

    #[inline]
    fn new(event_type: Option<&'e str>, id: Option<&'e str>, retry: Option<Decimal>, text: Text<'e>) -> Encoding<'e> {
        let line = |name: &str, value: usize| name.len() + value + 1;
        let remaining = event_type.map_or(0, |value| line("event: ", value.len()))
            + id.map_or(0, |value| line("id: ", value.len()))
            + retry.map_or(0, |value| line("retry: ", value.as_bytes().len()))
            + text.len()
            + 1;
        let piece = Piece::Bytes(b"");
        let mut encoding = Encoding { event_type, id, retry, text, piece, after: After::NextLine, remaining };
        encoding.step();
        encoding
    }

    /// Writes the block.
    #[inline]
    pub(crate) fn write(self, out: &mut impl BufMut) {
        out.put(self);
    }

    /// The block, in memory of its own of just its length.
    #[inline]
    pub(crate) fn into_bytes(mut self) -> Bytes {
        self.copy_to_bytes(self.remaining)
    }

    /// Goes on to the next piece that is not empty.
    fn step(&mut self) {
        self.piece = match self.after {
            After::NextLine => self.begin_line(),
            After::Value(value) => {
                self.after = After::LineEnd;
                match value {
                    Piece::Bytes(b"") => return self.step(),
                    value => value,
                }
            }
            // The last line end and the blank line in one.
            After::LineEnd if self.is_last_line() => {
                self.after = After::Nothing;
                Piece::Bytes(b"\n\n")
            }
            After::LineEnd => {
                self.after = After::NextLine;
                Piece::Bytes(b"\n")
            }
            After::Nothing => Piece::Bytes(b""),
        };
    }

    fn begin_line(&mut self) -> Piece<'e> {
        let (name, value) = if let Some(event_type) = self.event_type.take() {
            (&b"event: "[..], Piece::Bytes(event_type.as_bytes()))
        } else if let Some(id) = self.id.take() {
            (&b"id: "[..], Piece::Bytes(id.as_bytes()))
        } else if let Some(digits) = self.retry.take() {
            (&b"retry: "[..], Piece::Digits(digits))
        } else {
            (self.text.name, Piece::Bytes(self.text.next().unwrap_or_default()))
        };
        self.after = After::Value(value);
        Piece::Bytes(name)
    }

    fn is_last_line(&self) -> bool {
        self.event_type.is_none() && self.id.is_none() && self.retry.is_none() && self.text.lines == 0
    }
}

impl Buf for Encoding<'_> {
    #[inline]
    fn remaining(&self) -> usize {
        self.remaining
    }

    #[inline]
    fn chunk(&self) -> &[u8] {
        match &self.piece {
            Piece::Bytes(bytes) => bytes,
            Piece::Digits(digits) => digits.as_bytes(),
        }
    }

    #[inline]
    fn advance(&mut self, mut count: usize) {
        self.remaining -= count;
        while count > 0 {
            let taken = count.min(self.chunk().len());
            match &mut self.piece {
                Piece::Bytes(bytes) => *bytes = &bytes[taken..],
                Piece::Digits(digits) => digits.advance(taken),
            }
            count -= taken;
            if self.chunk().is_empty() {
                self.step();
            }
        }
    }

    /// The default would make a buffer that grows, and could not give it away without a counter.
    #[inline]
    fn copy_to_bytes(&mut self, len: usize) -> Bytes {
        let mut bytes = Vec::with_capacity(len);
        bytes.put(self.take(len));
        Bytes::from(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::Encoding;
    use bytes::{Buf, BufMut, BytesMut};
    use core::time::Duration;
    use std::vec::Vec;

    #[track_caller]
    fn check(encoding: &Encoding<'_>, expected: &str) {
        assert_eq!(encoding.remaining(), expected.len());
        assert_eq!(encoding.clone().into_bytes(), expected);

        let mut vec = b"before".to_vec();
        encoding.clone().write(&mut vec);
        assert_eq!(vec, [b"before", expected.as_bytes()].concat());
        let mut empty = BytesMut::new();
        encoding.clone().write(&mut empty);
        assert_eq!(empty, expected);

        // In steps of every size, as a socket that takes a few bytes at a time has it.
        for size in 1..=expected.len() {
            let (mut encoding, mut written) = (encoding.clone(), Vec::new());
            while encoding.has_remaining() {
                assert!(!encoding.chunk().is_empty());
                let count = size.min(encoding.remaining());
                written.put((&mut encoding).take(count));
            }
            assert_eq!(written, expected.as_bytes());
            assert!(encoding.chunk().is_empty());
        }
        let (mut all_at_once, mut part) = (encoding.clone(), encoding.clone());
        all_at_once.advance(expected.len());
        assert!(!all_at_once.has_remaining() && all_at_once.chunk().is_empty());
        part.advance(expected.len() / 2);
        assert_eq!(part.copy_to_bytes(part.remaining()), expected[expected.len() / 2..]);
    }

    #[test]
    fn every_field_has_its_line() {
        let event = |event_type, data, id, retry| Encoding::event(event_type, data, id, retry);
        check(&event(None, "a", None, None), "data: a\n\n");
        check(&event(None, "", None, None), "data: \n\n");
        check(&event(Some("t"), "a", None, None), "event: t\ndata: a\n\n");
        check(&event(None, "a", Some(""), None), "id: \ndata: a\n\n");
        let retry = Some(Duration::from_millis(120));
        check(&event(Some("t"), "a", Some("7"), retry), "event: t\nid: 7\nretry: 120\ndata: a\n\n");
        check(&Encoding::retry(Duration::ZERO), "retry: 0\n\n");
        check(&Encoding::comment("still here"), ": still here\n\n");
        check(&Encoding::comment(""), ": \n\n");
        check(&Encoding::comment("a\nb\r"), ": a\n: b\n: \n\n");
    }

    #[test]
    fn every_line_end_is_one() {
        #[track_caller]
        fn lines(data: &str, lines: &[&str]) {
            let expected: Vec<_> = lines.iter().map(|line| std::format!("data: {line}\n")).collect();
            check(&Encoding::event(None, data, None, None), &std::format!("{}\n", expected.concat()));
        }
        lines("a\nb", &["a", "b"]);
        lines("a\rb", &["a", "b"]);
        lines("a\r\nb", &["a", "b"]);
        lines("a\n\rb", &["a", "", "b"]);
        lines("\r\r\n\n", &["", "", "", ""]);
        lines("\n", &["", ""]);
        lines("a\r", &["a", ""]);
        lines(" a\u{2028}\u{85}\0\n\u{FEFF}", &[" a\u{2028}\u{85}\0", "\u{FEFF}"]);
    }

    #[test]
    fn a_buffer_that_is_too_small_is_not_begun() {
        let mut bytes = [b'.'; 20];
        let result = std::panic::catch_unwind(move || {
            let (mut out, _) = bytes.split_at_mut(8);
            Encoding::event(None, "a", None, None).write(&mut out);
        });
        assert!(result.is_err(), "nine bytes into eight");
    }
}
