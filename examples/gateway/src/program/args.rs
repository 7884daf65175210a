//! The command line.

use std::time::Duration;

use lexopt::{Arg, ValueExt};

use crate::server::Settings;

pub(super) const USAGE: &str = "\
Serves an OpenAI-compatible API with one model, echo. The model repeats the
last user message, or the prompt, word by word.

Usage: gateway [OPTIONS]

Endpoints:
  POST /v1/chat/completions
  POST /v1/completions
  GET  /v1/models
  GET  /v1/events?text=TEXT  the words of TEXT as events, for a browser's
                             EventSource; accepts the API key as &api_key=KEY

Options:
  --listen ADDRESS      listen on this host and port; port 0 picks a free port
                        (default: 127.0.0.1:8080)
  --api-key KEY         require `Authorization: Bearer KEY` (default: no key)
  --host NAME           allow requests to this host too, such as the name of this
                        machine; can be repeated (default: loopback names, and
                        the address it listens on)
  --delay MILLISECONDS  pause between two tokens of a stream (default: 0)
  -h, --help            print this help

Requests to other hosts, and from pages of other origins, are refused, so that a page
in a browser on this machine cannot use the server.

The first line of the output is `listening on http://HOST:PORT`. The server then
runs until Ctrl-C, which ends the open streams and waits for the connections to
close. A second Ctrl-C exits without waiting. If the server cannot start, it
prints one line to standard error and exits with code 1.
";

pub(super) enum Command {
    Help,
    Serve { address: String, settings: Settings },
}

pub(super) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut address = String::from("127.0.0.1:8080");
    let mut settings = Settings::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("listen") => address = parser.value()?.string()?,
            Arg::Long("api-key") => settings.api_key = Some(parser.value()?.string()?),
            Arg::Long("host") => settings.hosts.push(parser.value()?.string()?),
            Arg::Long("delay") => settings.delay = Duration::from_millis(parser.value()?.parse()?),
            _ => return Err(arg.unexpected()),
        }
    }
    Ok(Command::Serve { address, settings })
}
