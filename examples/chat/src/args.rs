//! The command line, and what the environment adds to it.

use std::env;

use lexopt::{Arg, ValueExt};

pub(crate) const USAGE: &str = "\
Asks a model something, and prints the answer as it comes.

Usage: chat [--base-url URL --model MODEL] [--api-key KEY] PROMPT

  PROMPT           what the model is asked; without any argument, a greeting

Options:
  --base-url URL   the server's address up to what comes before
                   /chat/completions, such as http://127.0.0.1:8080/v1; without
                   it, the program starts the gateway of the other example,
                   whose model echo says the prompt again
  --model MODEL    the model's name, as the server knows it
  --api-key KEY    sent as `Authorization: Bearer KEY`
  -h, --help       this text

Environment:
  OPENAI_BASE_URL  in place of --base-url
  OPENAI_API_KEY   in place of --api-key, where other users of the machine should
                   not see the key in the list of processes

Exit code:
  0  the answer was printed to its end, or nobody reads the output any more
  1  there was no answer, or it was cut off; one line on standard error says why
";

const GREETING: &str = "Hello! Every word of this is an event of its own: déjà vu, 日本語, 🦀, and goodbye.";

pub(crate) enum Command {
    Help,
    Ask { place: Place, question: Question },
}

/// Who is asked.
pub(crate) enum Place {
    /// The gateway, in this process.
    Gateway,
    /// The server at this base URL.
    Server(String),
}

pub(crate) struct Question {
    pub(crate) prompt: String,
    pub(crate) model: String,
    pub(crate) api_key: Option<String>,
}

pub(crate) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let is_bare = parser.try_raw_args().is_some_and(|args| args.as_slice().is_empty());
    let mut prompt = is_bare.then(|| GREETING.to_owned());
    let (mut base_url, mut model, mut api_key) = (None, None, None);
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("base-url") => base_url = Some(parser.value()?.string()?),
            Arg::Long("model") => model = Some(parser.value()?.string()?),
            Arg::Long("api-key") => api_key = Some(parser.value()?.string()?),
            Arg::Value(value) if prompt.is_none() => prompt = Some(value.string()?),
            _ => return Err(arg.unexpected()),
        }
    }
    let prompt = prompt.ok_or("no prompt is given; write it in quotes, as the last argument")?;
    let place = base_url.or_else(|| variable("OPENAI_BASE_URL")).map_or(Place::Gateway, Place::Server);
    let model = match (model, &place) {
        (Some(model), _) => model,
        (None, Place::Gateway) => "echo".into(),
        (None, Place::Server(url)) => {
            return Err(format!("no model is given for {url:?}; name one with --model").into());
        }
    };
    let api_key = api_key.or_else(|| variable("OPENAI_API_KEY"));
    Ok(Command::Ask { place, question: Question { prompt, model, api_key } })
}

/// A variable that is set to nothing is not set.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
