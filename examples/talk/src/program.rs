//! The program `talk`: its commands and its errors.

mod args;
mod ask;
mod demo;
mod folder;
mod own_server;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use tokio::net::TcpListener;
use tokio::runtime::Builder;

use self::args::{Command, Own, Server};
use crate::listen::ListenError;
use crate::log::log;
use crate::model::InvalidModel;
use crate::page::{COMMANDS, Page};
use crate::printable::OneLine;
use crate::server::{self, Settings};

/// Runs the program and writes its output to `out`. The arguments do not include the program's name. The server's
/// log is written to standard error.
///
/// Without arguments, and with `--listen`, `--host` or `--page`, it serves until the process ends.
///
/// # Errors
///
/// [`Failure`] if the arguments are invalid, if the server fails, or if the answer is missing or incomplete.
pub fn run<I>(args: I, out: &mut impl Write) -> Result<(), Failure>
where
    I: IntoIterator<Item: Into<OsString>>,
{
    let command = args::parse(lexopt::Parser::from_args(args))?;
    let runtime = Builder::new_multi_thread().enable_all().build().map_err(Failure::Runtime)?;
    let result = match command {
        Command::Help => out.write_all(args::USAGE.as_bytes()).map_err(Failure::Output),
        Command::Serve { address, hosts, page, own } => runtime.block_on(serve(address, hosts, page, own, out)),
        Command::Ask { words, server, folder } => runtime.block_on(async {
            let url = match server {
                Server::At(url) => url,
                Server::Own(own) => own_server::start(own).await?,
            };
            ask::ask(&url, &words, folder.as_deref(), out).await
        }),
    };
    match result {
        // The reader of the output, such as `head -1`, has closed it. This is not an error.
        Err(Failure::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

async fn serve(address: String, hosts: Vec<String>, page: Page, own: Own, out: &mut impl Write) -> Result<(), Failure> {
    let listener = match TcpListener::bind(&address).await {
        Ok(listener) => listener,
        Err(error) => return Err(Failure::Listen { address, error }),
    };
    let settings = Settings { hosts, page, ..own_server::settings(own).await? };
    if !settings.page.is_built().await {
        let [target, build] = COMMANDS;
        log(format_args!("the page is not built yet; run `{target}` and `{build}`"));
    }
    // A program that starts this one reads the port from this line, and can connect from then on.
    let url = own_server::url(&listener).map_err(Failure::Serve)?;
    writeln!(out, "listening on {url}").and_then(|()| out.flush()).map_err(Failure::Output)?;
    server::serve(listener, settings).await.map_err(Failure::Serve)
}

/// The error of [`run`]. It prints, on one line, the problem and what to do about it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The arguments are invalid.
    #[error("{}; see --help", OneLine(&.0.to_string()))]
    Usage(#[from] lexopt::Error),
    /// The URL is invalid.
    #[error("{0:?} is not the URL of a server; write it as http://host:port/talk")]
    Url(String),
    /// The model's base URL is invalid, or its HTTP client cannot be set up.
    #[error(transparent)]
    Model(#[from] InvalidModel),
    /// The HTTP client cannot be set up.
    #[error("cannot set up an HTTP client: {0}; check the certificates of this machine")]
    Client(String),
    /// The answer is missing or incomplete.
    #[error("{}", OneLine(&.0.to_string()))]
    Answer(#[from] ListenError),
    /// The answer cannot be saved in this folder.
    #[error("cannot save in {path:?}: {error}; name a new folder with --save")]
    #[non_exhaustive]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// A part cannot be saved.
    #[error("cannot save the answer: {0}; check the space on the disk")]
    Save(io::Error),
    /// The server cannot listen on this address.
    #[error("cannot listen on {address:?}: {error}; choose another address with --listen, such as 127.0.0.1:0")]
    #[non_exhaustive]
    Listen {
        /// The address that was passed in.
        address: String,
        /// The cause.
        error: io::Error,
    },
    /// The server failed while it was running.
    #[error("the server failed: {0}; start it again")]
    Serve(io::Error),
    /// The server or the gateway in this process cannot be started.
    #[error("cannot start a server in this process: {0}; name one with --url")]
    Start(io::Error),
    /// The output cannot be written.
    #[error("cannot write the answer: {0}; check where standard output goes")]
    Output(io::Error),
    /// tokio's runtime cannot be started.
    #[error("cannot start tokio's runtime: {0}; check the limits on threads and open files")]
    Runtime(io::Error),
}
