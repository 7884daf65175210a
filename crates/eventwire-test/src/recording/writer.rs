//! Writing a recording.

use std::{
    fs::File,
    io::{self, Write},
    time::Instant,
};

use super::line::{Bits, Chunk, Ended, Line, Part, Request, Response, VERSION};
use crate::faults::{End, Faults};

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
