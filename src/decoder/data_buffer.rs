//! The standard's data buffer.

use super::{lent_buffer::LentBuffer, text_buffer::TextBuffer, utf8};
use crate::{event::Data, line::Scanned};
use bytes::Bytes;
use bytestring::ByteString;

/// Data up to this many bytes is copied and the buffer is kept. For larger data, the event takes over the buffer.
const LARGEST_COPY: usize = 16 * 1024;

/// The data of a block. Each line is followed by an LF, so it is empty only if there is no line.
#[derive(Clone, Debug, Default)]
pub(super) struct DataBuffer {
    lines: TextBuffer,
    lent: LentBuffer,
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

    /// The data, of which the last line may be open.
    pub(super) fn so_far(&self) -> &[u8] {
        let lines = self.lines.value().bytes();
        lines.strip_suffix(b"\n").unwrap_or(lines)
    }

    #[inline]
    pub(super) fn capacity(&self) -> usize {
        self.lines.capacity() + self.lent.capacity()
    }

    #[inline]
    pub(super) fn push_line(&mut self, line: Scanned<'_>, limit: usize) {
        self.lines.push_line(line, limit);
    }

    /// Reserves the size of the last data that took over the buffer, so that new data which arrives in pieces need
    /// not be moved as it grows: eight owned events of 1 MiB in chunks of 1,460 bytes take 6.9 million instructions
    /// instead of 12.0.
    pub(super) fn reserve_expected(&mut self, room: usize) {
        self.lines.reserve_exact(self.lent.take_expected().min(room));
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
        let mut data = self.lines.take();
        data.pop();
        // Data of the same size, and the LF after it, fit in as well.
        data.shrink_to(data.len() + 1);
        let data = Bytes::from(data);
        self.lent.remember(&data);
        #[expect(unsafe_code, reason = "`ByteString` has no safe constructor for bytes that are already validated")]
        // SAFETY: these bytes are `text`, which `valid` has found to be valid.
        unsafe {
            Some(ByteString::from_bytes_unchecked(data).into())
        }
    }

    /// Empties the buffer in the middle of a block.
    pub(super) fn clear(&mut self) {
        self.lines.clear();
    }

    /// Takes back the buffer of the last data, unless something else still uses it.
    #[inline]
    pub(super) fn take_back(&mut self) {
        if self.lent.capacity() > 0
            && let Some((empty, needed)) = self.lent.take_back()
        {
            self.lines.put_back(empty, needed);
        }
    }

    /// Empties the buffer, and releases it if the buffers are too large together. Returns whether it is still large.
    #[inline]
    pub(super) fn recycle(&mut self, is_beyond: bool) -> bool {
        self.take_back();
        self.lines.recycle(is_beyond)
    }
}

#[cfg(test)]
mod tests {
    use super::{Data, DataBuffer, TextBuffer};
    use crate::line::Scanned;
    use std::vec;

    /// Data of 50,000 bytes takes over the buffer.
    fn taken(buffer: &mut DataBuffer) -> Data {
        buffer.push_line(Scanned::from(&[b'x'; 50_000][..]), 100_000);
        buffer.take().expect("valid text")
    }

    #[test]
    fn a_buffer_that_nothing_else_uses_is_taken_back() {
        let mut buffer = DataBuffer::default();
        let data = taken(&mut buffer);
        let address = data.as_ptr();
        drop(data);
        buffer.recycle(false);
        assert_eq!(buffer.capacity(), 50_001);
        assert_eq!(taken(&mut buffer).as_ptr(), address);
    }

    #[test]
    fn the_size_of_data_that_is_in_use_is_reserved() {
        let mut buffer = DataBuffer::default();
        let data = taken(&mut buffer);
        buffer.recycle(false);
        assert_eq!(buffer.capacity(), 0);
        buffer.reserve_expected(100_000);
        assert_eq!((buffer.capacity(), data.len()), (50_001, 50_000));
        // Only once, or the capacity would come back as soon as it is released.
        buffer.lines = TextBuffer::default();
        buffer.reserve_expected(100_000);
        assert_eq!(buffer.capacity(), 0);
    }

    #[test]
    fn no_more_is_reserved_than_there_is_room_for() {
        let mut buffer = DataBuffer::default();
        let _data = taken(&mut buffer);
        buffer.recycle(false);
        buffer.reserve_expected(20_000);
        assert_eq!(buffer.capacity(), 20_000);
    }

    #[test]
    fn a_buffer_that_was_taken_back_is_released_after_small_blocks_only() {
        let mut buffer = DataBuffer::default();
        let data = vec![b'x'; 200_000];
        buffer.push_line(Scanned::from(&data[..]), 300_000);
        drop(buffer.take());
        assert!(buffer.recycle(false));
        for _ in 1..32 {
            assert!(buffer.recycle(false));
        }
        assert_eq!(buffer.capacity(), 200_001);
        assert!(!buffer.recycle(false));
        assert_eq!(buffer.capacity(), 0);
    }
}
