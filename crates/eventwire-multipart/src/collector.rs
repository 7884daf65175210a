//! Collects the body of a part.

use super::{Error, Headers, HeadersRef, WholePart};
use alloc::vec::Vec;
use bytes::Bytes;

/// The default limit on a collected body, in bytes.
pub(super) const DEFAULT_LIMIT: usize = 16 * 1024 * 1024;

/// The limit on the bytes that are reserved for a `Content-Length` before the body has arrived.
const BELIEVED: usize = 256 * 1024;

/// A smaller body than this, in bytes, is copied out of its chunk, because copying it is cheap, and the chunk may
/// itself be a small part of an allocation.
const LEAST_SHARED: usize = 4 * 1024;

/// A body that is less than this part of its chunk is copied too.
const LEAST_SHARE: usize = 4;

/// Collects the body of a part. A large body that is contained in a single chunk is not copied.
#[derive(Clone, Debug)]
pub(super) struct Collector {
    limit: usize,
    bytes: Collected,
}

#[derive(Clone, Debug)]
enum Collected {
    /// A slice of a chunk of this many bytes.
    One(Bytes, usize),
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
        Collector { limit, bytes: Collected::One(Bytes::new(), 0) }
    }

    /// Adds some bytes of the body of the part with these headers, from a chunk of `chunk_len` bytes.
    pub(super) fn add(&mut self, data: Bytes, chunk_len: usize, headers: HeadersRef<'_>) -> Result<(), TooLarge> {
        let len = match &self.bytes {
            Collected::One(bytes, _) => bytes.len(),
            Collected::Many(bytes) => bytes.len(),
        };
        if data.len() > self.limit - len {
            return Err(TooLarge { limit: self.limit });
        }
        match &mut self.bytes {
            Collected::One(first, _) if first.is_empty() => self.bytes = Collected::One(data, chunk_len),
            Collected::One(first, _) => {
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

    /// Returns the part with these headers and this body. The headers are copied, because they are small, and may be in
    /// another chunk than the body.
    pub(super) fn into_part(self, headers: Headers) -> WholePart {
        let body = match self.bytes {
            Collected::One(bytes, chunk_len) if bytes.len() < LEAST_SHARED.max(chunk_len / LEAST_SHARE) => {
                Bytes::copy_from_slice(&bytes)
            }
            Collected::One(bytes, _) => bytes,
            // Drops the vector's spare capacity.
            Collected::Many(bytes) => Bytes::from(bytes.into_boxed_slice()),
        };
        WholePart::from_headers(headers.compact(), body)
    }
}
