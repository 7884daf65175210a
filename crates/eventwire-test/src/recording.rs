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
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{self, IgnoredAny, MapAccess, Visitor},
};
use serde_json::error::Category;

use crate::{
    body::{Body, Piece},
    faults::{End, Faults, named},
    script::{Head, Script},
};

const VERSION: u32 = 1;
/// The longest line of a recording, in bytes.
const MAX_LINE: u64 = 64 * 1024 * 1024;
/// The longest chunk of a plain event stream, in bytes.
const MAX_PIECE: usize = 64 * 1024;

/// A line of a recording.
#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Line<'a> {
    /// The version of the format.
    Recording(u32),
    Request(Request<'a>),
    Response(Response),
    Chunk(Chunk<'a>),
    End(Ended),
}

/// The key of a line, which says what it is.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
    Recording,
    Request,
    Response,
    Chunk,
    End,
}

/// What was asked, for the reader of the file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "an object with `method`, `url` and perhaps `headers`")]
struct Request<'a> {
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    url: Cow<'a, str>,
    #[serde(default)]
    headers: Vec<(String, String)>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "an object with `status`, and perhaps `headers` and `faults`")]
struct Response {
    #[serde(deserialize_with = "status")]
    status: u16,
    #[serde(default)]
    headers: Vec<(String, String)>,
    #[serde(default, skip_serializing)]
    faults: Faults,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, expecting = "an object with `bytes`, and perhaps `ms`")]
struct Chunk<'a> {
    /// The time since the line before.
    #[serde(default)]
    ms: u64,
    #[serde(borrow)]
    bytes: Bits<'a>,
}

/// The bytes of a chunk: a text, or if it is not UTF-8, its texts and the bytes between them.
#[derive(Debug, Deserialize, Serialize)]
#[serde(untagged, expecting = "`bytes` is not a text, or a list of texts and of bytes from 0 to 255")]
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
#[serde(deny_unknown_fields, expecting = "an object with `how`, and perhaps `ms`")]
struct Ended {
    #[serde(default)]
    ms: u64,
    #[serde(deserialize_with = "named")]
    how: End,
}

impl<'de: 'a, 'a> Deserialize<'de> for Line<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Line<'a>, D::Error> {
        deserializer.deserialize_map(OneKey)
    }
}

/// Reads an object with one key. serde's own reader of enums has no words for an object with none or two, nor for what
/// is no object.
struct OneKey;

impl<'de> Visitor<'de> for OneKey {
    type Value = Line<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with one key: `recording`, `request`, `response`, `chunk` or `end`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Line<'de>, A::Error> {
        let wrong =
            |count| de::Error::custom(format_args!("found {count} keys, expected {}", &self as &dyn de::Expected));
        let line = match map.next_key()? {
            None => return Err(wrong("no")),
            Some(Key::Recording) => Line::Recording(map.next_value()?),
            Some(Key::Request) => Line::Request(map.next_value()?),
            Some(Key::Response) => Line::Response(map.next_value()?),
            Some(Key::Chunk) => Line::Chunk(map.next_value()?),
            Some(Key::End) => Line::End(map.next_value()?),
        };
        if map.next_key::<IgnoredAny>()?.is_some() { Err(wrong("several")) } else { Ok(line) }
    }
}

