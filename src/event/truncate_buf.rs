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
    use super::{BufMut, BytesMut, Vec};
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
            serde_json::to_writer(self.writer(), value)
        }

        #[cfg(not(feature = "std"))]
        fn put_json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), serde_json::Error> {
            self.put_slice(&serde_json::to_vec(value)?);
            Ok(())
        }
    }
}
