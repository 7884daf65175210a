//! Collects the body of a part.

use super::{Error, HeadersRef};
use alloc::vec::Vec;
use bytes::Bytes;

/// The default limit on a collected body, in bytes.
pub(super) const DEFAULT_LIMIT: usize = 16 * 1024 * 1024;

/// The limit on the bytes that are reserved for a `Content-Length` before the body has arrived.
const BELIEVED: usize = 256 * 1024;

/// Collects the body of a part. A body that is contained in a single chunk is not copied.
#[derive(Clone, Debug)]
pub(super) struct Collector {
    limit: usize,
    bytes: Collected,
}

#[derive(Clone, Debug)]
enum Collected {
    One(Bytes),
    Many(Vec<u8>),
}

/// The body has become larger than the limit.
#[derive(Debug)]
pub(super) struct TooLarge {
    limit: usize,
}

impl TooLarge {
    pub(super) fn of_part<E>(self, part: u64) -> Error<E> {
        Error::PartTooLarge { limit: self.limit, part }
    }
}

impl Collector {
    pub(super) fn new(limit: usize) -> Collector {
        Collector { limit, bytes: Collected::One(Bytes::new()) }
    }

    /// Adds some bytes of the body of the part with these headers.
    pub(super) fn add(&mut self, data: Bytes, headers: HeadersRef<'_>) -> Result<(), TooLarge> {
        let len = match &self.bytes {
            Collected::One(bytes) => bytes.len(),
            Collected::Many(bytes) => bytes.len(),
        };
        if data.len() > self.limit - len {
            return Err(TooLarge { limit: self.limit });
        }
        match &mut self.bytes {
            Collected::One(first) if first.is_empty() => *first = data,
            Collected::One(first) => {
                let length = headers.content_length().and_then(|length| usize::try_from(length).ok());
                let expected = length.unwrap_or(0).min(self.limit).min(BELIEVED);
                let mut bytes = Vec::with_capacity(expected.max(first.len() + data.len()));
                bytes.extend_from_slice(first);
                bytes.extend_from_slice(&data);
                self.bytes = Collected::Many(bytes);
            }
            Collected::Many(bytes) => bytes.extend_from_slice(&data),
        }
        Ok(())
    }

    pub(super) fn into_bytes(self) -> Bytes {
        match self.bytes {
            Collected::One(bytes) => bytes,
            // Drops the vector's spare capacity.
            Collected::Many(bytes) => Bytes::from(bytes.into_boxed_slice()),
        }
    }
}
