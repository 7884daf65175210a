//! The chunks of a reader.

use super::Events;
use bytes::{Bytes, BytesMut};
use std::io::{self, ErrorKind, Read};

/// The size of one allocation, in bytes, from which the chunks are cut.
const BLOCK: usize = 16 * 1024;
/// A block with less room than this, in bytes, is not read into any more.
const LEAST_ROOM: usize = 4 * 1024;

/// The chunks of a [`Read`]: what each call of `read` gives, at most 16 KiB.
///
/// An [interrupted](ErrorKind::Interrupted) read is tried again. After an error that says "not now" ([`WouldBlock`](ErrorKind::WouldBlock),
/// [`TimedOut`](ErrorKind::TimedOut)) the next chunk may be asked for; any other error is the last item, so that a broken reader cannot
/// go on failing for ever.
///
/// ```
/// let chunks: Vec<_> = eventwire::ReadChunks::new(&b"data: 1\n\n"[..]).collect::<Result<_, _>>()?;
/// assert_eq!(chunks, ["data: 1\n\n"]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[must_use = "an iterator does nothing unless it is asked"]
pub struct ReadChunks<R> {
    reader: R,
    block: BytesMut,
    has_ended: bool,
}

impl<R> ReadChunks<R> {
    /// The chunks of `reader`, which needs no buffer of its own.
    pub fn new(reader: R) -> ReadChunks<R> {
        ReadChunks { reader, block: BytesMut::new(), has_ended: false }
    }

    /// The reader.
    #[must_use]
    pub fn get_ref(&self) -> &R {
        &self.reader
    }

    /// The reader. Bytes that are read from it here are missing in the chunks.
    #[must_use]
    pub fn get_mut(&mut self) -> &mut R {
        &mut self.reader
    }

    /// The reader; nothing that was read from it is held back.
    #[must_use]
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
                // A reader that claims more than it was given room for is not believed.
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
    /// The events of a reader: a file, a socket, standard input. See [`ReadChunks`].
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
