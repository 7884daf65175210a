//! Printing the events of one input.

use std::cell::RefCell;
use std::fmt::Display;
use std::io::{Read, Write};
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use eventwire::{BlockItem, DecodeError, Decoder, Eof, Error, Events, ReadChunks};
use eventwire_client::{ConnectionError, Item, StopReason, Stopped};
use futures_util::StreamExt;
use reqwest::Url;
use tokio::runtime::Builder;

use crate::beginning::Beginning;
use crate::failure;
use crate::print::{Output, Printer};
use crate::report;
use crate::request::Request;

pub(crate) struct Session<W: Write, E> {
    printer: Printer<W>,
    /// Standard error.
    err: E,
    code: ExitCode,
}

impl<W: Write, E: Write> Session<W, E> {
    pub(crate) fn new(out: W, err: E, output: Output) -> Session<W, E> {
        Session { printer: Printer::new(out, output), err, code: ExitCode::SUCCESS }
    }

    /// Prints the events of a file or a pipe. Errors call it by this name.
    pub(crate) fn read(mut self, reader: impl Read, name: &str) -> anyhow::Result<ExitCode> {
        let beginning = RefCell::new(Beginning::default());
        let chunks = ReadChunks::new(reader).take_while(|chunk| beginning.borrow_mut().accepts(chunk));
        // Browsers silently drop a truncated event. The user should know that the output is incomplete.
        let events = Events::new(chunks).with_decoder(Decoder::new().with_eof(Eof::Error));
        for item in events.blocks() {
            match item {
                Ok(BlockItem::Block(block)) => self.printer.print_block(&block)?,
                Ok(BlockItem::Comment(comment)) => self.printer.print_comment(&comment)?,
                Err(Error::Decode(error)) => {
                    if error == DecodeError::Truncated {
                        self.explain(name, &beginning.borrow())?;
                    }
                    self.skip(&error);
                }
                Err(error) => bail!("cannot read {name}: {error}; check it, and run the command again"),
            }
        }
        if let Some(why) = self.explain(name, &beginning.borrow())? {
            self.report(why);
        }
        Ok(self.code)
    }

    /// Prints the events of a URL.
    pub(crate) fn fetch(mut self, url: Url, request: Request) -> anyhow::Result<ExitCode> {
        let runtime = Builder::new_current_thread().enable_all().build().context("cannot start the async runtime")?;
        let name = failure::public(&url).to_string();
        let follow = request.follow;
        runtime.block_on(async {
            let mut source = request.source(url)?;
            while let Some(item) = source.next().await {
                match item {
                    Item::Block(block) => self.printer.print_block(&block)?,
                    Item::Comment(comment) => self.printer.print_comment(&comment)?,
                    Item::Undecodable(error) => self.skip(&error),
                    Item::Reconnecting { error, delay, .. } => {
                        let why = match source.connector().beginning().explain(&name) {
                            Err(why) if is_end(&error) => why.to_string(),
                            _ => failure::what(&error),
                        };
                        self.report(format_args!("{why}; reconnecting in {:.1} s", delay.as_secs_f64()));
                    }
                    _ => {}
                }
            }
            let why = match source.stopped().and_then(Stopped::error) {
                Some(error) if is_end(error) => self.explain(&name, &source.connector().beginning())?,
                _ => None,
            };
            let stopped = source.into_stopped();
            if stopped.is_failure() || stopped.reason() == StopReason::NoContent && !follow {
                return Err(anyhow!(failure::explain(&stopped, follow)));
            }
            if let Some(why) = why {
                self.report(why);
            }
            Ok(self.code)
        })
    }

    /// Returns why nothing was printed, unless something was or an error was reported. It is an error if the input is
    /// not an event stream.
    fn explain(&self, name: &str, beginning: &Beginning) -> anyhow::Result<Option<String>> {
        if self.printer.has_printed() || self.code != ExitCode::SUCCESS {
            return Ok(None);
        }
        beginning.explain(name).map(Some)
    }

    /// Reports an event or a comment that cannot be decoded. The decoder continues after it.
    fn skip(&mut self, error: &DecodeError) {
        self.report(match error {
            DecodeError::Truncated => format!("{error}, which was not printed: each must end with a blank line"),
            error => format!("{error}; it was skipped, and the stream continues"),
        });
        self.code = ExitCode::FAILURE;
    }

    fn report(&mut self, what: impl Display) {
        report(&mut self.err, what);
    }
}

/// Returns whether the body of a response was read to its end.
fn is_end(error: &ConnectionError<reqwest::Error>) -> bool {
    matches!(error, ConnectionError::Ended | ConnectionError::Truncated)
}
