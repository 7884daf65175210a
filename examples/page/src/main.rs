//! An example: a page with a chat, a spoken answer and a live feed, and the server of all three.
//!
//! | endpoint | response |
//! |---|---|
//! | `GET /` | the page, which is in `site`; its program is built from `wasm` |
//! | `POST /chat` | a model's answer: an event stream |
//! | `POST /talk` | a model's answer as text, sound, tool calls and drawings: a stream of parts |
//! | `GET /live` | a feed: an event each second |
//!
//! The model is a small demo in this program, or a server with the API of OpenAI's chat completions.

mod api_error;
mod args;
mod chunk;
mod clock;
mod conversation;
mod demo;
mod drawing;
mod live;
mod model;
mod sentences;
mod server;
mod site;
mod sound;
mod speaker;
mod talk;
#[cfg(test)]
mod tests;
mod tool_calls;
mod wind;

use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

use tokio::net::TcpListener;

use crate::args::{Args, USAGE};
use crate::server::Settings;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log(format_args!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}

async fn run() -> anyhow::Result<()> {
    let Some(args) = Args::read()? else {
        io::stdout().write_all(USAGE.as_bytes())?;
        return Ok(());
    };
    let address = args.address.clone();
    let settings = Settings::new(args).await.map_err(anyhow::Error::msg)?;
    if !site::is_built(&settings.site).await {
        log(site::NOT_BUILT);
    }
    let listener = TcpListener::bind(&address).await.map_err(|error| {
        anyhow::anyhow!(
            "cannot listen on {address:?}: {error}; choose another address with --listen, such as 127.0.0.1:0"
        )
    })?;
    // A program that starts this one reads the port from this line, and can connect from then on.
    writeln!(io::stdout(), "listening on http://{}/", listener.local_addr()?)?;
    Ok(server::serve(listener, settings).await?)
}

/// Writes a line to standard error.
fn log(line: impl Display) {
    // A single write, so that lines are not mixed. `eprintln!` would panic if standard error is closed.
    let line = line.to_string().replace(char::is_control, " ");
    let _ = io::stderr().write_all(format!("page: {line}\n").as_bytes());
}
