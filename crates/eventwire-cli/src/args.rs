//! The command line.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr};
use std::num::NonZeroU64;
use std::path::{self, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{anyhow, bail};
use clap::error::{ContextKind, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use reqwest::Url;

use crate::print::{Format, Output};
use crate::request::Request;
use crate::select::Path;
use crate::serve::Serve;
use crate::serve::options::ServeOptions;

/// What the program has to do.
pub(crate) enum Command {
    /// Print a text and end.
    Say(Vec<u8>),
    View(Box<View>),
    Check(Box<Check>),
    Serve(Box<Serve>),
}

/// To show the events of an input.
pub(crate) struct View {
    pub(crate) input: Input,
    pub(crate) output: Output,
    /// How many events to print.
    pub(crate) count: Option<NonZeroU64>,
    /// Whether an event that the end of the stream cuts off is printed.
    pub(crate) unfinished: bool,
    pub(crate) dialect: Option<Model>,
    pub(crate) connection: Connection,
    /// Where the answers of a URL are recorded.
    pub(crate) recording: Option<Recording>,
}

/// To check an input.
pub(crate) struct Check {
    pub(crate) input: Input,
    pub(crate) format: Format,
    pub(crate) time: Duration,
    pub(crate) events: Option<NonZeroU64>,
    pub(crate) origin: Option<String>,
    pub(crate) dialect: Option<Dialect>,
}

pub(crate) enum Input {
    Demo,
    Stdin,
    File(PathBuf),
    Url(Url, Box<Request>),
}

/// A protocol of model services that is checked.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Dialect {
    Openai,
}

/// A protocol of model services whose end and errors are known.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum Model {
    Openai,
    OpenaiResponses,
    Anthropic,
    Gemini,
    Mistral,
    Cohere,
    #[value(name = "any-model")]
    Any,
}

impl Model {
    pub(crate) fn rules(self) -> eventwire::Dialect {
        use eventwire::Dialect;
        match self {
            Model::Openai | Model::Mistral => Dialect::OPENAI,
            Model::OpenaiResponses => Dialect::OPENAI_RESPONSES,
            Model::Anthropic => Dialect::ANTHROPIC,
            Model::Gemini => Dialect::GEMINI,
            Model::Cohere => Dialect::COHERE,
            Model::Any => Dialect::ANY_MODEL,
        }
    }
}

/// Shows Server-Sent Events as they arrive, says what is wrong with a stream, records it, and serves it with faults.
#[derive(Parser)]
#[command(
    name = "eventwire",
    version,
    args_conflicts_with_subcommands = true,
    args_override_self = true,
    disable_help_subcommand = true,
    max_term_width = 80,
    after_help = AFTER_HELP
)]
struct Line {
    #[command(subcommand)]
    command: Option<Other>,
    #[command(flatten)]
    view: ViewOptions,
}

#[derive(Subcommand)]
enum Other {
    Check(CheckOptions),
    Record(RecordOptions),
    Serve(ServeOptions),
}

#[derive(Args)]
struct ViewOptions {
    /// An http:// or https:// URL, also without http:// as in localhost:8080/events, a file, or - for standard input.
    /// Without it, a demo
    #[arg(value_name = "URL|FILE")]
    place: Option<OsString>,
    #[command(flatten)]
    show: ShowOptions,
    /// Print a manual page, or the completions for a shell: eventwire --generate man | man -l -
    #[arg(long, value_name = "KIND", exclusive = true)]
    #[arg(value_parser = ["man", "bash", "elvish", "fish", "powershell", "zsh"])]
    generate: Option<String>,
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    request: RequestOptions,
}

