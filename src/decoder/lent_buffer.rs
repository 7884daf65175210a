//! The buffer that the last large data took over.

use alloc::vec::Vec;
use bytes::Bytes;
use core::mem;

/// If nothing else uses the buffer when the next block begins, it is taken back. Otherwise its size is remembered: the
/// next data is likely to be as large.
///
/// On wasm, only the size is remembered. The allocator never gives memory back there, and code size matters more.
#[derive(Clone, Debug, Default)]
pub(super) struct LentBuffer {
    #[cfg(not(target_family = "wasm"))]
    data: Bytes,
    expected: usize,
}

impl LentBuffer {
    /// Remembers data that has taken over its buffer.
    pub(super) fn remember(&mut self, data: &Bytes) {
        #[cfg(not(target_family = "wasm"))]
        {
            self.data = data.clone();
        }
        self.expected = data.len() + 1;
    }

    /// The size of a buffer that may come back, in bytes. Zero if there is none.
    #[inline]
    pub(super) fn capacity(&self) -> usize {
        #[cfg(not(target_family = "wasm"))]
        return if self.data.is_empty() { 0 } else { self.expected };
        #[cfg(target_family = "wasm")]
        return 0;
    }

    /// Returns the buffer, empty, and the size of its data, unless something else still uses it.
    #[cold]
    pub(super) fn take_back(&mut self) -> Option<(Vec<u8>, usize)> {
        #[cfg(not(target_family = "wasm"))]
        {
            let mut data = mem::take(&mut self.data);
            if data.is_unique() {
                let len = mem::take(&mut self.expected).saturating_sub(1);
                // Nothing of it is copied, and the capacity stays.
                data.clear();
                return Some((data.into(), len));
            }
        }
        None
    }

    /// Returns the size to be reserved, in bytes. Only once, or the memory would come back as soon as it is released.
    pub(super) fn take_expected(&mut self) -> usize {
        mem::take(&mut self.expected)
    }
}
