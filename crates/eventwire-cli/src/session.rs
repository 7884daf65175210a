//! Printing the events of one input.

use std::cell::{Cell, RefCell};
use std::fmt::Display;
use std::io::{Read, Write};
use std::iter;
use std::num::NonZeroU64;
use std::process::ExitCode;
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use eventwire::{Block, BlockItem, DecodeError, Decoder, Dialect, Eof, Error, Events, JsonError, ReadChunks};
use eventwire_client::{ConnectionError, Item, StopReason, Stopped};
use eventwire_test::End;
use http::Response;
use reqwest::Url;
use tokio::runtime::Builder;
use tokio::time::timeout;

use crate::answer::{Answer, Failure};
use crate::args::Connection;
use crate::beginning::Beginning;
use crate::failure;
use crate::json_lines::{self, Announced, Converter};
use crate::observed::{FetchError, IdSent, Observation};
use crate::print::{Output, Printed, Printer};
use crate::printable::OneLine;
use crate::record::Recorder;
use crate::report;
use crate::request::Request;
use crate::select::Path;
use crate::silence::Silence;

pub(crate) struct Session<W: Write, E> {
    printer: Printer<W>,
    /// Standard error.
    err: E,
    count: Option<NonZeroU64>,
    /// Whether an event that the end of the stream cuts off is printed.
    unfinished: bool,
    watch: Watch,
    code: ExitCode,
}

/// For which errors events are searched.
enum Watch {
    /// None: the events are printed as they are.
    Nothing,
    /// Those that an event reports and that are not in the value of `--select`: otherwise nobody would see them.
    Hidden(Dialect, Path),
    /// Those of an answer in this dialect, which also has an end.
    Dialect(Box<Answer>),
}

impl<W: Write, E: Write> Session<W, E> {
    pub(crate) fn new(out: W, err: E, output: Output) -> Session<W, E> {
        let watch = match &output.select {
            None => Watch::Nothing,
            // The services of models have more ways to report an error.
            Some(path) if path.starts_with("choices") => Watch::Hidden(Dialect::ANY_MODEL, path.clone()),
            Some(path) => Watch::Hidden(Dialect::new().with_error_reports(), path.clone()),
        };
        let printer = Printer::new(out, output);
        Session { printer, err, count: None, unfinished: false, watch, code: ExitCode::SUCCESS }
    }

    /// Reports the errors of an answer in this dialect, also that it is truncated, and ends with it.
    pub(crate) fn with_dialect(self, dialect: Dialect) -> Session<W, E> {
        Session { watch: Watch::Dialect(Box::new(Answer::new(dialect))), ..self }
    }

    /// Stops after this number of events.
    pub(crate) fn with_count(self, count: Option<NonZeroU64>) -> Session<W, E> {
        Session { count, ..self }
    }

    /// Also prints an event that the end of the stream cuts off.
    pub(crate) fn with_unfinished(self) -> Session<W, E> {
        Session { unfinished: true, ..self }
    }

    /// Prints the events of a file or a pipe. Errors call it by this name.
    pub(crate) fn read(mut self, reader: impl Read, name: &str) -> anyhow::Result<ExitCode> {
        let beginning = RefCell::new(Beginning::default());
        let has_ended = Cell::new(false);
        let end = iter::from_fn(|| {
            has_ended.set(true);
            None
        });
        let converter = RefCell::new(Converter::new(Announced::Perhaps));
        let chunks = ReadChunks::new(reader).map(|chunk| chunk.map(|chunk| converter.borrow_mut().chunk(chunk)));
        let chunks = chunks.chain(iter::once_with(|| Ok(converter.borrow_mut().end())));
        let chunks = chunks.take_while(|chunk| beginning.borrow_mut().accepts(chunk)).chain(end);
        // Browsers silently drop a truncated event. The user should know that the output is incomplete.
        let eof = if self.unfinished { Eof::Dispatch } else { Eof::Error };
        let events = Events::new(chunks).with_decoder(Decoder::new().with_eof(eof));
        for item in events.blocks() {
            match item {
                Ok(BlockItem::Block(block)) => self.print(&block, has_ended.get())?,
                Ok(BlockItem::Comment(comment)) => self.printer.print_comment(&comment)?,
                Err(Error::Decode(error)) => {
                    if error == DecodeError::Truncated {
                        self.explain(name, &beginning.borrow())?;
                    }
                    if error == DecodeError::Truncated && converter.borrow().is_json_lines() {
                        self.report(
                            "the last line is not complete JSON, and was not printed; print it with --unfinished",
                        );
                        self.code = ExitCode::FAILURE;
                    } else {
                        self.skip(&error);
                    }
                }
                Err(error) => {
                    self.printer.finish()?;
                    bail!("cannot read {name}: {error}; check it, and run the command again");
                }
            }
            if self.is_enough() {
                return self.finish();
            }
        }
        let why = self.explain(name, &beginning.borrow())?;
        self.end_answer()?;
        if let Some(why) = why.filter(|_| self.code == ExitCode::SUCCESS) {
            self.report(why);
        }
        self.finish()
    }

