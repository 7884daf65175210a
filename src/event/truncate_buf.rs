//! Buffers from which what was written last can be taken back.

use alloc::vec::Vec;
use bytes::{BufMut, BytesMut};

/// A buffer that JSON can be written into, and truncated if that fails: `Vec<u8>` or [`BytesMut`].
///
/// [`Event::encode_json`](crate::Event::encode_json) takes it. You rarely need to name it. This trait is sealed.
pub trait TruncateBuf: BufMut + AsRef<[u8]> + sealed::PutJson {}

impl TruncateBuf for Vec<u8> {}

impl TruncateBuf for BytesMut {}

pub(super) mod sealed {
    use super::{BytesMut, Vec};
    #[cfg(not(feature = "std"))]
    use bytes::BufMut;
    use serde_core::Serialize;

    pub trait PutJson {
        fn truncate(&mut self, len: usize);

        /// Writes at the end of the buffer. If that fails, a part of it may be there.
        fn put_json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), serde_json::Error>;
    }

    impl PutJson for Vec<u8> {
        #[inline]
        fn truncate(&mut self, len: usize) {
            self.truncate(len);
        }

        #[cfg(feature = "std")]
        #[inline]
        fn put_json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), serde_json::Error> {
            serde_json::to_writer(self, value)
        }

        #[cfg(not(feature = "std"))]
        fn put_json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), serde_json::Error> {
            self.put_slice(&serde_json::to_vec(value)?);
            Ok(())
        }
    }

    impl PutJson for BytesMut {
        #[inline]
        fn truncate(&mut self, len: usize) {
            self.truncate(len);
        }

        #[cfg(feature = "std")]
        #[inline]
        fn put_json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), serde_json::Error> {
            let mut staged = super::staged::Staged::new(self);
            serde_json::to_writer(&mut staged, value)?;
            staged.flush();
            Ok(())
        }

        #[cfg(not(feature = "std"))]
        fn put_json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), serde_json::Error> {
            self.put_slice(&serde_json::to_vec(value)?);
            Ok(())
        }
    }
}

#[cfg(feature = "std")]
mod staged {
    use super::{BufMut, BytesMut};
    use std::io::{self, Write};

    /// As many bytes are held back at most.
    const LIMIT: usize = 512;

    /// Puts small writes together before they go into the buffer.
    ///
    /// serde_json writes a few bytes at a time, and each time a `BytesMut` looks for room anew: without this, a payload of 300 bytes took
    /// 1.6 times as many instructions.
    pub(super) struct Staged<'b> {
        buffer: &'b mut BytesMut,
        bytes: [u8; LIMIT],
        len: usize,
    }

    impl<'b> Staged<'b> {
        #[inline]
        pub(super) fn new(buffer: &'b mut BytesMut) -> Staged<'b> {
            Staged { buffer, bytes: [0; LIMIT], len: 0 }
        }

        #[inline]
        pub(super) fn flush(&mut self) {
            self.buffer.put_slice(&self.bytes[..self.len]);
            self.len = 0;
        }
    }

    impl Write for Staged<'_> {
        #[inline]
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_all(bytes)?;
            Ok(bytes.len())
        }

        #[inline]
        fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
            if let Some(room) = self.bytes.get_mut(self.len..self.len + bytes.len()) {
                room.copy_from_slice(bytes);
                self.len += bytes.len();
            } else {
                self.flush();
                self.buffer.put_slice(bytes);
            }
            Ok(())
        }

        fn flush(&mut self) -> io::Result<()> {
            Staged::flush(self);
            Ok(())
        }
    }
}
