//! Data of an owned event, before it is separated from its chunk.

use super::utf8;
use crate::{event::Data, line::Scanned};
use core::ops::Range;

/// Data that will be owned. The chunk is still borrowed.
pub(super) enum OwnedData {
    Here(Data),
    /// Text at this place of the chunk, which has been validated.
    InChunk(Range<usize>),
}

impl OwnedData {
    /// A value in this chunk.
    #[cfg_attr(not(target_family = "wasm"), inline(always))]
    pub(super) fn value(value: Scanned<'_>, chunk: &[u8]) -> OwnedData {
        match utf8::valid(value) {
            Some(text) => match Data::try_from(text) {
                Ok(short) => OwnedData::Here(short),
                Err(_) => {
                    debug_assert!(chunk.as_ptr_range().contains(&text.as_ptr()), "the value is in another chunk");
                    let begin = text.as_ptr().addr() - chunk.as_ptr().addr();
                    OwnedData::InChunk(begin..begin + text.len())
                }
            },
            None => OwnedData::Here(utf8::repaired(value.bytes()).into()),
        }
    }
}
