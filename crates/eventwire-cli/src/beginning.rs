//! The beginning of an input, which explains why there was no event in it.

use std::fmt;

use eventwire::line::{Field, LineSplitter, Piece};

use crate::print::one_line;

/// The first bytes of a gzip file.
const GZIP: &[u8] = b"\x1F\x8B";
/// How many bytes of the text are kept.
const KEPT: usize = 400;
/// How many characters of it are printed.
const LONGEST: usize = 80;
/// How many bytes of a line are enough to recognise its field.
const FIELD: usize = 8;

/// The first bytes of an input, and what kind of text they are.
#[derive(Default)]
pub(crate) struct Beginning {
    kind: Kind,
    /// The first two bytes.
    magic: Vec<u8>,
    /// The first bytes after a byte order mark and white space.
    text: Vec<u8>,
    splitter: LineSplitter,
    /// The start of the line that has not ended yet.
    line: Vec<u8>,
}

/// The kind of the lines so far.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// There are no lines, or only lines of white space.
    #[default]
    Blank,
    /// At least one line is a field or a comment of an event stream.
    EventStream,
    /// No line is a field or a comment.
    Other,
    /// The input is compressed with gzip.
    Gzip,
}

impl Beginning {
    /// Looks at the next chunk of the input. Returns whether to read on, which is pointless if the input is gzip.
    pub(crate) fn accepts<E>(&mut self, chunk: &Result<impl AsRef<[u8]>, E>) -> bool {
        if let Ok(chunk) = chunk {
            self.observe(chunk.as_ref());
        }
        self.kind != Kind::Gzip
    }

    /// Looks at the next bytes, until the kind is certain.
    fn observe(&mut self, chunk: &[u8]) {
        if matches!(self.kind, Kind::EventStream | Kind::Gzip) {
            return;
        }
        append(&mut self.magic, chunk, GZIP.len());
        if self.magic == GZIP {
            self.kind = Kind::Gzip;
            return;
        }
        for piece in self.splitter.lines(chunk) {
            let (Piece::Whole(text) | Piece::Head(text) | Piece::Middle(text) | Piece::Tail(text)) = piece;
            append(&mut self.line, text, FIELD);
            append_text(&mut self.text, text);
            if matches!(piece, Piece::Whole(_) | Piece::Tail(_)) {
                self.kind = self.kind.after(&self.line);
                self.line.clear();
                append_text(&mut self.text, b"\n");
            }
        }
    }

    /// Returns the kind of the input if it ends here.
    pub(crate) fn kind(&self) -> Kind {
        match self.kind.after(&self.line) {
            Kind::Other if self.text.is_empty() => Kind::Blank,
            kind => kind,
        }
    }
}

impl Kind {
    fn after(self, line: &[u8]) -> Kind {
        match (self, Field::parse(line).0) {
            (Kind::EventStream | Kind::Gzip, _) => self,
            (_, Field::Other) if line.is_empty() => self,
            (_, Field::Other) => Kind::Other,
            _ => Kind::EventStream,
        }
    }
}

/// The first characters, on one line.
impl fmt::Display for Beginning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&one_line(&String::from_utf8_lossy(&self.text), LONGEST))
    }
}

/// Appends text, except white space at the start.
fn append_text(kept: &mut Vec<u8>, text: &[u8]) {
    append(kept, if kept.is_empty() { text.trim_ascii_start() } else { text }, KEPT);
}

/// Appends as many of these bytes as the limit allows.
fn append(kept: &mut Vec<u8>, bytes: &[u8], limit: usize) {
    kept.extend_from_slice(&bytes[..bytes.len().min(limit - kept.len())]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &[u8], kind: Kind, beginning: &str) {
        // In one chunk, and byte by byte.
        for size in [input.len().max(1), 1] {
            let mut found = Beginning::default();
            for chunk in input.chunks(size) {
                found.observe(chunk);
            }
            assert!(found.kind() == kind, "{:?} in chunks of {size}", input.escape_ascii().to_string());
            if kind == Kind::Other {
                assert_eq!(found.to_string(), beginning);
            }
        }
    }

    #[test]
    fn kinds() {
        for blank in [&b""[..], b"\n", b"\r\n\r\r\n", b"\xEF\xBB\xBF", b"\xEF\xBB\xBF\n", b" ", b"\t\n  \n"] {
            check(blank, Kind::Blank, "");
        }
        for stream in ["data", "data: 1\n", "event:", "id: 7", "retry: soon", ":", "{\n: comment", "\u{FEFF}data\n"] {
            check(stream.as_bytes(), Kind::EventStream, "");
        }
        for (other, beginning) in [
            ("{\"data\": 1}", "{\"data\": 1}"),
            ("  {\n    \"id\": 7\r\n  }\n", "{ \"id\": 7 }"),
            ("\ndatabase: 7\n", "database: 7"),
            ("dat", "dat"),
            ("idea\nretry-after: 1\n", "idea retry-after: 1"),
            ("\x1B[2J\0", "\\u{1b}[2J\\u{0}"),
        ] {
            check(other.as_bytes(), Kind::Other, beginning);
        }
        check(b"\x89PNG\r\n", Kind::Other, "\u{FFFD}PNG");
        check("é ".repeat(500).as_bytes(), Kind::Other, &format!("{}…", "é ".repeat(40).trim_end()));
        check(b"\x1F\x8B\x08\n: comment\n", Kind::Gzip, "");
        check(b"\x1Fdata: 1", Kind::Other, "\\u{1f}data: 1");
        check(b"\n\x1F\x8B", Kind::Other, "\\u{1f}\u{FFFD}");
        check(b"\xEF\xBB\xBF\x1F\x8B", Kind::Other, "\\u{1f}\u{FFFD}");
        check("\u{FEFF}{}".as_bytes(), Kind::Other, "{}");
        for blank in ["\n", " ", "\r\n\t"] {
            check(format!("{}{{\n}}", blank.repeat(500)).as_bytes(), Kind::Other, "{ }");
        }
    }
}
