//! The command `record`: a file with what a server sends, chunk by chunk, and when.

use std::cell::RefCell;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use anyhow::{Chain, anyhow, bail};
use bytes::Bytes;
use eventwire_test::End;
use eventwire_test::internal::Writer;
use futures_util::stream::{self, Stream, StreamExt};
use http::header::{HeaderMap, HeaderName};
use http::response::Parts;
use reqwest::Url;

use crate::args::Recording;
use crate::failure::public;
use crate::journey::{Chunks, Sent};
use crate::print::Count;

/// The headers that are kept. They explain a stream: what was asked for, what it is, and who has passed it on. Of all
/// others nobody can know whether they are secret.
const KEPT: [&str; 27] = [
    "accept",
    "accept-encoding",
    "age",
    "allow",
    "cache-control",
    "cf-cache-status",
    "cf-ray",
    "content-encoding",
    "content-language",
    "content-type",
    "date",
    "expires",
    "last-event-id",
    "origin",
    "pragma",
    "proxy-status",
    "retry-after",
    "retry-after-ms",
    "server",
    "vary",
    "via",
    "x-accel-buffering",
    "x-amz-cf-id",
    "x-cache",
    "x-envoy-upstream-service-time",
    "x-should-retry",
    "x-varnish",
];

/// Records what arrives.
pub(crate) struct Recorder {
    path: PathBuf,
    keeps_query: bool,
    state: State,
    answers: u64,
    chunks: u64,
    bytes: u64,
}

enum State {
    /// No response has arrived. A file that is to be replaced still has its old content.
    Waiting(File),
    Writing(Writer),
    Failed(io::Error),
}

impl Recorder {
    /// Opens the file, before anything is sent.
    pub(crate) fn create(recording: Recording) -> anyhow::Result<Recorder> {
        let Recording { output: path, force, keep_query } = recording;
        if path.as_os_str() == "-" {
            bail!("a recording is a file, because the events go to standard output; write -o FILE");
        }
        let cannot_write = |error| anyhow!("cannot write {path:?}: {error}; choose another file for -o");
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).map_err(cannot_write)?;
        if !force && file.metadata().map_err(cannot_write)?.len() > 0 {
            bail!("{path:?} exists; choose another file for -o, or replace it with --force");
        }
        Ok(Recorder { path, keeps_query: keep_query, state: State::Waiting(file), answers: 0, chunks: 0, bytes: 0 })
    }

    /// The head of a response has arrived, with the request in its extensions.
    pub(crate) fn response(&mut self, head: &Parts) -> io::Result<()> {
        if let State::Waiting(file) = &self.state {
            match begin(file) {
                Ok(writer) => self.state = State::Writing(writer),
                Err(error) => return self.fail(error),
            }
        }
        let url = head.extensions.get().map(|url| without_secrets(url, self.keeps_query));
        let request = url.zip(head.extensions.get::<Sent>());
        self.write(|writer| {
            if let Some((url, sent)) = request {
                writer.request(sent.method.as_str(), &url, kept(&sent.headers))?;
            }
            writer.response(head.status.as_u16(), kept(&head.headers))
        })?;
        self.answers += 1;
        Ok(())
    }

    fn chunk(&mut self, chunk: &[u8]) -> io::Result<()> {
        self.write(|writer| writer.chunk(chunk))?;
        self.chunks += 1;
        self.bytes += chunk.len() as u64;
        Ok(())
    }

    /// The last response has ended.
    pub(crate) fn end(&mut self, how: End) -> io::Result<()> {
        self.write(|writer| writer.end(how))
    }

    fn write(&mut self, write: impl FnOnce(&mut Writer) -> io::Result<()>) -> io::Result<()> {
        match &mut self.state {
            State::Writing(writer) => write(writer).or_else(|error| self.fail(error)),
            State::Waiting(_) => Ok(()),
            State::Failed(error) => Err(error.kind().into()),
        }
    }

    fn fail(&mut self, error: io::Error) -> io::Result<()> {
        let kind = error.kind();
        self.state = State::Failed(error);
        Err(kind.into())
    }

    /// Fails if the file cannot be written.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        let State::Failed(error) = &self.state else { return Ok(()) };
        Err(anyhow!("cannot write {:?}: {error}; it ends after {}", self.path, Summary(self)))
    }

    /// Returns a line about what has been recorded.
    pub(crate) fn summary(&self) -> impl fmt::Display {
        format!("recorded {} in {:?}", Summary(self), self.path)
    }
}

struct Summary<'r>(&'r Recorder);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Recorder { answers, chunks, bytes, .. } = self.0;
        write!(f, "{}, {}, {}", Count(*answers, "answer"), Count(*chunks, "chunk"), Count(*bytes, "byte"))
    }
}

/// Begins the recording in a file, of which nothing stays.
fn begin(file: &File) -> io::Result<Writer> {
    // Not every file can be cut, such as a device.
    if file.metadata()?.len() > 0 {
        file.set_len(0)?;
    }
    Writer::new(file.try_clone()?)
}

/// Returns whether a header is kept.
fn is_kept(name: &HeaderName) -> bool {
    KEPT.contains(&name.as_str()) || name.as_str().starts_with("access-control-")
}

fn kept(headers: &HeaderMap) -> Vec<(String, String)> {
    let kept = headers.iter().filter(|(name, _)| is_kept(name));
    kept.map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())).collect()
}

/// Removes the headers that are not kept, so that they are not shown either.
pub(crate) fn remove_others(headers: &mut HeaderMap) {
    let kept = headers.iter().filter(|(name, _)| is_kept(name));
    *headers = kept.map(|(name, value)| (name.clone(), value.clone())).collect();
}

/// Returns a URL without user, password and fragment, and without the values of its query.
fn without_secrets(url: &Url, keeps_query: bool) -> String {
    let mut shown = public(url);
    let value = |pair: &str| match pair.split_once('=') {
        Some((name, _)) => format!("{name}=REDACTED"),
        // It may be the secret.
        None => "REDACTED".to_owned(),
    };
    match url.query() {
        Some(query) if keeps_query => shown.set_query(Some(query)),
        Some(query) => shown.set_query(Some(&query.split('&').map(value).collect::<Vec<_>>().join("&"))),
        None => {}
    }
    shown.into()
}

/// Records the chunks of a body, and how it ends. If the file cannot be written, the body ends with an error.
pub(crate) fn recorded(body: Chunks, recorder: Rc<RefCell<Recorder>>) -> impl Stream<Item = io::Result<Bytes>> {
    stream::unfold(Some(body), move |body| {
        let recorder = Rc::clone(&recorder);
        async move {
            let mut body = body?;
            let chunk = body.next().await;
            let mut recorder = recorder.borrow_mut();
            match chunk {
                Some(Ok(chunk)) => Some(match recorder.chunk(&chunk) {
                    Ok(()) => (Ok(chunk), Some(body)),
                    Err(error) => (Err(error), None),
                }),
                Some(Err(error)) => {
                    let recorded = recorder.end(if is_reset(&error) { End::Reset } else { End::Close });
                    Some((Err(recorded.err().unwrap_or_else(|| io::Error::other(error))), None))
                }
                None => recorder.end(End::Complete).err().map(|error| (Err(error), None)),
            }
        }
    })
}

/// Returns whether a connection has broken because it was reset. Without that, it was closed.
fn is_reset(error: &reqwest::Error) -> bool {
    let is_reset = |error: &io::Error| error.kind() == io::ErrorKind::ConnectionReset;
    Chain::new(error).filter_map(|cause| cause.downcast_ref()).any(is_reset)
}