/// Reads the status of a response.
fn status<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u16, D::Error> {
    let status = u16::deserialize(deserializer)?;
    if (100..1000).contains(&status) {
        return Ok(status);
    }
    Err(de::Error::custom(format_args!("found the status {status}, expected one from 100 to 999")))
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
    match file.fill_buf().map_err(|e| error(ErrorKind::Io(e)))?.first() {
        None => {
            let what = "expected a recording or an event stream, but the file is empty".to_owned();
            return Err(error(ErrorKind::Line { line: 1, column: 1, what }));
        }
        Some(b'{') => {}
        // Every field of an event stream begins with something else.
        Some(_) => {
            let section = Section { file: shared, place: Place::Whole };
            let mut script = Script::new();
            script.body.section = Some(section);
            return Ok(vec![script]);
        }
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
        // Otherwise a line that is cut off would end in the next one.
        let line = serde_json::from_slice(text.trim_ascii_end()).map_err(|e| wrong(e.column().max(1), explain(&e)))?;
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

/// Returns what is wrong with a line, for a person who has written it.
fn explain(error: &serde_json::Error) -> String {
    const EXAMPLE: &str = r#"{"chunk":{"bytes":"data: 1\n\n"}}"#;
    let text = error.to_string();
    // The reader of the file knows the place.
    let what = text.rsplit_once(" at line ").map_or(&*text, |(what, _)| what);
    match error.classify() {
        Category::Eof => format!("the line is cut off ({what}); expected a whole object, as in {EXAMPLE}"),
        Category::Syntax => format!("this is not JSON ({what}); expected an object on one line, as in {EXAMPLE}"),
        Category::Data | Category::Io => in_plain_words(what),
    }
}

/// Replaces the names of Rust's types at the end of what serde says.
fn in_plain_words(what: &str) -> String {
    let what = match what.strip_prefix("unknown variant ") {
        Some(rest) => format!("unknown value {rest}"),
        None => what.to_owned(),
    };
    let Some((before, expected)) = what.rsplit_once(", expected ") else { return what };
    let plain = match expected {
        "u16" | "u32" | "u64" => "a whole number",
        "a nonzero u32" => "a whole number from 1",
        "a sequence" => "a list",
        "a tuple of size 2" => "a list of two texts, name and value",
        "a string" => "a text",
        "a boolean" => "`true` or `false`",
        other => other,
    };
    format!("{before}, expected {plain}")
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
///
/// After an error, there is nothing more to write: the file ends with its last whole line.
#[derive(Debug)]
pub struct Writer {
    file: File,
    /// The length of the file, up to its last whole line.
    length: u64,
    /// When the head of the response arrived, and the time of the last line after it, in milliseconds.
    started: Instant,
    written: u64,
}

impl Writer {
    /// Begins a recording in an empty file.
    ///
    /// # Errors
    ///
    /// It cannot be written, as in each of these methods.
    pub fn new(file: File) -> io::Result<Writer> {
        let mut writer = Writer { file, length: 0, started: Instant::now(), written: 0 };
        writer.write(&Line::Recording(VERSION))?;
        Ok(writer)
    }

    /// A request was sent.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
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

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::{env, process, sync::atomic::AtomicU64, sync::atomic::Ordering, thread};

    use proptest::{collection::vec, prelude::*};

    use super::*;

    /// How much is read of a file at once.
    const READ: usize = 8 * 1024;

    /// A file that is removed when the test ends.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new() -> Scratch {
            static COUNT: AtomicU64 = AtomicU64::new(0);
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            Scratch(env::temp_dir().join(format!("eventwire-test-{}-{number}", process::id())))
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = std::fs::remove_file(&self.0);
        }
    }

    /// Returns the pieces of each answer of a file.
    fn pieces(path: &Path) -> Vec<Vec<Piece>> {
        let scripts = Script::read(path).unwrap();
        scripts.iter().map(|script| script.body.pieces(true).map(Result::unwrap).collect()).collect()
    }

    /// Bytes as streams have them, and others: the middle of characters, control characters, quotes.
    fn chunk() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            vec(any::<u8>(), 0..40),
            vec(prop::sample::select("data: é日🦀\r\n\"\\\u{0}\u{2028}".as_bytes().to_vec()), 0..40),
        ]
    }

    /// A plain event stream, which does not begin as a recording does.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let text = prop::sample::select(vec!["\r", "\n", "\r\n", "\n\n", "data: 1", "x", "\u{FEFF}", ":", "é"]);
        let texts = vec(text, 1..60).prop_map(|texts| texts.concat().into_bytes());
        prop_oneof![texts, vec(any::<u8>(), 1..200)].prop_filter("a recording", |bytes| bytes[0] != b'{')
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_is_played_in_the_same_chunks(
            answers in vec((100u16..1000, vec(chunk(), 0..8), prop::option::of(0usize..4)), 1..4),
        ) {
            const ENDS: [End; 4] = [End::Complete, End::Close, End::Reset, End::Stall];
            let scratch = Scratch::new();
            let headers = vec![("content-type".to_owned(), "text/event-stream; a=\"é\"".to_owned())];
            let mut writer = Writer::new(File::create(&scratch.0).unwrap()).unwrap();
            for (status, chunks, end) in &answers {
                writer.request("GET", "http://a/?b", Vec::new()).unwrap();
                writer.response(*status, headers.clone()).unwrap();
                chunks.iter().for_each(|chunk| writer.chunk(chunk).unwrap());
                if let Some(end) = end {
                    writer.end(ENDS[*end]).unwrap();
                }
            }
            let scripts = Script::read(&scratch.0).unwrap();
            let played = pieces(&scratch.0);
            prop_assert_eq!(scripts.len(), answers.len());
            for ((script, pieces), (status, chunks, end)) in scripts.iter().zip(played).zip(answers) {
                let Head::Response { status: found, headers: found_headers } = &script.head else { panic!() };
                prop_assert_eq!((*found, found_headers), (status, &headers));
                prop_assert_eq!(script.faults.end, end.map(|end| ENDS[end]));
                let mut found: Vec<Bytes> = pieces.into_iter().map(|piece| piece.bytes).collect();
                if end.is_some() {
                    prop_assert_eq!(found.pop(), Some(Bytes::new()));
                }
                prop_assert_eq!(found, chunks);
            }
        }

        #[test]
        fn a_plain_stream_is_played_as_it_is(bytes in stream()) {
            let scratch = Scratch::new();
            std::fs::write(&scratch.0, &bytes).unwrap();
            let played = pieces(&scratch.0).concat();
            prop_assert!(played.iter().all(|piece| piece.wait.is_zero() && !piece.bytes.is_empty()));
            // A piece ends after a blank line, and has no other before.
            for piece in &played[..played.len() - 1] {
                prop_assert_eq!(block_end(&piece.bytes, 0), Some(piece.bytes.len()));
            }
            let played: Vec<u8> = played.iter().flat_map(|piece| piece.bytes.to_vec()).collect();
            prop_assert_eq!(played, bytes);
        }

        #[test]
        fn a_long_line_is_read_in_pieces(length in 0..4 * MAX_PIECE, has_end: bool) {
            let bytes = [&b"data: "[..], &vec![b'x'; length], if has_end { b"\n\n" } else { b"" }].concat();
            let scratch = Scratch::new();
            std::fs::write(&scratch.0, &bytes).unwrap();
            let played = pieces(&scratch.0).concat();
            prop_assert!(played.iter().all(|piece| piece.bytes.len() <= MAX_PIECE + READ));
            let played: Vec<u8> = played.iter().flat_map(|piece| piece.bytes.to_vec()).collect();
            prop_assert!(played == bytes, "{} of {} bytes", played.len(), bytes.len());
        }
    }

    /// The file is read up to a place inside the blank line.
    #[test]
    fn a_blank_line_ends_a_piece_wherever_the_file_is_read() {
        let scratch = Scratch::new();
        for blank in ["\n\n", "\r\r", "\r\n\r\n"] {
            for before in READ - 6..=READ {
                let first = format!(":{}{blank}", "x".repeat(before - 1));
                std::fs::write(&scratch.0, format!("{first}data: 2")).unwrap();
                let played: Vec<Bytes> = pieces(&scratch.0).concat().into_iter().map(|piece| piece.bytes).collect();
                assert!(played == [first, "data: 2".to_owned()], "{blank:?} at {before}");
            }
        }
    }

    #[test]
    fn times_are_those_since_the_line_before() {
        const PAUSE: Duration = Duration::from_millis(30);
        let scratch = Scratch::new();
        let start = Instant::now();
        let mut writer = Writer::new(File::create(&scratch.0).unwrap()).unwrap();
        writer.response(200, Vec::new()).unwrap();
        writer.chunk(b"a").unwrap();
        thread::sleep(PAUSE);
        writer.chunk(b"b").unwrap();
        thread::sleep(2 * PAUSE);
        writer.end(End::Close).unwrap();
        // The time between two answers is not that of a chunk.
        thread::sleep(10 * PAUSE);
        writer.response(200, Vec::new()).unwrap();
        writer.chunk(b"c").unwrap();
        let all = start.elapsed();
        let [first, second] = &pieces(&scratch.0)[..] else { panic!() };
        let waits: Vec<Duration> = first.iter().chain(second).map(|piece| piece.wait).collect();
        let close = Duration::from_millis(1);
        assert!(waits[1] + close >= PAUSE && waits[2] + close >= 2 * PAUSE, "{waits:?}");
        assert!(waits[3] < 10 * PAUSE && waits.iter().sum::<Duration>() <= all, "{waits:?} in {all:?}");
    }
}
