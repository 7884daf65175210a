//! The chunks of a reader.

use super::Events;
use bytes::{Bytes, BytesMut};
use std::io::{self, ErrorKind, Read};

/// The size of the allocations from which chunks are split off, in bytes.
const BLOCK: usize = 16 * 1024;
/// An allocation with less room than this, in bytes, is replaced by a new one.
const LEAST_ROOM: usize = 4 * 1024;

/// Reads chunks from a [`Read`]: an iterator of `io::Result<Bytes>`.
///
/// [`Events::from_reader`] decodes it. Each chunk contains what one call of `read` returned, at most 16 KiB.
///
/// An [interrupted](ErrorKind::Interrupted) read is tried again. After [`WouldBlock`](ErrorKind::WouldBlock) and
/// [`TimedOut`](ErrorKind::TimedOut) you can ask for the next chunk. Any other error is the last item, so that a broken
/// reader does not return errors endlessly.
///
/// ```
/// let chunks: Vec<_> =
///     eventwire::ReadChunks::new(&b"data: 1\n\n"[..]).collect::<Result<_, _>>()?;
/// assert_eq!(chunks, ["data: 1\n\n"]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an iterator does nothing unless it is consumed"]
pub struct ReadChunks<R> {
    reader: R,
    block: BytesMut,
    has_ended: bool,
}

impl<R> ReadChunks<R> {
    /// Creates an iterator over the chunks of `reader`. The reader does not need to be buffered.
    pub fn new(reader: R) -> ReadChunks<R> {
        ReadChunks { reader, block: BytesMut::new(), has_ended: false }
    }

    /// Returns the reader. All bytes that were read from it have been returned in chunks.
    pub fn into_inner(self) -> R {
        self.reader
    }
}

impl<R: Read> Iterator for ReadChunks<R> {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<io::Result<Bytes>> {
        if self.has_ended {
            return None;
        }
        if self.block.len() < LEAST_ROOM {
            self.block = BytesMut::zeroed(BLOCK);
        }
        loop {
            match self.reader.read(&mut self.block) {
                Ok(0) => {
                    self.has_ended = true;
                    return None;
                }
                // A faulty reader may report more bytes than it had room for.
                Ok(read) => return Some(Ok(self.block.split_to(read.min(self.block.len())).freeze())),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.has_ended = !matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
                    return Some(Err(error));
                }
            }
        }
    }
}

impl<R: Read> core::iter::FusedIterator for ReadChunks<R> {}

impl<R: Read> Events<ReadChunks<R>> {
    /// Reads the events of a [`Read`], such as a file, a socket or standard input.
    ///
    /// [`ReadChunks`] describes how it reads and which errors end it.
    ///
    /// ```
    /// let file = &b"event: greeting\ndata: hello\n\n"[..]; // or a `std::fs::File`
    /// for event in eventwire::Events::from_reader(file) {
    ///     assert_eq!(event?.data(), "hello");
    /// }
    /// # Ok::<(), eventwire::Error<std::io::Error>>(())
    /// ```
    pub fn from_reader(reader: R) -> Events<ReadChunks<R>> {
        Events::new(ReadChunks::new(reader))
    }
}
