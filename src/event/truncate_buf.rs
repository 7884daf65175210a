//! Buffers that can be truncated after a failed write.

#[cfg(feature = "std")]
mod staged;

use alloc::vec::Vec;
use bytes::{BufMut, BytesMut};

/// The buffers that [`Event::encode_json`](crate::Event::encode_json) writes into: `Vec<u8>` and [`BytesMut`].
///
/// If the JSON cannot be written, such a buffer is truncated to its former length. You rarely need to name this
/// trait. It is sealed.
pub trait TruncateBuf: BufMut + AsRef<[u8]> + sealed::PutJson {}

impl TruncateBuf for Vec<u8> {}

impl TruncateBuf for BytesMut {}

pub(super) mod sealed {
    use super::{BufMut, BytesMut, Vec};
    use serde_core::Serialize;

    pub trait PutJson: BufMut {
        fn truncate(&mut self, len: usize);

        /// Writes at the end of the buffer. If that fails, the buffer may contain a part of the JSON.
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
