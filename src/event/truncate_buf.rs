//! Buffers from which what was written last can be taken back.

#[cfg(feature = "std")]
mod staged;

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

    pub trait PutJson: BufMut {
        fn truncate(&mut self, len: usize);

        /// Writes at the end of the buffer. If that fails, a part of it may be there.
        #[cfg(feature = "std")]
        fn put_json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), serde_json::Error>;

        /// Writes at the end of the buffer.
        #[cfg(not(feature = "std"))]
        fn put_json<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), serde_json::Error> {
            self.put_slice(&serde_json::to_vec(value)?);
            Ok(())
        }
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
            staged.hand_over();
            Ok(())
        }
    }
}
