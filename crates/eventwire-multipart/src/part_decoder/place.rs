//! The result of one step of the decoder, and the location of its bytes.

use super::super::PartEnd;
use core::ops::Range;

/// The result of one step of the decoder.
#[derive(Debug)]
pub(super) enum Found {
    PartBegin(Place),
    Data(Place),
    PartEnd(PartEnd),
    Close,
}

/// The location of bytes.
#[derive(Debug)]
pub(super) enum Place {
    Chunk(Range<usize>),
    /// In the delimiter: the input began like a delimiter and then differed.
    Delimiter(Range<usize>),
    Buffer(Range<usize>),
}

impl Place {
    pub(super) fn len(&self) -> usize {
        let (Place::Chunk(range) | Place::Delimiter(range) | Place::Buffer(range)) = self;
        range.len()
    }
}
