//! The program `gateway`. The server is in the library.

use std::future;
use std::io::{self, Write};
use std::process::{self, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use gateway::Settings;
use lexopt::{Arg, Parser, ValueExt};
use tokio::net::TcpListener;
use tokio::runtime::Builder;

const USAGE: &str = "\
Serves an OpenAI-compatible API with one model, echo. The model repeats the
last user message, or the prompt, word by word.

Usage: gateway [OPTIONS]

Endpoints:
  POST /v1/chat/completions
  POST /v1/completions
  GET  /v1/models
  GET  /v1/events?text=TEXT  the words of TEXT as events, for a browser's
                             EventSource; accepts the API key as &api_key=KEY

Options:
  --listen ADDRESS      listen on this host and port; port 0 picks a free port
                        (default: 127.0.0.1:8080)
  --api-key KEY         require `Authorization: Bearer KEY` (default: no key)
  --host NAME           allow requests to this host too, such as the name of this
                        machine; can be repeated (default: loopback names, and
                        the address it listens on)
  --delay MILLISECONDS  pause between two tokens of a stream (default: 0)
  -h, --help            print this help

Requests to other hosts, and from pages of other origins, are refused, so that a page
in a browser on this machine cannot use the server.

The first line of the output is `listening on http://HOST:PORT`. The server then
runs until Ctrl-C, which ends the open streams and waits for the connections to
close. A second Ctrl-C exits without waiting.
";

enum Command {
    Help,
    Serve { address: String, settings: Settings },
}

fn main() -> ExitCode {
    let Err(error) = run() else { return ExitCode::SUCCESS };
    fail(&format!("{error:#}"))
}

/// Prints one line. `eprintln!` would panic if standard error is closed.
fn fail(why: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "gateway: {why}");
    ExitCode::FAILURE
}

fn run() -> Result<()> {
    match command(Parser::from_env()).map_err(|error| anyhow!("{error}; see --help"))? {
        Command::Help => io::stdout().write_all(USAGE.as_bytes()).context("cannot write the output"),
        Command::Serve { address, settings } => {
            let runtime = Builder::new_multi_thread().enable_all().build().context("cannot start tokio's runtime")?;
            runtime.block_on(serve(address, settings))
        }
    }
}

fn command(mut parser: Parser) -> Result<Command, lexopt::Error> {
    let mut address = String::from("127.0.0.1:8080");
    let mut settings = Settings::default();
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Short('h') | Arg::Long("help") => return Ok(Command::Help),
            Arg::Long("listen") => address = parser.value()?.string()?,
            Arg::Long("api-key") => settings.api_key = Some(parser.value()?.string()?),
            Arg::Long("host") => settings.hosts.push(parser.value()?.string()?),
            Arg::Long("delay") => settings.delay = Duration::from_millis(parser.value()?.parse()?),
            _ => return Err(arg.unexpected()),
        }
    }
    Ok(Command::Serve { address, settings })
}

async fn serve(address: String, settings: Settings) -> Result<()> {
    let listener = TcpListener::bind(&address)
        .await
        .with_context(|| format!("cannot listen on {address:?}; choose another address with --listen"))?;
    // A program that starts this one reads the port from this line, and can connect after that.
    writeln!(io::stdout(), "listening on http://{}", listener.local_addr()?).context("cannot write the output")?;
    let shutdown = async {
        interrupt().await;
        // The server waits for all connections to close, and a client that has stopped reading may keep one open.
        tokio::spawn(async {
            interrupt().await;
            fail("interrupted before all connections were closed");
            process::exit(1);
        });
    };
    gateway::serve_until(listener, settings, shutdown).await.context("the server failed")
}

/// Resolves when the process is interrupted by Ctrl-C, or never if it cannot handle that. Then Ctrl-C kills it.
async fn interrupt() {
    if tokio::signal::ctrl_c().await.is_err() {
        future::pending::<()>().await;
    }
}
