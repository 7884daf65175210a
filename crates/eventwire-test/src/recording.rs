//! Recordings: text files of what a server has sent, and when. `docs/recordings.md` describes the format.

use std::{
    borrow::Cow,
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use bytes::{Bytes, BytesMut};
use serde::{Deserialize, Serialize};

use crate::{
    body::{Body, Piece},
    faults::{End, Faults},
    script::{Head, Script},
};

const VERSION: u32 = 1;
/// The longest line of a recording, in bytes.
const MAX_LINE: u64 = 64 * 1024 * 1024;
/// The longest chunk of a plain event stream, in bytes.
const MAX_PIECE: usize = 64 * 1024;

/// A line of a recording.
#[derive(Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Line<'a> {
    /// The version of the format.
    Recording(u32),
    #[serde(borrow)]
    Request(Request<'a>),
    Response(Response),
    Chunk(Chunk<'a>),
    End(Ended),
}

/// What was asked, for the reader of the file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Request<'a> {
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    url: Cow<'a, str>,
    #[serde(default)]
    headers: Vec<(String, String)>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Response {
    status: u16,
    #[serde(default)]
    headers: Vec<(String, String)>,
    #[serde(default, skip_serializing)]
    faults: Faults,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Chunk<'a> {
    /// The time since the line before.
    #[serde(default)]
    ms: u64,
    #[serde(borrow)]
    bytes: Bits<'a>,
}

/// The bytes of a chunk: a text, or if it is not UTF-8, its texts and the bytes between them.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged, expecting = "expected a text, or a list of texts and of bytes from 0 to 255")]
enum Bits<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Parts(#[serde(borrow)] Vec<Part<'a>>),
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged)]
enum Part<'a> {
    Byte(u8),
    Text(#[serde(borrow)] Cow<'a, str>),
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Ended {
    #[serde(default)]
    ms: u64,
    how: End,
}

/// The chunks of one answer, in a file. It stays open, so that a thousand connections need one file descriptor for it.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    file: Arc<Mutex<File>>,
    place: Place,
}

/// Reads a file from an offset, as others do at the same time.
#[derive(Debug)]
pub(crate) struct Reader {
    file: Arc<Mutex<File>>,
    offset: u64,
}

#[derive(Clone, Copy, Debug)]
enum Place {
    /// The lines of a recording between these offsets, in bytes.
    Lines { start: u64, end: u64 },
    /// A plain event stream.
    Whole,
}

/// Iterates over the chunks of a section, and reads no more than one of them.
#[derive(Debug)]
pub(crate) enum Lines {
    Recorded(io::Take<BufReader<Reader>>),
    Plain(BufReader<Reader>, BytesMut),
}

/// A file that cannot be served: it cannot be read, or is not a recording.
#[derive(Debug)]
pub struct ReadError {
    path: PathBuf,
    kind: ErrorKind,
}

#[derive(Debug)]
enum ErrorKind {
    Io(io::Error),
    Line { line: u64, column: usize, what: String },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.kind {
            ErrorKind::Io(error) => write!(f, "cannot read {path}: {error}"),
            ErrorKind::Line { line, column, what } => write!(f, "{path}:{line}:{column}: {what}"),
        }
    }
}

impl std::error::Error for ReadError {}

