//! Recordings: text files of what a server has sent, and when. `docs/recordings.md` describes the format.

mod line;
mod section;
mod writer;

pub use self::writer::Writer;

pub(crate) use self::section::{Lines, Section};

use std::{
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use serde_json::error::Category;

use self::{
    line::{Ended, Line, Response, VERSION},
    section::{Format, Reader},
};
use crate::{
    body::Body,
    script::{Head, Script},
};

/// The longest line of a recording, in bytes.
const MAX_LINE: u64 = 8 * 1024 * 1024;

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
    let beginning = file.fill_buf().map_err(|e| error(ErrorKind::Io(e)))?;
    if beginning.is_empty() {
        let what = "expected a recording or an event stream, but the file is empty".to_owned();
        return Err(error(ErrorKind::Line { line: 1, column: 1, what }));
    }
    if !is_recording(beginning) {
        let mut script = Script::new();
        script.body.section = Some(Section { file: shared, format: Format::Plain });
        return Ok(vec![script]);
    }
    let mut scripts: Vec<Script> = Vec::new();
    let (mut number, mut offset, mut text) = (0, 0, Vec::new());
    let mut has_version = false;
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
        let text = if number == 1 { without_bom(&text) } else { &text };
        let line = serde_json::from_slice(text.trim_ascii_end()).map_err(|e| wrong(e.column().max(1), explain(&e)))?;
        let order = |expected: &str| Err(wrong(1, format!("expected {expected}")));
        match line {
            Line::Recording(VERSION) if !has_version => has_version = true,
            Line::Recording(VERSION) => return order("a request, a response, a chunk or an end"),
            Line::Recording(other) => {
                return Err(wrong(1, format!("version {other} of the format; this program reads {VERSION}")));
            }
            _ if !has_version => return order("`{\"recording\":1}` in the first line"),
            Line::Request(_) => is_open = false,
            Line::Response(Response { status, headers, faults }) => {
                let section = Section { file: Arc::clone(&shared), format: Format::Recording { start: offset } };
                let body = Body { section: Some(section), ..Body::default() };
                scripts.push(Script { head: Head::Response { status, headers }, body, faults });
                is_open = true;
            }
            Line::Chunk(_) | Line::End(_) if !is_open => return order("a response before its chunks and its end"),
            Line::Chunk(_) => {}
            Line::End(Ended { how, .. }) => {
                is_open = false;
                if let Some(script) = scripts.last_mut() {
                    script.body.end = how;
                }
            }
        }
    }
    if scripts.is_empty() {
        return Err(error(ErrorKind::Line { line: number, column: 1, what: "expected a response".to_owned() }));
    }
    Ok(scripts)
}

/// Returns whether a file that begins so is a recording. No field of an event stream begins with a brace.
fn is_recording(beginning: &[u8]) -> bool {
    without_bom(beginning).trim_ascii_start().starts_with(b"{")
}

/// Some editors write a byte order mark.
fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes)
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
        "a sequence" => "a list of `[\"name\",\"value\"]`",
        "a tuple of size 2" => "`[\"name\",\"value\"]`",
        "a string" => "a text",
        "a boolean" => "`true` or `false`",
        other => other,
    };
    format!("{before}, expected {plain}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::{
        env, process,
        sync::atomic::{AtomicU64, Ordering},
        thread,
        time::{Duration, Instant},
    };

    use proptest::{collection::vec, prelude::*};

    use bytes::Bytes;

    use super::{
        section::{MAX_PIECE, block_end},
        *,
    };
    use crate::{
        body::{Piece, Times},
        faults::End,
    };

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
        scripts.iter().map(|script| script.body.pieces(Times::Kept).map(Result::unwrap).collect()).collect()
    }

    /// Bytes as streams have them, and others: the middle of characters, control characters, quotes.
    fn chunk() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            vec(any::<u8>(), 0..40),
            vec(prop::sample::select("data: é日🦀\r\n\"\\\u{0}\u{2028}".as_bytes().to_vec()), 0..40),
        ]
    }

    /// A plain event stream: bytes that do not begin as a recording does, also after white space.
    fn stream() -> impl Strategy<Value = Vec<u8>> {
        let text = prop::sample::select(vec!["\r", "\n", "\r\n", "\n\n", "data: 1", "x", "\u{FEFF}", ":", "é"]);
        let texts = vec(text, 1..60).prop_map(|texts| texts.concat().into_bytes());
        prop_oneof![texts, vec(any::<u8>(), 1..200)].prop_filter("a recording", |bytes| !is_recording(bytes))
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
                prop_assert_eq!(script.body.end, end.map_or(End::Complete, |end| ENDS[end]));
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
        assert!(waits.iter().sum::<Duration>() + 10 * PAUSE <= all + close, "{waits:?} in {all:?}");
    }
}
