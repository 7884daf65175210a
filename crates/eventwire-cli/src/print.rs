//! Events and comments as text for people, or as JSON for programs.

use std::env;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, StdoutLock, Write as _};

use eventwire::{Comment, Event};
use serde_json::Value;

use crate::timestamp::Arrival;

/// What is printed, and how.
#[derive(Clone, Copy)]
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) comments: bool,
    pub(crate) timestamps: bool,
}

#[derive(Clone, Copy)]
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

pub(crate) struct Printer {
    out: StdoutLock<'static>,
    format: Format,
    /// Is `None` without `--timestamps`.
    arrival: Option<Arrival>,
    has_printed: bool,
}

impl Printer {
    pub(crate) fn new(output: Output, arrival: Arrival) -> Printer {
        let arrival = output.timestamps.then_some(arrival);
        Printer { out: io::stdout().lock(), format: output.format, arrival, has_printed: false }
    }

    pub(crate) fn has_printed(&self) -> bool {
        self.has_printed
    }

    pub(crate) fn print_event(&mut self, event: &Event) -> io::Result<()> {
        let time = self.time();
        self.write(&match self.format.colours() {
            Some(colours) => event_text(time.as_deref(), event, colours),
            None => event_json(time.as_deref(), event),
        })
    }

    pub(crate) fn print_comment(&mut self, comment: &Comment) -> io::Result<()> {
        let time = self.time();
        self.write(&match self.format.colours() {
            Some(colours) => comment_text(time.as_deref(), comment, colours),
            None => comment_json(time.as_deref(), comment),
        })
    }

    fn time(&self) -> Option<String> {
        self.arrival.as_ref().map(Arrival::to_string)
    }

    /// Flushes each time, because the next event may take an hour.
    fn write(&mut self, text: &str) -> io::Result<()> {
        self.has_printed = true;
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

/// The escape sequences for a terminal.
struct Colours {
    head: &'static str,
    faint: &'static str,
    reset: &'static str,
}

const COLOURS: Colours = Colours { head: "\x1b[36m", faint: "\x1b[2m", reset: "\x1b[0m" };
const PLAIN: Colours = Colours { head: "", faint: "", reset: "" };

/// Time, type, ID and data. Further lines of data are aligned with the first one.
fn event_text(time: Option<&str>, event: &Event, colours: &Colours) -> String {
    let Colours { head: colour, faint, reset } = colours;
    let mut head = visible(event.event_type());
    if !event.id().is_empty() {
        head = format!("{head} [{}]", visible(event.id()));
    }
    let (mut before, mut width) = (String::new(), head.chars().count());
    if let Some(time) = time {
        before = format!("{faint}{time}{reset} ");
        width += time.len() + 1;
    }
    let below = format!("\n{:width$} ", "");
    let data: Vec<String> = event.data().split('\n').map(visible).collect();
    format!("{before}{colour}{head}{reset} {}\n", data.join(&below))
}

/// Time and comment. The comment starts with a colon, as in the stream.
fn comment_text(time: Option<&str>, comment: &Comment, colours: &Colours) -> String {
    let Colours { faint, reset, .. } = colours;
    let time = time.map(|time| format!("{time} ")).unwrap_or_default();
    format!("{faint}{time}: {}{reset}\n", visible(comment.text()))
}

/// Escapes control characters, so that a stream cannot move the cursor or change the window's title.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        if char.is_control() && char != '\t' {
            shown.extend(char.escape_default());
        } else {
            shown.push(char);
        }
    }
    shown
}

/// Returns at most `longest` characters of the text, on one line. Control characters are escaped.
pub(crate) fn one_line(text: &str, longest: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(longest) {
        Some((end, _)) => visible(line[..end].trim_end()) + "…",
        None => visible(&line),
    }
}

fn event_json(time: Option<&str>, event: &Event) -> String {
    let mut line = object(time, &[("event", event.event_type()), ("data", event.data()), ("id", event.id())]);
    if let Some(retry) = event.retry() {
        let _ = write!(line, ",\"retry\":{}", retry.as_millis());
    }
    line + "}\n"
}

fn comment_json(time: Option<&str>, comment: &Comment) -> String {
    object(time, &[("comment", comment.text())]) + "}\n"
}

/// An object without its closing brace. The keys are written one by one, because their order is documented and a map
/// would sort them.
fn object(time: Option<&str>, texts: &[(&str, &str)]) -> String {
    let mut line = String::new();
    for (key, text) in time.map(|time| ("time", time)).iter().chain(texts) {
        let open = if line.is_empty() { '{' } else { ',' };
        let _ = write!(line, "{open}\"{key}\":{}", json_string(text));
    }
    line
}

/// Escapes all control characters. serde_json leaves DEL and those from U+0080 unchanged, which a terminal may obey.
fn json_string(text: &str) -> String {
    let string = Value::from(text).to_string();
    if !string.contains(char::is_control) {
        return string;
    }
    let mut escaped = String::with_capacity(string.len());
    for char in string.chars() {
        if char.is_control() {
            let _ = write!(escaped, "\\u{:04x}", u32::from(char));
        } else {
            escaped.push(char);
        }
    }
    escaped
}
