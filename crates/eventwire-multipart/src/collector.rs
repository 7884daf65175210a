//! Collects the body of a part.

use super::{Error, Headers, WholePart};
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
    headers: Headers,
    /// The number of the part.
    part: u64,
    limit: usize,
    body: Body,
}

#[derive(Clone, Debug)]
enum Body {
    /// A slice of a chunk of this many bytes.
    Slice(Bytes, usize),
    Copy(Vec<u8>),
}

impl Collector {
    pub(super) fn new(headers: Headers, part: u64, limit: usize) -> Collector {
        Collector { headers, part, limit, body: Body::Slice(Bytes::new(), 0) }
    }

    /// Adds some bytes of the body, from a chunk of `chunk_len` bytes. Fails if the body becomes too large.
    pub(super) fn add<E>(&mut self, data: Bytes, chunk_len: usize) -> Result<(), Error<E>> {
        let len = match &self.body {
            Body::Slice(bytes, _) => bytes.len(),
            Body::Copy(bytes) => bytes.len(),
        };
        if data.len() > self.limit - len {
            return Err(Error::PartTooLarge { limit: self.limit, part: self.part });
        }
        match &mut self.body {
            Body::Slice(first, _) if first.is_empty() => self.body = Body::Slice(data, chunk_len),
            Body::Slice(first, _) => {
                let length = self.headers.as_ref().content_length().and_then(|length| usize::try_from(length).ok());
                let expected = length.unwrap_or(0).min(self.limit).min(BELIEVED);
                let mut bytes = Vec::with_capacity(expected.max(first.len() + data.len()));
                bytes.extend_from_slice(first);
                bytes.extend_from_slice(&data);
                self.body = Body::Copy(bytes);
            }
            Body::Copy(bytes) => bytes.extend_from_slice(&data),
        }
        Ok(())
    }

    /// Returns the part. Its headers are copied, because they are small, and may be in another chunk than the body.
    pub(super) fn into_part(self) -> WholePart {
        let body = match self.body {
            Body::Slice(bytes, chunk_len) if bytes.len() < LEAST_SHARED.max(chunk_len / LEAST_SHARE) => {
                Bytes::copy_from_slice(&bytes)
            }
            Body::Slice(bytes, _) => bytes,
            // Drops the vector's spare capacity.
            Body::Copy(bytes) => Bytes::from(bytes.into_boxed_slice()),
        };
        WholePart::from_headers(self.headers.as_ref().into(), body)
    }
}
