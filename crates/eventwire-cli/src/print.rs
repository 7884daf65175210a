//! Events and comments as text for people, or as JSON for programs.

use std::env;
use std::fmt;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::time::SystemTime;

use anyhow::Context;
use eventwire::{Block, Comment, EventRef};
use http::{HeaderValue, Response};
use serde::{Deserialize, Serialize};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;
use serde_json::{Serializer, json};

use crate::failure;
use crate::json_lines;
use crate::pretty;
use crate::printable::{Lines, OneLine, Piece, pieces};
use crate::select::Path;

pub(crate) const CANNOT_WRITE: &str = "cannot write the output";

/// What is printed, and how.
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) comments: bool,
    pub(crate) timestamps: bool,
    /// Whether data that is JSON is indented.
    pub(crate) pretty: bool,
    /// The only value of each event's data that is printed.
    pub(crate) select: Option<Path>,
    /// The types of the events that are printed. If there is none, all are.
    pub(crate) types: Vec<String>,
}

impl Output {
    /// Returns the output without any option.
    pub(crate) fn new(format: Format) -> Output {
        Output { format, comments: false, timestamps: false, pretty: false, select: None, types: Vec::new() }
    }
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
    pub(crate) faint: &'static str,
    pub(crate) strong: &'static str,
    pub(crate) fail: &'static str,
    pub(crate) warn: &'static str,
    pub(crate) reset: &'static str,
}

pub(crate) const PLAIN: &Colours = &Colours { head: "", faint: "", strong: "", fail: "", warn: "", reset: "" };
pub(crate) const COLOURS: &Colours = &Colours {
    head: "\x1B[36m",
    faint: "\x1B[2m",
    strong: "\x1B[1m",
    fail: "\x1B[31m",
    warn: "\x1B[33m",
    reset: "\x1B[0m",
};

impl Format {
    /// Returns the format with or without `--json`. Text has colours on a terminal, unless
    /// [`NO_COLOR`](https://no-color.org) is set.
    pub(crate) fn for_stdout(json: bool) -> Format {
        if json {
            return Format::Json;
        }
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Format::Text(if io::stdout().is_terminal() && !refused { COLOURS } else { PLAIN })
    }
}

/// What was printed of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Printed {
    /// Its event, or the value of it that `--select` asks for.
    Event,
    /// Nothing, because the event has no such value.
    NoValue,
    /// Nothing, because it has no event, or one of another type.
    Nothing,
}

pub(crate) struct Printer<W: Write> {
    /// An event is written piece by piece, because it may be large.
    out: BufWriter<W>,
    output: Output,
    /// How many events and comments have been printed.
    events: u64,
    comments: u64,
    /// Whether the last text that `--select` found has no line break at its end.
    is_within_line: bool,
    last_id: String,
}

impl<W: Write> Printer<W> {
    pub(crate) fn new(out: W, output: Output) -> Printer<W> {
        let out = BufWriter::new(out);
        Printer { out, output, events: 0, comments: 0, is_within_line: false, last_id: String::new() }
    }

    /// Returns how many events have been printed.
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// Returns whether the last text that `--select` found has no line break at its end.
    pub(crate) fn is_within_line(&self) -> bool {
        self.is_within_line
    }

    pub(crate) fn has_printed(&self) -> bool {
        self.events + self.comments > 0
    }

    /// Returns which events are printed, if not all are.
    pub(crate) fn filter(&self) -> Option<String> {
        match (&self.output.select, &self.output.types[..]) {
            (Some(path), _) => Some(format!("a value at {path}; check the --select")),
            (None, []) => None,
            (None, types) => Some(format!("the type {}; check the --event", types.join(" or "))),
        }
    }