/// How events are shown.
#[derive(Args)]
struct ShowOptions {
    /// Print each event as one line of JSON: event and data; id if it was set since the event before; retry, in
    /// milliseconds, if the event sets it
    #[arg(long)]
    json: bool,
    /// Indent data that is JSON
    #[arg(long, conflicts_with_all = ["json", "select"])]
    pretty: bool,
    /// Print only this value of each event's data, such as choices.0.delta.content: texts one after the other, other
    /// values and with --json all values on a line each. If an event reports an error that is not in its value, the
    /// error goes to standard error, and the exit code is 1. With --event, only events of these types are read. A
    /// stream of JSON lines is read as well: each line is an event
    #[arg(long, value_name = "PATH", allow_hyphen_values = true, conflicts_with = "timestamps")]
    select: Option<Path>,
    /// Read the answer of a model service: stop at its end, and report on standard error that it is truncated, or
    /// which error its events report. The exit code is then 1
    #[arg(long, value_name = "NAME")]
    dialect: Option<Model>,
    /// Print only events of this type. Repeatable
    #[arg(long = "event", value_name = "TYPE", allow_hyphen_values = true)]
    types: Vec<String>,
    /// Stop after this number of events
    #[arg(short = 'n', long, value_name = "COUNT", value_parser = from_one::<NonZeroU64>)]
    count: Option<NonZeroU64>,
    /// Print comments too, in JSON as {"comment":"..."}
    #[arg(long)]
    comments: bool,
    /// Print the time before each event and comment, in UTC; in JSON it is the first key, time
    #[arg(long)]
    timestamps: bool,
    /// Also print the last event if the stream ends before the event does
    #[arg(long)]
    unfinished: bool,
}

