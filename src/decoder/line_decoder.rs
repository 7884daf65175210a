//! Lines without fields, such as those of JSON, each as the data of an event.

use super::{
    Decoder, OwnedData,
    buffer::LARGEST_COPIED,
    error::DecodeError,
    last_line::LastLine,
    pass,
    utf8::{InvalidUtf8, repair, repaired, valid},
};
use crate::{
    event::{Data, Event},
    line::{Field, Line, LineTooLong, Lines},
};
use alloc::{string::String, vec::Vec};
use bytes::Bytes;
use core::mem;

/// Turns the lines of a stream into events that have only data. Empty lines are skipped.
///
/// As in a [`Decoder`], a line that is contained in a chunk shares its memory, and invalid UTF-8 is replaced.
#[derive(Clone, Debug)]
pub(crate) struct LineDecoder {
    lines: Lines,
    /// Whether invalid UTF-8 is an error.
    is_checked: bool,
    /// Its number counts blank lines, too.
    last: LastLine,
}

impl LineDecoder {
    /// Creates a decoder for the start of a stream, with the limit and the policy of this one.
    pub(crate) fn new(settings: &Decoder) -> LineDecoder {
        let (limit, is_checked) = settings.line_settings();
        LineDecoder { lines: Lines::new().with_max_line_len(limit), is_checked, last: LastLine::default() }
    }

    /// Returns where the line is that was returned last, or the error.
    pub(crate) fn last(&self) -> LastLine {
        self.last
    }

    /// Returns the next line that is not empty, and consumes the input up to and including its end. `None` means that
    /// the input is used up. A line is an event: it may be too large, or invalid UTF-8, with which the stream ends.
    pub(crate) fn next(&mut self, input: &mut Bytes) -> Result<Option<Event>, DecodeError> {
        let mut rest = &**input;
        let data = loop {
            let Some(line) = self.lines.next_line(&mut rest).transpose() else {
                *input = Bytes::new();
                return Ok(None);
            };
            self.last.number += 1;
            let taken = input.len() - rest.len();
            match line {
                Ok(Line::InChunk(line)) if line.len() == 0 => {}
                Ok(Line::Carried(line)) if line.is_empty() => {}
                Ok(Line::InChunk(line)) => match valid(line) {
                    Some(text) => break OwnedData::new(text, input).take(input, taken),
                    None if self.is_checked => return Err(not_utf8(line.bytes())),
                    None => {
                        let data = Data::from_text(repaired(line.bytes()));
                        pass(input, taken);
                        break data;
                    }
                },
                Ok(Line::Carried(line)) => {
                    let data = carried(line, self.is_checked);
                    pass(input, taken);
                    break data?;
                }
                Err(LineTooLong { limit }) => {
                    self.lines.drop_beginning();
                    pass(input, taken);
                    return Err(DecodeError::EventTooLarge { limit });
                }
            }
        };
        Ok(Some(Event::decoded(None, data, None, None)))
    }

    /// Ends the stream, and returns its last line if that has no end.
    pub(crate) fn finish(&mut self) -> Result<Option<Event>, DecodeError> {
        let Some(line) = self.lines.finish() else { return Ok(None) };
        self.last = LastLine { number: self.last.number + 1, is_cut: true };
        Ok(Some(Event::decoded(None, carried(line, self.is_checked)?, None, None)))
    }
}

/// Returns a line that has crossed chunks.
fn carried(line: &mut Vec<u8>, is_checked: bool) -> Result<Data, DecodeError> {
    if line.len() <= LARGEST_COPIED {
        return match valid((&**line).into()) {
            Some(text) => Ok(Data::from_text(text)),
            None if is_checked => Err(not_utf8(line)),
            None => Ok(Data::from_text(repaired(line))),
        };
    }
    let mut text = match String::from_utf8(mem::take(line)) {
        Ok(text) => text,
        Err(error) if is_checked => return Err(not_utf8(error.as_bytes())),
        Err(error) => {
            let mut bytes = error.into_bytes();
            repair(&mut bytes);
            String::from_utf8(bytes).unwrap_or_default()
        }
    };
    text.shrink_to_fit();
    Ok(Data::from_text(text))
}

#[cold]
fn not_utf8(line: &[u8]) -> DecodeError {
    let offset = line.utf8_chunks().next().map_or(0, |chunk| chunk.valid().len());
    DecodeError::InvalidUtf8(InvalidUtf8::new(Field::Other, offset))
}
