//! The standard's data buffer.

use super::{text_buffer::TextBuffer, utf8};
use crate::{event::Data, line::Scanned};
use bytes::Bytes;
use bytestring::ByteString;
use core::mem;

/// Data up to this many bytes is copied and the buffer is kept. For larger data, the event takes over the buffer.
const LARGEST_COPY: usize = 16 * 1024;

/// The data of a block. Each line is followed by an LF, so it is empty only if there is no line.
#[derive(Clone, Debug, Default)]
pub(super) struct DataBuffer {
    lines: TextBuffer,
    /// The size of the last data that took over the buffer. The next is likely to be as large.
    expected: usize,
}

impl DataBuffer {
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The data, without the LF at its end.
    #[inline]
    pub(super) fn value(&self) -> Scanned<'_> {
        self.lines.without_lf()
    }

    #[inline]
    pub(super) fn capacity(&self) -> usize {
        self.lines.capacity()
    }

    #[inline]
    pub(super) fn push_line(&mut self, line: Scanned<'_>, limit: usize) {
        self.lines.push_line(line, limit);
    }

    /// Reserves the size of the last data that took over the buffer, so that new data which arrives in pieces need
    /// not be moved as it grows: eight owned events of 1 MiB in chunks of 1,460 bytes take 6.9 million instructions
    /// instead of 12.0.
    pub(super) fn reserve_expected(&mut self, room: usize) {
        self.lines.reserve_exact(mem::take(&mut self.expected).min(room));
    }

    #[inline]
    pub(super) fn push(&mut self, piece: Scanned<'_>, limit: usize) {
        self.lines.push(piece, limit);
    }

    #[inline]
    pub(super) fn end_line(&mut self, limit: usize) {
        self.lines.push_line(Scanned::from(""), limit);
    }

    /// The data, owned, if it is valid UTF-8. If not, it stays here.
    pub(super) fn take(&mut self) -> Option<Data> {
        let text = utf8::valid(self.value())?;
        if text.len() <= LARGEST_COPY {
            return Some(Data::try_from(text).unwrap_or_else(|()| ByteString::from(text).into()));
        }
        self.expected = text.len() + 1;
        let mut data = self.lines.take();
        data.pop();
        data.shrink_to_fit();
        #[expect(unsafe_code, reason = "`ByteString` has no safe constructor for bytes that are already validated")]
        // SAFETY: these bytes are `text`, which `valid` has found to be valid.
        unsafe {
            Some(ByteString::from_bytes_unchecked(Bytes::from(data)).into())
        }
    }

    /// Empties the buffer in the middle of a block.
    pub(super) fn clear(&mut self) {
        self.lines.clear();
    }

    /// Empties the buffer, and releases it if the buffers are too large together. Returns whether it is still large.
    #[inline]
    pub(super) fn recycle(&mut self, is_beyond: bool) -> bool {
        self.lines.recycle(is_beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::{DataBuffer, TextBuffer};
    use crate::line::Scanned;

    #[test]
    fn the_size_of_the_last_large_data_is_reserved() {
        let mut buffer = DataBuffer::default();
        buffer.push_line(Scanned::from(&[b'x'; 50_000][..]), 100_000);
        assert!(buffer.take().is_some());
        buffer.reserve_expected(100_000);
        assert_eq!(buffer.capacity(), 50_001);
        // Only once, or the capacity would come back as soon as it is released.
        buffer.recycle(false);
        buffer.lines = TextBuffer::default();
        buffer.reserve_expected(100_000);
        assert_eq!(buffer.capacity(), 0);
    }

    #[test]
    fn no_more_is_reserved_than_there_is_room_for() {
        let mut buffer = DataBuffer::default();
        buffer.push_line(Scanned::from(&[b'x'; 50_000][..]), 100_000);
        assert!(buffer.take().is_some());
        buffer.reserve_expected(20_000);
        assert_eq!(buffer.capacity(), 20_000);
    }
}
