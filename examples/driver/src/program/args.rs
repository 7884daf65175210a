//! The command line and the environment.

use lexopt::{Arg, ValueExt};
use reqwest::{Url, header::HeaderValue};
use std::env;

pub(super) const USAGE: &str = "\
Asks a model and prints the answer as it arrives. If the connection is lost, it
continues the answer where it broke off.

Usage: driver [OPTIONS] PROMPT
       driver

  PROMPT           the prompt. Without arguments, the driver asks a server in
                   this process, which drops the connection once

Options:
  --base-url URL   the server's URL up to /responses
                   (default: https://api.openai.com/v1)
  --model MODEL    the name of the model (default: gpt-5-mini)
  -h, --help       print this help

Environment:
  OPENAI_API_KEY   sent as `Authorization: Bearer KEY`
  OPENAI_BASE_URL  used if there is no --base-url

The answer goes to standard output, the token counts to standard error. There is
also one line for each retry: what happened, and when the driver tries again.

Exit codes:
  0  the complete answer was printed, or the reader closed the output
  1  there was no answer, or only part of it; one line on standard error gives
     the reason
";

const GREETING: &str = "Tell me how you keep a long answer in one piece.";

pub(super) enum Command {
    Help,
    Ask { server: Server, model: String, api_key: Option<HeaderValue>, prompt: String },
}

/// The server to ask.
pub(super) enum Server {
    /// A server in this process, which drops the connection once.
    Demo,
    /// The server at this base URL.
    At(String),
}

pub(super) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let has_no_arguments = parser.try_raw_args().is_some_and(|args| args.as_slice().is_empty());
    let (mut prompt, mut base_url, mut model) = (None, None, "gpt-5-mini".to_owned());
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("base-url") => base_url = Some(parser.value()?.string()?),
            Arg::Long("model") => model = parser.value()?.string()?,
            Arg::Value(value) if prompt.is_none() => prompt = Some(value.string()?),
            _ => return Err(arg.unexpected()),
        }
    }
    if has_no_arguments {
        return Ok(Command::Ask { server: Server::Demo, model, api_key: None, prompt: GREETING.to_owned() });
    }
    let prompt = prompt.ok_or("there is no prompt; write it in quotes, as the last argument")?;
    let base_url = base_url.or_else(|| variable("OPENAI_BASE_URL"));
    let base_url = base_url.unwrap_or_else(|| "https://api.openai.com/v1".to_owned());
    if !Url::parse(&base_url).is_ok_and(|url| matches!(url.scheme(), "http" | "https")) {
        return Err(format!("{base_url:?} is not a base URL; write it as http://host:port/v1").into());
    }
    let server = Server::At(base_url);
    let api_key = match variable("OPENAI_API_KEY") {
        None => None,
        Some(key) => {
            let mut value = HeaderValue::from_str(&format!("Bearer {}", key.trim()))
                .map_err(|_| "the value of OPENAI_API_KEY cannot be sent in a header")?;
            value.set_sensitive(true);
            Some(value)
        }
    };
    Ok(Command::Ask { server, model, api_key, prompt })
}

/// Returns an environment variable. An empty one counts as not set.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
