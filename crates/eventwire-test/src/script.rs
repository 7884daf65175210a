//! One answer of a server.

use std::{num::NonZeroUsize, path::Path, time::Duration};

use bytes::Bytes;
use eventwire::Outgoing;

use crate::{
    body::{Body, Piece},
    faults::{Chunking, End, Faults, MAX_CHUNK, Place, Resume},
    recording::{self, ReadError},
};

/// One answer of a [`TestServer`](crate::TestServer): the head of a response, the chunks of its body with the times
/// between them, and how the connection ends.
///
/// A script is built step by step. It is sent in the same order, and a chunk is one write to the socket:
///
/// ```
/// use eventwire::Event;
/// use eventwire_test::{End, Script};
/// use std::time::Duration;
///
/// // An event, a pause, half an event, and a connection that breaks.
/// let script = Script::events([Event::new("a").with_id("1")?])
///     .wait(Duration::from_millis(10))
///     .send("id: 2\ndata: b")
///     .with_end(End::Reset);
/// # Ok::<(), eventwire::InvalidField>(())
/// ```
#[derive(Clone, Debug)]
pub struct Script {
    pub(crate) head: Head,
    pub(crate) body: Body,
    pub(crate) faults: Faults,
}

/// What is sent before the body.
#[derive(Clone, Debug)]
pub(crate) enum Head {
    Response {
        status: u16,
        headers: Vec<(String, String)>,
    },
    /// Nothing: the body is all that is sent.
    Raw,
}

impl Script {
    /// Creates an event stream without events: status 200 and the content type `text/event-stream`.
    #[must_use]
    pub fn new() -> Script {
        Script::status(200).header("content-type", "text/event-stream")
    }

    /// Creates an event stream with these [events](eventwire::Event), comments or blocks, each as a chunk.
    #[must_use]
    pub fn events(events: impl IntoIterator<Item: Into<Outgoing>>) -> Script {
        let chunks = events.into_iter().map(|event| event.into().into_bytes());
        chunks.fold(Script::new(), Script::send)
    }

    /// Creates a response with this status, without headers and without a body.
    ///
    /// ```
    /// use eventwire_test::Script;
    ///
    /// let overloaded = Script::status(503).header("retry-after", "2");
    /// let page = Script::status(200).header("content-type", "text/html").send("<!doctype html>");
    /// ```
    #[must_use]
    pub fn status(status: u16) -> Script {
        Script {
            head: Head::Response { status, headers: Vec::new() },
            body: Body::default(),
            faults: Faults::default(),
        }
    }

    /// Creates an answer of these bytes and nothing else, for a head that is not valid, or for framing of your own.
    #[must_use]
    pub fn raw(bytes: impl Into<Bytes>) -> Script {
        Script { head: Head::Raw, ..Script::status(200) }.send(bytes)
    }

    /// Returns the answers of a file: a recording, which `eventwire record` writes, or a plain event stream.
    ///
    /// The file is checked, and is read again when an answer is sent. Its times count in memory
    /// ([`TestServer::connect`](crate::TestServer::connect)). Over TCP, its chunks are sent at once, unless the file has a
    /// `pace`. A [`wait`](Script::wait) that you add always counts.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is not a recording. The message has the line and the column.
    pub fn read(path: impl AsRef<Path>) -> Result<Vec<Script>, ReadError> {
        recording::read(path.as_ref())
    }

    /// Adds a header, which is sent as it is. For another content type than that of [`new`](Script::new), begin with
    /// [`status`](Script::status). `content-length` replaces the chunked transfer coding.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Script {
        if let Head::Response { headers, .. } = &mut self.head {
            headers.push((name.into(), value.into()));
        }
        self
    }

    /// Adds a chunk to the body: any bytes, also half an event or half a character.
    #[must_use]
    pub fn send(mut self, bytes: impl Into<Bytes>) -> Script {
        self.body.pieces.push(Piece { wait: Duration::ZERO, bytes: bytes.into() });
        self
    }

    /// Adds a pause, before the next chunk or the end.
    #[must_use]
    pub fn wait(mut self, time: Duration) -> Script {
        self.body.pieces.push(Piece { wait: time, bytes: Bytes::new() });
        self
    }

    /// Ends the response after this number of events, with [`End::Close`] unless [`with_end`](Script::with_end) says
    /// otherwise. If there are fewer events, nothing is cut.
    #[must_use]
    pub fn cut_after(self, events: u64) -> Script {
        self.cut_within(events, 0)
    }

    /// Ends the response within an event: this number of bytes after the end of this number of events.
    #[must_use]
    pub fn cut_within(mut self, events: u64, bytes: u64) -> Script {
        self.faults.cut_after = Some(Place { events, bytes });
        self
    }

    /// Sets how the response ends.
    #[must_use]
    pub fn with_end(mut self, end: End) -> Script {
        self.faults.end = Some(end);
        self
    }

    /// Cuts the body into chunks of this many bytes, from 1 to 1 MiB. Chunks without a pause between them are joined
    /// first.
    #[must_use]
    pub fn chunks_of(mut self, bytes: usize) -> Script {
        let bytes = NonZeroUsize::new(bytes.min(MAX_CHUNK)).unwrap_or(NonZeroUsize::MIN);
        self.faults.chunk = Some(Chunking::Size(bytes));
        self
    }

    /// Cuts the body at random places, which are the same for the same seed.
    #[must_use]
    pub fn random_chunks(mut self, seed: u64) -> Script {
        self.faults.chunk = Some(Chunking::Random);
        self.faults.seed = Some(seed);
        self
    }

    /// Sets what the server does with the `Last-Event-ID` of the request.
    #[must_use]
    pub fn with_resume(mut self, resume: Resume) -> Script {
        self.faults.resume = Some(resume);
        self
    }

    /// The status and the headers, for the program `eventwire`. [`Script::raw`] has none.
    #[doc(hidden)]
    pub fn head_mut(&mut self) -> Option<(u16, &mut Vec<(String, String)>)> {
        match &mut self.head {
            Head::Response { status, headers } => Some((*status, headers)),
            Head::Raw => None,
        }
    }

    /// An answer with a text.
    pub(crate) fn text(status: u16, text: String) -> Script {
        let script = Script::status(status).header("content-type", "text/plain");
        script.header("content-length", text.len().to_string()).send(text)
    }

    /// What is changed about the body, for the program `eventwire`.
    #[doc(hidden)]
    pub fn faults_mut(&mut self) -> &mut Faults {
        &mut self.faults
    }
}

impl Default for Script {
    fn default() -> Script {
        Script::new()
    }
}
