//! The command line.

use std::num::NonZeroUsize;
use std::time::Duration;

use eventwire_hub::History;
use lexopt::{Arg, Parser, ValueExt};

pub(crate) const USAGE: &str = "\
Serves topics to many readers, and a model's answers that go on without their
readers.

Usage: hub [OPTIONS]

  --listen ADDRESS      serve on this host and port; port 0 picks a free port
                        (default: 127.0.0.1:3000)
  --redis URL           keep all events in this Redis, so that several of these
                        processes serve the same topics and answers, such as
                        redis://127.0.0.1:6379 (default: in the memory of this
                        process)
  --keep EVENTS         keep this many events of each topic; Redis keeps some
                        more (default: 1000)
  --readers COUNT       serve this many readers of topics at most
                        (default: 10000)
  --delay MILLISECONDS  pause between two words of an answer (default: 150)
  --host NAME           allow requests to this host too, such as the name of a
                        load balancer; can be repeated (default: loopback names,
                        and the address it listens on)
  -h, --help            print this help

The first line of output is `listening on http://HOST:PORT/`, the URL of a page
with two windows on one topic. The program then runs until Ctrl-C or SIGTERM.
";

pub(crate) struct Args {
    pub(crate) address: String,
    pub(crate) redis: Option<String>,
    /// Of each topic. A log keeps the newest event in any case.
    pub(crate) keep: NonZeroUsize,
    pub(crate) readers: usize,
    pub(crate) delay: Duration,
    pub(crate) hosts: Vec<String>,
}

impl Args {
    /// Returns the arguments of this process; `None` if it was asked for help.
    pub(crate) fn read() -> Result<Option<Args>, lexopt::Error> {
        let mut args = Args {
            address: "127.0.0.1:3000".into(),
            redis: None,
            keep: const { NonZeroUsize::new(1000).unwrap() },
            readers: 10_000,
            delay: Duration::from_millis(150),
            hosts: Vec::new(),
        };
        let mut parser = Parser::from_env();
        while let Some(arg) = parser.next()? {
            match arg {
                Arg::Short('h') | Arg::Long("help") => return Ok(None),
                Arg::Long("listen") => args.address = parser.value()?.string()?,
                Arg::Long("redis") => args.redis = Some(parser.value()?.string()?),
                Arg::Long("keep") => args.keep = parser.value()?.parse()?,
                Arg::Long("readers") => args.readers = parser.value()?.parse()?,
                Arg::Long("delay") => args.delay = Duration::from_millis(parser.value()?.parse()?),
                Arg::Long("host") => args.hosts.push(parser.value()?.string()?),
                _ => return Err(arg.unexpected()),
            }
        }
        Ok(Some(args))
    }

    /// How much is kept of each topic.
    pub(crate) fn history(&self) -> History {
        History::new().with_max_events(self.keep.get())
    }
}