/// The options for a URL that `check` does not have.
#[derive(Args, Default, PartialEq)]
#[command(next_help_heading = "Options for a URL")]
pub(crate) struct Connection {
    /// Reconnect when the connection drops, and continue after the last event. A line on standard error gives reason
    /// and delay
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Start after the event with this ID, if the server has it
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub(crate) last_event_id: Option<String>,
    /// Give up, or with --follow reconnect, if nothing arrives for this time: 30, 1.5 or 2m
    #[arg(long, value_name = "SECONDS", value_parser = time)]
    pub(crate) timeout: Option<Duration>,
    /// Print the status and the headers of the answer before the events
    #[arg(short, long)]
    pub(crate) include: bool,
    /// Print status, headers and times to standard error, and at the end how fast the stream was
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// The options for a URL that all commands have.
#[derive(Args)]
#[command(next_help_heading = "Options for a URL")]
struct RequestOptions {
    /// Add a header, such as 'Authorization: Bearer KEY', or replace Accept, Cache-Control or Content-Type. Repeatable
    #[arg(short = 'H', long = "header", value_name = "NAME: VALUE", allow_hyphen_values = true)]
    headers: Vec<String>,
    /// Send a POST with this body, as application/json: a text, @FILE, or @- for standard input. It is never sent twice
    /// if it may have been carried out
    #[arg(short = 'd', long = "data", visible_alias = "post", value_name = "BODY", allow_hyphen_values = true)]
    data: Option<String>,
    /// Send a request with this method
    #[arg(short = 'X', long = "request", value_name = "METHOD")]
    method: Option<http::Method>,
    /// Do not check certificates
    #[arg(short = 'k', long)]
    insecure: bool,
}

/// Says what is wrong with a stream, and what to change.
///
/// A line for each finding: FAIL (clients lose something, or cannot read the stream), WARN (wrong for some clients, or
/// at some times) or note; the lines of the stream; what a browser does with it; what to change. The exit code is 1 if
/// there is a FAIL.
///
/// What could not be judged has a line that begins with ----.
///
/// A URL is watched for --time seconds. A GET is then sent again: with compression, after an event with an ID, and
/// after the end of the stream. Other requests are sent once.
#[derive(Args)]
#[command(args_override_self = true, max_term_width = 80)]
struct CheckOptions {
    /// An http:// or https:// URL, also without http:// as in localhost:8080/events, a file, or - for standard input
    #[arg(value_name = "URL|FILE")]
    place: OsString,
    /// Print each finding as one line of JSON
    #[arg(long)]
    json: bool,
    /// Watch for this time: 10, 1.5 or 2m
    #[arg(long, value_name = "SECONDS", value_parser = time, default_value = "10")]
    time: Duration,
    /// Stop watching after this number of events
    #[arg(long, value_name = "COUNT", value_parser = from_one::<NonZeroU64>)]
    events: Option<NonZeroU64>,
    /// Also check that a page of this origin may read the stream: https://app.example.com
    #[arg(long, value_name = "ORIGIN")]
    origin: Option<String>,
    /// Also check that the events follow the protocol of a model service
    #[arg(long, value_name = "NAME")]
    dialect: Option<Dialect>,
    #[command(flatten)]
    request: RequestOptions,
}

/// Writes a stream to a file, with its chunks and their times, while it shows the events.
///
/// The file is a recording: a line of JSON for the head of the request, the head of the answer, each chunk of the body,
/// and the end. Its format is described at https://docs.rs/eventwire-test/latest/eventwire_test/recordings. With
/// --follow, each connection is recorded, refusals included.
///
/// A chunk is one of HTTP/1.1, or a DATA frame of HTTP/2, as it came, compressed or not. A large one may be recorded as
/// several. A chunk is written before its events are shown, and so nothing is lost on Ctrl-C or when the disk is full.
///
/// Only headers that explain the stream and contain no secrets are recorded and shown. The body of the request,
/// user, password and fragment are not recorded, and the values of the query only with --keep-query. What the server
/// sends is recorded as it is.
#[derive(Args)]
#[command(args_override_self = true, max_term_width = 80)]
struct RecordOptions {
    /// An http:// or https:// URL, also without http:// as in localhost:8080/events
    #[arg(value_name = "URL")]
    place: OsString,
    #[command(flatten)]
    recording: Recording,
    #[command(flatten)]
    show: ShowOptions,
    #[command(flatten)]
    connection: Connection,
    #[command(flatten)]
    request: RequestOptions,
}

/// The options of `record` about its file.
#[derive(Args)]
pub(crate) struct Recording {
    /// Write the recording to this file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace the file if it exists. Its content stays until the first answer arrives
    #[arg(long)]
    pub(crate) force: bool,
    /// Also record the values of the URL's query, which may be keys
    #[arg(long)]
    pub(crate) keep_query: bool,
}

const AFTER_HELP: &str = "\
eventwire check URL|FILE says what is wrong with a stream: see eventwire check --help. A file with the name check is \
shown by eventwire ./check. eventwire record URL -o FILE writes a stream to a file, with its chunks and times: see \
eventwire record --help.

eventwire serve FILE is a server for testing clients: it sends the file, and breaks it as the options say; see \
eventwire serve --help.

Up to 10 redirects are followed, but not from https:// to http://, and with --data or --header not to another scheme, \
host or port. The user and the password of a URL and --last-event-id are sent only to the server of the URL, and the ID \
of an event only to the server that has sent it. Streams that are compressed with gzip or brotli are decompressed.

Control characters, and characters that reorder or hide text, are escaped. On a terminal, types and IDs are coloured, \
unless NO_COLOR is set.

Exit codes:
  0  The stream ended after a complete event, as many events came as --count
     says, or the output was closed; check found no FAIL
  1  The input could not be read to its end, is not an event stream, or an
     event in it was truncated or larger than 16 MiB; a model's answer was
     truncated, or reports an error; or the command line is wrong. One line
     on standard error says so. Or check found a FAIL";

/// Reads the command line. An error is one line that says what to do.
pub(crate) fn parse() -> anyhow::Result<Command> {
    command(env::args_os()).map_err(|error| anyhow!("{error:#}; see --help"))
}

fn command(args: impl IntoIterator<Item = OsString>) -> anyhow::Result<Command> {
    let line = match Line::try_parse_from(args) {
        Ok(line) => line,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            return Ok(Command::Say(error.to_string().into_bytes()));
        }
        Err(error) => bail!("{}", one_line(&error)),
    };
    match line.command {
        Some(Other::Check(options)) => check(options),
        Some(Other::Record(options)) => record(options),
        Some(Other::Serve(options)) => Ok(Command::Serve(Box::new(options.into_serve()?))),
        None => view(line.view),
    }
}