    /// Prints the events of a URL, and records its answers if there is a recorder.
    pub(crate) fn fetch(
        mut self,
        url: Url,
        request: &Request,
        connection: &Connection,
        recorder: Option<Recorder>,
    ) -> anyhow::Result<ExitCode> {
        let runtime = Builder::new_current_thread().enable_all().build().context("cannot start the async runtime")?;
        let name = failure::public(&url).to_string();
        let follow = connection.follow;
        if connection.verbose {
            self.verbose(format_args!("{} {name}", request.method()));
        }
        let recorder = recorder.map(|recorder| Rc::new(RefCell::new(recorder)));
        let mut silence = Silence::new();
        let mut arrived = 0_u64;
        runtime.block_on(async {
            let mut source = request.source(&url, connection, recorder.clone())?;
            if self.unfinished {
                source = source.with_decoder(Decoder::new().with_eof(Eof::Dispatch));
            }
            loop {
                // The line of silence would erase the text of `--select` that it follows.
                let item = match silence.step().filter(|_| !self.printer.is_within_line()) {
                    None => source.next().await,
                    Some(step) => match timeout(step, source.next()).await {
                        Ok(item) => item,
                        Err(_) => {
                            silence.show(&mut self.err);
                            continue;
                        }
                    },
                };
                silence.end(&mut self.err);
                let error = match &item {
                    Some(Item::Reconnecting { error, .. }) => Some(error),
                    Some(_) => None,
                    None => source.stopped().and_then(Stopped::error),
                };
                self.check_recording(recorder.as_deref(), error)?;
                let Some(item) = item else { break };
                let before = arrived;
                match item {
                    Item::Open(head) => {
                        silence.connected();
                        self.head(&head, connection, source.connector().last().traffic.elapsed())?;
                        self.id_withheld(&source.connector().last());
                    }
                    Item::Block(block) => {
                        arrived += u64::from(block.event().is_some());
                        if block.id().is_some() {
                            source.connector().id_received();
                        }
                        self.print(&block, source.connector().last().has_ended)?;
                    }
                    Item::Comment(comment) => self.printer.print_comment(&comment)?,
                    Item::Undecodable(error) => self.skip(&error),
                    Item::Reconnecting { error, delay, .. } => {
                        silence.disconnected();
                        if let ConnectionError::UnexpectedResponse(refusal) = &error {
                            let after = source.connector().last().traffic.elapsed();
                            self.head(refusal.as_http(), connection, after)?;
                        }
                        let why = match source.connector().last().beginning.explain(&name) {
                            Err(why) if is_end(&error) => why.to_string(),
                            _ => failure::what(&error),
                        };
                        self.report(format_args!("{why}; reconnecting in {:.1} s", delay.as_secs_f64()));
                    }
                    _ => {}
                }
                if connection.verbose && before == 0 && arrived > 0 {
                    let last = source.connector().last();
                    let (byte, event) = (last.traffic.first_byte().unwrap_or_default(), last.traffic.elapsed());
                    drop(last);
                    self.verbose(format_args!(
                        "first byte after {}, first event after {}",
                        seconds(byte),
                        seconds(event)
                    ));
                }
                if self.is_enough() {
                    break;
                }
            }
            if let Some(ConnectionError::UnexpectedResponse(refusal)) = source.stopped().and_then(Stopped::error) {
                let after = source.connector().last().traffic.elapsed();
                self.head(refusal.as_http(), connection, after)?;
            }
            if connection.verbose {
                let summary = source.connector().last().traffic.summary(arrived).to_string();
                self.verbose(summary);
                if let Some(recorder) = &recorder {
                    self.verbose(recorder.borrow().summary());
                }
            }
            if self.is_enough() {
                return self.finish();
            }
            let why = match source.stopped().and_then(Stopped::error) {
                Some(error) if is_end(error) => self.explain(&name, &source.connector().last().beginning)?,
                _ => None,
            };
            let stopped = source.into_stopped();
            if stopped.is_failure() || stopped.reason() == StopReason::NoContent && !follow {
                self.printer.finish()?;
                return Err(anyhow!(failure::explain(&stopped, follow)));
            }
            self.end_answer()?;
            if let Some(why) = why.filter(|_| self.code == ExitCode::SUCCESS) {
                self.report(why);
            }
            self.finish()
        })
    }

    /// Fails if the recording has failed. A server that is left because it is silent has stalled.
    fn check_recording(
        &mut self,
        recorder: Option<&RefCell<Recorder>>,
        error: Option<&ConnectionError<FetchError>>,
    ) -> anyhow::Result<()> {
        let Some(recorder) = recorder else { return Ok(()) };
        if let Some(ConnectionError::IdleTimeout(_)) = error {
            // What fails is reported below.
            let _ = recorder.borrow_mut().end(End::Stall);
        }
        recorder.borrow().check().or_else(|failure| self.printer.finish().and(Err(failure)))
    }

