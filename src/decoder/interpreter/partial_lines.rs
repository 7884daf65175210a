//! Lines that cross a chunk boundary.

use super::Interpreter;
use crate::decoder::{
    borrowed::Borrowed,
    open_line::{Name, OpenLine},
    size::TooLarge,
};
use crate::line::{Field, Part, Scanned};

/// This many bytes of a line determine its field and where its value begins: `retry`, a colon and a space.
const LONGEST_PREFIX: usize = 7;

impl Interpreter {
    /// Reads a part of a line that crosses a chunk boundary.
    #[inline(never)]
    pub(super) fn part(&mut self, part: Part, text: Scanned<'_>, borrowed: &mut Borrowed<'_>) -> Result<(), TooLarge> {
        if part == Part::Head {
            self.buffer(borrowed);
            return self.begin_line(text);
        }
        if matches!(self.open, OpenLine::BufferedComment) {
            // A call that reads comments began it, and a call that does not continues it.
            self.open = OpenLine::Comment;
            self.comment.release(self.size.limit());
        }
        self.more(text)?;
        if part == Part::Tail { self.end_line() } else { Ok(()) }
    }

    /// The same if lines of all fields count. The part is counted here, as soon as it is read.
    pub(super) fn counted_part(
        &mut self,
        part: Part,
        text: Scanned<'_>,
        borrowed: &mut Borrowed<'_>,
    ) -> Result<(), TooLarge> {
        self.size.count(text.bytes().len() + usize::from(part == Part::Tail))?;
        let counted = self.size;
        // What the line counts from here on cannot exceed the limit: it has been counted already.
        self.size.clear();
        let outcome = self.part(part, text, borrowed);
        self.size = counted;
        outcome
    }

    /// Reads the beginning of a line that continues beyond its chunk. Nothing is borrowed any more.
    #[inline]
    fn begin_line(&mut self, head: Scanned<'_>) -> Result<(), TooLarge> {
        self.open = OpenLine::START;
        if head.bytes().len() < LONGEST_PREFIX {
            return self.more_of_prefix(head);
        }
        // It contains the name and all that precedes the value.
        let Some((field, value)) = head.field() else {
            self.open = OpenLine::Other;
            return Ok(());
        };
        self.open = OpenLine::value_of(field);
        match self.open {
            OpenLine::Value(kept) => {
                self.size.count(head.bytes().len())?;
                let limit = self.size.limit();
                let buffers = self.buffers();
                buffers.begin(kept, limit);
                buffers.push(kept, value, limit);
            }
            OpenLine::Digits(digits) => self.open = OpenLine::Digits(digits.fold(value.bytes())),
            _ => {}
        }
        Ok(())
    }

    /// Reads more of the open line.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    fn more(&mut self, piece: Scanned<'_>) -> Result<(), TooLarge> {
        match self.open {
            OpenLine::Value(kept) => {
                self.size.count(piece.bytes().len())?;
                let limit = self.size.limit();
                self.buffers().push(kept, piece, limit);
                Ok(())
            }
            _ => self.more_of_prefix(piece),
        }
    }

    /// Reads more of the open line on the general path, step by step up to its value.
    fn more_of_prefix(&mut self, mut piece: Scanned<'_>) -> Result<(), TooLarge> {
        while let Some(first) = piece.bytes().first() {
            match self.open {
                OpenLine::Name(name) => {
                    let (before_colon, has_colon) = Name::split(piece.bytes());
                    let Some(name) = name.with(before_colon) else {
                        self.open = OpenLine::Other;
                        return Ok(());
                    };
                    if !has_colon {
                        self.open = OpenLine::Name(name);
                        return Ok(());
                    }
                    piece = skip(piece, before_colon.len() + 1);
                    self.open = OpenLine::Space(name.field());
                    self.count_name(name.field(), name.len() + 1)?;
                }
                OpenLine::Space(field) => {
                    self.begin_value(field);
                    if *first == b' ' {
                        piece = skip(piece, 1);
                        self.count_name(field, 1)?;
                    }
                }
                OpenLine::Value(_) => return self.more(piece),
                OpenLine::Digits(digits) => {
                    self.open = OpenLine::Digits(digits.fold(piece.bytes()));
                    return Ok(());
                }
                OpenLine::Comment | OpenLine::BufferedComment | OpenLine::Other => return Ok(()),
            }
        }
        Ok(())
    }

    /// Counts the bytes before a value, if the line counts. That is known at its colon, or at its end if it has none,
    /// so no step has to be undone.
    fn count_name(&mut self, field: Field, bytes: usize) -> Result<(), TooLarge> {
        match OpenLine::value_of(field) {
            OpenLine::Value(_) => {
                self.buffers();
                self.size.count(bytes)
            }
            _ => Ok(()),
        }
    }

    fn begin_value(&mut self, field: Field) {
        self.open = OpenLine::value_of(field);
        if let OpenLine::Value(kept) = self.open {
            let limit = self.size.limit();
            self.buffers().begin(kept, limit);
        }
    }

    /// Ends the open line at a line end.
    fn end_line(&mut self) -> Result<(), TooLarge> {
        self.end_line_at_eof()?;
        match self.open {
            OpenLine::Value(_) => self.size.count(1),
            _ => Ok(()),
        }
    }

    /// Ends the open line at the end of the stream. There is no line end to be counted.
    pub(super) fn end_line_at_eof(&mut self) -> Result<(), TooLarge> {
        match self.open {
            OpenLine::Name(name) => {
                self.count_name(name.field(), name.len())?;
                self.begin_value(name.field());
            }
            OpenLine::Space(field) => self.begin_value(field),
            _ => {}
        }
        match self.open {
            OpenLine::Value(kept) => {
                let limit = self.size.limit();
                self.buffers().end(kept, limit);
            }
            OpenLine::Digits(digits) => self.end_retry(digits),
            _ => {}
        }
        Ok(())
    }
}

/// The bytes after the first `count`, which are ASCII.
fn skip(piece: Scanned<'_>, count: usize) -> Scanned<'_> {
    match piece.text().and_then(|text| text.get(count..)) {
        Some(text) => Scanned::from(text),
        None => Scanned::from(piece.bytes().get(count..).unwrap_or_default()),
    }
}
