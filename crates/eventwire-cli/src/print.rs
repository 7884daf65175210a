//! Events as text for people, or as JSON for programs.

use std::env;
use std::fmt::Write as _;
use std::io::{self, IsTerminal, StdoutLock, Write as _};

use eventwire::Event;
use serde_json::Value;

#[derive(Clone, Copy)]
pub(crate) enum Format {
    Plain,
    Coloured,
    Json,
}

impl Format {
    /// Colours on a terminal, unless [`NO_COLOR`](https://no-color.org) is set.
    pub(crate) fn for_stdout() -> Format {
        let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        if io::stdout().is_terminal() && !refused { Format::Coloured } else { Format::Plain }
    }
}

pub(crate) struct Printer {
    out: StdoutLock<'static>,
    format: Format,
}

impl Printer {
    pub(crate) fn new(format: Format) -> Printer {
        Printer { out: io::stdout().lock(), format }
    }

    /// Flushes after each event, because the next one may take an hour.
    pub(crate) fn print(&mut self, event: &Event) -> io::Result<()> {
        let text = match self.format {
            Format::Plain => lines(event, "", ""),
            Format::Coloured => lines(event, "\x1b[36m", "\x1b[0m"),
            Format::Json => json(event),
        };
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

/// Type, ID and data. Further lines of data are aligned with the first one.
fn lines(event: &Event, colour: &str, reset: &str) -> String {
    let mut head = visible(event.event_type());
    if !event.id().is_empty() {
        head = format!("{head} [{}]", visible(event.id()));
    }
    let below = format!("\n{:1$} ", "", head.chars().count());
    let data: Vec<String> = event.data().split('\n').map(visible).collect();
    format!("{colour}{head}{reset} {}\n", data.join(&below))
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

/// Writes the keys one by one, because their order is documented and a map would sort them.
fn json(event: &Event) -> String {
    let mut line = String::new();
    for (open, text) in [("{\"event\":", event.event_type()), (",\"data\":", event.data()), (",\"id\":", event.id())] {
        let _ = write!(line, "{open}{}", Value::from(text));
    }
    line + "}\n"
}
