//! The command line and the environment.

use std::env;
use std::path::PathBuf;

use lexopt::{Arg, ValueExt};

use crate::page::Page;

pub(super) const USAGE: &str = "\
Serves answers with text and sound in one response, a multipart stream, and
reads such answers. Also serves a page that shows them in a browser.

Usage: talk [OPTIONS]              serves the page on 127.0.0.1:8082
       talk [OPTIONS] WORDS        asks, and prints the answer
       talk [OPTIONS] --demo       asks, and prints an answer that has every
                                   kind of part

Options of the server:
  --listen ADDRESS serve on this host and port; port 0 picks a free port
  --host NAME      allow requests to this host too, such as the name of this
                   machine; can be repeated (default: loopback names, and the
                   address it listens on)
  --page FOLDER    the folder with the page (default: examples/browser of the
                   repository in which this program was built)

Options of the reader:
  --url URL        ask this server, such as http://127.0.0.1:8082/talk (default:
                   a server in this process)
  --save FOLDER    save the sound of each sentence (001.wav, ...), the tool
                   calls (001.json) and the last drawing (drawing.svg) in a new
                   or empty folder; the text is printed

Options of the server, and of the one in the reader's process:
  --base-url URL   the model's server, up to /chat/completions, such as
                   http://127.0.0.1:8080/v1 (default: a model in this process;
                   for the page, it understands a few words about three shapes,
                   for the reader, it repeats the words)
  --model MODEL    the name of the model; required with a base URL
  --api-key KEY    send `Authorization: Bearer KEY` to the model's server
  --voice VOICE    the voice of espeak-ng, such as fr or en-gb
  --tones          play a tone for each syllable instead of speech (default if
                   espeak-ng is not installed)
  -h, --help       print this help

Environment:
  OPENAI_BASE_URL  used if there are arguments, but no --base-url and no --demo
  OPENAI_API_KEY   used if there is no --api-key; unlike an option, it does not
                   show up in the list of processes

A server's first line of output is `listening on http://HOST:PORT/`, the URL of
the page. The reader's output is the text as it arrives, followed by one line
for each other part, unless --save is given.

Exit codes:
  0  the complete answer was printed, or the reader of the output closed it
  1  the answer is missing or incomplete; the last line of standard error
     contains the reason; the parts that arrived have been saved
";

/// The default address of the page.
const ADDRESS: &str = "127.0.0.1:8082";
const GREETING: &str = "Will it be warm in Lyon today?";

pub(super) enum Command {
    Help,
    Serve { address: String, hosts: Vec<String>, page: Page, own: Own },
    Ask { words: String, server: Server, folder: Option<PathBuf> },
}

/// The server that answers the question.
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
    /// A model in this process that understands a few words.
    Shapes,
    /// A model in this process whose answer has all kinds of parts.
    Demo,
    /// A model in this process that repeats the words.
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
        let own = Own { model: OwnModel::Shapes, voice: Voice::Installed(None) };
        return Ok(Command::Serve { address: ADDRESS.into(), hosts: Vec::new(), page: Page::default(), own });
    }
    let (mut address, mut page, mut words, mut url, mut folder) = (None, None, None, None, None);
    let (mut base_url, mut model, mut api_key) = (None, None, None);
    let mut hosts = Vec::new();
    let mut voice = Voice::Installed(None);
    let mut is_demo = false;
    // The last option that sets up the server in this process.
    let mut own_option = None;
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("listen") => address = Some(parser.value()?.string()?),
            Arg::Long("host") => hosts.push(parser.value()?.string()?),
            Arg::Long("page") => page = Some(Page::new(parser.value()?)),
            Arg::Long("url") => url = Some(parser.value()?.string()?),
            Arg::Long("save") => folder = Some(PathBuf::from(parser.value()?)),
            Arg::Long("demo") => is_demo = true,
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
    // The option that requests a server for other programs.
    let serve_option = match (&address, hosts.is_empty(), &page) {
        (Some(_), ..) => Some("--listen"),
        (_, false, _) => Some("--host"),
        (_, _, Some(_)) => Some("--page"),
        (None, true, None) => None,
    };
    let asks = match (&url, is_demo, &words, &folder) {
        (Some(_), ..) => Some("--url".into()),
        (_, true, ..) => Some("--demo".into()),
        (_, _, Some(words), _) => Some(format!("{words:?}")),
        (_, _, _, Some(_)) => Some("--save".into()),
        (None, false, None, None) => None,
    };
    if let (Some(option), Some(asks)) = (serve_option, &asks) {
        return Err(format!("{option} starts a server, which does not ask or save; leave out {asks}").into());
    }
    if asks.is_none() {
        let own = Own { model: own_model(OwnModel::Shapes, base_url, model, api_key)?, voice };
        let address = address.unwrap_or_else(|| ADDRESS.into());
        return Ok(Command::Serve { address, hosts, page: page.unwrap_or_default(), own });
    }
    if is_demo {
        let other = base_url.map(|_| "--base-url").or(model.map(|_| "--model")).or(api_key.map(|_| "--api-key"));
        if let Some(option) = other.or(url.map(|_| "--url")).or(words.map(|_| "the words")) {
            return Err(format!("--demo has its own model and its own words; leave out {option}").into());
        }
        let own = Own { model: OwnModel::Demo, voice };
        return Ok(Command::Ask { words: GREETING.into(), server: Server::Own(own), folder });
    }
    let words = words.ok_or("no words to ask; write them in quotes as the last argument")?;
    let server = match (url, own_option) {
        (Some(_), Some(option)) => {
            return Err(format!("{option} is a server option; leave it out with --url").into());
        }
        (Some(url), None) => Server::At(url),
        (None, _) => Server::Own(Own { model: own_model(OwnModel::Echo, base_url, model, api_key)?, voice }),
    };
    Ok(Command::Ask { words, server, folder })
}

/// Returns the model that the options or the environment name, or `default`.
fn own_model(
    default: OwnModel,
    base_url: Option<String>,
    name: Option<String>,
    api_key: Option<String>,
) -> Result<OwnModel, lexopt::Error> {
    match (base_url.or_else(|| variable("OPENAI_BASE_URL")), name) {
        (None, None) => Ok(default),
        (None, Some(name)) => Err(format!("no server is set for the model {name:?}; set it with --base-url").into()),
        (Some(url), None) => Err(format!("no model is set for {url:?}; set it with --model").into()),
        (Some(base_url), Some(name)) => {
            Ok(OwnModel::At { base_url, name, api_key: api_key.or_else(|| variable("OPENAI_API_KEY")) })
        }
    }
}

/// Returns an environment variable. An empty one counts as unset.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}
