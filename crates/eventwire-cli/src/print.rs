//! Events and comments as text for people, or as JSON for programs.

use std::env;
use std::io::{self, BufWriter, IsTerminal, Write};

use eventwire::{Comment, Event};
use serde_core::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::printable::{OneLine, Piece, pieces};
use crate::timestamp::Arrival;

/// The largest indent of further lines of data, in columns. Without a limit, an event of many short lines and a long
/// type would be printed in far more bytes than it has.
const MAX_INDENT: usize = 80;
/// The largest ID of an earlier event that is printed again, in bytes. Without a limit, many short events after one
/// with a long ID would be printed in far more bytes than they have.
const MAX_REPEATED_ID: usize = 64;

/// What is printed, and how.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) comments: bool,
    pub(crate) timestamps: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Format {
    Plain,
    Coloured,
    Json,
}

impl Format {
    /// Returns the format without `--json`: with colours on a terminal, unless [`NO_COLOR`](https://no-color.org)
    /// is set.
    pub(crate) fn for_stdout() -> Format {
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if io::stdout().is_terminal() && !refused { Format::Coloured } else { Format::Plain }
    }

    /// Returns the escape sequences of text. JSON has none.
    fn colours(self) -> Option<&'static Colours> {
        match self {
            Format::Plain => Some(&PLAIN),
            Format::Coloured => Some(&COLOURS),
            Format::Json => None,
        }
    }
}

pub(crate) struct Printer<W: Write> {
    /// An event is written piece by piece, because it may be large.
    out: BufWriter<W>,
    format: Format,
    /// Is `None` without `--timestamps`.
    arrival: Option<Arrival>,
    has_printed: bool,
}

impl<W: Write> Printer<W> {
    pub(crate) fn new(out: W, output: Output, arrival: Arrival) -> Printer<W> {
        let arrival = output.timestamps.then_some(arrival);
        Printer { out: BufWriter::new(out), format: output.format, arrival, has_printed: false }
    }

    pub(crate) fn has_printed(&self) -> bool {
        self.has_printed
    }

    pub(crate) fn print_event(&mut self, event: &Event) -> io::Result<()> {
        self.has_printed = true;
        match self.format.colours() {
            Some(colours) => self.write_event(event, colours)?,
            None => self.write_json_event(event)?,
        }
        // At once, because the next event may take an hour.
        self.out.flush()
    }

    pub(crate) fn print_comment(&mut self, comment: &Comment) -> io::Result<()> {
        self.has_printed = true;
        match self.format.colours() {
            Some(colours) => self.write_comment(comment, colours)?,
            None => self.write_json_comment(comment)?,
        }
        self.out.flush()
    }

    /// Writes time, type, ID and data. Further lines of data are aligned with the first one.
    fn write_event(&mut self, event: &Event, colours: &Colours) -> io::Result<()> {
        let Colours { head: colour, faint, reset } = colours;
        let mut indent = 0;
        if let Some(time) = self.time() {
            write!(self.out, "{faint}{time}{reset} ")?;
            indent += time.len() + 1;
        }
        self.out.write_all(colour.as_bytes())?;
        let mut head = Columns { out: &mut self.out, count: 0 };
        write!(head, "{}", OneLine(event.event_type()))?;
        match id(event) {
            Some("") => {}
            Some(id) => write!(head, " [{}]", OneLine(id))?,
            None => head.write_all(" […]".as_bytes())?,
        }
        indent = MAX_INDENT.min(indent + head.count);
        self.out.write_all(reset.as_bytes())?;
        for (number, line) in event.data().split('\n').enumerate() {
            if number > 0 {
                write!(self.out, "\n{:indent$}", "")?;
            }
            write!(self.out, " {}", OneLine(line))?;
        }
        self.out.write_all(b"\n")
    }

    /// Writes time and comment. The comment starts with a colon, as in the stream.
    fn write_comment(&mut self, comment: &Comment, colours: &Colours) -> io::Result<()> {
        let Colours { faint, reset, .. } = colours;
        self.out.write_all(faint.as_bytes())?;
        if let Some(time) = self.time() {
            write!(self.out, "{time} ")?;
        }
        writeln!(self.out, ": {}{reset}", OneLine(comment.text()))
    }

    fn write_json_event(&mut self, event: &Event) -> io::Result<()> {
        let texts = [("event", event.event_type()), ("data", event.data())];
        self.write_object(texts.into_iter().chain(id(event).map(|id| ("id", id))))?;
        if let Some(retry) = event.retry() {
            write!(self.out, ",\"retry\":{}", retry.as_millis())?;
        }
        self.out.write_all(b"}\n")
    }

    fn write_json_comment(&mut self, comment: &Comment) -> io::Result<()> {
        self.write_object([("comment", comment.text())])?;
        self.out.write_all(b"}\n")
    }

    /// Writes an object without its closing brace. The keys are written one by one, because their order is documented
    /// and a map would sort them.
    fn write_object<'t>(&mut self, texts: impl IntoIterator<Item = (&'static str, &'t str)>) -> io::Result<()> {
        let mut before = '{';
        if let Some(time) = self.time() {
            write!(self.out, "{{\"time\":\"{time}\"")?;
            before = ',';
        }
        for (key, text) in texts {
            write!(self.out, "{before}\"{key}\":")?;
            text.serialize(&mut Serializer::with_formatter(&mut self.out, Printable))?;
            before = ',';
        }
        Ok(())
    }

    fn time(&self) -> Option<String> {
        self.arrival.as_ref().map(Arrival::to_string)
    }
}

/// Returns the ID to print, or `None` if it is too long to be printed again.
fn id(event: &Event) -> Option<&str> {
    (event.has_own_id() || event.id().len() <= MAX_REPEATED_ID).then_some(event.id())
}

/// The escape sequences for a terminal.
struct Colours {
    head: &'static str,
    faint: &'static str,
    reset: &'static str,
}

const COLOURS: Colours = Colours { head: "\x1b[36m", faint: "\x1b[2m", reset: "\x1b[0m" };
const PLAIN: Colours = Colours { head: "", faint: "", reset: "" };

/// Counts the characters that are written.
struct Columns<W> {
    out: W,
    count: usize,
}

impl<W: Write> Write for Columns<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        // All bytes of a character except the first one start with the bits 10.
        self.count += bytes[..written].iter().filter(|&byte| byte & 0b1100_0000 != 0b1000_0000).count();
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Returns at most `longest` characters of the text, on one line.
pub(crate) fn one_line(text: &str, longest: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", OneLine(line[..end].trim_end())),
        None => OneLine(&line).to_string(),
    }
}

/// Escapes what a terminal may obey. serde_json escapes only what it must, which is less.
struct Printable;

impl Formatter for Printable {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        pieces(fragment).try_for_each(|piece| match piece {
            Piece::Plain(text) => out.write_all(text.as_bytes()),
            Piece::Escaped(char) => {
                char.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))
            }
        })
    }
}
