//! From an event to its bytes: the blocks of [an event stream], line by line.
//!
//! [an event stream]: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream

mod decimal;

pub(crate) use self::decimal::whole_milliseconds;

use self::decimal::Decimal;
use crate::line::{self, LineSplitter, Piece};
use alloc::vec::Vec;
use bytes::{Buf, BufMut, Bytes};
use core::{array, iter::Flatten, time::Duration};

/// So much of a block, in bytes, is put together on the stack.
const SMALL: usize = 128;
/// The last line's end, and the blank line.
const END: &[u8] = b"\n\n";

/// A block that is to be written.
#[derive(Clone, Debug)]
pub(crate) struct Encoding<'e> {
    event_type: Option<&'e str>,
    id: Option<&'e str>,
    retry: Option<Decimal>,
    text: Text<'e>,
    /// How many bytes it has.
    len: usize,
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
        let retry = retry.map(Decimal::of);
        let (text, mut len) = Text::measured(b"data: ", data);
        len += event_type.map_or(0, |value| "event: \n".len() + value.len());
        len += id.map_or(0, |value| "id: \n".len() + value.len());
        len += retry.map_or(0, |value| "retry: \n".len() + value.as_bytes().len());
        Encoding { event_type, id, retry, text, len: len + 1 }
    }

    pub(crate) fn comment(text: &'e str) -> Encoding<'e> {
        let (text, len) = Text::measured(b": ", text);
        Encoding { event_type: None, id: None, retry: None, text, len: len + 1 }
    }

    pub(crate) fn retry(time: Duration) -> Encoding<'e> {
        let retry = Decimal::of(time);
        let len = "retry: \n\n".len() + retry.as_bytes().len();
        Encoding { event_type: None, id: None, retry: Some(retry), text: Text::None, len }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The block, in memory of its own of just its length.
    #[inline]
    pub(crate) fn to_bytes(&self) -> Bytes {
        let mut bytes = Vec::with_capacity(self.len);
        self.write_lines(&mut bytes);
        Bytes::from(bytes)
    }

    /// Writes the block. A buffer that has no room for it grows once.
    ///
    /// What is short of it is put together on the stack, and handed over at once, which takes half the time of piece by piece.
    #[inline]
    pub(crate) fn write(&self, out: &mut impl BufMut) {
        let mut head = [0; SMALL];
        match self.text {
            _ if self.len <= SMALL => {
                self.write_lines(&mut &mut head[..]);
                out.put_slice(&head[..self.len]);
            }
            Text::Line(name, line) if self.len - line.len() <= SMALL => {
                let len = self.len - line.len() - END.len();
                let mut room = &mut head[..];
                self.write_fields(&mut room);
                room.put_slice(name);
                out.put(head[..len].chain(line).chain(END));
            }
            _ => out.put(Pieces::new(self, &mut LineSplitter::within_stream())),
        }
    }

    /// Writes the block into a buffer that has the room.
    #[inline(always)]
    fn write_lines(&self, out: &mut impl BufMut) {
        self.write_fields(out);
        match self.text {
            Text::Line(name, value) => Line { name, value }.write(out),
            text => text.lines(&mut LineSplitter::within_stream()).for_each(|line| line.write(out)),
        }
        out.put_u8(b'\n');
    }

    #[inline(always)]
    fn write_fields(&self, out: &mut impl BufMut) {
        self.fields().into_iter().flatten().for_each(|line| line.write(out));
    }

    /// The lines before those of the text.
    #[inline(always)]
    fn fields(&self) -> [Option<Line<'_>>; 3] {
        [
            self.event_type.map(|event_type| Line { name: b"event: ", value: event_type.as_bytes() }),
            self.id.map(|id| Line { name: b"id: ", value: id.as_bytes() }),
            self.retry.as_ref().map(|digits| Line { name: b"retry: ", value: digits.as_bytes() }),
        ]
    }
}

/// A line of a block, without its end: the name of its field, with colon and space, and the value.
#[derive(Clone, Copy, Debug)]
struct Line<'e> {
    name: &'static [u8],
    value: &'e [u8],
}

impl Line<'_> {
    #[inline(always)]
    fn write(self, out: &mut impl BufMut) {
        out.put_slice(self.name);
        out.put_slice(self.value);
        out.put_u8(b'\n');
    }
}

/// Text, each line of which is to be a field of this name.
#[derive(Clone, Copy, Debug)]
enum Text<'e> {
    None,
    Line(&'static [u8], &'e [u8]),
    Lines(&'static [u8], &'e [u8]),
}

impl<'e> Text<'e> {
    /// The text, and how many bytes its lines have with their names and line ends.
    #[inline]
    fn measured(name: &'static [u8], text: &'e str) -> (Text<'e>, usize) {
        let text = text.as_bytes();
        if !line::has_line_end(text) {
            return (Text::Line(name, text), name.len() + text.len() + 1);
        }
        let (ends, len) = line::count_line_ends(text);
        (Text::Lines(name, text), text.len() - len + (ends + 1) * (name.len() + 1))
    }