    /// Prints the head of a response.
    pub(crate) fn print_head<B>(&mut self, head: &Response<B>) -> anyhow::Result<()> {
        let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
        self.begin_line().context(CANNOT_WRITE)?;
        match self.output.format {
            Format::Text(Colours { faint, reset, .. }) => {
                writeln!(self.out, "{faint}{:?} {}", head.version(), failure::status(head.status()))
                    .context(CANNOT_WRITE)?;
                for (name, value) in &json_lines::headers(head) {
                    writeln!(self.out, "{name}: {}", OneLine(&text(value))).context(CANNOT_WRITE)?;
                }
                self.end(&format!("{reset}\n"))
            }
            Format::Json => {
                let headers = json_lines::headers(head);
                let headers: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), text(value))).collect();
                let object = json!({"status": head.status().as_u16(), "headers": headers});
                Printable::write_line(&mut self.out, &object).and_then(|()| self.end(""))
            }
        }
        .context(CANNOT_WRITE)
    }

    /// Prints what remains to be printed at the end.
    pub(crate) fn finish(&mut self) -> anyhow::Result<()> {
        self.begin_line().and_then(|()| self.out.flush()).context(CANNOT_WRITE)
    }

    /// Prints the event, if the block has one that is to be printed.
    pub(crate) fn print_block(&mut self, block: &Block) -> anyhow::Result<Printed> {
        let Some(event) = block.event() else { return Ok(Printed::Nothing) };
        let types = &self.output.types;
        if !types.is_empty() && !types.iter().any(|name| name == event.event_type()) {
            return Ok(Printed::Nothing);
        }
        if let Some(path) = &self.output.select {
            let Some(value) = path.find(event.data()) else { return Ok(Printed::NoValue) };
            self.events += 1;
            self.write_value(value).context(CANNOT_WRITE)?;
            return Ok(Printed::Event);
        }
        // An ID is printed with the block that sets it, or with the first event after it. Repeating it with each event
        // that inherits it could make the output much longer than the input.
        let id = if event.last_event_id() == self.last_id { block.id() } else { Some(event.last_event_id()) };
        self.events += 1;
        match self.output.format {
            Format::Text(colours) => self.write_event(event, id, colours),
            Format::Json => self.write_json_event(event, id),
        }
        .context(CANNOT_WRITE)?;
        event.last_event_id().clone_into(&mut self.last_id);
        Ok(Printed::Event)
    }

    /// Prints the comment, if comments are printed.
    pub(crate) fn print_comment(&mut self, comment: &Comment) -> anyhow::Result<()> {
        if !self.output.comments {
            return Ok(());
        }
        self.comments += 1;
        self.begin_line().context(CANNOT_WRITE)?;
        match self.output.format {
            Format::Text(colours) => self.write_comment(comment, colours),
            Format::Json => self.write_object([("comment", comment.text())]).and_then(|()| self.end("}\n")),
        }
        .context(CANNOT_WRITE)
    }

    /// Writes time, type, ID and data. Further lines of data are indented.
    fn write_event(&mut self, event: EventRef<'_>, id: Option<&str>, colours: &Colours) -> io::Result<()> {
        let Colours { head, faint, reset, .. } = colours;
        if let Some(time) = self.time() {
            write!(self.out, "{faint}{time}{reset} ")?;
        }
        write!(self.out, "{head}{}", OneLine(event.event_type()))?;
        if let Some(id) = id.filter(|id| !id.is_empty()) {
            write!(self.out, " [{}]", OneLine(id))?;
        }
        write!(self.out, "{reset} ")?;
        if self.output.pretty && pretty::write(event.data(), &mut self.out)? {
            return self.end("\n");
        }
        for (number, line) in event.data().split('\n').enumerate() {
            let indent = if number == 0 { "" } else { "\n    " };
            write!(self.out, "{indent}{}", OneLine(line))?;
        }
        self.end("\n")
    }

    /// Writes a value that `--select` has found: a text follows the one before, anything else is a line of JSON.
    fn write_value(&mut self, value: &RawValue) -> io::Result<()> {
        if let (Format::Text(_), Ok(text)) = (self.output.format, String::deserialize(value)) {
            write!(self.out, "{}", Lines(&text))?;
            if !text.is_empty() {
                self.is_within_line = !text.ends_with('\n');
            }
            return self.out.flush();
        }
        self.begin_line()?;
        // Numbers and the order of keys stay as they are.
        for token in pretty::tokens(value.get()) {
            Printable.write_string_fragment(&mut self.out, token)?;
        }
        self.end("\n")
    }

    /// Ends the line of a text that `--select` has found.
    fn begin_line(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.is_within_line) { self.out.write_all(b"\n") } else { Ok(()) }
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
pub(crate) struct Printable;

impl Printable {
    /// Writes a value as a line of JSON.
    pub(crate) fn write_line(mut out: impl Write, value: &impl Serialize) -> io::Result<()> {
        value.serialize(&mut Serializer::with_formatter(&mut out, Printable))?;
        out.write_all(b"\n")
    }
}

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

/// A number of things, of which one has no `s` at its end.
pub(crate) struct Count(pub(crate) u64, pub(crate) &'static str);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Count(number, thing) = self;
        write!(f, "{number} {thing}{}", if *number == 1 { "" } else { "s" })
    }
}
