//! The command line and the environment.

use std::env;
use std::path::PathBuf;

use lexopt::{Arg, ValueExt};

pub(super) const USAGE: &str = "\
Answers with text and sound in one response, a multipart stream, and reads such
answers.

Usage: talk [OPTIONS] WORDS        asks, and prints the answer
       talk [OPTIONS] --listen ADDRESS
                                   serves POST /talk
       talk                        demo of both, with an answer that has every
                                   kind of part

Options of the reader:
  --url URL        ask this server, such as http://127.0.0.1:8082/talk (default:
                   a server in this process)
  --save FOLDER    save the sound of each sentence (001.wav, ...), the tool
                   calls (001.json) and the last drawing (drawing.svg) in a new
                   or empty folder; the text is printed

Options of the server, and of the one in the reader's process:
  --listen ADDRESS serve on this host and port; port 0 picks a free port
  --base-url URL   the model's server, up to /chat/completions, such as
                   http://127.0.0.1:8080/v1 (default: the example gateway, run
                   in this process, whose model echo repeats the words)
  --model MODEL    the name of the model; required with a base URL
  --api-key KEY    send `Authorization: Bearer KEY` to the model's server
  --voice VOICE    the voice of espeak-ng, such as fr or en-gb
  --tones          play a tone for each syllable instead of speech (default if
                   espeak-ng is not installed)
  -h, --help       print this help

Environment:
  OPENAI_BASE_URL  used if there are arguments, but no --base-url
  OPENAI_API_KEY   used if there is no --api-key; unlike an option, it does not
                   show up in the list of processes

With --listen the first line of the output is `listening on
http://HOST:PORT/talk`. Otherwise the output is the text as it arrives, followed
by one line for each other part, unless --save is given.

Exit codes:
  0  the whole answer was printed, or the reader of the output closed it
  1  there was no answer, or not all of it; the last line of standard error
     says why, and what arrived has been saved
";

pub(super) const GREETING: &str = "Will it be warm in Lyon today?";

pub(super) enum Command {
    Help,
    Serve { address: String, own: Own },
    Ask { words: String, server: Server, folder: Option<PathBuf> },
}

/// The server that is asked.
pub(super) enum Server {
    At(String),
    Own(Own),
}

/// The server in this process.
pub(super) struct Own {
    pub(super) model: OwnModel,
    pub(super) voice: Voice,
}

pub(super) enum OwnModel {
    /// One in this process that gives an answer with all kinds of parts.
    Demo,
    /// One in this process that repeats.
    Echo,
    At {
        base_url: String,
        name: String,
        api_key: Option<String>,
    },
}

pub(super) enum Voice {
    Installed(Option<String>),
    Tones,
}

pub(super) fn parse(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    if parser.try_raw_args().is_some_and(|args| args.as_slice().is_empty()) {
        let own = Own { model: OwnModel::Demo, voice: Voice::Installed(None) };
        return Ok(Command::Ask { words: GREETING.into(), server: Server::Own(own), folder: None });
    }
    let (mut address, mut words, mut url, mut folder) = (None, None, None, None);
    let (mut base_url, mut model, mut api_key) = (None, None, None);
    let mut voice = Voice::Installed(None);
    // The last option about the server in this process.
    let mut own_option = None;
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("listen") => address = Some(parser.value()?.string()?),
            Arg::Long("url") => url = Some(parser.value()?.string()?),
            Arg::Long("save") => folder = Some(PathBuf::from(parser.value()?)),
            Arg::Long("base-url") => {
                own_option = Some("--base-url");
                base_url = Some(parser.value()?.string()?);
            }
            Arg::Long("model") => {
                own_option = Some("--model");
                model = Some(parser.value()?.string()?);
            }
            Arg::Long("api-key") => {
                own_option = Some("--api-key");
                api_key = Some(parser.value()?.string()?);
            }
            Arg::Long("voice") => {
                own_option = Some("--voice");
                voice = Voice::Installed(Some(parser.value()?.string()?));
            }
            Arg::Long("tones") => {
                own_option = Some("--tones");
                voice = Voice::Tones;
            }
            Arg::Value(value) if words.is_none() => words = Some(value.string()?),
            _ => return Err(arg.unexpected()),
        }
    }
    if let Some(url) = url {
        if let Some(option) = own_option {
            return Err(format!("{option} is a server option; leave it out with --url").into());
        }
        let words = words.ok_or("there are no words; write them in quotes, as the last argument")?;
        return match address {
            None => Ok(Command::Ask { words, server: Server::At(url), folder }),
            Some(_) => Err("--listen and --url cannot be used together".into()),
        };
    }
    let own = Own { model: own_model(base_url, model, api_key)?, voice };
    match (address, words, folder) {
        (Some(address), None, None) => Ok(Command::Serve { address, own }),
        (Some(_), Some(words), _) => {
            Err(format!("--listen starts a server and asks nothing; leave out {words:?}").into())
        }
        (Some(_), None, Some(_)) => Err("--listen starts a server and saves nothing; leave out --save".into()),
        (None, Some(words), folder) => Ok(Command::Ask { words, server: Server::Own(own), folder }),
        (None, None, _) => Err("there are no words; write them in quotes, as the last argument".into()),
    }
}

fn own_model(
    base_url: Option<String>,
    name: Option<String>,
    api_key: Option<String>,
) -> Result<OwnModel, lexopt::Error> {
    match (base_url.or_else(|| variable("OPENAI_BASE_URL")), name) {
        (None, None) => Ok(OwnModel::Echo),
        (None, Some(name)) => Err(format!("no server is set for the model {name:?}; set it with --base-url").into()),
        (Some(url), None) => Err(format!("no model is set for {url:?}; set it with --model").into()),
        (Some(base_url), Some(name)) => {
            Ok(OwnModel::At { base_url, name, api_key: api_key.or_else(|| variable("OPENAI_API_KEY")) })
        }
    }
}

/// An environment variable. An empty one counts as not set.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
