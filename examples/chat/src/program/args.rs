//! The command line and the environment.

use std::env;
use std::time::Duration;

use lexopt::{Arg, ValueExt};

use crate::ask::Question;

pub(super) const USAGE: &str = "\
Sends a prompt to a model and prints the answer as it arrives.

Usage: chat [OPTIONS] PROMPT
       chat

  PROMPT           the prompt (default: a greeting, if there are no arguments)

Options:
  --base-url URL   the server's URL up to /chat/completions, such as
                   http://127.0.0.1:8080/v1 (default: the example gateway, run
                   in this process, whose model echo repeats the prompt)
  --model MODEL    the name of the model; required with a base URL
  --api-key KEY    send `Authorization: Bearer KEY`
  --timeout SECONDS
                   give up if no data arrives for this long (default: 300;
                   0 for no limit)
  -h, --help       print this help

A question is sent up to three times if the server did not process it, because
no connection was made, or because the server answered 429. One line on standard
error reports each failure. In any other case the question is sent once, because
a second one could be billed too.

Environment:
  OPENAI_BASE_URL  used if there is no --base-url
  OPENAI_API_KEY   used if there is no --api-key; unlike an option, it does not
                   show up in the list of processes

Exit codes:
  0  the complete answer was printed, or the reader closed the output
  1  there was no answer, or only part of it; the last line of standard error
     gives the reason
";

const GREETING: &str = "Hello! Every word of this is a separate event: déjà vu, 日本語, 🦀, and goodbye.";

pub(super) enum Command {
    Help,
    Ask { server: Server, question: Question },
}

/// The server to ask.
pub(super) enum Server {
    /// The gateway, which runs in this process.
    Gateway,
    /// The server at this base URL.
    At(String),
}

pub(super) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let has_no_arguments = parser.try_raw_args().is_some_and(|args| args.as_slice().is_empty());
    let mut prompt = has_no_arguments.then(|| GREETING.to_owned());
    let (mut base_url, mut model, mut api_key) = (None, None, None);
    let mut timeout = Duration::from_secs(300);
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("base-url") => base_url = Some(parser.value()?.string()?),
            Arg::Long("model") => model = Some(parser.value()?.string()?),
            Arg::Long("api-key") => api_key = Some(parser.value()?.string()?),
            Arg::Long("timeout") => timeout = Duration::from_secs(parser.value()?.parse()?),
            Arg::Value(value) if prompt.is_none() => prompt = Some(value.string()?),
            _ => return Err(arg.unexpected()),
        }
    }
    let prompt = prompt.ok_or("there is no prompt; write it in quotes, as the last argument")?;
    let server = base_url.or_else(|| variable("OPENAI_BASE_URL")).map_or(Server::Gateway, Server::At);
    let model = match (model, &server) {
        (Some(model), _) => model,
        (None, Server::Gateway) => "echo".into(),
        (None, Server::At(url)) => {
            return Err(format!("there is no model for {url:?}; name one with --model").into());
        }
    };
    let api_key = api_key.or_else(|| variable("OPENAI_API_KEY"));
    Ok(Command::Ask { server, question: Question { prompt, model, api_key, timeout } })
}

/// Returns an environment variable. An empty one counts as not set.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