/// Returns what clap says, without its first word, its headings, and the usage.
fn one_line(error: &clap::Error) -> String {
    // After the input, clap takes any word for the name of a command.
    let is_word = match error.kind() {
        ErrorKind::ArgumentConflict => error.get(ContextKind::InvalidSubcommand).is_some(),
        ErrorKind::UnknownArgument => {
            error.get(ContextKind::InvalidArg).is_some_and(|word| !word.to_string().starts_with('-'))
        }
        _ => false,
    };
    // The word is not quoted, because it may be a key: the rest of a header without quotes.
    if is_word {
        return "more than one input; give one, write a header as --header 'Name: value' with the quotes, and a \
                command (check, record or serve) before its options"
            .to_owned();
    }
    let text = error.to_string();
    let lines =
        text.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    // That an argument can be a value is of no use here.
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty() && !line.starts_with("tip: to pass")).collect();
    let text = lines.join("; ").replace(":; ", ": ");
    text.strip_prefix("error: ").unwrap_or(&text).to_owned()
}

fn view(options: ViewOptions) -> anyhow::Result<Command> {
    if let Some(kind) = options.generate {
        return Ok(Command::Say(generate(&kind)?));
    }
    let connection = options.connection;
    let is_for_url = connection != Connection::default();
    let input = match options.place {
        None if is_for_url || !options.request.is_empty() => bail!("{FOR_A_URL}"),
        None => Input::Demo,
        Some(place) => input(place, options.request)?,
    };
    if is_for_url && !matches!(input, Input::Url(..)) {
        bail!("{FOR_A_URL}");
    }
    Ok(Command::View(Box::new(options.show.view(input, connection, None))))
}

fn record(options: RecordOptions) -> anyhow::Result<Command> {
    let RecordOptions { place, recording, show, connection, request } = options;
    match input(place, request)? {
        input @ Input::Url(..) => Ok(Command::View(Box::new(show.view(input, connection, Some(recording))))),
        Input::Demo | Input::Stdin | Input::File(_) => {
            bail!("record is for a URL, which starts with http:// or https://")
        }
    }
}

impl ShowOptions {
    fn view(self, input: Input, connection: Connection, recording: Option<Recording>) -> View {
        let ShowOptions { json, pretty, select, dialect, types, count, comments, timestamps, unfinished } = self;
        let output = Output { comments, timestamps, pretty, select, types, ..Output::new(Format::for_stdout(json)) };
        View { input, output, count, unfinished, dialect, connection, recording }
    }
}

fn check(options: CheckOptions) -> anyhow::Result<Command> {
    let CheckOptions { place, json, time, events, origin, dialect, request } = options;
    let format = Format::for_stdout(json);
    let input = input(place, request)?;
    let origin = match (origin, &input) {
        (Some(_), Input::Demo | Input::Stdin | Input::File(_)) => {
            bail!("--origin is for a URL, which starts with http:// or https://")
        }
        (Some(text), Input::Url(url, _)) => match Url::parse(&text) {
            Ok(origin) if origin.origin() == url.origin() => {
                bail!("the URL has this --origin, so it needs no permission")
            }
            Ok(origin) if origin.has_host() => Some(origin.origin().ascii_serialization()),
            _ => bail!("the --origin {text:?} is not valid; write it as https://app.example.com"),
        },
        (None, _) => None,
    };
    Ok(Command::Check(Box::new(Check { input, format, time, events, origin, dialect })))
}

const FOR_A_URL: &str = "--follow, --last-event-id, --timeout, --include, --verbose, --header, --data, --request and \
                         --insecure are for a URL, which starts with http:// or https://";