/// Returns the answers of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<Script>, ReadError> {
    let error = |kind| ReadError { path: path.to_owned(), kind };
    let shared = Arc::new(Mutex::new(File::open(path).map_err(|e| error(ErrorKind::Io(e)))?));
    let mut file = BufReader::new(Reader { file: Arc::clone(&shared), offset: 0 });
    // No field of an event stream begins with a brace.
    if file.fill_buf().map_err(|e| error(ErrorKind::Io(e)))?.first() != Some(&b'{') {
        let section = Section { file: shared, place: Place::Whole };
        let mut script = Script::new();
        script.body.section = Some(section);
        return Ok(vec![script]);
    }
    let mut scripts: Vec<Script> = Vec::new();
    let (mut number, mut offset, mut text) = (0, 0, Vec::new());
    // Whether the last answer has had its end.
    let mut is_open = false;
    loop {
        number += 1;
        text.clear();
        let read = (&mut file).take(MAX_LINE).read_until(b'\n', &mut text).map_err(|e| error(ErrorKind::Io(e)))?;
        let wrong = |column: usize, what: String| error(ErrorKind::Line { line: number, column, what });
        if read == 0 {
            break;
        }
        if read as u64 == MAX_LINE {
            return Err(wrong(1, format!("a line of more than {MAX_LINE} bytes")));
        }
        offset += read as u64;
        if text.trim_ascii().is_empty() {
            continue;
        }
        let line = serde_json::from_slice(&text).map_err(|e| wrong(e.column(), without_place(&e)))?;
        let order = |expected: &str| Err(wrong(1, format!("expected {expected}")));
        match line {
            Line::Recording(VERSION) if number == 1 => {}
            Line::Recording(VERSION) => return order("a request, a response, a chunk or an end"),
            Line::Recording(other) => {
                return Err(wrong(1, format!("version {other} of the format; this program reads {VERSION}")));
            }
            _ if number == 1 => return order("`{\"recording\":1}` in the first line"),
            Line::Request(_) => is_open = false,
            Line::Response(Response { status, headers, faults }) => {
                let place = Place::Lines { start: offset, end: offset };
                let section = Some(Section { file: Arc::clone(&shared), place });
                let head = Head::Response { status, headers };
                scripts.push(Script { head, body: Body { section, pieces: Vec::new() }, faults });
                is_open = true;
            }
            Line::Chunk(_) | Line::End(_) if !is_open => return order("a response before its chunks and its end"),
            Line::Chunk(_) | Line::End(_) => {
                let Some(script) = scripts.last_mut() else { continue };
                if let Some(Section { place: Place::Lines { end, .. }, .. }) = &mut script.body.section {
                    *end = offset;
                }
                if let Line::End(Ended { how, .. }) = line {
                    // How the whole body ended is not how it is cut.
                    if script.faults.cut_after.is_none() {
                        script.faults.end.get_or_insert(how);
                    }
                    is_open = false;
                }
            }
        }
    }
    if scripts.is_empty() {
        return Err(error(ErrorKind::Line { line: number, column: 1, what: "expected a response".to_owned() }));
    }
    Ok(scripts)
}

/// Returns what serde says, without the line and the column at its end.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(what, _)| what.to_owned())
}

impl Section {
    pub(crate) fn lines(&self) -> Lines {
        let read = |offset| BufReader::new(Reader { file: Arc::clone(&self.file), offset });
        match self.place {
            Place::Whole => Lines::Plain(read(0), BytesMut::new()),
            Place::Lines { start, end } => Lines::Recorded(read(start).take(end - start)),
        }
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(self.offset))?;
        let length = file.read(buffer)?;
        self.offset += length as u64;
        Ok(length)
    }
}

impl Iterator for Lines {
    type Item = io::Result<Piece>;

    fn next(&mut self) -> Option<io::Result<Piece>> {
        match self {
            Lines::Recorded(lines) => recorded(lines).transpose(),
            Lines::Plain(file, rest) => plain(file, rest).transpose(),
        }
    }
}

/// Reads the next chunk of a recording, or its end, which is a pause.
fn recorded(lines: &mut impl BufRead) -> io::Result<Option<Piece>> {
    let mut text = Vec::new();
    while text.trim_ascii().is_empty() {
        text.clear();
        if lines.read_until(b'\n', &mut text)? == 0 {
            return Ok(None);
        }
    }
    let (ms, bytes) = match serde_json::from_slice(&text)? {
        Line::Chunk(Chunk { ms, bytes }) => (ms, bytes.into_bytes()),
        Line::End(Ended { ms, .. }) => (ms, Bytes::new()),
        Line::Recording(_) | Line::Request(_) | Line::Response(_) => return Ok(None),
    };
    Ok(Some(Piece { wait: Duration::from_millis(ms), bytes }))
}

impl Bits<'_> {
    fn into_bytes(self) -> Bytes {
        match self {
            Bits::Text(text) => text.into_owned().into(),
            Bits::Parts(parts) => {
                let mut bytes = Vec::new();
                for part in parts {
                    match part {
                        Part::Byte(byte) => bytes.push(byte),
                        Part::Text(text) => bytes.extend_from_slice(text.as_bytes()),
                    }
                }
                bytes.into()
            }
        }
    }
}

