//! The command line.

use std::time::Duration;

use lexopt::{Arg, ValueExt};

use crate::server::Settings;

pub(crate) const USAGE: &str = "\
Serves the API of OpenAI's chat completions and completions, with one model,
echo, which says the last user message, or the prompt, again, word by word.

Usage: gateway [--listen ADDRESS] [--api-key KEY] [--delay MILLISECONDS]

  POST /v1/chat/completions
  POST /v1/completions
  GET  /v1/models
  GET  /v1/events?text=...  the words as events for a browser's EventSource,
                            which gives the key, if there is one, as &api_key=

Options:
  --listen ADDRESS      host and port to listen on; with port 0 the system picks
                        one (default: 127.0.0.1:8080)
  --api-key KEY         answer only those who send `Authorization: Bearer KEY`
  --delay MILLISECONDS  wait between two tokens of a stream (default: 0)
  -h, --help            this text

The first line on standard output says where it listens. It serves until it is
killed. Exit code 1: it could not listen, and one line on standard error says why.
";

pub(crate) enum Command {
    Help,
    Serve { address: String, settings: Settings },
}

pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut address = String::from("127.0.0.1:8080");
    let mut settings = Settings::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("listen") => address = parser.value()?.string()?,
            Arg::Long("api-key") => settings.api_key = Some(parser.value()?.string()?),
            Arg::Long("delay") => settings.delay = Duration::from_millis(parser.value()?.parse()?),
            _ => return Err(arg.unexpected()),
        }
    }
    Ok(Command::Serve { address, settings })
}
