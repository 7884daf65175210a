//! The command line.

use lexopt::{Arg, ValueExt};

pub(super) const USAGE: &str = "\
Forwards requests to an OpenAI-compatible server, and measures the event streams
in its answers.

Usage: proxy [OPTIONS] --upstream URL

Options:
  --upstream URL    the server, such as http://127.0.0.1:8080; the path of a
                    request, such as /v1/chat/completions, is added to it
  --listen ADDRESS  listen on this host and port; port 0 picks a free port
                    (default: 127.0.0.1:8081)
  --model NAME      replace the model's name in answers with this one; requests
                    are passed on unchanged (default: do not replace it)
  -h, --help        print this help

The first line of the output is `listening on http://HOST:PORT`. The proxy then
runs until the process is stopped. At the end of each stream, it writes one line
to standard error: how the stream ended, the number of chunks with text, the time
to the first of them, the total time, and the usage, if the server reported it.
If the proxy cannot start, it prints one line to standard error and exits with
code 1.
";

pub(super) enum Command {
    Help,
    Serve { address: String, upstream: String, model: Option<String> },
}

pub(super) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut address = String::from("127.0.0.1:8081");
    let (mut upstream, mut model) = (None, None);
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("listen") => address = parser.value()?.string()?,
            Arg::Long("upstream") => upstream = Some(parser.value()?.string()?),
            Arg::Long("model") => model = Some(parser.value()?.string()?),
            _ => return Err(arg.unexpected()),
        }
    }
    let upstream = upstream.ok_or("there is no server to forward to; name one with --upstream")?;
    Ok(Command::Serve { address, upstream, model })
}
