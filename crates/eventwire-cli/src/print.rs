//! Events and comments as text for people, or as JSON for programs.

use std::env;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::time::SystemTime;

use anyhow::Context;
use eventwire::{Block, Comment, EventRef};
use serde_core::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::printable::{OneLine, Piece, pieces};

pub(crate) const CANNOT_WRITE: &str = "cannot write the output";

/// What is printed, and how.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) comments: bool,
    pub(crate) timestamps: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Format {
    Text(&'static Colours),
    Json,
}

/// The escape sequences for a terminal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Colours {
    head: &'static str,
    faint: &'static str,
    reset: &'static str,
}

pub(crate) const PLAIN: &Colours = &Colours { head: "", faint: "", reset: "" };
pub(crate) const COLOURS: &Colours = &Colours { head: "\x1b[36m", faint: "\x1b[2m", reset: "\x1b[0m" };

impl Format {
    /// Returns the format without `--json`: with colours on a terminal, unless [`NO_COLOR`](https://no-color.org)
    /// is set.
    pub(crate) fn for_stdout() -> Format {
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Format::Text(if io::stdout().is_terminal() && !refused { COLOURS } else { PLAIN })
    }
}

pub(crate) struct Printer<W: Write> {
    /// An event is written piece by piece, because it may be large.
    out: BufWriter<W>,
    output: Output,
    has_printed: bool,
    last_id: String,
}

impl<W: Write> Printer<W> {
    pub(crate) fn new(out: W, output: Output) -> Printer<W> {
        Printer { out: BufWriter::new(out), output, has_printed: false, last_id: String::new() }
    }

    pub(crate) fn has_printed(&self) -> bool {
        self.has_printed
    }

    /// Prints the event, if the block has one.
    pub(crate) fn print_block(&mut self, block: &Block) -> anyhow::Result<()> {
        let Some(event) = block.event() else { return Ok(()) };
        // An ID is printed with the block that sets it, or with the first event after it. Repeating it with each event
        // that inherits it could make the output much longer than the input.
        let id = if event.id() == self.last_id { block.id() } else { Some(event.id()) };
        self.has_printed = true;
        match self.output.format {
            Format::Text(colours) => self.write_event(event, id, colours),
            Format::Json => self.write_json_event(event, id),
        }
        .context(CANNOT_WRITE)?;
        event.id().clone_into(&mut self.last_id);
        Ok(())
    }

    /// Prints the comment, if comments are printed.
    pub(crate) fn print_comment(&mut self, comment: &Comment) -> anyhow::Result<()> {
        if !self.output.comments {
            return Ok(());
        }
        self.has_printed = true;
        match self.output.format {
            Format::Text(colours) => self.write_comment(comment, colours),
            Format::Json => self.write_object([("comment", comment.text())]).and_then(|()| self.end("}\n")),
        }
        .context(CANNOT_WRITE)
    }

    /// Writes time, type, ID and data. Further lines of data are indented.
    fn write_event(&mut self, event: EventRef<'_>, id: Option<&str>, colours: &Colours) -> io::Result<()> {
        let Colours { head, faint, reset } = colours;
        if let Some(time) = self.time() {
            write!(self.out, "{faint}{time}{reset} ")?;
        }
        write!(self.out, "{head}{}", OneLine(event.event_type()))?;
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            write!(self.out, " [{}]", OneLine(id))?;
        }
        write!(self.out, "{reset} ")?;
        for (number, line) in event.data().split('\n').enumerate() {
            let indent = if number == 0 { "" } else { "\n    " };
            write!(self.out, "{indent}{}", OneLine(line))?;
        }
        self.end("\n")
    }

    fn write_json_event(&mut self, event: EventRef<'_>, id: Option<&str>) -> io::Result<()> {
        let texts = [("event", event.event_type()), ("data", event.data())];
        self.write_object(texts.into_iter().chain(id.map(|id| ("id", id))))?;
        if let Some(retry) = event.retry() {
            write!(self.out, ",\"retry\":{}", retry.as_millis())?;
        }
        self.end("}\n")
    }

    /// Writes time and comment. The comment starts with a colon, as in the stream.
    fn write_comment(&mut self, comment: &Comment, colours: &Colours) -> io::Result<()> {
        let Colours { faint, reset, .. } = colours;
        self.out.write_all(faint.as_bytes())?;
        if let Some(time) = self.time() {
            write!(self.out, "{time} ")?;
        }
        write!(self.out, ": {}{reset}", OneLine(comment.text()))?;
        self.end("\n")
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
        // Before 1970, there is no such text.
        let now = SystemTime::now().max(SystemTime::UNIX_EPOCH);
        self.output.timestamps.then(|| humantime::format_rfc3339_millis(now).to_string())
    }

    /// Writes the end of a line, and flushes: the next event may take an hour.
    fn end(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())?;
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
