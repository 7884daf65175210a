//! Runs the program `chat`.

mod args;

use std::ffi::OsString;
use std::io::{self, Write};
use std::net::Ipv4Addr;
use std::time::Duration;

use gateway::Settings;
use tokio::net::TcpListener;
use tokio::runtime::Builder;

use self::args::{Command, Server};
use crate::answer;
use crate::ask::{Question, ask, client, loopback_client};
use crate::failure::Failure;
use crate::printer::Printer;

/// Runs the program with these arguments, without the program's name, and writes the answer to `out`.
///
/// # Errors
///
/// [`Failure`] if the arguments are not valid, or if there is no answer or only part of it.
pub fn run<I>(args: I, out: &mut impl Write) -> Result<(), Failure>
where
    I: IntoIterator<Item: Into<OsString>>,
{
    let result = match args::parse(lexopt::Parser::from_args(args))? {
        Command::Help => out.write_all(args::USAGE.as_bytes()).map_err(Failure::Output),
        Command::Ask { server, question } => {
            let runtime = Builder::new_current_thread().enable_all().build().map_err(Failure::Runtime)?;
            runtime.block_on(chat(server, &question, out))
        }
    };
    match result {
        // The reader closed the output, as `head -1` does after its line.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

async fn chat(server: Server, question: &Question, out: &mut impl Write) -> Result<(), Failure> {
    let source = match server {
        Server::At(base_url) => ask(&client()?, &base_url, question)?,
        Server::Gateway => {
            let base_url = start_gateway().await.map_err(Failure::Gateway)?;
            ask(&loopback_client()?, &base_url, question)?
        }
    };
    let mut printer = Printer::new(out);
    let answer = answer::print(source, &mut printer).await;
    // An incomplete answer needs a line end as well, so that the error message starts on a new line.
    if answer.is_ok() || printer.has_printed() {
        printer.end().map_err(Failure::Output)?;
    }
    answer
}

/// Serves the gateway until the runtime ends, and returns its base URL.
async fn start_gateway() -> io::Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let base_url = format!("http://{}/v1", listener.local_addr()?);
    // Slow enough to see the tokens arrive.
    let settings = Settings { delay: Duration::from_millis(50), ..Settings::default() };
    tokio::spawn(gateway::serve(listener, settings));
    Ok(base_url)
}
