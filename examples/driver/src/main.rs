//! The program `driver`, which asks a model and prints the answer as it arrives. The driver is in the library.

mod demo;
/// Shared with the program `eventwire`.
#[path = "../../../crates/eventwire-cli/src/printable.rs"]
mod printable;

use std::cell::Cell;
use std::env;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::process::{self, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use driver::Driver;
use lexopt::{Arg, Parser, ValueExt};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Client, ClientBuilder};
use tokio::runtime::Builder;

use printable::{Lines, OneLine};

const USAGE: &str = "\
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
";

enum Command {
    Help,
    Demo,
    Ask { base_url: Option<String>, model: String, prompt: String },
}

fn main() -> ExitCode {
    let Err(error) = run() else { return ExitCode::SUCCESS };
    // `eprintln!` would panic if standard error is closed. A server must not be able to control the terminal.
    let _ = writeln!(io::stderr(), "driver: {}", OneLine(&format!("{error:#}")));
    ExitCode::FAILURE
}

fn run() -> Result<()> {
    let (driver, prompt) = match command(Parser::from_env()).map_err(|error| anyhow!("{error}; see --help"))? {
        Command::Help => {
            print(USAGE);
            return Ok(());
        }
        Command::Demo => {
            let base_url = demo::start().context("cannot start a server; name one with --base-url")?;
            // A proxy would connect to its own loopback interface.
            let client = client(|| eventwire_reqwest::client_builder().no_proxy())?;
            (Driver { client, base_url, model: "demo".to_owned() }, demo::PROMPT.to_owned())
        }
        Command::Ask { base_url, model, prompt } => {
            let base_url = base_url.or_else(|| variable("OPENAI_BASE_URL"));
            let base_url = base_url.unwrap_or_else(|| "https://api.openai.com/v1".to_owned());
            let headers = headers()?;
            // The driver sets its own timeouts for the rest of the request. It follows no redirects: the key is for
            // one server.
            let client = client(|| {
                let builder = eventwire_reqwest::client_builder().default_headers(headers.clone());
                builder.connect_timeout(Duration::from_secs(10))
            })?;
            (Driver { client, base_url, model }, prompt)
        }
    };
    let runtime = Builder::new_current_thread().enable_all().build().context("cannot start tokio's runtime")?;
    runtime.block_on(ask(&driver, &prompt))
}

fn command(mut parser: Parser) -> Result<Command, lexopt::Error> {
    let (mut is_demo, mut base_url, mut model, mut prompt) = (true, None, "gpt-5-mini".to_owned(), None);
    while let Some(arg) = parser.next()? {
        is_demo = false;
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("base-url") => base_url = Some(parser.value()?.string()?),
            Arg::Long("model") => model = parser.value()?.string()?,
            Arg::Value(value) if prompt.is_none() => prompt = Some(value.string()?),
            _ => return Err(arg.unexpected()),
        }
    }
    match prompt {
        None if is_demo => Ok(Command::Demo),
        None => Err("there is no prompt; write it in quotes".into()),
        Some(prompt) => Ok(Command::Ask { base_url, model, prompt }),
    }
}

/// Returns an environment variable. An empty one counts as not set.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the header with the key, if there is one.
fn headers() -> Result<HeaderMap> {
    let Some(key) = variable("OPENAI_API_KEY") else { return Ok(HeaderMap::new()) };
    let mut value = HeaderValue::from_str(&format!("Bearer {}", key.trim()))
        .context("the value of OPENAI_API_KEY cannot be sent in a header")?;
    value.set_sensitive(true);
    Ok([(AUTHORIZATION, value)].into_iter().collect())
}

/// On a machine without root certificates, the client still works for http:// URLs.
fn client(builder: impl Fn() -> ClientBuilder) -> Result<Client> {
    builder().build().or_else(|_| builder().tls_certs_only([]).build()).context("cannot set up an HTTP client")
}

async fn ask(driver: &Driver, prompt: &str) -> Result<()> {
    let has_begun = Cell::new(false);
    let each = |text: &str| {
        has_begun.set(true);
        print(Lines(text));
    };
    let retrying = |why: &str| {
        // The text so far was printed without a line end.
        let start = if has_begun.get() { "\n" } else { "" };
        let _ = writeln!(io::stderr(), "{start}driver: {}", OneLine(why));
    };
    let answer = driver.answer(prompt, each, retrying).await;
    if has_begun.get() {
        print("\n");
    }
    let answer = answer?;
    // If standard error is closed, nobody needs the rest.
    let mut err = io::stderr();
    if let Some(reason) = answer.stopped_early {
        let _ = writeln!(err, "the model stopped early: {}", OneLine(&reason));
    }
    if let Some(usage) = answer.usage {
        let _ = writeln!(err, "{} tokens read, {} tokens written", usage.input_tokens, usage.output_tokens);
    }
    Ok(())
}

/// Prints at once, because the next piece may take a minute. Exits if nobody reads on, as after the line of `head -1`.
fn print(text: impl Display) {
    let mut out = io::stdout();
    let Err(error) = write!(out, "{text}").and_then(|()| out.flush()) else { return };
    if error.kind() != ErrorKind::BrokenPipe {
        let _ = writeln!(io::stderr(), "driver: cannot write the answer: {error}");
        process::exit(1);
    }
    process::exit(0);
}
