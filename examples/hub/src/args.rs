//! The command line.

use std::env;

use anyhow::anyhow;
use lexopt::{Arg, Parser, ValueExt};

pub(crate) const USAGE: &str = "\
Serves topics, to which programs send events, and which any number of readers follow.

Usage: hub [OPTIONS]

  POST /topics/NAME            send the body as an event; `?type=TYPE` sets its type,
                               and with a header `Idempotency-Key` it is stored once
  POST /topics/NAME/end        end the topic
  GET /topics/NAME             read; `Last-Event-ID` or `?last_event_id=` continues
  GET /topics?topic=A&topic=B  read several topics in one response

Options:
  --log LOG         where events are stored: the path of a SQLite file,
                    postgres://.., redis://.., or `memory` (default: events.db)
  --max-events N    keep so many events of each topic (default: 10000)
  --listen ADDRESS  listen on this host and port; port 0 picks a free port
                    (default: 127.0.0.1:3000)
  --host NAME       allow requests to this host too, such as the name of this
                    machine; can be repeated (default: loopback names, and the
                    address it listens on)
  -h, --help        print this help

If the environment variable HUB_TOKEN is set, only requests with the header
`Authorization: Bearer TOKEN` can send. Everyone can read.

The first line of the output is `listening on http://HOST:PORT`. The server ends on
Ctrl-C and on SIGTERM.
";

pub(crate) struct Args {
    pub(crate) log: String,
    pub(crate) max_events: usize,
    pub(crate) address: String,
    pub(crate) hosts: Vec<String>,
    pub(crate) token: Option<String>,
}

impl Args {
    /// Returns the arguments of this process; `None` if it was asked for help.
    pub(crate) fn read() -> anyhow::Result<Option<Args>> {
        Args::parse(Parser::from_env()).map_err(|error| anyhow!("{error}; see --help"))
    }

    fn parse(mut parser: Parser) -> Result<Option<Args>, lexopt::Error> {
        let mut args = Args {
            log: "events.db".into(),
            max_events: 10_000,
            address: "127.0.0.1:3000".into(),
            hosts: Vec::new(),
            token: env::var("HUB_TOKEN").ok(),
        };
        while let Some(arg) = parser.next()? {
            match arg {
                Arg::Short('h') | Arg::Long("help") => return Ok(None),
                Arg::Long("log") => args.log = parser.value()?.string()?,
                Arg::Long("max-events") => args.max_events = parser.value()?.parse()?,
                Arg::Long("listen") => args.address = parser.value()?.string()?,
                Arg::Long("host") => args.hosts.push(parser.value()?.string()?),
                _ => return Err(arg.unexpected()),
            }
        }
        Ok(Some(args))
    }
}
