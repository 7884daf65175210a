//! A line on the terminal that says that the connection is open and nothing happens.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Removes the line that the cursor is on.
pub(crate) const WIPE: &str = "\r\x1B[K";
/// How long nothing must happen before the line appears, and how often it changes.
const STEP: Duration = Duration::from_secs(1);

/// Shows on a terminal for how long a connection has been silent.
pub(crate) struct Silence {
    state: State,
    since: Instant,
}

enum State {
    /// There is no terminal, or no connection.
    Off,
    Hidden,
    Shown,
}

impl Silence {
    /// Returns a silence that is not shown.
    pub(crate) fn new() -> Silence {
        Silence { state: State::Off, since: Instant::now() }
    }

    /// A connection is open. From now on silence is shown, if both outputs are the same terminal's.
    pub(crate) fn connected(&mut self) {
        if io::stderr().is_terminal() && io::stdout().is_terminal() {
            self.state = State::Hidden;
        }
    }

    /// The connection is closed.
    pub(crate) fn disconnected(&mut self) {
        self.state = State::Off;
    }

    /// Returns after how long the line has to change.
    pub(crate) fn step(&self) -> Option<Duration> {
        match self.state {
            State::Off => None,
            State::Hidden | State::Shown => Some(STEP),
        }
    }

    /// Shows the line.
    pub(crate) fn show(&mut self, err: &mut impl Write) {
        self.state = State::Shown;
        let seconds = self.since.elapsed().as_secs();
        let _ = write!(err, "{WIPE}\x1B[2mconnected, silent for {seconds} s\x1B[0m");
        let _ = err.flush();
    }

    /// Something happened. Removes the line, before anything else is printed.
    pub(crate) fn end(&mut self, err: &mut impl Write) {
        self.since = Instant::now();
        if let State::Shown = self.state {
            self.state = State::Hidden;
            let _ = err.write_all(WIPE.as_bytes());
            let _ = err.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_removed_before_anything_else_is_printed() {
        let mut err = Vec::new();
        let mut silence = Silence { state: State::Hidden, since: Instant::now() };
        silence.end(&mut err);
        assert!(err.is_empty());
        silence.show(&mut err);
        silence.end(&mut err);
        silence.end(&mut err);
        let text = String::from_utf8(err).unwrap_or_default();
        assert!(text.starts_with(WIPE) && text.ends_with(WIPE), "{text:?}");
        assert_eq!(text.matches(WIPE).count(), 2);
    }

    #[test]
    fn without_a_connection_there_is_no_line() {
        assert_eq!(Silence::new().step(), None);
        let mut silence = Silence { state: State::Hidden, since: Instant::now() };
        assert_eq!(silence.step(), Some(STEP));
        silence.disconnected();
        assert_eq!(silence.step(), None);
    }
}
