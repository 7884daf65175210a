//! One event after the other, for a person or for a program.

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
    /// Colours are for a terminal, and for those who have not said no: <https://no-color.org>.
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

    /// The event is out when this returns: the next may be an hour away.
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

/// Type, ID and data; where the data has more than one line, the others begin right below the first.
fn lines(event: &Event, colour: &str, reset: &str) -> String {
    let mut head = visible(event.event_type());
    if !event.id().is_empty() {
        head = format!("{head} [{}]", visible(event.id()));
    }
    let below = format!("\n{:1$} ", "", head.chars().count());
    let data: Vec<String> = event.data().split('\n').map(visible).collect();
    format!("{colour}{head}{reset} {}\n", data.join(&below))
}

/// A stream comes from outside: an escape sequence in it must not move the cursor, or retitle the window.
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

/// Written out key by key, because the order is promised and a map would sort it.
fn json(event: &Event) -> String {
    let mut line = String::new();
    for (open, text) in [("{\"event\":", event.event_type()), (",\"data\":", event.data()), (",\"id\":", event.id())] {
        let _ = write!(line, "{open}{}", Value::from(text));
    }
    line + "}\n"
}
