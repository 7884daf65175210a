//! Data on its way out of a chunk.

use super::utf8;
use crate::{event::Data, line::Scanned};
use bytes::{Buf, Bytes};
use core::{mem, ops::Range};

/// Data that is to be owned, before its chunk may be touched.
pub(super) enum OwnedData {
    Here(Data),
    /// Valid text at this place of the chunk.
    InChunk(Range<usize>),
}

impl OwnedData {
    /// A value of this chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn value(value: Scanned<'_>, chunk: &[u8]) -> OwnedData {
        match utf8::valid(value) {
            Some(text) => match Data::try_from(text) {
                Ok(short) => OwnedData::Here(short),
                Err(_) => {
                    debug_assert!(chunk.as_ptr_range().contains(&text.as_ptr()), "the value is of another chunk");
                    let begin = text.as_ptr().addr() - chunk.as_ptr().addr();
                    OwnedData::InChunk(begin..begin + text.len())
                }
            },
            None => OwnedData::Here(utf8::repaired(value.bytes()).into()),
        }
    }

    /// Takes so many bytes off the front of the chunk, and the data with them.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn take(self, chunk: &mut Bytes, taken: usize) -> Data {
        match self {
            OwnedData::Here(data) => {
                chunk.advance(taken);
                data
            }
            OwnedData::InChunk(place) => utf8::validated(take_slice(chunk, taken, place)).into(),
        }
    }
}

#[cfg_attr(not(target_family = "wasm"), inline(always))]
fn take_slice(chunk: &mut Bytes, taken: usize, place: Range<usize>) -> Bytes {
    // The last event of a chunk takes the chunk over: no count of references goes up, and down again.
    let rest = match chunk[taken..] {
        [] => Bytes::new(),
        // What a CRLF leaves.
        [b'\n'] => Bytes::from_static(b"\n"),
        _ => {
            let slice = chunk.slice(place);
            chunk.advance(taken);
            return slice;
        }
    };
    let mut chunk = mem::replace(chunk, rest);
    chunk.truncate(place.end);
    chunk.advance(place.start);
    chunk
}