/// Reads the next block of a plain event stream. A long one comes in several pieces.
fn plain(file: &mut impl BufRead, rest: &mut BytesMut) -> io::Result<Option<Piece>> {
    let mut seen = 0;
    loop {
        if let Some(end) = block_end(rest, seen) {
            return Ok(Some(Piece { wait: Duration::ZERO, bytes: rest.split_to(end).freeze() }));
        }
        if rest.len() >= MAX_PIECE {
            return Ok(Some(Piece { wait: Duration::ZERO, bytes: rest.split().freeze() }));
        }
        // A blank line may have begun before.
        seen = rest.len().saturating_sub(3);
        let read = file.fill_buf()?;
        if read.is_empty() {
            return Ok((!rest.is_empty()).then(|| Piece { wait: Duration::ZERO, bytes: rest.split().freeze() }));
        }
        let length = read.len();
        rest.extend_from_slice(read);
        file.consume(length);
    }
}

/// Returns where the first block ends that ends behind this place: after its blank line.
fn block_end(bytes: &[u8], from: usize) -> Option<usize> {
    (from..bytes.len()).find_map(|at| {
        let rest = &bytes[at..];
        [&b"\r\n\r\n"[..], b"\n\n", b"\r\r"].iter().find(|blank| rest.starts_with(blank)).map(|blank| at + blank.len())
    })
}

/// Writes a recording. Each call writes one whole line, so that the file can be read even if the program is killed.
#[derive(Debug)]
pub struct Writer {
    file: File,
    /// The length of the file, up to its last whole line.
    length: u64,
    /// When the connection began, and the time of the last line after it, in milliseconds.
    started: Instant,
    written: u64,
}

impl Writer {
    /// Creates the file, or replaces it.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn create(path: &Path) -> io::Result<Writer> {
        let mut writer = Writer { file: File::create(path)?, length: 0, started: Instant::now(), written: 0 };
        writer.write(&Line::Recording(VERSION))?;
        Ok(writer)
    }

    /// A request is sent.
    ///
    /// # Errors
    ///
    /// The file cannot be written. It then ends with its last whole line, as after each of these methods.
    pub fn request(&mut self, method: &str, url: &str, headers: Vec<(String, String)>) -> io::Result<()> {
        self.write(&Line::Request(Request { method: method.into(), url: url.into(), headers }))
    }

    /// The head of a response has arrived.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn response(&mut self, status: u16, headers: Vec<(String, String)>) -> io::Result<()> {
        self.started = Instant::now();
        self.written = 0;
        self.write(&Line::Response(Response { status, headers, faults: Faults::default() }))
    }

    /// A chunk has arrived.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn chunk(&mut self, bytes: &[u8]) -> io::Result<()> {
        let ms = self.ms();
        let bytes = match str::from_utf8(bytes) {
            Ok(text) => Bits::Text(text.into()),
            Err(_) => Bits::Parts(parts(bytes)),
        };
        self.write(&Line::Chunk(Chunk { ms, bytes }))
    }

    /// The response has ended.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn end(&mut self, how: End) -> io::Result<()> {
        let ms = self.ms();
        self.write(&Line::End(Ended { ms, how }))
    }

    /// Returns the time since the line before. What is rounded is not lost.
    fn ms(&mut self) -> u64 {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let ms = now - self.written;
        self.written = now;
        ms
    }

    fn write(&mut self, line: &Line<'_>) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        match self.file.write_all(&text) {
            Ok(()) => {
                self.length += text.len() as u64;
                Ok(())
            }
            Err(error) => {
                // A part of the line may have been written. The first error counts.
                let _ = self.file.set_len(self.length);
                Err(error)
            }
        }
    }
}

/// Returns the text of these bytes, and the bytes that are not UTF-8.
fn parts(bytes: &[u8]) -> Vec<Part<'_>> {
    let chunks = bytes.utf8_chunks().flat_map(|chunk| {
        let text = (!chunk.valid().is_empty()).then(|| Part::Text(chunk.valid().into()));
        text.into_iter().chain(chunk.invalid().iter().copied().map(Part::Byte))
    });
    chunks.collect()
}