    /// The head of a response has arrived.
    fn head<B>(&mut self, head: &Response<B>, connection: &Connection, after: Duration) -> anyhow::Result<()> {
        if connection.include {
            self.printer.print_head(head)?;
        }
        if connection.verbose {
            self.verbose(format_args!(
                "{:?} {} after {}",
                head.version(),
                failure::status(head.status()),
                seconds(after)
            ));
            for (name, value) in &json_lines::headers(head) {
                self.verbose(format_args!("{name}: {}", String::from_utf8_lossy(value.as_bytes())));
            }
        }
        Ok(())
    }

    /// Says that a server was not told where to continue, if so: events may be missing, or come again.
    fn id_withheld(&mut self, observation: &Observation) {
        if observation.id == IdSent::No {
            let (id, url) = (failure::public(&observation.id_is_of), failure::public(&observation.url));
            self.report(format_args!(
                "the last event ID is for {id}, and was not sent to {url}, which is another origin; use that URL to \
                 continue there"
            ));
        }
    }

    /// Prints the event of a block. After the end of the stream, it is one that the end has cut off.
    fn print(&mut self, block: &Block, has_ended: bool) -> anyhow::Result<()> {
        if let (Watch::Dialect(answer), Some(event)) = (&mut self.watch, block.event())
            && let Err(failure) = answer.event(event)
        {
            return self.fail(&failure);
        }
        let printed = self.printer.print_block(block)?;
        if printed == Printed::Event && has_ended {
            self.report("the stream ended inside the last event, which was printed without its end");
        }
        // Each event is an answer of its own, because several answers may follow each other.
        if let (Watch::Hidden(dialect, path), Some(event)) = (&self.watch, block.event())
            && printed != Printed::Nothing
            && let Err(failure) = Answer::new(dialect.clone()).event(event)
            && matches!(*failure, JsonError::Reported { .. })
            && (printed == Printed::NoValue || !path.is_in_error(event.data()))
        {
            return self.fail(&failure);
        }
        Ok(())
    }

    /// Reports that the answer has failed.
    fn fail(&mut self, failure: &Failure) -> anyhow::Result<()> {
        self.printer.finish()?;
        self.report(failure);
        self.code = ExitCode::FAILURE;
        Ok(())
    }

    /// The stream has ended. Reports that the answer is truncated, if no error was reported that says why.
    fn end_answer(&mut self) -> anyhow::Result<()> {
        match &mut self.watch {
            Watch::Dialect(answer) if self.code == ExitCode::SUCCESS => {
                let end = answer.end();
                end.or_else(|failure| self.fail(&failure))
            }
            Watch::Dialect(_) | Watch::Hidden(..) | Watch::Nothing => Ok(()),
        }
    }

    /// Returns whether nothing more is asked for.
    fn is_enough(&self) -> bool {
        let is_complete = matches!(&self.watch, Watch::Dialect(answer) if answer.is_complete());
        is_complete || self.count.is_some_and(|count| self.printer.events() >= count.get())
    }

    /// Ends the output. Without an event that matches the options, that is an error.
    fn finish(mut self) -> anyhow::Result<ExitCode> {
        self.printer.finish()?;
        let is_unexplained = self.printer.events() == 0 && self.code == ExitCode::SUCCESS;
        if let Some(filter) = self.printer.filter().filter(|_| is_unexplained) {
            bail!("no event has {filter}");
        }
        Ok(self.code)
    }

    /// Returns why nothing was printed, unless something was or an error was reported. It is an error if the input is
    /// not an event stream.
    fn explain(&self, name: &str, beginning: &Beginning) -> anyhow::Result<Option<String>> {
        if self.printer.has_printed() || self.code != ExitCode::SUCCESS {
            return Ok(None);
        }
        let why = beginning.explain(name)?;
        // Otherwise the end says which events were asked for.
        Ok(self.printer.filter().is_none().then_some(why))
    }

    /// Reports an event or a comment that cannot be decoded. The decoder continues after it.
    fn skip(&mut self, error: &DecodeError) {
        self.report(match error {
            DecodeError::Truncated => {
                format!("{error}, which was not printed: each must end with a blank line; print it with --unfinished")
            }
            error => format!("{error}; it was skipped, and the stream continues"),
        });
        self.code = ExitCode::FAILURE;
    }

    fn report(&mut self, what: impl Display) {
        report(&mut self.err, what);
    }

    /// Prints a line of `--verbose`.
    fn verbose(&mut self, what: impl Display) {
        let _ = writeln!(self.err, "* {}", OneLine(&what.to_string()));
    }
}

/// Returns a time as text.
fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

/// Returns whether the body of a response was read to its end.
fn is_end(error: &ConnectionError<FetchError>) -> bool {
    matches!(error, ConnectionError::Ended | ConnectionError::Truncated)
}
