//! The chunks of one answer, which stay in their file until they are sent.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::{Bytes, BytesMut};

use super::line::{Chunk, Ended, Line};
use crate::body::{BLANKS, Piece};

/// The longest chunk of a plain event stream, in bytes.
pub(super) const MAX_PIECE: usize = 64 * 1024;

/// The chunks of one answer, in a file. It stays open, so that a thousand connections need one file descriptor for it.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    pub(super) file: Arc<Mutex<File>>,
    pub(super) format: Format,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Format {
    /// The lines of a recording from this offset in bytes, up to the next answer.
    Recording { start: u64 },
    /// A plain event stream.
    Plain,
}

/// Reads a file from an offset, as others do at the same time.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(super) file: Arc<Mutex<File>>,
    pub(super) offset: u64,
}

/// Iterates over the chunks of a section, and reads no more than one of them.
#[derive(Debug)]
pub(crate) enum Lines {
    Recorded(BufReader<Reader>),
    Plain(BufReader<Reader>, BytesMut),
}

impl Section {
    pub(crate) fn lines(&self) -> Lines {
        let read = |offset| BufReader::new(Reader { file: Arc::clone(&self.file), offset });
        match self.format {
            Format::Recording { start } => Lines::Recorded(read(start)),
            Format::Plain => Lines::Plain(read(0), BytesMut::new()),
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

/// Reads the next chunk of an answer, or its end, which is a pause.
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
        // A blank line may have begun in these bytes.
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

/// Returns where the first block ends whose blank line begins at this place or later.
pub(super) fn block_end(bytes: &[u8], from: usize) -> Option<usize> {
    let line_ends = (from..bytes.len()).filter(|&at| matches!(bytes[at], b'\r' | b'\n'));
    line_ends
        .flat_map(|at| BLANKS.iter().find(|blank| bytes[at..].starts_with(blank)).map(|blank| at + blank.len()))
        .next()
}
