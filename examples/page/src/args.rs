//! The command line.

use lexopt::{Arg, Parser, ValueExt};

pub(crate) const USAGE: &str = "\
Serves a page with a chat, a spoken answer and a live feed.

Usage: page [OPTIONS]

  --listen ADDRESS  serve on this host and port; port 0 picks a free port
                    (default: 127.0.0.1:8082)
  --host NAME       allow requests to this host too, such as the name of this
                    machine; can be repeated (default: loopback names, and the
                    address it listens on)
  --model-url URL   ask the model of this server, up to /chat/completions, such
                    as http://127.0.0.1:8080/v1; the environment variable
                    OPENAI_API_KEY contains the key (default: a model in this
                    program, which knows a few words about three shapes)
  --model NAME      the name of that model
  --tone            play a tone for each sentence instead of speech (default if
                    espeak-ng is not installed)
  -h, --help        print this help

The first line of output is `listening on http://HOST:PORT/`, the URL of the
page.
";

pub(crate) struct Args {
    pub(crate) address: String,
    pub(crate) hosts: Vec<String>,
    /// The base URL of the model's server, and the model's name.
    pub(crate) model: Option<(String, String)>,
    pub(crate) is_tone: bool,
}

impl Args {
    /// Returns the arguments of this process; `None` if it was asked for help.
    pub(crate) fn read() -> anyhow::Result<Option<Args>> {
        let mut args = Args { address: "127.0.0.1:8082".into(), hosts: Vec::new(), model: None, is_tone: false };
        let (mut url, mut name) = (None, None);
        let mut parser = Parser::from_env();
        while let Some(arg) = parser.next()? {
            match arg {
                Arg::Short('h') | Arg::Long("help") => return Ok(None),
                Arg::Long("listen") => args.address = parser.value()?.string()?,
                Arg::Long("host") => args.hosts.push(parser.value()?.string()?),
                Arg::Long("model-url") => url = Some(parser.value()?.string()?),
                Arg::Long("model") => name = Some(parser.value()?.string()?),
                Arg::Long("tone") => args.is_tone = true,
                _ => anyhow::bail!("{}; see --help", arg.unexpected()),
            }
        }
        args.model = match (url, name) {
            (None, None) => None,
            (Some(url), Some(name)) => Some((url, name)),
            _ => anyhow::bail!("--model-url and --model belong together; see --help"),
        };
        Ok(Some(args))
    }
}