/// Returns the input with this name: what begins with a scheme and `://` is a URL, anything else a path. But if there
/// is no such file, it may be a URL without its scheme.
fn input(place: OsString, request: RequestOptions) -> anyhow::Result<Input> {
    // A path or a query may contain another URL.
    let has_scheme = |text: &str| text.split_once("://").is_some_and(|(scheme, _)| !scheme.contains(['/', '?', '#']));
    let text = match place.to_str() {
        Some(text) if has_scheme(text) => Some(text.to_owned()),
        Some(text) if begins_with_host(text) && !path::Path::new(text).exists() => Some(format!("http://{text}")),
        _ => None,
    };
    if let Some(text) = text {
        return Ok(Input::Url(url(&text)?, Box::new(request.into_request()?)));
    }
    if !request.is_empty() {
        bail!("{FOR_A_URL}");
    }
    Ok(if place == "-" { Input::Stdin } else { Input::File(place.into()) })
}

/// Returns whether a text begins with what can only be a host: one with a port, an address, or `localhost`. A name
/// alone may be that of a file.
fn begins_with_host(text: &str) -> bool {
    let authority = text.split(['/', '?', '#']).next().unwrap_or_default();
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let (host, has_port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => (host, true),
        _ => (authority, false),
    };
    let in_brackets = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let is_address =
        host.parse::<Ipv4Addr>().is_ok() || in_brackets.is_some_and(|host| host.parse::<Ipv6Addr>().is_ok());
    let is_name = !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
    let is_host = is_address || host.eq_ignore_ascii_case("localhost") || has_port && is_name;
    is_host && !text.contains(|char: char| char.is_control() || char.is_whitespace())
}

impl RequestOptions {
    fn is_empty(&self) -> bool {
        self.headers.is_empty() && self.data.is_none() && self.method.is_none() && !self.insecure
    }

    /// The headers are read here, because clap's errors quote a value, which may be a key.
    fn into_request(self) -> anyhow::Result<Request> {
        let RequestOptions { headers, data, method, insecure } = self;
        let mut request = Request::new(method, data, insecure);
        headers.iter().try_for_each(|line| request.add_header(line))?;
        Ok(request)
    }
}

fn url(text: &str) -> anyhow::Result<Url> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(url) => bail!("cannot read {}:// URLs, only http:// and https://", url.scheme()),
        Err(error) => bail!("this is not a URL: {error}; write it as http://host:port/path"),
    }
}

/// Returns a time in seconds, such as `1.5`, or with a unit, such as `2m`.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = seconds.or_else(|| humantime::parse_duration(text).ok());
    time.filter(|time| !time.is_zero()).ok_or_else(|| "write seconds, such as 30 or 1.5, or 2m".to_owned())
}

/// Returns a whole number that is not 0.
pub(crate) fn from_one<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "write a whole number, from 1")
}

/// Returns a whole number.
pub(crate) fn from_zero(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "write a whole number, from 0")
}

/// Returns the manual page, or the completions for the shell with this name.
fn generate(kind: &str) -> anyhow::Result<Vec<u8>> {
    let mut command = Line::command();
    let mut out = Vec::new();
    match kind.parse::<Shell>() {
        Ok(shell) => clap_complete::generate(shell, &mut command, "eventwire", &mut out),
        Err(_) => out = manual(command)?,
    }
    Ok(out)
}

/// Returns the manual page, which describes the other commands as well.
fn manual(mut command: clap::Command) -> io::Result<Vec<u8>> {
    use clap_mangen::Man;
    command.build();
    let commands: Vec<_> = command.get_subcommands().cloned().collect();
    let page = Man::new(command);
    let mut out = Vec::new();
    page.render_title(&mut out)?;
    page.render_name_section(&mut out)?;
    page.render_synopsis_section(&mut out)?;
    page.render_description_section(&mut out)?;
    page.render_options_section(&mut out)?;
    page.render_extra_section(&mut out)?;
    for command in commands {
        writeln!(out, ".SH \"EVENTWIRE {}\"", command.get_name().to_uppercase())?;
        let has_more = command.get_after_help().is_some();
        let section = Man::new(command);
        section.render_synopsis_section(&mut out)?;
        section.render_description_section(&mut out)?;
        section.render_options_section(&mut out)?;
        if has_more {
            section.render_extra_section(&mut out)?;
        }
    }
    page.render_version_section(&mut out)?;
    Ok(out)
}
