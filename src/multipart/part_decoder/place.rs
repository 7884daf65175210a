//! What a step of the decoder found, and where the bytes of it are.

use super::super::PartEnd;
use core::ops::Range;

/// What a step of the decoder found.
#[derive(Debug)]
pub(super) enum Found {
    PartBegin(Place),
    Data(Place),
    PartEnd(PartEnd),
    Close,
}

/// Where bytes are.
#[derive(Debug)]
pub(super) enum Place {
    Chunk(Range<usize>),
    /// In the delimiter: the input began like one, and then differed.
    Delimiter(Range<usize>),
    Buffer(Range<usize>),
}

impl Place {
    pub(super) fn len(&self) -> usize {
        let (Place::Chunk(range) | Place::Delimiter(range) | Place::Buffer(range)) = self;
        range.len()
    }
}