    #[inline(always)]
    fn lines<'s>(self, splitter: &'s mut LineSplitter) -> TextLines<'s>
    where
        'e: 's,
    {
        match self {
            Text::None => TextLines::None,
            Text::Line(name, value) => TextLines::Last(Line { name, value }),
            Text::Lines(name, text) => TextLines::Lines(name, splitter.lines(text)),
        }
    }
}

/// The lines of a text that are still to be written.
#[derive(Debug)]
enum TextLines<'e> {
    None,
    Last(Line<'e>),
    Lines(&'static [u8], line::Lines<'e, 'e>),
}

impl<'e> Iterator for TextLines<'e> {
    type Item = Line<'e>;

    #[inline(always)]
    fn next(&mut self) -> Option<Line<'e>> {
        let last = match self {
            TextLines::None => return None,
            TextLines::Last(line) => *line,
            TextLines::Lines(name, lines) => match lines.next() {
                Some(Piece::Whole(value)) => return Some(Line { name, value }),
                // The text ends within its last line, or right behind a line end: then its last line is empty.
                Some(Piece::Head(value) | Piece::Middle(value) | Piece::Tail(value)) => Line { name, value },
                None => Line { name, value: b"" },
            },
        };
        *self = TextLines::None;
        Some(last)
    }
}

/// A block as a [`Buf`], which lends its bytes piece by piece.
///
/// A `Buf` tells a buffer how much room it needs before the first byte is put in, which is the one way to have a `Vec` or a
/// `BytesMut` grow no more than once.
#[derive(Debug)]
struct Pieces<'e> {
    /// Not empty, unless all is written.
    piece: &'e [u8],
    next: Next<'e>,
    fields: Flatten<array::IntoIter<Option<Line<'e>>, 3>>,
    text: TextLines<'e>,
    remaining: usize,
}

/// What comes after a piece.
#[derive(Clone, Copy, Debug)]
enum Next<'e> {
    Value(&'e [u8]),
    LineEnd,
    Line,
    Nothing,
}

impl<'e> Pieces<'e> {
    #[inline(always)]
    fn new(block: &'e Encoding<'_>, splitter: &'e mut LineSplitter) -> Pieces<'e> {
        let fields = block.fields().into_iter().flatten();
        let text = block.text.lines(splitter);
        let mut pieces = Pieces { piece: b"", next: Next::Line, fields, text, remaining: block.len };
        pieces.step();
        pieces
    }

    #[inline(always)]
    fn step(&mut self) {
        (self.piece, self.next) = match self.next {
            Next::Value(value) if !value.is_empty() => (value, Next::LineEnd),
            Next::Value(_) | Next::LineEnd => (&b"\n"[..], Next::Line),
            Next::Line => match self.fields.next().or_else(|| self.text.next()) {
                Some(line) => (line.name, Next::Value(line.value)),
                None => (&b"\n"[..], Next::Nothing),
            },
            Next::Nothing => (&b""[..], Next::Nothing),
        };
    }
}

impl Buf for Pieces<'_> {
    #[inline]
    fn remaining(&self) -> usize {
        self.remaining
    }

    #[inline]
    fn chunk(&self) -> &[u8] {
        self.piece
    }

    #[inline(always)]
    fn advance(&mut self, count: usize) {
        // A buffer that takes more than there is must not have this go on for ever.
        let mut count = count.min(self.remaining);
        self.remaining -= count;
        while count >= self.piece.len() && count > 0 {
            count -= self.piece.len();
            self.step();
        }
        self.piece = &self.piece[count..];
    }
}

#[cfg(test)]
mod tests {
    use super::{Encoding, Pieces};
    use crate::line::LineSplitter;
    use bytes::{Buf, BufMut, BytesMut};
    use core::time::Duration;
    use std::vec::Vec;

    #[track_caller]
    fn check(encoding: &Encoding<'_>, expected: &str) {
        assert_eq!(encoding.len(), expected.len());
        assert_eq!(encoding.to_bytes(), expected);

        let mut vec = b"before".to_vec();
        encoding.write(&mut vec);
        assert_eq!(vec, [b"before", expected.as_bytes()].concat());
        let mut empty = BytesMut::new();
        encoding.write(&mut empty);
        assert_eq!(empty, expected);

        // In steps of every size, as a socket that takes a few bytes at a time has it.
        let pieces = |work: &mut dyn FnMut(Pieces<'_>)| {
            work(Pieces::new(encoding, &mut LineSplitter::within_stream()));
        };
        for size in 1..=expected.len() {
            pieces(&mut |mut pieces| {
                let mut written = Vec::new();
                while pieces.has_remaining() {
                    assert!(!pieces.chunk().is_empty());
                    let count = size.min(pieces.remaining());
                    written.put((&mut pieces).take(count));
                }
                assert_eq!(written, expected.as_bytes());
                assert!(pieces.chunk().is_empty());
            });
        }
        for count in 0..=expected.len() {
            pieces(&mut |mut pieces| {
                pieces.advance(count);
                assert_eq!(pieces.copy_to_bytes(pieces.remaining()), &expected.as_bytes()[count..]);
            });
        }
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
